"""What a team may see of the models."""

from __future__ import annotations

import uuid

from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest
from rest_framework.request import Request

from apps.accounts.permissions import current_team
from apps.audit.services import get_visible_or_404
from apps.modelhub.models import Binding, Model

_RELATED = ("graph", "job", "created_by")


def all_models() -> QuerySet[Model]:
    """Models that were not removed, of every team, with what their representation needs."""
    bindings = Binding.objects.select_related("graph").defer("graph__data")
    return (
        Model.objects.filter(removed_at=None)
        .select_related(*_RELATED)
        .defer("graph__data", "job__checkpoint")
        .prefetch_related("files", Prefetch("bindings", bindings))
    )


def visible_models(request: HttpRequest | Request) -> QuerySet[Model]:
    """Models of the caller's team."""
    return all_models().filter(team=current_team(request))


def get_model(request: HttpRequest | Request, model_id: uuid.UUID) -> Model:
    """One model of the caller's team; 404 for any other."""
    return get_visible_or_404(request, all_models(), model_id)
