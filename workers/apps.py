"""Registers the workers' management commands."""

from django.apps import AppConfig


class WorkersConfig(AppConfig):
    """Processes that do the work."""

    name = "workers"
