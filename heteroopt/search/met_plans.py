"""The plans that a search has met: what they are worth, which of them are kept, and which of these are shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.archive import Archive
from heteroopt.search.columns import Columns
from heteroopt.search.dominance import mixed, placement_hash
from heteroopt.search.evaluation import evaluate, least_violating, makespan_cap_ps, violations
from heteroopt.search.hypervolume import hypervolume
from heteroopt.search.plan_set import PlanSet, joined
from heteroopt.search.scales import scaled
from heteroopt.search.settings import SearchSettings
from heteroopt.search.shown import Shown, front_of, least_violating_first
from heteroopt.simulation.problem import UNLIMITED_BYTES, Problem
from heteroopt.simulation.reference_plan import ReferencePlan
from heteroopt.simulation.scratch import Scratch

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
UInt64 = NDArray[np.uint64]


@dataclass(eq=False, slots=True)
class MetPlans:
    """Values new plans of one search and keeps the best.

    ``archive``: the non-dominated plans that meet all constraints; ``least``: while there is none, those that miss
    them by least. ``scale`` float64 [m]: what costs are divided by. ``cap_ps``: the longest makespan allowed, infinite
    until ``cap_known``. ``evaluations``: plans decoded.
    """

    problem: Problem
    settings: SearchSettings
    reference: ReferencePlan
    columns: Columns
    scratch: Scratch
    archive: Archive = field(init=False)
    least: PlanSet | None = None
    scale: Float64 = field(init=False)
    cap_ps: float = np.inf
    cap_known: bool = False
    evaluations: int = 0

    def __post_init__(self) -> None:
        """Begin without plans."""
        n_objectives = len(self.settings.objectives)
        self.archive = Archive.empty(n_objectives)
        self.scale = np.ones(n_objectives)

    @property
    def capacity_bytes(self) -> float:
        """What overflow is counted in multiples of: all limited memory, at least 1."""
        capacity = self.problem.memory_capacity_bytes
        return max(1.0, float(capacity[capacity < UNLIMITED_BYTES].sum()))

    @property
    def multiples(self) -> Float64:
        """float64 [a, m]: the archive's costs divided by the scale."""
        return scaled(self.archive.objectives, self.scale)

    @property
    def hypervolume(self) -> float:
        """Of the archive, within twice the scale."""
        return hypervolume(self.multiples)

    def evaluated(self, orders: Int32, devices: Int32) -> PlanSet:
        """Decode legal plans."""
        return evaluate(self.problem, orders, devices, self.scratch, exact_peak=self.columns.needs_peak)

    def assess_first(self, plans: PlanSet) -> tuple[Float64, Float64, UInt64]:
        """As ``assess`` for the first plans, from which the scale follows."""
        figures = self.columns.figures(plans, self.archive.objectives)
        self.scale = self.columns.scale(self.columns.costs(figures))
        self._fix_cap(plans)
        return self._assess(plans, figures)

    def assess(self, plans: PlanSet) -> tuple[Float64, Float64, UInt64]:
        """Return multiples, violations and hashes of new plans, and let them into the archive."""
        self._fix_cap(plans)
        return self._assess(plans, self.columns.figures(plans, self.archive.objectives, self.cap_ps))

    def keep_least(self, plans: PlanSet, violation: Float64 | None = None) -> None:
        """While none meets the constraints, keep the plans that violate them least."""
        if violation is None:
            violation = self._violations(plans, self.columns.figures(plans))
        pool = plans
        if self.least is not None:
            held = self._violations(self.least, self.columns.figures(self.least))
            pool, violation = joined(self.least, plans), np.concatenate((held, violation))
        self.least = least_violating(pool, violation)

    def chooser(self) -> Callable[[], Shown]:
        """What chooses the plans to show from those kept now."""
        if self.least is not None:
            return partial(least_violating_first, self.problem, self.least, self.columns)
        return partial(front_of, self.problem, self.archive, self.multiples, self.settings.front_size, self.columns)

    def _assess(self, plans: PlanSet, figures: Float64) -> tuple[Float64, Float64, UInt64]:
        self.evaluations += len(plans)
        raw = self.columns.costs(figures)
        violation = self._violations(plans, figures)
        placement = placement_hash(plans.devices)
        if self.columns.order_matters:
            placement = mixed(placement, np.ascontiguousarray(raw))
        fits = np.flatnonzero(violation == 0)
        if len(fits):
            self.archive = self.archive.with_plans(raw[fits], placement[fits], plans.orders[fits], plans.devices[fits])
        if len(self.archive) == 0:
            self.keep_least(plans, violation)
        else:
            self.least = None
        return scaled(raw, self.scale), violation, placement

    def _violations(self, plans: PlanSet, figures: Float64) -> Float64:
        return violations(plans, self.cap_ps, self.capacity_bytes, self.columns.excess(figures))

    def _fix_cap(self, plans: PlanSet) -> None:
        """Fix the makespan cap when the first plans fit."""
        if self.cap_known or self.settings.makespan_cap is None:
            return
        found = makespan_cap_ps(plans, self.reference, self.settings.makespan_cap)
        if found is not None:
            self.cap_ps, self.cap_known = found, True
