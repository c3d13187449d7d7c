"""Why operators are where they are, as JSON-able data with names in place of indices."""

from __future__ import annotations

from typing import Any

from heteroopt.costs.table import CostTable
from heteroopt.devices.pool import DevicePool
from heteroopt.explanation.explain import explain_operator, explain_plan
from heteroopt.graph.graph import Graph
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.schedule import Schedule


def reasons_of(
    problem: Problem, graph: Graph, pool: DevicePool, costs: CostTable, schedule: Schedule
) -> list[dict[str, Any]]:
    """``{"code", "params"}`` per scheduled operator."""
    explained = explain_plan(problem, graph, pool, costs, schedule.order, schedule.device)
    return [dict(entry.reason) for entry in explained]


def explanation_of(
    problem: Problem, graph: Graph, pool: DevicePool, costs: CostTable, schedule: Schedule, operator: int
) -> dict[str, Any]:
    """Operator, its device, reason, and per other device what moving it there would change."""
    entry = explain_operator(problem, graph, pool, costs, schedule.order, schedule.device, operator)
    return {
        "operator": graph.operators[operator].name,
        "op_type": graph.operators[operator].op_type,
        "device": pool.devices[int(schedule.device[operator])].name,
        "reason": dict(entry.reason),
        "alternatives": [{**move, "device": pool.devices[move["device"]].name} for move in entry.alternatives],
    }
