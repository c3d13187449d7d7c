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
from apps.jobs import leases
from apps.jobs.clock import later
from apps.jobs.leases import RING_AGAIN_SECONDS
from apps.jobs.models import FINAL_STATES, Job, JobState


def submit(
    kind: str,
    *,
    team: Team,
    created_by: User | None = None,
    object_id: uuid.UUID | None = None,
    payload: Mapping[str, Any] | None = None,
    queue: str = "",
    parent: uuid.UUID | None = None,
    delay_seconds: float = 0.0,
) -> Job:
    """Create a queued job and ring for it once the surrounding transaction is committed.

    ``kind`` names a runner of :mod:`workers.registry`; ``payload`` is small JSON (ids and settings, never files).
    ``parent``: the job that waits for this one; see :func:`apps.jobs.leases.wait`. With ``delay_seconds`` nobody rings
    before the reaper does, at its first look after that time.
    """
    job = Job.objects.create(
        kind=kind,
        team=team,
        created_by=created_by,
        object_id=object_id,
        payload=dict(payload or {}),
        queue=queue or settings.CELERY_TASK_DEFAULT_QUEUE,
        parent_id=parent,
        ring_after=later(delay_seconds or RING_AGAIN_SECONDS),
        rings=0 if delay_seconds else 1,
    )
    job.refresh_from_db(fields=["ring_after"])
    if not delay_seconds:
        transaction.on_commit(functools.partial(leases.ring_first, job.pk, job.queue))
    return job


def cancel(job_id: uuid.UUID) -> bool:
    """Ask the job to stop; ``False`` if it has ended already. A part is stopped with the whole.

    A queued job stops at once. A running one is told, keeps what it has found, and ends as ``stopped``; so do the
    parts of a waiting one, which is then queued a last time to put together what they have.
    """
    parent = Job.objects.filter(pk=job_id).values_list("parent", flat=True).first()
    if parent is not None:
        return cancel(parent)
    if _stop_queued(job_id):
        return True
    told = (
        Job.objects.filter(pk=job_id)
        .exclude(state__in=FINAL_STATES)
        .exclude(state=JobState.QUEUED, parts=None)
        .update(cancel_requested=True, revision=F("revision") + 1)
    )
    for part in Job.objects.filter(parent=job_id).exclude(state__in=FINAL_STATES).values_list("pk", flat=True):
        _cancel_part(part)
    # Between the two statements a running job may have gone back to the queue.
    return bool(told) or _stop_queued(job_id)


def _stop_queued(job_id: uuid.UUID) -> bool:
    """Stop a queued job that has no parts yet."""
    return leases.end(Job.objects.filter(pk=job_id, state=JobState.QUEUED, parts=None), JobState.STOPPED)


def _cancel_part(job_id: uuid.UUID) -> None:
    if leases.end(Job.objects.filter(pk=job_id, state=JobState.QUEUED), JobState.STOPPED):
        return
    Job.objects.filter(pk=job_id, state=JobState.RUNNING).update(cancel_requested=True, revision=F("revision") + 1)
    leases.end(Job.objects.filter(pk=job_id, state=JobState.QUEUED), JobState.STOPPED)
