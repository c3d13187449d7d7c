"""The stored front of a search, and the plan that is meant by a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.http import Http404

from apps.searches.front_cache import newest_front
from apps.searches.front_json import upgraded
from apps.searches.models import KeptPlan, Search, SearchFront
from apps.searches.proof_jobs import proved_bound_ms
from config.refusals import ConflictError

if TYPE_CHECKING:
    from heteroopt.front.front import Front


@dataclass(frozen=True, eq=False, slots=True)
class StoredPlan:
    """A plan: its summary, the front that holds it and its row there, and the revision of the search's front."""

    summary: dict[str, Any]
    front: Front
    row: int
    revision: int
    fuse: bool | None = None
    """Whether its operators are joined ones, where that is not as the search says."""


def stored_front(search: Search) -> SearchFront:
    """The newest front. Raises 409 ``no_front_yet``."""
    front = SearchFront.objects.filter(search=search).first()
    if front is None:
        raise _no_front_yet()
    return front


def _no_front_yet() -> ConflictError:
    return ConflictError(
        "no_front_yet", "The search has no front yet.", hint="Ask again when front_revision is above 0."
    )


def numbers_of(stored: SearchFront) -> tuple[int, ...]:
    """Numbers of the front's plans, in its order: a solver's plan need not have that of its place."""
    return tuple(plan["number"] for plan in stored.body["plans"])


def front_body(search: Search) -> dict[str, Any]:
    """The front as the page reads it, with the search's state now."""
    front = SearchFront.objects.defer("data").filter(search=search).first() or stored_front(search)
    body = {**upgraded(front.body), "revision": front.revision, "state": search.state}
    body["plans"] = with_kept(search, body["plans"])
    body["next_number"] = next_number(search, body["plans"])
    proved_ms = proved_bound_ms(search)
    if proved_ms is not None and proved_ms > body["lower_bound"]["exec_time_ms"]:
        body["lower_bound"] = {"exec_time_ms": proved_ms, "proved": True}
    return body


def energy_sources_of(search: Search) -> list[str]:
    """Where the joules of its plans are from; empty where it is not known."""
    found = SearchFront.objects.filter(search=search).values_list("body__energy_sources", flat=True).first()
    return list(found or [])


def with_kept(search: Search, plans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The front's plans, and after them those that people kept, as long as the front has not found the same."""
    found = {plan["hash"] for plan in plans}
    kept = [own for own in search.kept_plans.select_related("created_by").defer("data") if own.hash not in found]
    return [*plans, *map(kept_summary, kept)]


def next_number(search: Search, plans: list[dict[str, Any]]) -> int:
    """The number of the next plan that joins ``plans`` (see ``with_kept``): none is given twice.

    While the search runs, the front may yet grow to its full size, with numbers from 1.
    """
    from apps.searches.services import engine_settings

    front_size = 0 if search.is_final else engine_settings(search).front_size
    highest: int = max((plan["number"] for plan in plans), default=0)
    return max(front_size, search.last_number, highest) + 1


def kept_summary(own: KeptPlan) -> dict[str, Any]:
    """A kept plan as one of the front's plans, with who kept it and what it was made from."""
    return {
        **own.body,
        "number": own.number,
        "kept": {
            "by": None if own.created_by is None else own.created_by.get_username(),
            "at": own.created_at.isoformat(),
            "base": own.base or None,
            "moved": own.moved,
        },
    }


def load_plan(search: Search, number: int, plan_hash: str | None) -> StoredPlan:
    """The plan with a number, or that with ``plan_hash``, whatever its number is now.

    Raises 404 for a number that no plan has, 409 ``plan_gone`` for a hash that the newest front no longer holds.
    """
    from heteroopt.front.front import Front

    newest = newest_front(search)
    if newest is None:
        raise _no_front_yet()
    stored, front = newest
    plans = with_kept(search, upgraded(stored.body)["plans"])
    key, wanted = ("hash", plan_hash) if plan_hash else ("number", number)
    row = next((i for i, plan in enumerate(plans) if plan[key] == wanted), None)
    if row is None and plan_hash:
        raise ConflictError("plan_gone", "The front no longer holds this plan.", hint="Read the front again.")
    if row is None:
        raise Http404
    if "kept" in plans[row]:
        own = search.kept_plans.get(hash=plans[row]["hash"])
        return StoredPlan(plans[row], Front.from_bytes(bytes(own.data)), 0, stored.revision, own.fuse)
    return StoredPlan(plans[row], front, row, stored.revision)
