"""Registers the calibrations app."""

from django.apps import AppConfig


class CalibrationsConfig(AppConfig):
    """Calibrations of devices."""

    name = "apps.calibrations"

    def ready(self) -> None:
        """Listen for jobs that end."""
        from apps.calibrations import receivers  # noqa: F401
