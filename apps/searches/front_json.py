"""A front as the page reads it: plain JSON with units in its keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from apps.pools.marks import device_marks
from heteroopt.devices.pool import DevicePool
from heteroopt.units import pj_to_j, ps_to_ms

if TYPE_CHECKING:
    from heteroopt.costs.table import CostTable
    from heteroopt.front.front import Front
    from heteroopt.search.snapshot import FrontSnapshot
    from heteroopt.simulation.problem import Problem

FLAT = {"exec_time_ms": "exec_time_x", "energy_j": "energy_x", "load_balance": "load_balance_x"}
"""Measures that a plan shows by their own names too, and the names of their multiples."""
DESCRIBED = ("key", "name", "unit", "direction")


def front_json(
    front: Front, snapshot: FrontSnapshot, pool: DevicePool, problem: Problem, costs: CostTable
) -> dict[str, Any]:
    """What ``FrontSerializer`` describes, without revision and state, which belong to the row."""
    reference = front.reference
    return {
        "generation": snapshot.generation,
        "generations": snapshot.generations,
        "hypervolume": snapshot.hypervolume,
        "evaluations": snapshot.evaluations,
        "archive_size": snapshot.archive_size,
        "constraints": [constraint.to_dict() for constraint in front.constraints],
        "default_plan": {
            **{key: front.measures[key].reference for key in FLAT},
            "feasible": reference.feasible,
            "kind": reference.kind,
            "device": pool.devices[reference.device].name,
            "overflow_bytes": reference.overflow_bytes,
        },
        "lower_bound": {"exec_time_ms": front.lower_bound_ms},
        "devices": device_marks(pool),
        "energy_sources": energy_sources(front, costs),
        "history": [list(entry) for entry in snapshot.history],
        "messages": messages(front, snapshot, pool, problem),
        **_plans_json(front),
    }


def energy_sources(front: Front, costs: CostTable) -> list[str]:
    """Where the joules of the front's plans are from."""
    from heteroopt.costs import energy_origin

    return energy_origin.energy_sources(costs, front.plans.devices)


def _plans_json(front: Front, from_solver: Mapping[str, int] = MappingProxyType({})) -> dict[str, Any]:
    """The part of a front that its plans alone decide; ``from_solver``: numbers of a solver's plans by their hashes."""
    from heteroopt.front.selection import knee

    row = knee(front)
    numbers = [from_solver.get(plan_hash, place) for place, plan_hash in enumerate(front.hashes, start=1)]
    return {
        "objectives": [
            {
                **{name: getattr(axis, name) for name in DESCRIBED},
                "reference": axis.reference,
                "reference_kind": front.reference.kind,
                "constant": axis.constant,
            }
            for axis in front.axes
        ],
        "measures": [
            {
                **{name: getattr(entry, name) for name in (*DESCRIBED, "needs")},
                "reference": entry.reference,
                "constant": entry.constant,
            }
            for entry in front.measures.values()
        ],
        "knee": None if row is None else numbers[row],
        "plans": [
            {**plan_summary(front, row), "number": number, "from_solver": front.hashes[row] in from_solver}
            for row, number in enumerate(numbers)
        ],
    }


def grown(body: dict[str, Any], front: Front, solver_hash: str, number: int) -> dict[str, Any]:
    """The stored ``body`` of a front that a solver's plan has joined as plan ``number``; all others keep theirs."""
    joined = {plan["hash"]: plan["number"] for plan in body["plans"] if plan.get("from_solver")}
    plans = _plans_json(front, {**joined, solver_hash: number})
    constant = {entry["key"] for entry in plans["objectives"] if entry["constant"]}
    said = [
        message
        for message in body["messages"]
        if message["code"] != "objective_constant" or message["params"]["objective"] in constant
    ]
    return {**body, **plans, "messages": said}


def plan_summary(front: Front, row: int) -> dict[str, Any]:
    """What ``PlanSummarySerializer`` describes."""
    plans, measures = front.plans, front.measures
    makespan = int(plans.time_ps[row])
    peak = measures.get("peak_memory_bytes")
    return {
        "number": row + 1,
        **{key: float(measures[key].values[row]) for key in FLAT},
        **{name: float(measures[key].multiples[row]) for key, name in FLAT.items()},
        "values": {key: float(entry.values[row]) for key, entry in measures.items()},
        "multiples": {key: float(entry.multiples[row]) for key, entry in measures.items()},
        "violations": {
            key: float(entry.violation[row]) for key, entry in measures.items() if entry.violation is not None
        },
        "peak_memory_bytes": int(plans.peak_bytes[row].max(initial=0) if peak is None else peak.values[row]),
        "transferred_bytes": int(plans.transferred_bytes[row]),
        "n_transfers": int(plans.n_transfers[row]),
        "overflow_bytes": int(plans.overflow_bytes[row]),
        "feasible": bool(plans.overflow_bytes[row] == 0 and not front.missed(row)),
        "hash": front.hashes[row],
        "from_solver": False,
        "devices": [
            {"operators": count, "busy_ms": ps_to_ms(busy), "share": busy / makespan if makespan else 0.0}
            for count, busy in zip(front.operators_per_device(row), plans.busy_ps[row].tolist(), strict=True)
        ],
    }


