"""What a team may see of the exports and trial runs."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from django.http import HttpRequest
from rest_framework.request import Request

from apps.audit.services import get_visible_or_404
from apps.deployments.models import PlanExport, PlanTrial
from apps.searches.models import Search


def all_exports() -> QuerySet[PlanExport]:
    """Exports of every team, with their jobs."""
    related = ("job", "created_by", "search__model")
    return PlanExport.objects.select_related(*related).defer("job__checkpoint")


def exports_of(search: Search, plan_hash: str) -> QuerySet[PlanExport]:
    """Exports of a plan of a search that the caller may see, newest first."""
    return all_exports().filter(search=search, plan_hash=plan_hash)


def get_export(request: HttpRequest | Request, export_id: uuid.UUID) -> PlanExport:
    """One export of the caller's team; 404 for any other."""
    return get_visible_or_404(request, all_exports(), export_id)


def all_trials() -> QuerySet[PlanTrial]:
    """Trial runs of every team, with their jobs."""
    return PlanTrial.objects.select_related("job", "created_by", "search__model").defer("job__checkpoint")


def trials_of(search: Search, plan_hash: str) -> QuerySet[PlanTrial]:
    """Trial runs of a plan of a search that the caller may see, newest first."""
    return all_trials().filter(search=search, plan_hash=plan_hash)


def get_trial(request: HttpRequest | Request, trial_id: uuid.UUID) -> PlanTrial:
    """One trial run of the caller's team; 404 for any other."""
    return get_visible_or_404(request, all_trials(), trial_id)
