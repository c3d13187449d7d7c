"""Registers the jobs app."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Long work done by workers."""

    name = "apps.jobs"
