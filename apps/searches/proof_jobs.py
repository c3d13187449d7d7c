"""Jobs that prove bounds of a search: which there are, and the best bound among them. Their progress is the result."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet

from apps.jobs.models import Job
from apps.searches.models import Search

PROVE = "prove"


def proofs_of(search_id: uuid.UUID) -> QuerySet[Job]:
    """Proofs of a search, newest first."""
    return Job.objects.defer("checkpoint").filter(kind=PROVE, object_id=search_id).order_by("-created_at", "-id")


def proved_bound_ms(search: Search) -> float | None:
    """The highest bound that a proof has reached; it holds for every plan of the search's problem."""
    bounds = [
        float(progress["lower_bound_ms"])
        for progress in proofs_of(search.pk).values_list("progress", flat=True)
        if "lower_bound_ms" in progress
    ]
    return max(bounds, default=None)
