"""Notes when a calibration or a profile has ended, whoever ended its job."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver
from django.utils import timezone

from apps.calibrations.models import Calibration, ModelProfile
from apps.jobs.models import Job
from apps.jobs.signals import job_ended


@receiver(job_ended, dispatch_uid="calibrations.job_ended")
def calibration_ended(sender: type[Job], job: Job, **_: Any) -> None:
    """Set the time at which it ended."""
    for rows in (Calibration.objects, ModelProfile.objects):
        rows.filter(job=job.pk, finished_at=None).update(finished_at=timezone.now())
