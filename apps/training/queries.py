"""What a team may see of the training plans."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from django.http import HttpRequest
from rest_framework.request import Request

from apps.accounts.permissions import current_team
from apps.audit.services import get_visible_or_404
from apps.training.models import TrainingPlanRow


def all_plans() -> QuerySet[TrainingPlanRow]:
    """Training plans of every team, with their jobs."""
    return TrainingPlanRow.objects.select_related("job", "created_by", "before").defer("job__checkpoint")


def visible_plans(request: HttpRequest | Request) -> QuerySet[TrainingPlanRow]:
    """Training plans of the caller's team, without what only a single one shows."""
    return all_plans().filter(team=current_team(request)).defer("job__checkpoint", "plan")


def get_plan(request: HttpRequest | Request, plan_id: uuid.UUID) -> TrainingPlanRow:
    """One training plan of the caller's team; 404 for any other."""
    return get_visible_or_404(request, all_plans(), plan_id)
