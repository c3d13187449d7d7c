"""Django application of the downloads."""

from __future__ import annotations

from django.apps import AppConfig


class DeploymentsConfig(AppConfig):
    """Plans as files."""

    name = "apps.deployments"

    def ready(self) -> None:
        """Listen for exports that are deleted."""
        from apps.deployments import receivers  # noqa: F401
