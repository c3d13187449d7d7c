"""Django application of the searches."""

from __future__ import annotations

from django.apps import AppConfig


class SearchesConfig(AppConfig):
    """Searches and fronts."""

    name = "apps.searches"

    def ready(self) -> None:
        """Listen to the end of jobs."""
        from apps.searches import receivers  # noqa: F401
