"""Registers the audit app."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """Who did what to which object, and who was refused."""

    name = "apps.audit"
