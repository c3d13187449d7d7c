"""``manage.py reaper``: takes jobs back from workers that fell silent."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from workers.orphans import die_with_parent
from workers.reaper import run_reaper


class Command(BaseCommand):
    """Watches leases until it is told to stop."""

    help = "Requeue jobs whose worker fell silent, and ring for jobs that wait."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare ``--parent``."""
        parser.add_argument("--parent", type=int, default=0, help="end with the process of this id")

    def handle(self, *args: Any, parent: int, **options: Any) -> None:
        """Run the reaper."""
        if parent:
            die_with_parent(parent)
        run_reaper()
