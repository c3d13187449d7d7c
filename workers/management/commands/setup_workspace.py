"""``manage.py setup_workspace``: brings the database up to date and makes the first team."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from workers.setup import set_up


class Command(BaseCommand):
    """Migrates, creates the local owner and team on the first start, and loads the samples."""

    help = "Bring the database up to date, and create the local owner, team and samples on the first start."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Set up, saying what is done."""
        set_up(lambda line: self.stdout.write(line))
