"""A plan decoded for the page: timeline, transfers, memory, reasons and alternatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.http import Http404

from apps.searches.front_json import energy_parts, memory_devices
from apps.searches.fronts import StoredPlan
from apps.searches.models import Search
from apps.searches.planning import Planning, planning_of
from heteroopt.costs.table import COST_SOURCES, ENERGY_SOURCES
from heteroopt.units import pj_to_j, ps_to_ms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from heteroopt.explanation import OperatorExplanation
    from heteroopt.simulation.schedule import Schedule

MOST_OPERATORS = 1000
MOST_DECODED = 20_000_000
"""Up to this many operators, and operators decoded to try every move (about a second), a plan comes with all reasons
and alternatives; above, they are asked for one operator at a time."""


@dataclass(frozen=True, eq=False, slots=True)
class Decoded:
    """A plan with its schedule and, for graphs that are not too large, an explanation of every operator."""

    planning: Planning
    schedule: Schedule
    explanations: Sequence[OperatorExplanation] | None


def decode_plan(search: Search, plan: StoredPlan) -> Decoded:
    """Decode a stored plan again; the same numbers come out as when it was found."""
    order, device = plan.front.plans.orders[plan.row], plan.front.plans.devices[plan.row]
    return decode_genome(planning_for(search, plan), order, device)


def planning_for(search: Search, plan: StoredPlan) -> Planning:
    """The problem that the plan is a plan of: the search's, or that of the model's own operators."""
    return planning_of(search) if plan.fuse is None else planning_of(search, fuse=plan.fuse)


def decode_genome(planning: Planning, order: NDArray[np.int32], device: NDArray[np.int32]) -> Decoded:
    """Decode an order and a placement int32[n], with explanations where the graph is not too large."""
    from heteroopt.explanation import explain_plan
    from heteroopt.simulation.decoder import decode_one

    explanations = None
    if explained_at_once(planning):
        explanations = explain_plan(planning.problem, planning.graph, planning.pool, planning.costs, order, device)
    return Decoded(planning, decode_one(planning.problem, order, device), explanations)


def explained_at_once(planning: Planning) -> bool:
    """Whether every move of every operator can be tried while somebody waits."""
    n_operators, n_devices = len(planning.graph.operators), len(planning.pool.devices)
    return n_operators <= MOST_OPERATORS and n_operators * n_operators * n_devices <= MOST_DECODED


def plan_detail(search: Search, plan: StoredPlan) -> dict[str, Any]:
    """What ``PlanDetailSerializer`` describes."""
    return {**plan.summary, "revision": plan.revision, **decoded_detail(decode_plan(search, plan))}


def decoded_detail(decoded: Decoded) -> dict[str, Any]:
    """What ``PlanDetailSerializer`` describes beyond the summary and the revision."""
    from heteroopt.deployment.segment_figures import partition_of, segment_figures

    graph, schedule = decoded.planning.graph, decoded.schedule
    device = schedule.device
    return {
        "operators": operator_rows(decoded, range(len(graph.operators))),
        "edges": [
            {
                "source": edge.source,
                "target": edge.target,
                "size_bytes": edge.size_bytes,
                "cut": bool(device[edge.source] != device[edge.target]),
            }
            for edge in graph.edges
        ],
        "transfers": transfers_json(decoded),
        "memory": memory_json(decoded),
        "critical_path": [int(index) for index in schedule.critical_path],
        "segments": segment_figures(partition_of(graph, schedule), schedule),
        "energy_parts_j": energy_parts(
            schedule.operator_energy_pj, schedule.transfer_energy_pj, schedule.idle_energy_pj
        ),
    }


def operator_detail(search: Search, plan: StoredPlan, index: int) -> dict[str, Any]:
    """What ``OperatorAlternativesSerializer`` describes; 404 for an operator that is not there."""
    planning = planning_for(search, plan)
    if not 0 <= index < len(planning.graph.operators):
        raise Http404
    return explained(planning, plan.front.plans.orders[plan.row], plan.front.plans.devices[plan.row], index)


def explained(planning: Planning, order: NDArray[np.int32], device: NDArray[np.int32], index: int) -> dict[str, Any]:
    """Reason and alternatives of one operator of the plan with ``order`` and ``device`` int32[n]."""
    from heteroopt.explanation import explain_operator

    explanation = explain_operator(
        planning.problem, planning.graph, planning.pool, planning.costs, order, device, index
    )
    return {
        "index": index,
        "name": planning.graph.operators[index].name,
        "reason": explanation.reason,
        "alternatives": _alternatives(planning, explanation, index),
    }


def _alternatives(planning: Planning, explanation: OperatorExplanation, operator: int) -> list[dict[str, Any]]:
    """The moves, where joules are from there, and why a device does not support it where an operator map says so."""
    from heteroopt.explanation.unsupported import because

    moves = [dict(move) for move in explanation.alternatives]
    for move in moves:
        move["energy_source"] = ENERGY_SOURCES[int(planning.costs.energy_source[operator, move["device"]])]
        if move["code"] == "not_supported":
            move["because"] = because(planning.graph, planning.pool.devices[move["device"]], operator)
    return moves


def operator_rows(decoded: Decoded, indices: Iterable[int]) -> list[dict[str, Any]]:
    """What ``PlanOperatorSerializer`` describes, of some operators."""
    planning, schedule = decoded.planning, decoded.schedule
    graph, costs = planning.graph, planning.costs
    original = graph.original or graph
    place = {int(index): position for position, index in enumerate(schedule.order)}
    listed = []
    for op in (graph.operators[index] for index in indices):
        device = int(schedule.device[op.index])
        explanation = None if decoded.explanations is None else decoded.explanations[op.index]
        listed.append(
            {
                "index": op.index,
                "name": op.name,
                "op_type": op.op_type,
                "op_class": op.op_class,
                "scope": op.scope,
                "is_view": op.is_view,
                "flops": op.flops,
                "bytes_moved": op.bytes_read + op.bytes_written,
                "device": device,
                "order": place[op.index],
                "start_ms": ps_to_ms(int(schedule.start_ps[op.index])),
                "end_ms": ps_to_ms(int(schedule.finish_ps[op.index])),
                "time_ms": ps_to_ms(int(planning.problem.op_time_ps[op.index, device])),
                "energy_j": pj_to_j(int(planning.problem.op_energy_pj[op.index, device])),
                "cost_source": COST_SOURCES[int(costs.source[op.index, device])],
                "time_low_ms": ps_to_ms(int(costs.low_ps[op.index, device])),
                "time_high_ms": ps_to_ms(int(costs.high_ps[op.index, device])),
                "energy_source": ENERGY_SOURCES[int(costs.energy_source[op.index, device])],
                "predecessors": list(graph.predecessors(op.index)),
                "members": [original.operators[member].name for member in op.members],
                "reason": None if explanation is None else explanation.reason,
                "alternatives": None if explanation is None else _alternatives(planning, explanation, op.index),
            }
        )
    return listed


def transfers_json(decoded: Decoded) -> list[dict[str, Any]]:
    """What ``TransferSerializer`` describes, of every hop."""
    n_devices = len(decoded.planning.pool.devices)
    tensors = decoded.planning.graph.tensors
    return [
        {
            "tensor": tensors[hop.tensor].name,
            "source": hop.source if hop.source < n_devices else -1,
            "target": hop.target if hop.target < n_devices else -1,
            "channel": hop.channel,
            "start_ms": ps_to_ms(hop.start_ps),
            "end_ms": ps_to_ms(hop.finish_ps),
            "size_bytes": hop.size_bytes,
        }
        for hop in decoded.schedule.transfers
    ]


def memory_json(decoded: Decoded) -> list[dict[str, Any]]:
    """What ``MemoryCurveSerializer`` describes, of every memory."""
    schedule = decoded.schedule
    return memory_curves(decoded.planning, schedule.peak_bytes.tolist(), schedule.memory_points)


def memory_curves(
    planning: Planning, peak_bytes: Sequence[int], points_of: Callable[[int], Sequence[tuple[int, int]]]
) -> list[dict[str, Any]]:
    """As ``memory_json``, from the peak of each memory and its ``(time_ps, bytes)`` points."""
    from heteroopt.simulation.problem import UNLIMITED_BYTES

    problem = planning.problem
    store_memory = problem.store_memory.tolist()
    curves = []
    for memory, limit in enumerate(problem.memory_capacity_bytes.tolist()):
        curves.append(
            {
                "device": ", ".join(memory_devices(planning.pool, store_memory, memory)),
                "limit_bytes": limit if limit < UNLIMITED_BYTES else None,
                "peak_bytes": peak_bytes[memory],
                "points": [[ps_to_ms(time), size] for time, size in points_of(memory)],
            }
        )
    return curves


def reasons_of(decoded: Decoded) -> list[dict[str, Any]] | None:
    """Reason of every operator by its index; ``None`` for graphs that are too large to explain at once."""
    if decoded.explanations is None:
        return None
    return [dict(explanation.reason) for explanation in decoded.explanations]
