"""What the reaper does: takes jobs back from workers that fell silent, and rings again for jobs that wait."""

from __future__ import annotations

import logging

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from apps.jobs import dispatch, heartbeats
from apps.jobs.clock import later
from apps.jobs.leases import RING_AGAIN_MAX_SECONDS, RING_AGAIN_SECONDS, end, wake
from apps.jobs.models import FINAL_STATES, Job, JobState
from heteroopt.errors import HeteroOptError

log = logging.getLogger(__name__)

BATCH = 100


def expired() -> QuerySet[Job]:
    """Return running jobs whose lease has run out (SQLite's clock has milliseconds: this one counts as over)."""
    return Job.objects.filter(state=JobState.RUNNING, lease_expires_at__lte=Now())


def reap() -> int:
    """Requeue, stop or fail every job whose lease has run out; return how many there were.

    A job that was asked to stop is stopped, unless its parts are to be put together. One that has used its last
    attempt fails with ``job_attempts_exhausted``.
    """
    reaped = 0
    for job in expired().only("fencing_token", "attempt", "cancel_requested", "lease_owner")[:BATCH]:
        # The token makes sure that a job which was claimed again in between is left alone.
        rows = expired().filter(pk=job.pk, fencing_token=job.fencing_token)
        try:
            if job.cancel_requested and not job.parts.exists():
                won = end(rows, JobState.STOPPED)
            elif job.attempt >= settings.JOB_MAX_ATTEMPTS:
                won = end(rows, JobState.FAILED, _exhausted(job).to_dict())
            else:
                won = bool(
                    rows.update(
                        state=JobState.QUEUED,
                        lease_owner="",
                        lease_expires_at=None,
                        ring_after=None,
                        revision=F("revision") + 1,
                    )
                )
        except Exception:  # one job that cannot be ended must not keep the others waiting
            log.exception("Job %s could not be taken back from %s", job.pk, job.lease_owner)
            continue
        if won:
            reaped += 1
            log.warning("Job %s taken back from %s after attempt %d", job.pk, job.lease_owner, job.attempt)
    return reaped


def worker_died(owner: str) -> None:
    """Let the leases of a process that is known to be dead run out now, instead of waiting for it to stay silent."""
    Job.objects.filter(state=JobState.RUNNING, lease_owner=owner).update(lease_expires_at=Now())
    heartbeats.forget(owner)


def wake_waiting() -> int:
    """Queue waiting jobs whose parts have all ended, in case that no part did; return how many there were."""
    parts = Job.objects.filter(parent=OuterRef("pk")).exclude(state__in=FINAL_STATES)
    waiting = Job.objects.filter(~Exists(parts), state=JobState.WAITING).values_list("pk", flat=True)
    return sum(wake(job_id) for job_id in waiting[:BATCH])


def ring_waiting() -> int:
    """Ring for queued jobs that are due for it; return how many the broker took."""
    due = Job.objects.filter(Q(ring_after=None) | Q(ring_after__lte=Now()), state=JobState.QUEUED)
    taken = 0
    for job in due.only("queue", "rings").order_by("created_at")[:BATCH]:
        if not dispatch.ring(job.pk, job.queue):
            break
        taken += 1
        wait = min(RING_AGAIN_SECONDS * 2.0 ** min(job.rings, 10), RING_AGAIN_MAX_SECONDS)
        Job.objects.filter(pk=job.pk, state=JobState.QUEUED).update(ring_after=later(wait), rings=F("rings") + 1)
    return taken


def _exhausted(job: Job) -> HeteroOptError:
    return HeteroOptError(
        "job_attempts_exhausted",
        f"The worker stopped answering {job.attempt} times while it worked on this.",
        hint="It may need more memory than the machine has. The workers' log says more.",
        attempts=job.attempt,
        worker=job.lease_owner,
    )
