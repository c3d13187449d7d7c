"""P99 latencies of plans while a search runs: estimates for plans that can still matter, a lower bound for the others.

Running 1,000 arrivals through a plan costs far more than decoding it. A plan that cannot keep up with the rate, breaks
another limit, or is dominated already with a lower bound in place of its latency stays out of the archive whatever
its latency is, and is ranked by the bound. A decode gives a first bound, except where devices slow each other: its
makespan and bottleneck are slowed there, and items whose operators miss one another may be faster. The others are
estimated from the busiest stretches of the arrivals. All arrivals run through a plan where a limit on the latency asks
for it, so that no plan that is kept breaks it, where devices slow each other, and through the plans that are shown.
What is computed how follows from the plans and the archive alone, so it is the same in every run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.plan_set import PlanSet
from heteroopt.simulation.latency import (
    UNLIMITED_PS,
    latencies_within,
    latency_bounds,
    latency_estimates,
    waiting_table,
)
from heteroopt.simulation.latency_bound import waiting
from heteroopt.simulation.problem import Float64, Int32, Int64, Problem
from heteroopt.units import PS_PER_MS

Bool = NDArray[np.bool_]

_Measuring = Callable[[Problem, Int32, Int32, float, Int64], Int64]

_MOST_KEPT = 65_536


@kernel
def dominated(costs: Float64, held: Float64) -> Bool:
    """bool [k]: whether some row of ``held`` [a, m] is no worse than a row of ``costs`` in all, and better in one."""
    result = np.zeros(len(costs), np.bool_)
    for row in range(len(costs)):
        for other in range(len(held)):
            no_worse, better = True, False
            for column in range(costs.shape[1]):
                if held[other, column] > costs[row, column]:
                    no_worse = False
                    break
                if held[other, column] < costs[row, column]:
                    better = True
            if no_worse and better:
                result[row] = True
                break
    return result


@kernel
def _thresholds(costs: Float64, column: int, held: Float64) -> Float64:
    """float64 [k]: the least cost ``column`` in ``held`` [a, m] beside all other costs no worse than a row's."""
    result = np.full(len(costs), np.inf)
    for row in range(len(costs)):
        for other in range(len(held)):
            no_worse = held[other, column] < result[row]
            for k in range(costs.shape[1]):
                no_worse = no_worse and (k == column or held[other, k] <= costs[row, k])
            if no_worse:
                result[row] = held[other, column]
    return result


@kernel
def _cheap(table: Float64, step: float, time: Int64, bottleneck: Int64) -> Int64:
    result = np.empty(len(time), np.int64)
    for k in range(len(time)):
        # The waiting time of a step below is no more than that of the bottleneck.
        below = np.floor(bottleneck[k] / step) * step
        result[k] = max(time[k], bottleneck[k] + np.int64(waiting(table, step, below)))
    return result


