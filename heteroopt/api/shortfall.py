"""Why no plan fits: which memory the nearest plan exceeds, by how much, and the smallest change that would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from heteroopt.errors import PlanError
from heteroopt.units import BYTES_PER_GB, BYTES_PER_KB, BYTES_PER_MB

if TYPE_CHECKING:
    from heteroopt.api.result import Result
    from heteroopt.deployment.plan import Plan
    from heteroopt.deployment.plan_figures import PlanFigure
    from heteroopt.devices.pool import DevicePool
    from heteroopt.front.measures import Measure


_UNITS = ((BYTES_PER_GB, "GB"), (BYTES_PER_MB, "MB"), (BYTES_PER_KB, "kB"))


def no_feasible(result: Result) -> PlanError | None:
    """The error of a search whose front holds no plan that fits, or ``None``; ``nearest`` is its first plan."""
    front = result.front
    if front.feasible or not len(front):
        return None
    memories = result.scheduler.problem.store_memory.tolist()
    exceeded = [_exceeded(result.pool, memories, result.scheduler.memory_caps, *entry) for entry in front.exceeded(0)]
    missed = [_missed(front.measures[key], end, bound, value) for key, end, bound, value in front.missed(0)]
    return _error(1, int(front.plans.overflow_bytes[0]), exceeded, missed)


def stored_no_feasible(document: Mapping[str, Any], plan: Plan) -> PlanError | None:
    """The same for a plan of a plan file; ``None`` where the file's search found plans that fit."""
    search = document.get("search")
    if not isinstance(search, Mapping):
        return None
    if search.get("outcome") != "no_feasible" and any(entry["feasible"] for entry in search["front"]):
        return None
    schedule, memories = plan.schedule, plan.problem.store_memory.tolist()
    exceeded = [
        _exceeded(plan.pool, memories, plan.memory_caps or {}, memory, peak, limit)
        for memory, (peak, limit) in enumerate(
            zip(schedule.peak_bytes.tolist(), schedule.capacity_bytes.tolist(), strict=True)
        )
        if peak > limit
    ]
    missed = [
        _missed(plan.measures[constraint.objective], end, bound, plan.measures[constraint.objective].value)
        for constraint in plan.settings.constraints
        if constraint.objective in plan.measures
        for end, bound in constraint.missed(plan.measures[constraint.objective].value)
    ]
    return _error(plan.number, schedule.overflow_bytes, exceeded, missed)


def _exceeded(
    pool: DevicePool, store_memory: Sequence[int], caps: Mapping[str, int], memory: int, peak: int, limit: int
) -> dict[str, Any]:
    """As the web application's ``memory_exceeded``; ``capped`` where a person has set a memory limit, which must be
    ``needed_limit_bytes`` at least: what is kept free for the runtime comes off it too.
    """
    names = [name for name, own in zip(pool.store_names, store_memory, strict=True) if own == memory]
    devices = [device for device in pool.devices if device.name in names]
    size = devices[0].memory_size_bytes if devices else 0
    kept = peak + sum(device.workspace_bytes for device in devices)
    capped = any(device.name in caps or device.memory_cap_bytes is not None for device in devices)
    return {
        "devices": names,
        "peak_bytes": peak,
        "limit_bytes": limit,
        "overflow_bytes": peak - limit,
        "needed_limit_bytes": kept,
        "needed_memory_bytes": int(kept / pool.memory_fraction) + 1,
        "size_bytes": size,
        "capped": capped,
    }


def _missed(entry: Measure | PlanFigure, end: str, bound: float, value: float) -> dict[str, Any]:
    """As the web application's ``constraint_missed``, with the figure's name and unit."""
    return {
        "objective": entry.key, "end": end, "bound": bound, "value": value, "name": entry.name, "unit": entry.unit
    }  # fmt: skip


def _unkept(number: int | None, overflow_bytes: int, missed: Sequence[Mapping[str, Any]]) -> PlanError:
    """The error where memory suffices but a constraint is missed."""
    said = "; ".join(
        f"{entry['name']} is {entry['value']:.6g} {entry['unit']}".rstrip()
        + f", {'above the maximum' if entry['end'] == 'max' else 'below the minimum'} of {entry['bound']:.6g}"
        for entry in missed
    )
    plan = "the nearest, plan 1" if number == 1 else f"plan {number}"
    return PlanError(
        "no_feasible",
        f"No plan keeps all constraints: of {plan}, {said}.",
        hint="Widen what is missed, lift other constraints or the makespan cap, or search longer.",
        nearest=number,
        overflow_bytes=overflow_bytes,
        memory_exceeded=[],
        constraints_missed=[dict(entry) for entry in missed],
    )


def _error(
    number: int | None,
    overflow_bytes: int,
    exceeded: Sequence[Mapping[str, Any]],
    constraints: Sequence[Mapping[str, Any]],
) -> PlanError:
    if not exceeded and constraints:
        return _unkept(number, overflow_bytes, constraints)
    if not exceeded:
        return PlanError(
            "no_feasible",
            "No plan is within the makespan cap.",
            hint="Lift the makespan cap, or lift pins and forbidden devices.",
            nearest=number,
            overflow_bytes=overflow_bytes,
            memory_exceeded=[],
            constraints_missed=[],
        )
    plan = "the nearest, plan 1," if number == 1 else f"plan {number}"
    missed = "; ".join(
        f"{_names(entry)} by {amount(entry['overflow_bytes'])} "
        f"(it needs {amount(entry['peak_bytes'])} and may use {amount(entry['limit_bytes'])})"
        for entry in exceeded
    )
    change = " and ".join(step for entry in exceeded for step in _changes(entry))
    return PlanError(
        "no_feasible",
        f"No plan fits: {plan} exceeds the memory of {missed}.",
        hint=f"It would fit with the smallest change: {change}. Or add a device, or lift pins and forbidden devices.",
        nearest=number,
        overflow_bytes=overflow_bytes,
        memory_exceeded=[dict(entry) for entry in exceeded],
        constraints_missed=[dict(entry) for entry in constraints],
    )


def _changes(entry: Mapping[str, Any]) -> list[str]:
    """What must change of one memory."""
    changes = []
    if entry["capped"]:
        changes.append(f"raise the memory limit of {_names(entry)} to {amount(entry['needed_limit_bytes'], up=True)}")
    if not entry["capped"] or entry["needed_memory_bytes"] > entry["size_bytes"]:
        size = amount(entry["needed_memory_bytes"], up=True)
        changes.append(f"give {_names(entry)} {size} of memory in place of {amount(entry['size_bytes'])}")
    return changes


def _names(entry: Mapping[str, Any]) -> str:
    return " and ".join(entry["devices"])


def amount(size_bytes: int, *, up: bool = False) -> str:
    """Bytes in words with at most three decimals; ``up``: never less than ``size_bytes``."""
    unit, name = next(
        (entry for entry in _UNITS if size_bytes >= entry[0]),
        (1, "bytes"),
    )
    step = max(unit // 10**3, 1)
    rounded = -(-size_bytes // step) * step if up else round(size_bytes / step) * step
    return f"{rounded / unit:,.10g} {name}"
