"""Registers the hosts app."""

from django.apps import AppConfig


class HostsConfig(AppConfig):
    """Hosts, their devices, operator maps and precision runs."""

    name = "apps.hosts"

    def ready(self) -> None:
        """Listen for jobs that end."""
        from apps.hosts import receivers  # noqa: F401
