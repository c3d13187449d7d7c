"""Which worker processes are alive."""

from __future__ import annotations

import os
import socket

from django.conf import settings
from django.db.models.functions import Now

from apps.jobs.clock import later
from apps.jobs.models import WorkerHeartbeat

DAY_SECONDS = 86_400.0


def beat(name: str, role: str) -> None:
    """Note that the process ``name`` is alive; ``role`` is ``worker`` or ``reaper``."""
    if not WorkerHeartbeat.objects.filter(name=name).update(seen_at=Now()):
        WorkerHeartbeat.objects.update_or_create(name=name, defaults={"role": role, "seen_at": Now()})


def forget(name: str) -> None:
    """Remove a process that ends in an orderly way."""
    WorkerHeartbeat.objects.filter(name=name).delete()


def forget_old() -> None:
    """Remove processes that have not been seen for a day."""
    WorkerHeartbeat.objects.filter(seen_at__lt=later(-DAY_SECONDS)).delete()


def process_name(pid: int | None = None) -> str:
    """Return what leases and heartbeats call this process, or the process ``pid`` of this host."""
    return f"{_host()}:{os.getpid() if pid is None else pid}"


def alive_here() -> bool:
    """Whether a worker or reaper of this host was seen within one lease time."""
    seen = WorkerHeartbeat.objects.filter(seen_at__gt=later(-settings.JOB_LEASE_SECONDS))
    return seen.filter(name__startswith=f"{_host()}:").exists()


def _host() -> str:
    return socket.gethostname()[:80]


def alive(role: str) -> int:
    """Return how many processes of ``role`` were seen within one lease time."""
    return WorkerHeartbeat.objects.filter(role=role, seen_at__gt=later(-settings.JOB_LEASE_SECONDS)).count()
