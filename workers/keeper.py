"""Renews a lease from a thread of its own, which compiled code without the GIL does not hold up."""

from __future__ import annotations

import logging
import threading
import time

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from apps.jobs import leases
from apps.jobs.leases import Lease

log = logging.getLogger(__name__)

# Set by the worker's signal handler; every running job is then given back to the queue.
shutdown = threading.Event()


class LeaseKeeper:
    """Context manager: keeps ``lease`` alive until the block ends, and says whether it was lost."""

    def __init__(self, lease: Lease) -> None:
        self.lease = lease
        self.lost = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease-keeper", daemon=True)

    @property
    def stopping(self) -> bool:
        """Whether the worker is shutting down."""
        return shutdown.is_set()

    def __enter__(self) -> LeaseKeeper:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _keep(self) -> None:
        renewed_at = time.monotonic()
        try:
            while not self._ended.wait(settings.JOB_RENEW_SECONDS):
                try:
                    if not leases.renew(self.lease):
                        self.lost = True
                        return
                    renewed_at = time.monotonic()
                except (DatabaseError, InterfaceError) as error:
                    log.warning("Lease of job %s not renewed: %s", self.lease.job_id, error)
                    connection.close()
                    if time.monotonic() - renewed_at > settings.JOB_LEASE_SECONDS:
                        self.lost = True
                        return
        finally:
            connection.close()
