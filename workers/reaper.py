"""The process that takes jobs back from silent workers, rings for jobs that wait and deletes what was abandoned."""

from __future__ import annotations

import logging
import signal
import threading
import time
from types import FrameType

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from apps.jobs import heartbeats, recovery
from apps.jobs.heartbeats import process_name
from apps.modelhub import uploads
from workers.strays import delete_strays

log = logging.getLogger(__name__)

PURGE_SECONDS = 60.0
"""How often abandoned uploads are looked for."""


def run_reaper() -> None:
    """Look every ``JOB_REAP_SECONDS`` until SIGTERM or SIGINT. Several reapers do no harm to each other."""
    ended = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        ended.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    name, purged_at = process_name(), -PURGE_SECONDS
    while not ended.is_set():
        look(name)
        if time.monotonic() - purged_at >= PURGE_SECONDS:
            purge()
            purged_at = time.monotonic()
        ended.wait(settings.JOB_REAP_SECONDS)
    heartbeats.forget(name)


def look(name: str) -> None:
    """Look once; a database that is away is waited for."""
    try:
        heartbeats.beat(name, "reaper")
        recovery.reap()
        recovery.wake_waiting()
        recovery.ring_waiting()
        heartbeats.forget_old()
    except (DatabaseError, InterfaceError) as error:
        log.warning("The reaper cannot reach the database: %s", error)
        connection.close()


def purge() -> None:
    """Delete abandoned uploads and what killed jobs left; what cannot be deleted now is tried again later."""
    try:
        deleted = uploads.delete_expired()
    except (DatabaseError, InterfaceError) as error:
        log.warning("The reaper cannot reach the database: %s", error)
        connection.close()
    except OSError as error:
        log.warning("An abandoned upload cannot be deleted: %s", error)
    else:
        if deleted:
            log.info("%d abandoned uploads deleted", deleted)
    if strays := delete_strays():
        log.info("%d things that killed jobs left were deleted", strays)
