"""What a person wants of a plan: objectives with weights, and limits on memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from heteroopt.devices.pool import DevicePool
from heteroopt.errors import SettingsError
from heteroopt.search.settings import OBJECTIVES
from heteroopt.units import BYTES_PER_GB

_NAMES: dict[str, str] = {
    "exec_time": "exec_time",
    "execution_time": "exec_time",
    "time": "exec_time",
    "latency": "exec_time",
    "makespan": "exec_time",
    "exec_time_ms": "exec_time",
    "energy": "energy",
    "energy_j": "energy",
    "load_balance": "load_balance",
    "balance": "load_balance",
}


def objective_name(text: object) -> str:
    """``exec_time``, ``energy`` or ``load_balance`` from any of their usual names. Raises ``SettingsError``."""
    name = _NAMES.get(text.strip().lower().replace("-", "_")) if isinstance(text, str) else None
    if name is None:
        raise SettingsError(
            "objective_unknown",
            f"There is no objective {text!r}.",
            hint=f"Objectives are time, energy and balance, or {', '.join(OBJECTIVES)}.",
            objective=str(text),
            known=list(OBJECTIVES),
        )
    return name


@dataclass(frozen=True)
class Objective:
    """One thing to minimise: ``type`` is exec_time, energy or load_balance; ``weight`` is used to choose a plan."""

    type: str
    weight: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "type", objective_name(self.type))
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


def memory_caps(constraints: Sequence[MemoryConstraint], pool: DevicePool) -> dict[str, int]:
    """Bytes by device name; of several limits on one device the lowest holds."""
    caps: dict[str, int] = {}
    for constraint in constraints:
        if not isinstance(constraint, MemoryConstraint):
            raise SettingsError(
                "constraint_unknown",
                f"{constraint!r} is no constraint.",
                hint="Constraints are MemoryConstraint(max_memory_gb=..., device=...).",
            )
        names = [device.name for device in pool.devices] if constraint.device is None else [constraint.device]
        for name in names:
            pool.index(name)
            limit = int(constraint.max_memory_gb * BYTES_PER_GB)
            caps[name] = min(limit, caps.get(name, limit))
    return caps


def objective_weights(objectives: Sequence[Objective]) -> tuple[float, float, float]:
    """Weights for time, energy and load balance; objectives that are not named weigh 0."""
    weights = dict.fromkeys(OBJECTIVES, 0.0)
    for objective in objectives:
        weights[objective.type] = float(objective.weight)
    return weights["exec_time"], weights["energy"], weights["load_balance"]