@dataclass(eq=False, slots=True)
class ArrivalCosts:
    """Latencies at one arrival rate, kept by plan."""

    arrivals_per_s: float
    _exact: dict[bytes, int] = field(default_factory=dict)
    _estimates: dict[bytes, int] = field(default_factory=dict)
    _table: tuple[Float64, float] = field(init=False)

    def __post_init__(self) -> None:
        """Make the table of waiting times."""
        self._table = waiting_table(self.arrivals_per_s)

    @property
    def table(self) -> tuple[Float64, float]:
        """What ``heteroopt.simulation.latency.waiting_table`` gives for the rate."""
        return self._table

    def floors(self, problem: Problem, plans: PlanSet) -> tuple[Float64, Int64]:
        """Lower bounds of the P99 latencies in ms, float64 [k], and the busy times in ps of the busiest device or
        channel where nothing slows it, int64 [k]: what keeping up with the rate is judged by.
        """
        if problem.contends:
            p99_ps, bottleneck = latency_bounds(problem, plans.orders, plans.devices, self.arrivals_per_s)
            return p99_ps / PS_PER_MS, bottleneck
        return _cheap(*self._table, plans.time_ps, plans.bottleneck_ps) / PS_PER_MS, plans.bottleneck_ps

    def exact_ms(
        self, problem: Problem, plans: PlanSet, rows: NDArray[np.intp], limits_ms: Float64 | None = None
    ) -> Float64:
        """float64 [r]: the P99 latencies in ms of the plans at the rows; above ``limits_ms`` [r] some other figure
        above the limit.
        """
        return _known(self._exact, latencies_within, self.arrivals_per_s, problem, plans, rows, limits_ms)

    def _estimated_ms(self, problem: Problem, plans: PlanSet, rows: NDArray[np.intp], limits_ms: Float64) -> Float64:
        return _known(self._estimates, latency_estimates, self.arrivals_per_s, problem, plans, rows, limits_ms)

    def fill_ms(
        self, problem: Problem, plans: PlanSet, costs: Float64, floors_ms: Float64, column: int | None, hopeless: Bool,
        held: Float64, most_ms: float, settles: bool,
    ) -> Float64:  # fmt: skip
        """float64 [k]: P99 latencies in ms: bounds of plans that are ``hopeless`` [k] or dominated, else estimates, and
        exact ones of plans that seem to be within ``most_ms``, where that is finite or devices slow each other.

        ``costs`` [k, m]: the objectives' costs, ``column`` that of the latency among them (``None``: only a constraint
        asks for it); ``floors_ms`` [k]: as of ``floors``; ``held`` [a, m]: costs of plans that are kept. ``settles``:
        whether a plan of these may stand for those that it dominates.
        """
        costs = costs.copy()
        values = floors_ms.copy()
        # While no plan is kept, plans above the limit are ranked by how far: what is simulated is not cut off there.
        beyond = most_ms if len(held) else np.inf
        open_rows = self._open(costs, column, values, np.flatnonzero(~hopeless), held, most_ms)
        if len(open_rows) and not problem.contends:
            finer, _ = latency_bounds(problem, plans.orders[open_rows], plans.devices[open_rows], self.arrivals_per_s)
            values[open_rows] = np.maximum(values[open_rows], finer / PS_PER_MS)
        while len(open_rows):
            open_rows = self._open(costs, column, values, open_rows, held, most_ms)
            # First those that no other of these plans dominates: they may settle the others.
            first = open_rows
            if column is not None and settles:
                costs[:, column] = values
                first = open_rows[~dominated(costs[open_rows], costs[open_rows])]
            limits = np.full(len(first), beyond)
            if column is not None:
                limits = np.minimum(limits, _thresholds(np.ascontiguousarray(costs[first]), column, held))
            values[first] = self._estimated_ms(problem, plans, first, limits)
            # Where devices slow each other more items may come than are done, which no stretch shows.
            if np.isfinite(most_ms) or problem.contends:
                likely = values[first] <= np.minimum(limits, most_ms)
                values[first[likely]] = self.exact_ms(problem, plans, first[likely], limits[likely])
            if column is not None and settles:
                costs[:, column] = values
                held = np.concatenate((held, costs[first]))
            open_rows = np.setdiff1d(open_rows, first)
        return values

    @staticmethod
    def _open(
        costs: Float64, column: int | None, values: Float64, rows: NDArray[np.intp], held: Float64, most_ms: float
    ) -> NDArray[np.intp]:
        """Rows that may still be kept, with the values known so far."""
        rows = rows[values[rows] <= most_ms]
        if column is not None:
            costs[:, column] = values
        lost = dominated(np.ascontiguousarray(costs[rows]), np.ascontiguousarray(held))
        left: NDArray[np.intp] = rows[~lost]
        return left


def _known(
    kept: dict[bytes, int], measure: _Measuring, arrivals_per_s: float, problem: Problem, plans: PlanSet,
    rows: NDArray[np.intp], limits_ms: Float64 | None,
) -> Float64:  # fmt: skip
    """float64 [r]: latencies in ms of the plans at the rows, from ``kept`` or measured and kept there; above
    ``limits_ms`` [r] some other figure above the limit.
    """
    limits = np.full(len(rows), UNLIMITED_PS, np.int64)
    if limits_ms is not None:
        finite = np.isfinite(limits_ms)
        limits[finite] = np.rint(limits_ms[finite] * PS_PER_MS).astype(np.int64)
    if len(kept) > _MOST_KEPT:
        kept.clear()
    keys = [_key(plans, row) for row in rows.tolist()]
    new = [at for at, key in enumerate(keys) if key not in kept]
    beyond: dict[int, int] = {}
    if new:
        chosen = rows[new]
        found = measure(problem, plans.orders[chosen], plans.devices[chosen], arrivals_per_s, limits[new])
        beyond = dict(zip(new, found.tolist(), strict=True))
        kept.update({keys[at]: p99 for at, p99 in beyond.items() if p99 <= limits[at]})
    # What is kept is cut in the same way, so that it does not matter what is kept.
    values = [min(kept.get(key, beyond.get(at, 0)), limits[at] + 1) for at, key in enumerate(keys)]
    return np.array(values, np.float64) / PS_PER_MS


def _key(plans: PlanSet, row: int) -> bytes:
    digest = hashlib.blake2b(plans.devices[row].tobytes(), digest_size=16)
    digest.update(plans.orders[row].tobytes())
    return digest.digest()
