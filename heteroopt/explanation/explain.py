"""Explanations of a plan: for every operator its reason, and what moving it elsewhere would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heteroopt.costs.table import COST_SOURCES, CostTable
from heteroopt.devices.pool import DevicePool
from heteroopt.explanation.explanation import OperatorExplanation
from heteroopt.explanation.moves import ALLOWED, FORBIDDEN, NOT_SUPPORTED, PINNED, Moves, try_moves
from heteroopt.explanation.reasons import choose_reason
from heteroopt.graph.graph import Graph
from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.problem import Int32, Problem
from heteroopt.simulation.schedule import Schedule
from heteroopt.units import pj_to_j, ps_to_ms

_FIGURES = ("delta_time_ms", "delta_energy_j", "delta_load_balance", "delta_transferred_bytes", "overflow_bytes")
_CODES = {NOT_SUPPORTED: "not_supported", FORBIDDEN: "forbidden", PINNED: "pinned"}


def explain_plan(
    problem: Problem, graph: Graph, pool: DevicePool, costs: CostTable, order: Int32, device: Int32
) -> list[OperatorExplanation]:
    """Explain every operator (milliseconds for a few hundred; a decode per operator and device).

    ``order`` and ``device`` int32[n] are the plan. Raises :class:`PlanError` if it is not legal for ``problem``.
    """
    return explain_operators(problem, graph, pool, costs, order, device, range(problem.n_operators))


def explain_operator(
    problem: Problem, graph: Graph, pool: DevicePool, costs: CostTable, order: Int32, device: Int32, operator: int
) -> OperatorExplanation:
    """Explain one operator by its index: for graphs in which all of them at once take too long."""
    return explain_operators(problem, graph, pool, costs, order, device, [operator])[0]


def explain_operators(
    problem: Problem,
    graph: Graph,
    pool: DevicePool,
    costs: CostTable,
    order: Int32,
    device: Int32,
    operators: Sequence[int],
) -> list[OperatorExplanation]:
    """Explain some operators of a plan."""
    names = [operator.name for operator in graph.operators]
    sources = [[COST_SOURCES[code] for code in row] for row in costs.source.tolist()]
    return explain_problem(problem, names, [spec.name for spec in pool.devices], sources, order, device, operators)


def explain_problem(
    problem: Problem,
    operator_names: Sequence[str],
    device_names: Sequence[str],
    sources: Sequence[Sequence[str]],
    order: Int32,
    device: Int32,
    operators: Sequence[int],
) -> list[OperatorExplanation]:
    """The same from a compiled problem, names, and the sources of its costs ``[operator][device]``."""
    schedule = decode_one(problem, order, device)
    moves = try_moves(problem, schedule, operators)
    return [
        OperatorExplanation(
            operator=operator,
            reason=choose_reason(problem, schedule, moves, row, operator_names, device_names, sources),
            alternatives=_alternatives(schedule, moves, row),
        )
        for row, operator in enumerate(moves.operators)
    ]


def _alternatives(schedule: Schedule, moves: Moves, row: int) -> tuple[Mapping[str, Any], ...]:
    home = int(schedule.device[moves.operators[row]])
    listed: list[Mapping[str, Any]] = []
    for target in range(moves.state.shape[1]):
        state = int(moves.state[row, target])
        if target == home:
            continue
        if state != ALLOWED:
            listed.append({"device": target, "code": _CODES[state], **dict.fromkeys(_FIGURES)})
            continue
        overflow = int(moves.overflow_bytes[row, target])
        listed.append(
            {
                "device": target,
                "code": "exceeds_memory" if overflow > 0 else "ok",
                "delta_time_ms": ps_to_ms(int(moves.time_ps[row, target]) - schedule.makespan_ps),
                "delta_energy_j": pj_to_j(float(moves.energy_pj[row, target]) - schedule.energy_pj),
                "delta_load_balance": float(moves.load_variance[row, target]) - schedule.load_variance,
                "delta_transferred_bytes": int(moves.transferred_bytes[row, target]) - schedule.transferred_bytes,
                "overflow_bytes": overflow,
            }
        )
    return tuple(listed)