def upgraded(body: dict[str, Any]) -> dict[str, Any]:
    """A stored front, with what one lacks that was stored earlier: where joules are from, solvers' plans, measures."""
    body = {"energy_sources": [], **body}
    if body["plans"] and "from_solver" not in body["plans"][0]:
        body = {**body, "plans": [{**plan, "from_solver": False} for plan in body["plans"]]}
    if "measures" in body:
        return body
    from heteroopt.simulation.objectives import find_objective

    described = {key: find_objective(key).to_dict() for key in FLAT}
    objectives = [
        {**{name: described[entry["key"]][name] for name in DESCRIBED}, **entry} for entry in body["objectives"]
    ]
    plans = [
        {
            **plan,
            "values": {key: plan[key] for key in FLAT},
            "multiples": {key: plan[name] for key, name in FLAT.items()},
            "violations": {},
        }
        for plan in body["plans"]
    ]
    measures = [
        {**{key: value for key, value in entry.items() if key != "reference_kind"}, "needs": "decode"}
        for entry in objectives
    ]
    return {**body, "objectives": objectives, "measures": measures, "constraints": [], "plans": plans}


def best_multiples(front: Front) -> dict[str, float] | None:
    """Least execution time and energy on the front, as multiples of the reference."""
    if len(front) == 0:
        return None
    return {FLAT[key]: float(front.measures[key].multiples.min()) for key in ("exec_time_ms", "energy_j")}


def messages(front: Front, snapshot: FrontSnapshot, pool: DevicePool, problem: Problem) -> list[dict[str, Any]]:
    """What must be said beside a front, as codes with figures."""
    said: list[dict[str, Any]] = []
    reference = front.reference
    if reference.default_problem:
        said.append(
            _message(
                f"default_{reference.default_problem}",
                device=pool.devices[reference.default_device].name,
                overflow_bytes=reference.default_overflow_bytes,
                instead=pool.devices[reference.device].name,
                kind=reference.kind,
            )
        )
    if reference.n_elsewhere:
        said.append(
            _message(
                "reference_mixed", device=pool.devices[reference.device].name, operators_elsewhere=reference.n_elsewhere
            )
        )
    if not front.feasible and len(front):
        said.append(_message("no_feasible", overflow_bytes=int(front.plans.overflow_bytes[0])))
        said += [_exceeded(pool, problem, *entry) for entry in front.exceeded(0)]
        said += [
            _message("constraint_missed", objective=key, end=end, bound=bound, value=value)
            for key, end, bound, value in front.missed(0)
        ]
    said += [_message("objective_constant", objective=axis.key) for axis in front.axes if axis.constant]
    overloaded = sum(
        int((entry.violation > 0).sum()) for entry in front.measures.values() if entry.violation is not None
    )
    if overloaded:
        rate = snapshot.settings.arrival_rate_per_s
        said.append(_message("plans_overloaded", plans=overloaded, arrival_rate_per_s=rate))
    if snapshot.outcome in ("single_plan", "exhausted"):
        said.append(_message(snapshot.outcome, plans=len(front)))
    return said


def _message(code: str, **params: object) -> dict[str, Any]:
    return {"code": code, "params": params}


def _exceeded(pool: DevicePool, problem: Problem, memory: int, peak: int, usable: int) -> dict[str, Any]:
    """Which memory the least violating plan exceeds, by how much, and how large it would have to be."""
    names = memory_devices(pool, problem.store_memory.tolist(), memory)
    devices = [device for device in pool.devices if device.name in names]
    workspace = sum(device.workspace_bytes for device in devices)
    return _message(
        "memory_exceeded",
        devices=names,
        peak_bytes=peak,
        limit_bytes=usable,
        overflow_bytes=peak - usable,
        needed_memory_bytes=int((peak + workspace) / pool.memory_fraction) + 1,
        size_bytes=devices[0].memory_size_bytes if devices else 0,
    )


def memory_devices(pool: DevicePool, store_memory: Sequence[int], memory: int) -> list[str]:
    """Names of the devices (or the implicit host) whose data lies in a memory."""
    return [name for name, own in zip(pool.store_names, store_memory, strict=True) if own == memory]


def energy_parts(operator_pj: float, transfer_pj: float, idle_pj: float) -> dict[str, float]:
    """Parts of a plan's energy in joules."""
    return {"operators": pj_to_j(operator_pj), "transfers": pj_to_j(transfer_pj), "idle": pj_to_j(idle_pj)}
