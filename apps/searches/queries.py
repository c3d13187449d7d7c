"""What a team may see of the searches."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from django.http import HttpRequest
from rest_framework.request import Request

from apps.accounts.permissions import current_team
from apps.audit.services import get_visible_or_404
from apps.searches.models import Search

_HEAVY = ("graph__data", "job__checkpoint")


def all_searches() -> QuerySet[Search]:
    """Searches of every team, with what their representation needs."""
    return (
        Search.objects.select_related(
            "job", "created_by", "model", "graph", "pool_version", "pool_version__pool", "warm_start"
        )
        .prefetch_related("model__bindings")
        .defer(*_HEAVY)
    )


def visible_searches(request: HttpRequest | Request) -> QuerySet[Search]:
    """Searches of the caller's team."""
    return all_searches().filter(team=current_team(request))


def get_search(request: HttpRequest | Request, search_id: uuid.UUID) -> Search:
    """One search of the caller's team; 404 for any other."""
    return get_visible_or_404(request, all_searches(), search_id)


def progress_of(search_id: uuid.UUID) -> Search | None:
    """The search as its stream of events shows it; ``None`` once it is deleted. The caller has checked the team."""
    return Search.objects.select_related("job", "created_by").defer("job__checkpoint").filter(pk=search_id).first()
