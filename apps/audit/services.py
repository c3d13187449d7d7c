"""Writes audit rows, and finds objects that the caller may see."""

from __future__ import annotations

import uuid
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db import models
from django.http import Http404, HttpRequest
from rest_framework.request import Request

from apps.accounts.models import User
from apps.accounts.permissions import current_team
from apps.audit.models import AuditEvent

AnyModel = TypeVar("AnyModel", bound=models.Model)


def record(
    request: HttpRequest | Request, action: str, target: models.Model, *, details: dict[str, Any] | None = None
) -> AuditEvent:
    """Note that the caller did ``action`` ("model.delete", ...) to ``target``."""
    return AuditEvent.objects.create(
        team=current_team(request),
        user=request.user if isinstance(request.user, User) else None,
        action=action,
        object_type=target._meta.label_lower,
        object_id=target.pk if isinstance(target.pk, uuid.UUID) else None,
        details=details or {},
    )


def get_visible_or_404(
    request: HttpRequest | Request,
    queryset: models.QuerySet[AnyModel],
    object_id: uuid.UUID | str,
    *,
    team_field: str = "team",
) -> AnyModel:
    """Return the current team's object; anything else is a 404, and another team's object leaves an audit row.

    ``queryset`` is unscoped; ``team_field`` is the lookup that leads to the team (``"search__team"``).
    """
    team = current_team(request)
    try:
        found = queryset.filter(pk=object_id)
        mine = found.filter(**{team_field: team}).first()
        if mine is not None:
            return mine
        exists = queryset.model._default_manager.filter(pk=object_id).exclude(**{team_field: team}).exists()
    except (ValidationError, ValueError):
        raise Http404 from None
    if exists:
        AuditEvent.objects.create(
            team=team,
            user=request.user if isinstance(request.user, User) else None,
            action=(request.method or "").lower(),
            object_type=queryset.model._meta.label_lower,
            object_id=object_id,
            denied=True,
            details={"path": request.path[:500]},
        )
    raise Http404
