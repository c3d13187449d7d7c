"""``manage.py serve``: web, workers and reaper under one supervisor."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from workers.supervisor import main


class Command(BaseCommand):
    """Runs everything and prints one URL."""

    help = "Run the web process, HETEROOPT_WORKERS workers and the reaper, and print a sign-in link."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until SIGTERM or SIGINT."""
        main()
