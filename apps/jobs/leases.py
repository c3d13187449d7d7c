"""What a worker does with a job. Each act is one UPDATE that checks the fencing token and tells whether it won."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce, Now

from apps.jobs.clock import later
from apps.jobs.models import Job, JobState
from apps.jobs.signals import job_ended


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
        job_id = rows.values_list("pk", flat=True).first()
        if job_id is None:
            return False
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
    return bool(won)
