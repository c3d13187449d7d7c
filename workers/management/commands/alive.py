"""``manage.py alive``: a container's health check for a worker or a reaper."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from apps.jobs import heartbeats


class Command(BaseCommand):
    """Exits with 0 while a process of this host beats, else with 1."""

    help = "Exit with status 0 if a worker or reaper of this host was seen lately."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Look for a heartbeat of this host."""
        sys.exit(0 if heartbeats.alive_here() else 1)
