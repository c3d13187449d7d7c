"""Why operators are where they are, as JSON-able data with names in place of indices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heteroopt.costs.table import CostTable
from heteroopt.devices.pool import DevicePool
from heteroopt.explanation.explain import explain_operator, explain_plan
from heteroopt.explanation.unsupported import because
from heteroopt.graph.graph import Graph
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.schedule import Schedule

MOST_DECODED = 100_000_000
"""Operators decoded for all reasons of a plan, which takes some 10 s; each is moved to each device."""


def reasons_of(
    problem: Problem,
    graph: Graph,
    pool: DevicePool,
    costs: CostTable,
    schedule: Schedule,
    *,
    at_any_size: bool = False,
) -> list[dict[str, Any]] | None:
    """``{"code", "params"}`` per scheduled operator; ``None`` where ``MOST_DECODED`` are not enough.

    ``at_any_size``: explain them however long it takes.
    """
    if not at_any_size and problem.n_operators**2 * problem.n_devices > MOST_DECODED:
        return None
    explained = explain_plan(problem, graph, pool, costs, schedule.order, schedule.device)
    return [dict(entry.reason) for entry in explained]


def explanation_of(
    problem: Problem, graph: Graph, pool: DevicePool, costs: CostTable, schedule: Schedule, operator: int
) -> dict[str, Any]:
    """Operator, its device, reason, and per other device what moving it there would change.

    An alternative that is ``not_supported`` has ``because``: what an operator map found, "" where none was applied.
    """
    entry = explain_operator(problem, graph, pool, costs, schedule.order, schedule.device, operator)
    return {
        "operator": graph.operators[operator].name,
        "op_type": graph.operators[operator].op_type,
        "device": pool.devices[int(schedule.device[operator])].name,
        "reason": dict(entry.reason),
        "alternatives": [
            {**move, "device": pool.devices[move["device"]].name, **_because(graph, pool, move, operator)}
            for move in entry.alternatives
        ],
    }


def _because(graph: Graph, pool: DevicePool, move: Mapping[str, Any], operator: int) -> dict[str, str]:
    if move["code"] != "not_supported":
        return {}
    return {"because": because(graph, pool.devices[move["device"]], operator)}
