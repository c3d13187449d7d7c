"""Refuses a model whose reading ended without a graph, whoever ended it."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from apps.jobs.models import Job, JobState
from apps.jobs.signals import job_ended
from apps.modelhub import services

STOPPED = {
    "code": "reading_stopped",
    "message": "The reading of the file was stopped.",
    "hint": "Upload it again, or bind its dimensions again.",
    "params": {},
}


@receiver(job_ended, dispatch_uid="modelhub.reading_ended")
def reading_ended(sender: type[Job], job: Job, **_: Any) -> None:
    """Carry a failed job's error over to its model."""
    if job.kind not in (services.PARSE_MODEL, services.PARSE_TABLES) or job.object_id is None:
        return
    if job.state in (JobState.FAILED, JobState.STOPPED):
        services.refuse(job.object_id, job.error or STOPPED)
