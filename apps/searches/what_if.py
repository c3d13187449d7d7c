"""Some operators of a plan moved to other devices, and the plan decoded again. Nothing of it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.http import Http404

from apps.searches.front_json import energy_parts, plan_summary
from apps.searches.fronts import StoredPlan
from apps.searches.models import Search
from apps.searches.own_plans import own_front, position_json, stored_of
from apps.searches.plan_detail import (
    Decoded,
    explained,
    memory_json,
    operator_rows,
    planning_for,
    transfers_json,
)
from apps.searches.planning import Planning
from heteroopt.errors import PlanError
from heteroopt.units import ps_to_ms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from heteroopt.front.front import Front

MOST_MOVES = 10_000


@dataclass(frozen=True, eq=False, slots=True)
class Moved:
    """A plan after its moves: ``order`` and ``device`` int32[n]; ``changed``: operators that left their device."""

    planning: Planning
    order: NDArray[np.int32]
    device: NDArray[np.int32]
    changed: tuple[int, ...]


def moved_plan(search: Search, plan: StoredPlan, moves: Sequence[tuple[int, int]]) -> Moved:
    """Apply moves of (operator, device) one after another; the order stays, and what must come along comes along.

    Raises ``PlanError`` ``what_if_unknown`` for an operator or a device that there is not, ``what_if_unsupported``,
    ``what_if_forbidden`` and ``what_if_pinned`` for a device where the operator may not run.
    """
    import numpy as np

    from heteroopt.explanation.moves import moves_together

    planning = planning_for(search, plan)
    problem = planning.problem
    order, home = plan.front.plans.orders[plan.row], plan.front.plans.devices[plan.row]
    device = home.copy()
    for operator, target in moves:
        if not (0 <= operator < problem.n_operators and 0 <= target < problem.n_devices):
            raise PlanError(
                "what_if_unknown",
                f"The plan has no operator {operator}, or the pool no device {target}.",
                hint="Count operators and devices from 0.",
                operator=operator,
                device=target,
            )
        _check(planning, operator, target)
        together = np.array(moves_together(problem, device, operator))
        device[together[problem.legal[together, target]]] = target
    return Moved(planning, order, device, tuple(np.flatnonzero(device != home).tolist()))


def _check(planning: Planning, operator: int, target: int) -> None:
    """Refuse a device where the operator, or what shares its device, may not run."""
    from heteroopt.explanation.moves import bound_together

    problem = planning.problem
    bound = bound_together(problem, operator)
    if all(problem.legal[i, target] for i in bound):
        return
    name, device = planning.graph.operators[operator].name, planning.pool.devices[target].name
    said = f"{name!r} cannot run on {device!r}: the device"
    if not all(problem.supported[i, target] for i in bound):
        raise PlanError(
            "what_if_unsupported",
            f"{said} does not support it.",
            hint="Choose another device.",
            operator=name,
            device=device,
        )
    if problem.forbidden[target]:
        raise PlanError(
            "what_if_forbidden",
            f"{said} is forbidden in this search.",
            hint="Choose another device, or search again without that rule.",
            operator=name,
            device=device,
        )
    raise PlanError(
        "what_if_pinned",
        f"{said} is not the one that it is pinned to.",
        hint="Leave it where it is, or search again without the pin.",
        operator=name,
        device=device,
    )


def what_if(search: Search, plan: StoredPlan, moves: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """What ``WhatIfSerializer`` describes: the page has the plan itself, so only what moves is sent."""
    from heteroopt.simulation.decoder import decode_one

    moved = moved_plan(search, plan, moves)
    beside = stored_of(search)
    alone = moved_front(search, plan, moved)
    schedule = decode_one(moved.planning.problem, moved.order, moved.device)
    decoded = Decoded(moved.planning, schedule, None)
    return {
        **plan_summary(alone, 0),
        "number": None,
        "revision": beside.revision,
        "base": plan.summary["hash"],
        "moved": operator_rows(decoded, moved.changed),
        "start_ms": [ps_to_ms(time) for time in schedule.start_ps.tolist()],
        "end_ms": [ps_to_ms(time) for time in schedule.finish_ps.tolist()],
        "transfers": transfers_json(decoded),
        "memory": memory_json(decoded),
        "critical_path": [int(index) for index in schedule.critical_path],
        "energy_parts_j": energy_parts(
            schedule.operator_energy_pj, schedule.transfer_energy_pj, schedule.idle_energy_pj
        ),
        "position": None if plan.fuse is not None else position_json(beside, alone),
    }


def moved_front(search: Search, plan: StoredPlan, moved: Moved) -> Front:
    """A front of the moved plan alone, measured as the plan that it was made from."""
    return own_front(search, moved.planning, moved.order, moved.device, plan.front.reference)


def what_if_operator(
    search: Search, plan: StoredPlan, moves: Sequence[tuple[int, int]], operator: int
) -> dict[str, Any]:
    """What ``OperatorAlternativesSerializer`` describes, of the moved plan; 404 for an operator that is not there."""
    moved = moved_plan(search, plan, moves)
    if not 0 <= operator < moved.planning.problem.n_operators:
        raise Http404
    return explained(moved.planning, moved.order, moved.device, operator)
