"""Django application of the searches."""

from __future__ import annotations

from django.apps import AppConfig


class SearchesConfig(AppConfig):
    """Searches and fronts."""

    name = "apps.searches"
