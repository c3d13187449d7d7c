"""Django application of the device pools."""

from __future__ import annotations

from django.apps import AppConfig


class PoolsConfig(AppConfig):
    """Device pools."""

    name = "apps.pools"

    def ready(self) -> None:
        """Listen for jobs that end."""
        from apps.pools import receivers  # noqa: F401
