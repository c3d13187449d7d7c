"""``manage.py worker``: one worker process."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from workers.celery_app import default_queues, run_host_worker, run_worker
from workers.orphans import die_with_parent


class Command(BaseCommand):
    """Works on jobs until it is told to stop."""

    help = "Run one worker process (one job at a time)."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare ``--queues``, ``--host`` and ``--parent``."""
        parser.add_argument("--queues", default="", help="comma-separated; HETEROOPT_QUEUES if left out")
        parser.add_argument("--host", action="store_true", help="keep this host's devices and do the jobs for them")
        parser.add_argument("--parent", type=int, default=0, help="end with the process of this id")

    def handle(self, *args: Any, queues: str, host: bool, parent: int, **options: Any) -> None:
        """Run the worker and exit with its status."""
        if parent:
            die_with_parent(parent)
        if host:
            sys.exit(run_host_worker())
        sys.exit(run_worker([word for word in queues.split(",") if word] or default_queues()))
