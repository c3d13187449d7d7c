"""What a search minimises and keeps within bounds, as columns of numbers for many plans at once.

A column is the cost of an objective (smaller is better) in the decoder's own unit where it comes from one decode,
since such numbers are exact: ps, pJ, bytes; for the throughput the bottleneck in ps. Any other objective is measured
plan set by plan set by its own function, in its own unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from heteroopt.search import figures
from heteroopt.search.arrival_costs import ArrivalCosts
from heteroopt.search.constraints import TOLERANCE, Constraint
from heteroopt.search.evaluation import exact
from heteroopt.search.figures import Aim, prices
from heteroopt.search.plan_set import PlanSet
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.latency import shortfall_of
from heteroopt.simulation.latency_bound import waiting
from heteroopt.simulation.measures import device_memories
from heteroopt.simulation.objective_batch import ObjectiveBatch, ObjectiveOptions
from heteroopt.simulation.objectives import (
    COST_PER_HOUR,
    DEFAULT_KEYS,
    ENERGY,
    EXEC_TIME,
    LATENCY_P99,
    LOAD_BALANCE,
    PEAK_MEMORY,
    PIPELINE_THROUGHPUT,
    SHIPPED,
    STEP_TIME,
    THROUGHPUT,
    TRANSFERRED,
    Objective,
    find_objective,
    measured,
    objectives,
)  # fmt: skip
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.reference_plan import ReferencePlan, unpinned
from heteroopt.units import PJ_PER_J, PS_PER_MS, PS_PER_S

Float64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

Annealing = Literal["value", "bound", "none"]

WORST = 1e30
"""Stands for an infinite cost, with which nothing could be computed."""


@dataclass(frozen=True, slots=True)
class _Column:
    """``code``: the figure in the polish; ``unit``: what a cost in the objective's unit is multiplied by."""

    code: int
    unit: float
    of: Callable[[Problem, PlanSet], Float64]


_DECODED: Mapping[str, tuple[Objective, _Column]] = {
    objective.key: (objective, column)
    for objective, column in (
        (EXEC_TIME, _Column(figures.TIME, PS_PER_MS, lambda _, plans: plans.time_ps.astype(np.float64))),
        (ENERGY, _Column(figures.ENERGY, PJ_PER_J, lambda _, plans: plans.energy_pj)),
        (LOAD_BALANCE, _Column(figures.BALANCE, 1.0, lambda _, plans: plans.load_variance)),
        (
            THROUGHPUT,
            _Column(figures.BOTTLENECK, PS_PER_S, lambda _, plans: np.maximum(1.0, plans.bottleneck_ps)),
        ),
        (PEAK_MEMORY, _Column(figures.PEAK, 1.0, lambda problem, plans: highest_peak(problem, plans))),
        (
            TRANSFERRED,
            _Column(figures.TRANSFERRED, 1.0, lambda _, plans: plans.transferred_bytes.astype(np.float64)),
        ),
        (
            COST_PER_HOUR,
            _Column(
                figures.PRICE, 1.0, lambda problem, plans: prices(plans.devices, problem.device_cost_per_hour.copy())
            ),
        ),
    )
}

_BOUNDED_BY: Mapping[str, int] = {
    PIPELINE_THROUGHPUT.key: figures.BOTTLENECK,
    STEP_TIME.key: figures.STEP,
    LATENCY_P99.key: figures.LATENCY,
}
"""What the polish works towards instead of items that it would have to simulate: a bound or an estimate."""

_SAME_IN_ANY_ORDER = frozenset((*DEFAULT_KEYS, THROUGHPUT.key, TRANSFERRED.key, COST_PER_HOUR.key))
"""Of one placement the fastest order is never worse in these, but for a balance that is reached by waiting."""


class Latencies(NamedTuple):
    """``p99_ms`` float64 [k]: exact P99 latencies; ``shortfall`` [k]: above 0 for plans slower than the rate."""

    p99_ms: Float64
    shortfall: Float64


