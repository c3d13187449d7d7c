"""Explanations of a plan: for every operator its reason, and what moving it elsewhere would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heteroopt.costs.table import COST_SOURCES, ENERGY_SOURCES, CostTable
from heteroopt.devices.pool import DevicePool
from heteroopt.explanation.explanation import REASONS, OperatorExplanation
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
    energy = [[ENERGY_SOURCES[code] for code in row] for row in costs.energy_source.tolist()]
    devices = [spec.name for spec in pool.devices]
    return explain_problem(problem, names, devices, sources, order, device, operators, energy)


def explain_problem(
    problem: Problem,
    operator_names: Sequence[str],
    device_names: Sequence[str],
    sources: Sequence[Sequence[str]],
    order: Int32,
    device: Int32,
    operators: Sequence[int],
    energy_sources: Sequence[Sequence[str]] = (),
) -> list[OperatorExplanation]:
    """The same from a compiled problem, names, and the sources of its costs and joules ``[operator][device]``."""
    schedule = decode_one(problem, order, device)
    moves = try_moves(problem, schedule, operators)
    return [
        OperatorExplanation(
            operator=operator,
            reason=_sourced(
                choose_reason(problem, schedule, moves, row, operator_names, device_names, sources),
                dict(zip(device_names, energy_sources[operator], strict=True)) if energy_sources else {},
                device_names[int(schedule.device[operator])],
            ),
            alternatives=_alternatives(schedule, moves, row),
        )
        for row, operator in enumerate(moves.operators)
    ]


def _sourced(reason: dict[str, Any], sources: Mapping[str, str], home: str) -> dict[str, Any]:
    """A reason that tells joules also says where they are from, at ``home`` and on the device that it names."""
    params = reason["params"]
    if "energy_sources" in REASONS[reason["code"]]:
        found = (sources[device] for device in (home, params["device"]) if device in sources)
        params["energy_sources"] = list(dict.fromkeys(found))
    return reason


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
