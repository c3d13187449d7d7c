"""Bounds on objectives that a search has to keep: read from what people give, checked, in API units."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from heteroopt.errors import PlanError, SettingsError

if TYPE_CHECKING:
    from heteroopt.simulation.objectives import Objective

ALIASES: Mapping[str, str] = {
    "exec_time": "exec_time_ms",
    "execution_time": "exec_time_ms",
    "time": "exec_time_ms",
    "latency": "exec_time_ms",
    "makespan": "exec_time_ms",
    "energy": "energy_j",
    "balance": "load_balance",
    "throughput": "throughput_per_s",
    "pipeline_throughput": "pipeline_throughput_per_s",
    "step_time": "step_time_ms",
    "latency_p99": "latency_p99_ms",
    "p99": "latency_p99_ms",
    "peak_memory": "peak_memory_bytes",
    "memory": "peak_memory_bytes",
    "transferred": "transferred_bytes",
    "cost": "cost_per_hour",
}
"""Usual names of the objectives, accepted wherever a key is; what is stored are the keys."""
TOLERANCE = 1e-9
"""A bound is met within this share of it: what a person types is no binary fraction."""

_FIELDS = ("objective", "min", "max")


@dataclass(frozen=True, slots=True)
class Constraint:
    """``min <= objective <= max`` in the objective's unit; ``None`` = open, but one of both is given."""

    objective: str
    min: float | None = None
    max: float | None = None

    def __post_init__(self) -> None:
        """Refuse what bounds nothing or cannot be searched with ``SettingsError``."""
        object.__setattr__(self, "objective", searchable(self.objective).key)
        for end, limit in (("min", self.min), ("max", self.max)):
            if limit is None:
                continue
            if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not math.isfinite(limit):
                raise SettingsError(
                    "bound_invalid",
                    f"The {end}imum of {self.objective} must be a finite number, not {limit!r}.",
                    hint="Leave the bound empty to allow every value.",
                    metric=self.objective,
                    end=end,
                )
        if self.min is None and self.max is None:
            raise SettingsError(
                "constraint_empty",
                f"The constraint on {self.objective} has neither a minimum nor a maximum.",
                hint="Give one of them, or leave the constraint out.",
                objective=self.objective,
            )
        if self.min is not None and self.max is not None and self.min > self.max:
            raise SettingsError(
                "bound_crossed",
                f"The minimum of {self.objective} ({self.min:g}) is above its maximum ({self.max:g}).",
                hint="Swap or widen the two bounds.",
                metric=self.objective,
                minimum=self.min,
                maximum=self.max,
            )

    def missed(self, value: float) -> list[tuple[str, float]]:
        """Return ``("min" or "max", bound)`` of each end that a value misses."""
        found = []
        for end, sign, limit in (("min", -1.0, self.min), ("max", 1.0, self.max)):
            if limit is not None and sign * (value - limit) > TOLERANCE * abs(limit):
                found.append((end, limit))
        return found

    def to_dict(self) -> dict[str, object]:
        """Return a JSON-able dictionary."""
        return {"objective": self.objective, "min": self.min, "max": self.max}


def searchable(key: object) -> Objective:
    """Return the objective of a key or an old name. Raises ``SettingsError`` for one that a search cannot use."""
    if not isinstance(key, str):
        raise SettingsError(
            "objective_unknown", f"An objective is named by its key, not {key!r}.", objective=str(key), known=[]
        )
    from heteroopt.simulation.objectives import find_objective

    try:
        objective = find_objective(ALIASES.get(key, key))
    except PlanError as error:
        raise SettingsError(error.code, error.message, hint=error.hint, **error.params) from error
    return objective


def check_arrivals(keys: Iterable[str], arrivals_per_s: float | None) -> None:
    """Raise ``SettingsError`` ``objective_needs_arrivals`` for a P99 latency that no arrival rate is given for."""
    from heteroopt.simulation.objectives import find_objective

    for key in keys:
        if arrivals_per_s is None and find_objective(key).needs == "arrivals":
            raise SettingsError(
                "objective_needs_arrivals",
                f"A search can go by {key} only if it knows how many items arrive per second.",
                hint="Set arrival_rate_per_s.",
                objective=key,
            )


def read_constraints(given: object) -> tuple[Constraint, ...]:
    """Read constraints, or mappings with the keys ``objective``, ``min`` and ``max``. Raises ``SettingsError``."""
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise _unreadable(given)
    return tuple(_read(entry) for entry in given)


def _read(entry: object) -> Constraint:
    if isinstance(entry, Constraint):
        return entry
    if not isinstance(entry, Mapping) or "objective" not in entry or set(entry) - set(_FIELDS):
        raise _unreadable(entry)
    return Constraint(entry["objective"], entry.get("min"), entry.get("max"))


def _unreadable(given: object) -> SettingsError:
    return SettingsError(
        "constraint_invalid",
        f"This is not a constraint: {given!r}.",
        hint='Write {"objective": KEY, "min": NUMBER, "max": NUMBER}, with one of min and max or both.',
        value=str(given),
    )
