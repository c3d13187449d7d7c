"""Django application of the page."""

from __future__ import annotations

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Index page, session and sample workspace."""

    name = "apps.web"

    def ready(self) -> None:
        """Listen for new teams."""
        from apps.web import receivers  # noqa: F401
