"""Registers the accounts app."""

from __future__ import annotations

import importlib

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users, teams, roles and sign-in."""

    name = "apps.accounts"

    def ready(self) -> None:
        """Make the session cookie known to the schema generator."""
        importlib.import_module("apps.accounts.schema")
