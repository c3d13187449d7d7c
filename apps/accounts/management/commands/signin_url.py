"""``manage.py signin_url``: prints a new one-time sign-in link."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.accounts.models import User
from apps.accounts.services import ensure_workspace, issue_sign_in_token


class Command(BaseCommand):
    """Prints a link that signs one user in, once."""

    help = "Print a one-time sign-in link for the first owner, or for --user NAME."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare ``--user``."""
        parser.add_argument("--user", default="", help="user name; the first owner if left out")

    def handle(self, *args: Any, user: str, **options: Any) -> None:
        """Issue the token and print its link."""
        if user:
            who = User.objects.filter(username=user, is_active=True).first()
            if who is None:
                raise CommandError(f"There is no active user called {user!r}.")
        else:
            who = ensure_workspace()
        try:
            address = settings.ADDRESS_FILE.read_text() or settings.PUBLIC_URL
        except OSError:  # no server runs on this data folder
            address = settings.PUBLIC_URL
        self.stdout.write(f"{address}/signin/{issue_sign_in_token(who)}/")
