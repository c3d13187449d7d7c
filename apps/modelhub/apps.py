"""Django application of the models."""

from __future__ import annotations

from django.apps import AppConfig


class ModelhubConfig(AppConfig):
    """Models and what was read out of them."""

    name = "apps.modelhub"

    def ready(self) -> None:
        """Listen to the end of jobs."""
        from apps.modelhub import receivers  # noqa: F401
