"""Notes when an operator map or a precision run has ended, whoever ended its job."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver
from django.utils import timezone

from apps.hosts.models import OperatorMap, PrecisionRun
from apps.jobs.models import Job
from apps.jobs.signals import job_ended


@receiver(job_ended, dispatch_uid="hosts.run_ended")
def run_ended(sender: type[Job], job: Job, **_: Any) -> None:
    """Set the time at which it ended."""
    for rows in (OperatorMap.objects, PrecisionRun.objects):
        rows.filter(job=job.pk, finished_at=None).update(finished_at=timezone.now())
