"""What a runner sees of its job."""

from __future__ import annotations

import contextlib
import logging
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from django.db import InterfaceError, OperationalError, connection, transaction

from apps.jobs import leases
from apps.jobs.leases import Lease
from apps.jobs.models import Job
from workers.keeper import LeaseKeeper

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")


class LeaseLost(Exception):
    """Somebody else has the job now. The runner lets it pass through; nothing that it wrote since counts."""


class StopAsked(Exception):
    """The job was asked to stop while it was about to wait for its parts. Nothing of the transaction was written."""


class WorkerStopping(Exception):
    """The worker is shutting down. The runner lets it pass through; the job goes back to the queue."""


class JobHandle:
    """The payload of a job, and the writes that only the holder of its lease can make.

    Every method raises :class:`LeaseLost` once the lease is gone, and :class:`WorkerStopping` when the worker is to
    end: call one of them (or read :attr:`cancelled`) every second or so, at a point where stopping does no harm.
    """

    PROGRESS_SECONDS = 0.1
    CANCEL_SECONDS = 0.1
    RETRY_SECONDS = 0.5

    def __init__(self, lease: Lease, keeper: LeaseKeeper) -> None:
        job = Job.objects.get(pk=lease.job_id)
        self._lease = lease
        self._keeper = keeper
        self.id: uuid.UUID = job.pk
        self.kind: str = job.kind
        self.team_id: uuid.UUID = job.team_id
        self.created_by_id: uuid.UUID | None = job.created_by_id
        self.object_id: uuid.UUID | None = job.object_id
        self.started_at = job.started_at
        self.payload: dict[str, Any] = job.payload
        self.attempt: int = job.attempt
        self.last_progress: dict[str, Any] = job.progress
        self._checkpoint = None if job.checkpoint is None else bytes(job.checkpoint)
        self._cancelled = job.cancel_requested
        self._cancel_read_at = time.monotonic()
        self._progress_at = -self.PROGRESS_SECONDS
        self._pending: dict[str, Any] | None = None
        self._waiting = False

    @property
    def last_checkpoint(self) -> bytes | None:
        """The bytes of the last :meth:`checkpoint` of this or an earlier attempt."""
        return self._checkpoint

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked the job to stop. The runner then keeps what it has and returns."""
        self._check()
        now = time.monotonic()
        if not self._cancelled and now - self._cancel_read_at >= self.CANCEL_SECONDS:
            self._cancel_read_at = now
            asked = self._lease.rows().values_list("cancel_requested", flat=True)
            self._cancelled = bool(self._patiently(asked.first))
        return self._cancelled

    def progress(self, data: Mapping[str, Any], *, now: bool = False) -> None:
        """Show ``data`` (JSON) to watchers: at most ten times a second, the last one always; ``now`` skips the wait."""
        self._check()
        self._pending = dict(data)
        if now or time.monotonic() - self._progress_at >= self.PROGRESS_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the progress that is still held back."""
        if self._pending is None:
            return
        pending = self._pending
        self._won(self._patiently(lambda: leases.progress(self._lease, pending)))
        self.last_progress, self._pending = pending, None
        self._progress_at = time.monotonic()

    def checkpoint(self, data: bytes) -> None:
        """Keep ``data`` for the next attempt, which finds it as :attr:`last_checkpoint`."""
        self._check()
        self._won(self._patiently(lambda: leases.checkpoint(self._lease, data)))
        self._checkpoint = data

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction that holds the job's row, so that rows of other tables are written by the lease's holder only.

        Raises :class:`LeaseLost` before anything is written if the lease is gone.
        """
        self._check()
        # First on its own, which finds out whether the connection has survived.
        self._won(self._patiently(lambda: leases.renew(self._lease)))
        with transaction.atomic():
            self._won(leases.renew(self._lease))
            yield

    def wait(self, data: bytes) -> None:
        """Leave the job to its parts, which the same :meth:`transaction` makes; the runner then returns.

        When all have ended, the job is run again and finds ``data`` as :attr:`last_checkpoint`. Raises
        :class:`StopAsked` if somebody asked the job to stop.
        """
        if leases.wait(self._lease, data):
            self._waiting = True
            return
        if self._lease.rows().exists():
            self._cancelled = True
            raise StopAsked
        self._won(False)

    def end(self) -> None:
        """End the job: stopped if the runner was told to stop, else done. For :mod:`workers.tasks`."""
        if self._waiting:
            return
        self.flush()
        act = leases.stop if self._cancelled else leases.finish
        self._won(self._patiently(lambda: act(self._lease)))

    def _patiently(self, act: Callable[[], Answer]) -> Answer:
        """Return what ``act`` returns; wait for a database that is away until the lease is lost.

        Each act is one conditional statement, so doing it again changes nothing.
        """
        while True:
            try:
                return act()
            except (OperationalError, InterfaceError) as error:
                if connection.in_atomic_block:
                    raise
                log.warning("Job %s waits for the database: %s", self.id, error)
                connection.close()
                time.sleep(self.RETRY_SECONDS)
                self._check()

    def _check(self) -> None:
        if self._keeper.lost:
            raise LeaseLost
        if self._keeper.stopping:
            raise WorkerStopping

    def _won(self, won: bool) -> None:
        if not won:
            self._keeper.lost = True
            raise LeaseLost
