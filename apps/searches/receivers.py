"""Lets go of the islands of a search that has ended, whoever ended it."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from apps.jobs.models import Job
from apps.jobs.signals import job_ended
from apps.searches.models import Island
from apps.searches.services import SEARCH


@receiver(job_ended, dispatch_uid="searches.search_ended")
def search_ended(sender: type[Job], job: Job, **_: Any) -> None:
    """Delete the islands' states and jobs, which serve no more."""
    if job.kind == SEARCH:
        Island.objects.filter(search=job.object_id).delete()
        Job.objects.filter(parent=job).delete()
