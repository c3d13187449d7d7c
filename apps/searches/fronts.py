"""The stored front of a search, and the plan that is meant by a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.http import Http404

from apps.searches.front_json import upgraded
from apps.searches.models import Search, SearchFront
from apps.searches.proof_jobs import proved_bound_ms
from config.refusals import ConflictError

if TYPE_CHECKING:
    from heteroopt.front.front import Front


@dataclass(frozen=True, eq=False, slots=True)
class StoredPlan:
    """A plan of a stored front: its summary, the front and its row in it, and the front's revision."""

    summary: dict[str, Any]
    front: Front
    row: int
    revision: int


def stored_front(search: Search) -> SearchFront:
    """The newest front. Raises 409 ``no_front_yet``."""
    front = SearchFront.objects.filter(search=search).first()
    if front is None:
        raise ConflictError(
            "no_front_yet", "The search has no front yet.", hint="Ask again when front_revision is above 0."
        )
    return front


def front_body(search: Search) -> dict[str, Any]:
    """The front as the page reads it, with the search's state now."""
    front = SearchFront.objects.defer("data").filter(search=search).first() or stored_front(search)
    body = {**upgraded(front.body), "revision": front.revision, "state": search.state}
    proved_ms = proved_bound_ms(search)
    if proved_ms is not None and proved_ms > body["lower_bound"]["exec_time_ms"]:
        body["lower_bound"] = {"exec_time_ms": proved_ms, "proved": True}
    return body


def load_plan(search: Search, number: int, plan_hash: str | None) -> StoredPlan:
    """The plan at a number (1-based), or wherever the plan with ``plan_hash`` is now.

    Raises 404 for a number beyond the front, 409 ``plan_gone`` for a hash that the newest front no longer holds.
    """
    from heteroopt.front.front import Front

    stored = stored_front(search)
    plans: list[dict[str, Any]] = upgraded(stored.body)["plans"]
    if plan_hash:
        row = next((i for i, plan in enumerate(plans) if plan["hash"] == plan_hash), None)
        if row is None:
            raise ConflictError("plan_gone", "The front no longer holds this plan.", hint="Read the front again.")
    elif 1 <= number <= len(plans):
        row = number - 1
    else:
        raise Http404
    return StoredPlan(plans[row], Front.from_bytes(bytes(stored.data)), row, stored.revision)
