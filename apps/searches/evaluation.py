"""A placement made by hand, decoded within a search and compared with its front. Nothing of it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from apps.searches.front_json import plan_summary
from apps.searches.models import Search
from apps.searches.own_plans import own_front, position_json, stored_of
from apps.searches.plan_detail import decode_genome, decoded_detail
from apps.searches.planning import Planning, planning_of

if TYPE_CHECKING:
    from heteroopt.deployment.placement import Genome, Unfused
    from heteroopt.deployment.placement_reader import PlacedOperator
    from heteroopt.front.front import Front

SHOWN = 20
"""How many fused operators a message names."""


@dataclass(frozen=True, eq=False, slots=True)
class PlacedPlan:
    """A placement as a plan; ``unfused`` where it is one of the model's own operators though the search joins some."""

    planning: Planning
    genome: Genome
    unfused: Unfused | None


def placed_plan(search: Search, rows: Sequence[PlacedOperator]) -> PlacedPlan:
    """The plan that the rows describe. Raises ``PlanError`` ``placement_...`` that names what is wrong."""
    from heteroopt.deployment.placement import needs_unfused, place

    planning = planning_of(search)
    unfused = needs_unfused(planning.graph, rows)
    if unfused is not None:
        planning = planning_of(search, fuse=False)
    return PlacedPlan(planning, place(planning.graph, planning.pool, planning.problem, rows), unfused)


def placed_front(search: Search, placed: PlacedPlan, front: Front | None) -> Front:
    """A front of the placed plan alone, with the reference of ``front`` where both are plans of the same operators."""
    reference = front.reference if front is not None and placed.unfused is None else None
    return own_front(search, placed.planning, placed.genome.order, placed.genome.device, reference)


def evaluate_placement(search: Search, rows: Sequence[PlacedOperator]) -> dict[str, Any]:
    """What ``EvaluatedPlanSerializer`` describes. Raises ``PlanError`` ``placement_...`` that names what is wrong."""
    placed = placed_plan(search, rows)
    beside = stored_of(search)
    alone = placed_front(search, placed, beside.front)
    genome, unfused = placed.genome, placed.unfused
    return {
        **plan_summary(alone, 0),
        "number": None,
        "revision": beside.revision,
        **decoded_detail(decode_genome(placed.planning, genome.order, genome.device)),
        "order_source": genome.order_source,
        "unfused": unfused is not None,
        "position": position_json(beside, alone),
        "messages": _messages(alone, genome, unfused),
    }


def _messages(alone: Front, genome: Genome, unfused: Unfused | None) -> list[dict[str, Any]]:
    """How the placement was read, and whether it fits, as codes with figures."""
    from heteroopt.deployment.placement import BY_RANK

    said: list[dict[str, Any]] = []
    if genome.order_source == BY_RANK:
        said.append({"code": "placement_ordered_by_rank", "params": {}})
    if unfused is not None:
        names = unfused.clusters
        said.append({"code": "placement_unfused", "params": {"operators": list(names[:SHOWN]), "count": len(names)}})
    overflow = int(alone.plans.overflow_bytes[0])
    if overflow:
        said.append({"code": "placement_does_not_fit", "params": {"overflow_bytes": overflow}})
    return said
