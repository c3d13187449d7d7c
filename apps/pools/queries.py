"""What a team may see of the pools."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from django.http import HttpRequest
from rest_framework.request import Request

from apps.accounts.permissions import current_team
from apps.audit.services import get_visible_or_404
from apps.pools.models import Pool


def all_pools() -> QuerySet[Pool]:
    """Pools that were not removed, of every team."""
    return (
        Pool.objects.filter(removed_at=None)
        .select_related("version", "created_by")
        .prefetch_related("version__calibrated", "version__profiled", "awaiting")
    )


def visible_pools(request: HttpRequest | Request) -> QuerySet[Pool]:
    """Pools of the caller's team."""
    return all_pools().filter(team=current_team(request))


def get_pool(request: HttpRequest | Request, pool_id: uuid.UUID) -> Pool:
    """One pool of the caller's team; 404 for any other."""
    return get_visible_or_404(request, all_pools(), pool_id)
