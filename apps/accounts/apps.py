"""Registers the accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users, teams, roles and sign-in."""

    name = "apps.accounts"
