"""What a worker does with a job. Each act is one UPDATE that checks the fencing token and tells whether it won."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce, Now

from apps.jobs import dispatch
from apps.jobs.clock import later
from apps.jobs.models import FINAL_STATES, Job, JobState
from apps.jobs.signals import job_ended

# A queued job that nobody claimed is rung for again after this time, doubled each time, up to the second figure.
RING_AGAIN_SECONDS, RING_AGAIN_MAX_SECONDS = 20.0, 600.0


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on a job until somebody else holds a higher token."""

    job_id: uuid.UUID
    token: int
    owner: str

    def rows(self) -> QuerySet[Job]:
        """Return the job's row while this lease is the current one, else nothing."""
        return Job.objects.filter(pk=self.job_id, fencing_token=self.token, state=JobState.RUNNING)


def claim(job_id: uuid.UUID, owner: str) -> Lease | None:
    """Take a queued job; ``None`` if it is not queued or somebody was faster."""
    token = Job.objects.filter(pk=job_id, state=JobState.QUEUED).values_list("fencing_token", flat=True).first()
    if token is None:
        return None
    won = Job.objects.filter(pk=job_id, state=JobState.QUEUED, fencing_token=token).update(
        state=JobState.RUNNING,
        fencing_token=token + 1,
        attempt=F("attempt") + 1,
        lease_owner=owner[:120],
        lease_expires_at=later(settings.JOB_LEASE_SECONDS),
        started_at=Coalesce(F("started_at"), Now()),
        revision=F("revision") + 1,
        rings=0,
    )
    return Lease(job_id, token + 1, owner) if won else None


def renew(lease: Lease) -> bool:
    """Extend the lease from now."""
    return bool(lease.rows().update(lease_expires_at=later(settings.JOB_LEASE_SECONDS)))


def progress(lease: Lease, data: Mapping[str, Any]) -> bool:
    """Replace the progress that watchers see."""
    return bool(
        lease.rows().update(
            progress=dict(data),
            revision=F("revision") + 1,
            lease_expires_at=later(settings.JOB_LEASE_SECONDS),
        )
    )


def checkpoint(lease: Lease, data: bytes) -> bool:
    """Replace the bytes that the next attempt starts from."""
    return bool(lease.rows().update(checkpoint=data, lease_expires_at=later(settings.JOB_LEASE_SECONDS)))


def wait(lease: Lease, data: bytes) -> bool:
    """Give the job up until its parts have ended, keeping ``data`` for the next attempt, which is its first again.

    In one transaction with the making of the parts. ``False`` too for a job that was asked to stop meanwhile.
    """
    return bool(
        lease.rows()
        .filter(cancel_requested=False)
        .update(
            state=JobState.WAITING,
            checkpoint=data,
            attempt=0,
            lease_owner="",
            lease_expires_at=None,
            revision=F("revision") + 1,
        )
    )


def finish(lease: Lease) -> bool:
    """End the job as done."""
    return end(lease.rows(), JobState.DONE)


def stop(lease: Lease) -> bool:
    """End the job as stopped: it was asked to, and kept what it had."""
    return end(lease.rows(), JobState.STOPPED)


def fail(lease: Lease, error: Mapping[str, Any]) -> bool:
    """End the job as failed; ``error`` is a ``HeteroOptError.to_dict()``."""
    return end(lease.rows(), JobState.FAILED, error)


def release(lease: Lease) -> bool:
    """Give the job back unfinished, as the worker is shutting down; the attempt does not count."""
    return bool(
        lease.rows().update(
            state=JobState.QUEUED,
            attempt=F("attempt") - 1,
            lease_owner="",
            lease_expires_at=None,
            ring_after=None,
            revision=F("revision") + 1,
        )
    )


def end(rows: QuerySet[Job], state: JobState, error: Mapping[str, Any] | None = None) -> bool:
    """Move the one job in ``rows`` to a final ``state`` and tell :data:`job_ended`; ``False`` if there is none."""
    with transaction.atomic():
        # Which row it is must be known before the update, after which the filter no longer finds it.
        found = rows.values_list("pk", "parent").first()
        if found is None:
            return False
        job_id, parent_id = found
        if parent_id is not None:
            # The whole before its part, as whoever stops the whole does it: else two could wait for each other.
            Job.objects.select_for_update().filter(pk=parent_id).values_list("pk").first()
        won = rows.update(
            state=state,
            error=None if error is None else dict(error),
            lease_expires_at=None,
            ring_after=None,
            checkpoint=None,
            finished_at=Now(),
            revision=F("revision") + 1,
        )
        if won:
            job_ended.send(sender=Job, job=Job.objects.get(pk=job_id))
            if parent_id is not None:
                wake(parent_id)
    return bool(won)


def wake(job_id: uuid.UUID) -> bool:
    """Queue a waiting job all of whose parts have ended, and ring for it; ``False`` if it does not wait or some run.

    Several parts can end at once: each looks with the job's row locked, so that the last one sees that it is the last.
    """
    with transaction.atomic():
        job = Job.objects.select_for_update().filter(pk=job_id, state=JobState.WAITING).only("queue").first()
        if job is None or Job.objects.filter(parent=job_id).exclude(state__in=FINAL_STATES).exists():
            return False
        won = Job.objects.filter(pk=job_id, state=JobState.WAITING).update(
            state=JobState.QUEUED, revision=F("revision") + 1, ring_after=later(RING_AGAIN_SECONDS), rings=1
        )
        transaction.on_commit(partial(ring_first, job_id, job.queue))
    return bool(won)


def ring_first(job_id: uuid.UUID, queue: str) -> None:
    """Ring for a job that has just been queued; if the broker does not take it, the reaper rings at its next look."""
    if not dispatch.ring(job_id, queue):
        Job.objects.filter(pk=job_id, state=JobState.QUEUED).update(ring_after=None)
