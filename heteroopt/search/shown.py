"""The plans that a search shows: those that carry the front, or while none fits those that miss by least."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.archive import Archive
from heteroopt.search.arrival_costs import dominated
from heteroopt.search.columns import Columns, Latencies
from heteroopt.search.evaluation import exact
from heteroopt.search.hypervolume import largest_contributors
from heteroopt.search.plan_set import PlanSet
from heteroopt.simulation.problem import Problem

Float64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Shown:
    """``plans`` with exact peaks; ``latencies`` of them, where the search is about their P99 latency."""

    plans: PlanSet
    latencies: Latencies | None

    def take(self, rows: NDArray[np.intp]) -> Shown:
        """Return the plans at the given rows, in that order."""
        latencies = None if self.latencies is None else Latencies(*(values[rows] for values in self.latencies))
        return Shown(self.plans.take(rows), latencies)


def least_violating_first(problem: Problem, plans: PlanSet, columns: Columns) -> Shown:
    """Return plans none of which meets the constraints, by what they miss."""
    plans = exact(problem, plans.orders, plans.devices)
    figures = columns.figures(plans)
    missed = columns.excess(figures)
    order = np.lexsort((plans.energy_pj, plans.time_ps, missed, plans.overflow_bytes))
    return Shown(plans, columns.latencies(figures)).take(order)


def front_of(problem: Problem, archive: Archive, multiples: Float64, front_size: int, columns: Columns) -> Shown:
    """Return the plans of the archive that carry the hypervolume, by time; where the archive has estimates, less those
    that are dominated by exact figures.
    """
    rows = largest_contributors(multiples, front_size)
    result = Shown(exact(problem, *archive.take(rows).stacked()), None)
    if columns.estimates:
        figures = columns.figures(result.plans)
        costs = np.ascontiguousarray(columns.costs(figures))
        result = Shown(result.plans, columns.latencies(figures)).take(np.flatnonzero(~dominated(costs, costs)))
    plans = result.plans
    return result.take(np.lexsort((plans.load_variance, plans.energy_pj, plans.time_ps)))
