"""Lets pools use the calibrations that they waited for, whoever ended the job."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from apps.calibrations.models import Calibration
from apps.jobs.models import Job
from apps.jobs.signals import job_ended
from apps.pools.measuring import settle


@receiver(job_ended, dispatch_uid="pools.job_ended")
def calibration_ended(sender: type[Job], job: Job, **_: Any) -> None:
    """Settle the calibration that the job made."""
    row = Calibration.objects.filter(job=job.pk).defer("bundle").first()
    if row is not None:
        settle(row)
