"""Django application of the device pools."""

from __future__ import annotations

from django.apps import AppConfig


class PoolsConfig(AppConfig):
    """Device pools."""

    name = "apps.pools"
