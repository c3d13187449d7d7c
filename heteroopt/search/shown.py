"""The plans that a search shows: those that carry the front, or while none fits those that miss by least."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.archive import Archive
from heteroopt.search.arrival_costs import dominated
from heteroopt.search.columns import Columns
from heteroopt.search.evaluation import exact
from heteroopt.search.hypervolume import largest_contributors
from heteroopt.search.plan_set import PlanSet
from heteroopt.simulation.problem import Problem

Float64 = NDArray[np.float64]


def least_violating_first(problem: Problem, plans: PlanSet, columns: Columns) -> PlanSet:
    """Return plans none of which meets the constraints, with exact peaks, by what they miss."""
    result = exact(problem, plans.orders, plans.devices)
    missed = columns.excess(columns.figures(result))
    return result.take(np.lexsort((result.energy_pj, result.time_ps, missed, result.overflow_bytes)))


def front_of(problem: Problem, archive: Archive, multiples: Float64, front_size: int, columns: Columns) -> PlanSet:
    """Return the plans of the archive that carry the hypervolume, with exact peaks, by time; where the archive has
    estimates, less those that are dominated by exact figures.
    """
    rows = largest_contributors(multiples, front_size)
    result = exact(problem, *archive.take(rows).stacked())
    if columns.estimates:
        costs = np.ascontiguousarray(columns.costs(columns.figures(result)))
        result = result.take(np.flatnonzero(~dominated(costs, costs)))
    return result.take(np.lexsort((result.load_variance, result.energy_pj, result.time_ps)))
