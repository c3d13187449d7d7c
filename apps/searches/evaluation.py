"""A placement made by hand, decoded within a search and compared with its front. Nothing of it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from apps.searches.front_json import plan_summary
from apps.searches.models import Search, SearchFront
from apps.searches.plan_detail import decode_genome, decoded_detail
from apps.searches.planning import planning_of
from apps.searches.services import engine_settings

if TYPE_CHECKING:
    from heteroopt.deployment.placement import Genome, Unfused
    from heteroopt.deployment.placement_reader import PlacedOperator
    from heteroopt.front.front import Front

SHOWN = 20
"""How many fused operators a message names."""


def evaluate_placement(search: Search, rows: Sequence[PlacedOperator]) -> dict[str, Any]:
    """What ``EvaluatedPlanSerializer`` describes. Raises ``PlanError`` ``placement_...`` that names what is wrong."""
    from heteroopt.deployment.placement import needs_unfused, place
    from heteroopt.front.front import Front
    from heteroopt.front.measures import further_measures
    from heteroopt.front.plan_hash import plan_hashes
    from heteroopt.front.position import position_of
    from heteroopt.search.evaluation import exact
    from heteroopt.simulation.reference_plan import reference_plan

    planning = planning_of(search)
    unfused = needs_unfused(planning.graph, rows)
    if unfused is not None:
        planning = planning_of(search, fuse=False)
    problem = planning.problem
    genome = place(planning.graph, planning.pool, problem, rows)
    plans = exact(problem, genome.order[None], genome.device[None])
    fits = bool(plans.overflow_bytes[0] == 0)
    stored = SearchFront.objects.filter(search=search).first()
    front = None if stored is None else Front.from_bytes(bytes(stored.data))
    settings = engine_settings(search)
    reference = front.reference if front is not None and unfused is None else reference_plan(problem)
    alone = Front(
        plans=plans,
        hashes=plan_hashes(problem, plans.orders, plans.devices),
        feasible=fits,
        reference=reference,
        lower_bound_ps=0,
        memory_capacity_bytes=problem.memory_capacity_bytes,
        objectives=settings.objectives,
        further=further_measures(problem, plans, reference, settings),
        constraints=settings.constraints,
    )
    position = None
    if front is not None:
        found = position_of(front, alone.costs[0].tolist(), fits=fits)
        position = {
            "relation": found.relation,
            "dominated_by": list(found.dominated_by),
            "dominates": list(found.dominates),
            "equal_to": list(found.equal_to),
        }
    return {
        **plan_summary(alone, 0),
        "number": None,
        "revision": None if stored is None else stored.revision,
        **decoded_detail(decode_genome(planning, genome.order, genome.device)),
        "order_source": genome.order_source,
        "unfused": unfused is not None,
        "position": position,
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
