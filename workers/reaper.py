"""The process that takes jobs back from silent workers and rings for jobs that wait."""

from __future__ import annotations

import logging
import signal
import threading
from types import FrameType

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from apps.jobs import heartbeats, recovery
from apps.jobs.heartbeats import process_name

log = logging.getLogger(__name__)


def run_reaper() -> None:
    """Look every ``JOB_REAP_SECONDS`` until SIGTERM or SIGINT. Several reapers do no harm to each other."""
    ended = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        ended.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    name = process_name()
    while not ended.is_set():
        look(name)
        ended.wait(settings.JOB_REAP_SECONDS)
    heartbeats.forget(name)


def look(name: str) -> None:
    """Look once; a database that is away is waited for."""
    try:
        heartbeats.beat(name, "reaper")
        recovery.reap()
        recovery.ring_waiting()
        heartbeats.forget_old()
    except (DatabaseError, InterfaceError) as error:
        log.warning("The reaper cannot reach the database: %s", error)
        connection.close()
