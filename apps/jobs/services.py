"""What apps do with jobs: submit one, and ask one to stop."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F

from apps.accounts.models import Team, User
from apps.jobs import dispatch, leases
from apps.jobs.clock import later
from apps.jobs.models import Job, JobState

# A queued job that nobody claimed is rung for again after this time, doubled each time, up to the second figure.
RING_AGAIN_SECONDS, RING_AGAIN_MAX_SECONDS = 20.0, 600.0


def submit(
    kind: str,
    *,
    team: Team,
    created_by: User | None = None,
    object_id: uuid.UUID | None = None,
    payload: Mapping[str, Any] | None = None,
    queue: str = "",
) -> Job:
    """Create a queued job and ring for it once the surrounding transaction is committed.

    ``kind`` names a runner of :mod:`workers.registry`; ``payload`` is small JSON (ids and settings, never files).
    """
    job = Job.objects.create(
        kind=kind,
        team=team,
        created_by=created_by,
        object_id=object_id,
        payload=dict(payload or {}),
        queue=queue or settings.CELERY_TASK_DEFAULT_QUEUE,
        ring_after=later(RING_AGAIN_SECONDS),
        rings=1,
    )
    job.refresh_from_db(fields=["ring_after"])
    transaction.on_commit(functools.partial(_ring_first, job.pk, job.queue))
    return job


def _ring_first(job_id: uuid.UUID, queue: str) -> None:
    if not dispatch.ring(job_id, queue):
        Job.objects.filter(pk=job_id, state=JobState.QUEUED).update(ring_after=None)


def cancel(job_id: uuid.UUID) -> bool:
    """Ask the job to stop; ``False`` if it has ended already.

    A queued job stops at once. A running one is told, keeps what it has found, and ends as ``stopped``.
    """
    if leases.end(Job.objects.filter(pk=job_id, state=JobState.QUEUED), JobState.STOPPED):
        return True
    told = Job.objects.filter(pk=job_id, state=JobState.RUNNING).update(
        cancel_requested=True, revision=F("revision") + 1
    )
    # Between the two statements a running job may have gone back to the queue.
    return bool(told) or leases.end(Job.objects.filter(pk=job_id, state=JobState.QUEUED), JobState.STOPPED)
