"""What is different since the last review: other costs beneath the same plan, or another plan in its place."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from apps.pools.models import PoolVersion
from apps.reviews.models import Review, ReviewState
from apps.reviews.queries import all_reviews
from apps.searches.models import Search
from apps.searches.planning import Planning, planning_of
from heteroopt.errors import HeteroOptError
from heteroopt.units import pj_to_j, ps_to_ms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heteroopt.search.plan_set import PlanSet

MOST_MOVED = 100
"""Operators that are named; ``n_moved`` counts all."""
MOST_ANCESTORS = 50


def changes_of(review: Review) -> list[dict[str, Any]]:
    """What ``ChangesSerializer`` lists: the costs first, then the plan that was reviewed before this one."""
    found = []
    costs = _new_costs(review)
    if costs is not None:
        found.append(costs)
    earlier = earlier_review(review)
    if earlier is not None:
        found.append(_between(earlier, review))
    return found


def earlier_review(review: Review) -> Review | None:
    """The newest decision on another plan of this search, or of the searches that it started from."""
    lineage: list[uuid.UUID] = []
    search_id: uuid.UUID | None = review.search_id
    while search_id is not None and search_id not in lineage and len(lineage) < MOST_ANCESTORS:
        lineage.append(search_id)
        search_id = Search.objects.filter(pk=search_id).values_list("warm_start_id", flat=True).first()
    decided = (ReviewState.APPROVED, ReviewState.CHANGES_REQUESTED)
    return (
        all_reviews()
        .filter(team_id=review.team_id, search_id__in=lineage, state__in=decided)
        .exclude(pk=review.pk)
        .order_by("-decided_at")
        .first()
    )


def _genome(review: Review) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    both = np.frombuffer(bytes(review.plan), "<i4").astype(np.int32)
    return both[: len(both) // 2], both[len(both) // 2 :]


def _plan_set(planning: Planning, order: NDArray[np.int32], device: NDArray[np.int32]) -> PlanSet:
    from heteroopt.search.evaluation import exact

    return exact(planning.problem, order[None], device[None])


def _new_costs(review: Review) -> dict[str, Any] | None:
    """The plan on the pool as it is now, where that is not the pool that it was searched on."""
    search = review.search
    if search.pool_version is None:
        return None
    now = PoolVersion.objects.select_related("pool").filter(pool_id=search.pool_version.pool_id).first()
    if now is None or now.pk == search.pool_version_id:
        return None
    entry: dict[str, Any] = {**_empty("costs"), "same_plan": True, "pool_version": now.number}
    later = copy.copy(search)
    later.pool_version = now
    order, device = _genome(review)
    try:
        before, after = planning_of(search, fuse=review.fuse), planning_of(later, fuse=review.fuse)
        names = [one.name for one in after.pool.devices]
        moved = np.array([names.index(before.pool.devices[one].name) for one in device], np.int32)
        first, second = _plan_set(before, order, device), _plan_set(after, order, moved)
    except (HeteroOptError, ValueError) as error:
        # A device is gone, or does not support its operators any more.
        says = error.message if isinstance(error, HeteroOptError) else "A device of the plan is gone from the pool."
        return {**entry, "impossible": says}
    for index, one in enumerate(before.pool.devices):
        if one.name in names:
            other = names.index(one.name)
            differ = (before.problem.op_time_ps[:, index] != after.problem.op_time_ps[:, other]) | (
                before.problem.op_energy_pj[:, index] != after.problem.op_energy_pj[:, other]
            )
            if differ.any():
                entry["costs"].append({"device": one.name, "operators": int(differ.sum())})
    return {**entry, "figures": _figures(first, second)}


def _between(earlier: Review, review: Review) -> dict[str, Any]:
    """This plan seen from the one that was reviewed before."""
    from heteroopt.front.comparison import compare_plans

    entry: dict[str, Any] = {
        **_empty("plan"),
        "review": str(earlier.pk),
        "search_number": earlier.search.number,
        "plan_number": earlier.plan_number,
        "state": earlier.state,
        "at": earlier.decided_at,
        "same_plan": earlier.plan_hash == review.plan_hash,
    }
    sides = []
    for one in (earlier, review):
        planning = planning_of(one.search, fuse=one.fuse)
        sides.append((planning, _plan_set(planning, *_genome(one))))
    (old, first), (new, second) = sides
    entry["figures"] = _figures(first, second)
    names = [[one.name for one in planning.pool.devices] for planning in (old, new)]
    if names[0] != names[1] or earlier.search.graph_id != review.search.graph_id:
        return entry
    if len(old.graph.operators) != len(new.graph.operators):
        return entry
    found = compare_plans(first, 0, second, 0)
    entry["n_moved"], entry["n_reordered"] = len(found.moved), found.n_reordered
    entry["moved"] = [
        {"operator": index, "name": new.graph.operators[index].name, "before": names[0][a], "after": names[0][b]}
        for index, a, b in found.moved[:MOST_MOVED]
    ]
    return entry


def _empty(kind: str) -> dict[str, Any]:
    return {
        "kind": kind,
        "review": None,
        "search_number": None,
        "plan_number": None,
        "state": None,
        "at": None,
        "pool_version": None,
        "same_plan": False,
        "impossible": None,
        "costs": [],
        "figures": [],
        "n_moved": None,
        "n_reordered": None,
        "moved": [],
    }


def _figures(first: PlanSet, second: PlanSet) -> list[dict[str, Any]]:
    read: tuple[tuple[str, str, Callable[[PlanSet], float]], ...] = (
        ("exec_time_ms", "ms", lambda plans: ps_to_ms(int(plans.time_ps[0]))),
        ("energy_j", "J", lambda plans: pj_to_j(float(plans.energy_pj[0]))),
        ("load_balance", "", lambda plans: float(plans.load_variance[0])),
        ("peak_memory_bytes", "bytes", lambda plans: float(plans.peak_bytes[0].max(initial=0))),
        ("transferred_bytes", "bytes", lambda plans: float(plans.transferred_bytes[0])),
    )
    return [{"key": key, "unit": unit, "before": of(first), "after": of(second)} for key, unit, of in read]
