"""What a person wants of a plan: objectives with weights, and limits on memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from heteroopt.devices.pool import DevicePool
from heteroopt.errors import SettingsError
from heteroopt.search.constraints import ALIASES, Constraint
from heteroopt.simulation.objectives import objectives
from heteroopt.units import BYTES_PER_GB


def objective_key(text: object) -> str:
    """The key of an objective from its key or any of its usual names. Raises ``SettingsError``."""
    name = text.strip().lower().replace("-", "_") if isinstance(text, str) else ""
    key = ALIASES.get(name, name)
    if isinstance(text, str) and text in objectives().available:
        return text
    if key not in objectives().available:
        known = list(objectives().available)
        raise SettingsError(
            "objective_unknown",
            f"There is no objective {text!r}.",
            hint=f"Objectives are time, energy and balance, or {', '.join(known)}.",
            objective=str(text),
            known=known,
        )
    return key


@dataclass(frozen=True)
class Objective:
    """One thing to optimise: ``type`` is a key of the objectives or a usual name (``exec_time``, ``throughput``, ...;
    see ``heteroopt.simulation.objectives``); ``weight`` is used to choose a plan.
    """

    type: str
    weight: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "type", objective_key(self.type))
        valid = isinstance(self.weight, (int, float)) and not isinstance(self.weight, bool)
        if not valid or not math.isfinite(self.weight) or self.weight < 0:
            raise SettingsError(
                "weights_invalid",
                f"The weight of {self.type} is {self.weight!r}; it must be a number from 0.",
                objective=self.type,
                weight=str(self.weight),
            )


@dataclass(frozen=True)
class MemoryConstraint:
    """At most ``max_memory_gb`` (10^9 bytes) on ``device``, or on every device if none is named."""

    max_memory_gb: float
    device: str | None = None

    def __post_init__(self) -> None:
        valid = isinstance(self.max_memory_gb, (int, float)) and not isinstance(self.max_memory_gb, bool)
        if not valid or not math.isfinite(self.max_memory_gb) or self.max_memory_gb <= 0:
            raise SettingsError(
                "memory_limit",
                f"max_memory_gb is {self.max_memory_gb!r}; it must be a number above 0.",
                value=str(self.max_memory_gb),
            )


def told_apart(
    constraints: Sequence[MemoryConstraint | Constraint] | MemoryConstraint | Constraint,
) -> tuple[list[MemoryConstraint], tuple[Constraint, ...]]:
    """Limits on memories, and bounds on objectives; one alone needs no list. Raises ``SettingsError`` otherwise."""
    if isinstance(constraints, (MemoryConstraint, Constraint)):
        constraints = [constraints]
    for constraint in constraints:
        if not isinstance(constraint, (MemoryConstraint, Constraint)):
            raise SettingsError(
                "constraint_unknown",
                f"{constraint!r} is no constraint.",
                hint="Constraints are MemoryConstraint(max_memory_gb=..., device=...) and "
                "Constraint(objective, min=..., max=...).",
            )
    limits = [constraint for constraint in constraints if isinstance(constraint, MemoryConstraint)]
    return limits, tuple(constraint for constraint in constraints if isinstance(constraint, Constraint))


def memory_caps(constraints: Sequence[MemoryConstraint], pool: DevicePool) -> dict[str, int]:
    """Bytes by device name; of several limits on one device the lowest holds."""
    caps: dict[str, int] = {}
    for constraint in constraints:
        names = [device.name for device in pool.devices] if constraint.device is None else [constraint.device]
        for name in names:
            pool.index(name)
            limit = int(constraint.max_memory_gb * BYTES_PER_GB)
            caps[name] = min(limit, caps.get(name, limit))
    return caps


def objective_weights(objectives: Sequence[Objective]) -> dict[str, float]:
    """Weight of each objective by its key."""
    return {objective.type: float(objective.weight) for objective in objectives}
