"""Every figure that a front reports for its plans: values, what they are relative to, and multiples of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import HeteroOptError
from heteroopt.search.columns import Latencies, decoded_values, reference_row
from heteroopt.search.plan_set import PlanSet
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.objective_batch import ObjectiveBatch
from heteroopt.simulation.objectives import (
    DEFAULT_KEYS,
    ENERGY,
    EXEC_TIME,
    LATENCY_P99,
    LOAD_BALANCE,
    Objective,
    measured,
    objectives,
)
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.reference_plan import ReferencePlan
from heteroopt.units import PJ_PER_J, PS_PER_MS

Float64 = NDArray[np.float64]

MOST_TIMES = 1e12
"""Multiple that stands for an infinite one: of a maximised figure that is 0."""

FIELDS = ("key", "name", "unit", "direction", "needs", "normalise")


@dataclass(frozen=True, eq=False)
class Measure:
    """One figure of k plans. ``key`` to ``normalise`` as of its :class:`~heteroopt.simulation.objectives.Objective`.

    ``values`` float64 [k] and ``reference``, the reference plan's value, in ``unit``. ``violation`` float64 [k]: 0
    where the figure can be had, for figures that some plans cannot have (a latency at a rate that they cannot keep
    up with).
    """

    key: str
    name: str
    unit: str
    direction: str
    needs: str
    normalise: str
    values: Float64
    reference: float
    violation: Float64 | None = None

    @cached_property
    def costs(self) -> Float64:
        """float64 [k]: what is better the smaller it is: the values, or 1 / value of a maximised figure."""
        if self.direction == "min":
            return self.values
        return np.divide(1.0, self.values, out=np.full_like(self.values, np.inf), where=self.values > 0)

    @cached_property
    def multiples(self) -> Float64:
        """float64 [k]: values over the reference's (the reverse for a maximised figure, so that less is better).

        Over the range of the costs where the reference is 0 or the figure is normalised by it; 1 if constant.
        """
        if len(self.values) == 0 or self.constant:
            return np.ones(len(self.values))
        if self._by_reference:
            scaled = self.values / self.reference
            if self.direction == "max":
                positive = self.values > 0
                scaled = np.divide(self.reference, self.values, out=np.full(len(positive), np.inf), where=positive)
        else:
            finite = np.minimum(self.costs, MOST_TIMES)
            scaled = finite / np.ptp(finite)
        return np.minimum(scaled, MOST_TIMES)

    @property
    def constant(self) -> bool:
        """Whether the reference says nothing and the plans do not differ either."""
        return not self._by_reference and (len(self.values) == 0 or bool(np.ptp(self.values) == 0))

    @property
    def _by_reference(self) -> bool:
        return self.normalise == "reference" and self.reference > 0

    def take(self, rows: NDArray[np.intp]) -> Measure:
        """Return the figure of the plans at the given rows."""
        violation = None if self.violation is None else self.violation[rows]
        return replace(self, values=self.values[rows], violation=violation)

    def describe(self) -> dict[str, Any]:
        """Return the fields beside the values, JSON-able."""
        return {**{name: getattr(self, name) for name in FIELDS}, "reference": self.reference}


def measure(objective: Objective, values: Float64, reference: float, violation: Float64 | None = None) -> Measure:
    """Return values of an objective with what is known of it."""
    return Measure(
        **{name: getattr(objective, name) for name in FIELDS},
        values=values, reference=float(reference), violation=violation,
    )  # fmt: skip


def basic_measures(plans: PlanSet, reference: ReferencePlan) -> tuple[Measure, ...]:
    """Return time, energy and load balance, which need no problem."""
    return (
        measure(EXEC_TIME, plans.time_ps / PS_PER_MS, reference.time_ps / PS_PER_MS),
        measure(ENERGY, plans.energy_pj / PJ_PER_J, reference.energy_pj / PJ_PER_J),
        measure(LOAD_BALANCE, plans.load_variance, reference.load_variance),
    )


def further_measures(
    problem: Problem,
    plans: PlanSet,
    reference: ReferencePlan,
    settings: SearchSettings,
    *,
    finished: bool = True,
    latencies: Latencies | None = None,
) -> tuple[Measure, ...]:
    """Return what else can be said of the plans, which must have exact peaks, in the registry's order.

    All that one decode says; the pipeline's figures where the settings name them or how many items are in flight;
    the P99 latency where they give an arrival rate: of searches that are not about it once they have ``finished``,
    since it takes milliseconds a plan. ``latencies``: those of the plans, where they are known already.
    A plugin that fails is left out, unless the search is about its objective.
    """
    asked = {*settings.objectives, *(constraint.objective for constraint in settings.constraints)}
    free, yardstick = reference_row(problem, reference)
    batch = ObjectiveBatch(problem, plans.orders, plans.devices, settings.options)
    reference_batch = ObjectiveBatch(free, yardstick.orders, yardstick.devices, settings.options)
    found = []
    for objective in objectives().available.values():
        if objective.key in DEFAULT_KEYS or not _wanted(objective, settings, asked, finished):
            continue
        values = decoded_values(objective, problem, plans)
        if values is not None:
            found.append(measure(objective, values, _only(decoded_values(objective, free, yardstick))))
            continue
        if objective is LATENCY_P99 and latencies is not None:
            own = measured(objective, reference_batch)
            found.append(measure(objective, latencies.p99_ms, _only(own), latencies.shortfall))
            continue
        try:
            values, own = measured(objective, batch), measured(objective, reference_batch)
        except HeteroOptError:
            if objective.key in asked:
                raise
            continue
        violation = None if objective.violation is None else np.asarray(objective.violation(batch), np.float64)
        found.append(measure(objective, values, _only(own), violation))
    return tuple(found)


def _only(values: Float64 | None) -> float:
    assert values is not None
    return float(values[0])


def _wanted(objective: Objective, settings: SearchSettings, asked: set[str], finished: bool) -> bool:
    if objective.needs == "arrivals":
        return settings.arrival_rate_per_s is not None and (finished or objective.key in asked)
    given = settings.micro_batches if objective.key == "step_time_ms" else settings.items_in_flight
    return objective.needs == "decode" or objective.key in asked or given is not None


def stored(measures: Sequence[Measure]) -> tuple[list[dict[str, Any]], dict[str, Float64]]:
    """Return descriptions and arrays by name, to be written."""
    arrays = {f"measure_{entry.key}": entry.values for entry in measures}
    arrays |= {f"violation_{entry.key}": entry.violation for entry in measures if entry.violation is not None}
    return [entry.describe() for entry in measures], arrays


def restored(described: Sequence[Mapping[str, Any]], arrays: Mapping[str, NDArray[Any]]) -> tuple[Measure, ...]:
    """Return what ``stored`` gave, without asking whether its objectives are still installed."""
    return tuple(
        Measure(
            **entry,
            values=np.asarray(arrays[f"measure_{entry['key']}"], np.float64),
            violation=arrays.get(f"violation_{entry['key']}"),
        )
        for entry in described
    )