@dataclass(frozen=True, slots=True)
class _Limit:
    """``sign`` x (column - ``limit``) <= 0, its excess counted in multiples of ``size``."""

    column: int
    sign: float
    limit: float
    size: float


class Columns:
    """The objectives and constraints of one search on one problem.

    ``objectives``: the optimised ones in the order of the columns, which is the registry's, whatever the order of
    the axes. ``reference`` float64 [m]: the reference plan's row.
    """

    def __init__(self, problem: Problem, settings: SearchSettings, reference: tuple[Problem, PlanSet]) -> None:
        self.options: ObjectiveOptions = settings.options
        self.constraints: tuple[Constraint, ...] = settings.constraints
        known = list(objectives().available)
        optimised = sorted(settings.objectives, key=known.index)
        bounded = [constraint.objective for constraint in settings.constraints]
        self._all = [find_objective(key) for key in dict.fromkeys((*optimised, *bounded))]
        self._breakable = [objective for objective in self._all if objective.violation is not None]
        self._problem = problem
        late = [column for column, objective in enumerate(self._all) if objective is LATENCY_P99]
        self._late = late[0] if late else None
        rate = settings.arrival_rate_per_s
        self._arrivals = ArrivalCosts(rate) if late and rate is not None else None
        self._limits: list[_Limit] = []
        self._n_objectives = len(optimised)
        self._reference_row = self.figures(reference[1], problem=reference[0])[0]
        self._limits = [limit for constraint in settings.constraints for limit in self._limits_of(constraint)]
        self._reference_plan = reference[1]

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """The optimised objectives by column."""
        return tuple(self._all[: self._n_objectives])

    @property
    def reference(self) -> Float64:
        """float64 [m]: the reference plan's costs."""
        row: Float64 = self._reference_row[: self._n_objectives]
        return row

    @property
    def needs_peak(self) -> bool:
        """Whether plans have to be decoded with exact peaks."""
        return any(objective.key == PEAK_MEMORY.key for objective in self._all)

    @property
    def order_matters(self) -> bool:
        """Whether two orders of one placement can both be worth keeping; where devices slow each other, also for the
        throughput: an order that overlaps less keeps them busy for less.
        """
        same = _SAME_IN_ANY_ORDER - {THROUGHPUT.key} if self._problem.contends else _SAME_IN_ANY_ORDER
        return any(objective.key not in same for objective in self._all)

    @property
    def estimates(self) -> bool:
        """Whether what ``figures`` gives beside ``held`` may be estimates."""
        return self._late is not None

    @property
    def wants_throughput(self) -> bool:
        """Whether several items in flight count, so that placements with a small bottleneck are good starts."""
        wanted = {THROUGHPUT.key, PIPELINE_THROUGHPUT.key, STEP_TIME.key}
        return any(objective.key in wanted or objective.needs_pipeline for objective in self._all)

    def figures(
        self, plans: PlanSet, held: Float64 | None = None, cap_ps: float = math.inf, *, problem: Problem | None = None
    ) -> Float64:
        """float64 [k, m + c + v]: the costs of plans, objectives first, then what only constraints ask for, then the
        violations of objectives that some plans cannot have.

        ``held`` [a, m]: the objectives' costs of plans that are kept. If given, a P99 latency is a bound for plans
        that cannot join them, and for others an estimate, exact where a constraint limits it or devices slow each other
        (see ``arrival_costs``); without, it is exact.
        """
        problem = problem or self._problem
        result = np.empty((len(plans), len(self._all) + len(self._breakable)))
        batch = ObjectiveBatch(problem, plans.orders, plans.devices, self.options)
        floors = None if self._arrivals is None else self._arrivals.floors(problem, plans)
        for column, objective in enumerate(self._all):
            decoded = _decoded(objective)
            if decoded is not None:
                result[:, column] = decoded.of(problem, plans)
                continue
            if column == self._late:
                continue
            result[:, column] = np.minimum(objective.cost(measured(objective, batch)), WORST)
        for column, objective in enumerate(self._breakable, len(self._all)):
            assert objective.violation is not None
            if objective is LATENCY_P99 and self._arrivals is not None and floors is not None:
                result[:, column] = shortfall_of(floors[1], self._arrivals.arrivals_per_s)
                continue
            result[:, column] = measured(replace(objective, measure=objective.violation), batch)
        if self._late is not None and self._arrivals is not None and floors is not None:
            result[:, self._late] = self._latencies(
                self._arrivals, self._late, problem, plans, result, floors[0], held, cap_ps
            )
        return result

    def _latencies(
        self, arrivals: ArrivalCosts, late: int, problem: Problem, plans: PlanSet, figures: Float64,
        floors_ms: Float64, held: Float64 | None, cap_ps: float,
    ) -> Float64:  # fmt: skip
        """float64 [k]: P99 latencies in ms; ``figures`` holds all others, ``floors_ms`` bounds them."""
        if held is None:
            return arrivals.exact_ms(problem, plans, np.arange(len(plans)))
        own = [limit for limit in self._limits if limit.column == late]
        others = [limit for limit in self._limits if limit.column != late]
        hopeless = (self._excess(figures, others) > 0) | (plans.overflow_bytes > 0) | (plans.time_ps > cap_ps)
        most = min((limit.limit * (1 + TOLERANCE) for limit in own if limit.sign > 0), default=math.inf)
        settles = all(limit.sign > 0 for limit in own)
        column = late if late < self._n_objectives else None
        return arrivals.fill_ms(problem, plans, self.costs(figures), floors_ms, column, hopeless, held, most, settles)

    def latencies(self, figures: Float64) -> Latencies | None:
        """The P99 latencies among ``figures`` that were made without ``held``; ``None`` where none is asked for."""
        if self._late is None:
            return None
        shortfall = len(self._all) + self._breakable.index(LATENCY_P99)
        return Latencies(figures[:, self._late], figures[:, shortfall])

    def costs(self, figures: Float64) -> Float64:
        """float64 [k, m]: the objectives' columns of ``figures``."""
        return figures[:, : self._n_objectives]

    def scale(self, first: Float64) -> Float64:
        """float64 [m]: what costs are divided by: the reference's, or the range of the ``first`` plans' costs [k, m]
        where that is 0 or the objective is normalised by it; 0 where an objective does not vary either.
        """
        by_reference = np.array([objective.normalise == "reference" for objective in self.objectives])
        return np.where(by_reference & (self.reference > 0), self.reference, np.ptp(first, axis=0))

    def excess(self, figures: Float64) -> Float64:
        """float64 [k]: what each plan misses the constraints by, summed relative to the bounds; 0 within all."""
        return self._excess(figures, self._limits)

    def _excess(self, figures: Float64, limits: Sequence[_Limit]) -> Float64:
        total: Float64 = np.maximum(figures[:, len(self._all) :], 0.0).sum(axis=1)
        for limit in limits:
            over = limit.sign * (figures[:, limit.column] - limit.limit)
            total += np.where(over > TOLERANCE * abs(limit.limit), over, 0.0) / limit.size
        return total

    def aim(self, weights: Sequence[float], scale: Float64) -> Aim | None:
        """What the polish works towards for the weights of the columns, ``None`` where it can see none of them.

        A pipeline's figures are replaced by their bounds; those of plugins are left out.
        """
        codes, factors = [], []
        for column, weight in enumerate(weights):
            decoded = _decoded(self._all[column])
            kind = annealing_of(self._all[column])
            code = decoded.code if decoded else _BOUNDED_BY[self._all[column].key] if kind == "bound" else None
            divisor = float(scale[column]) if decoded else 0.0 if code is None else self._bound_of_reference(code)
            if code is not None and divisor > 0 and weight > 0:
                codes.append(code)
                factors.append(weight / divisor)
        if not codes:
            return None
        seen = [(limit, decoded.code) for limit in self._limits if (decoded := _decoded(self._all[limit.column]))]
        table, step = np.zeros(2), 1.0
        if self._arrivals is not None:
            table, step = self._arrivals.table
            slowest = PS_PER_S / self._arrivals.arrivals_per_s
            seen.append((_Limit(0, 1.0, slowest, slowest), figures.BOTTLENECK))
            for limit in (limit for limit in self._limits if limit.column == self._late):
                scaled = replace(limit, limit=limit.limit * PS_PER_MS, size=limit.size * PS_PER_MS)
                seen.append((scaled, figures.LATENCY))
        memory = device_memories(self._problem)
        return Aim(
            code=np.array(codes, np.int64),
            scale=np.array(factors),
            bound=np.array([code for _, code in seen], np.int64),
            sign=np.array([limit.sign for limit, _ in seen], np.float64),
            limit=np.array([limit.limit for limit, _ in seen], np.float64),
            size=np.array([limit.size for limit, _ in seen], np.float64),
            memory=memory,
            price=self._problem.device_cost_per_hour.copy(),
            items=float(self._step_items),
            wait=table,
            wait_step=step,
            with_peak=figures.PEAK in codes or any(code == figures.PEAK for _, code in seen),
        )

    @property
    def _step_items(self) -> int:
        return self.options.micro_batches or self.options.items

    def _bound_of_reference(self, code: int) -> float:
        plan = self._reference_plan
        bottleneck, time = float(max(1, int(plan.bottleneck_ps[0]))), float(plan.time_ps[0])
        if code == figures.LATENCY and self._arrivals is not None:
            return time + waiting(*self._arrivals.table, bottleneck)
        return bottleneck if code == figures.BOTTLENECK else time + (self._step_items - 1.0) * bottleneck

    def _limits_of(self, constraint: Constraint) -> list[_Limit]:
        column = next(k for k, objective in enumerate(self._all) if objective.key == constraint.objective)
        objective = self._all[column]
        decoded = _decoded(objective)
        unit = decoded.unit if decoded else 1.0
        limits = []
        for sign, value in ((-1.0, constraint.min), (1.0, constraint.max)):
            if value is None:
                continue
            if objective.direction == "min":
                limit = value * unit
            elif value > 0:
                sign, limit = -sign, unit / value
            else:
                # Every value is above 0: the minimum is met, the maximum by none.
                sign, limit = -sign, WORST
            limits.append(_Limit(column, sign, limit, abs(limit) or abs(float(self._reference_row[column])) or 1.0))
        return limits


