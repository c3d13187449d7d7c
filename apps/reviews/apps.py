"""Django application of the reviews."""

from __future__ import annotations

from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    """Reviews, threads, notifications and webhooks."""

    name = "apps.reviews"

    def ready(self) -> None:
        """Listen to what makes approvals stale, and to the end of deliveries."""
        from apps.reviews import receivers  # noqa: F401