def annealing_of(objective: Objective) -> Annealing:
    """How the polish of the best plans works towards an objective: by its value, by a bound of it, or not at all.

    It decodes plan after plan in compiled code, so it cannot call a plugin's function; such objectives are searched
    for by variation and selection alone.
    """
    if _decoded(objective) is not None:
        return "value"
    ours = SHIPPED.get(objective.key) is objective
    return "bound" if ours and objective.key in _BOUNDED_BY else "none"


def reference_row(problem: Problem, reference: ReferencePlan) -> tuple[Problem, PlanSet]:
    """The reference plan decoded, and the problem that it is legal for."""
    free = unpinned(problem)
    return free, exact(free, reference.order[None], reference.devices[None])


def decoded_values(objective: Objective, problem: Problem, plans: PlanSet) -> Float64 | None:
    """float64 [k] in the objective's unit, ``None`` for one that does not follow from the decode that plans hold."""
    column = _decoded(objective)
    if column is None:
        return None
    costs = column.of(problem, plans)
    return costs / column.unit if objective.direction == "min" else column.unit / costs


def highest_peak(problem: Problem, plans: PlanSet) -> Float64:
    """float64 [k]: the highest peak in bytes among the memories of the pool's devices."""
    peak: Float64 = plans.peak_bytes[:, device_memories(problem)].max(axis=1).astype(np.float64)
    return peak


def _decoded(objective: Objective) -> _Column | None:
    """The column of an objective of ours that follows from one decode."""
    own, column = _DECODED.get(objective.key, (None, None))
    return column if own is objective else None
