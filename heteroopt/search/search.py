"""The search itself: ask and tell, so that progress, stop and checkpoint belong to the caller."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import PlanError
from heteroopt.search import checkpoint as checkpoints
from heteroopt.search.algorithm import Bank, PlacementNSGA2, make_algorithm, restore, slots_of
from heteroopt.search.archive import Archive
from heteroopt.search.columns import Columns, reference_row
from heteroopt.search.dominance import mixed, placement_hash, survivors
from heteroopt.search.evaluation import evaluate, exact, violations
from heteroopt.search.exhaustive import all_genomes, count_placements
from heteroopt.search.hypervolume import hypervolume, largest_contributors
from heteroopt.search.inheritance import legalised
from heteroopt.search.initial import initial_genomes
from heteroopt.search.links import make_costs
from heteroopt.search.plan_set import PlanSet, joined
from heteroopt.search.polish import START_TEMPERATURE, anneal, bursts, weights_of_burst
from heteroopt.search.random_bits import draw_state
from heteroopt.search.seeds.portfolio import heuristic_genomes
from heteroopt.search.settings import SearchSettings
from heteroopt.search.snapshot import FrontSnapshot
from heteroopt.search.space import make_space
from heteroopt.simulation.lower_bound import makespan_lower_bound_ps
from heteroopt.simulation.problem import UNLIMITED_BYTES, Problem
from heteroopt.simulation.reference_plan import reference_plan
from heteroopt.simulation.scratch import make_scratch

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]

MANY_OPERATORS = 1_000
"""Above this size most heuristics join the search in its first generation, so that the first front is not late."""

LEAST_VIOLATING = 8
"""How many plans are kept to show while none fits."""


class Search:
    """One multi-objective search over the plans of a problem.

    ``start`` evaluates the seeds and returns the first front; ``step`` runs one generation; both until ``finished``.
    ``checkpoint`` and ``resume`` continue bit-identically. Equal problem, settings and warm start give equal fronts,
    bit for bit (R19): everything random comes from ``settings.seed``, and nothing runs in parallel.

    ``warm_start``: ``(orders, devices)`` int arrays [k, n] of plans to inherit, made legal where they are not (R20).
    Raises ``PlanError`` for a problem without operators.
    """

    def __init__(
        self,
        problem: Problem,
        settings: SearchSettings | None = None,
        *,
        warm_start: tuple[Int32, Int32] | None = None,
    ) -> None:
        if problem.n_operators == 0:
            raise PlanError("nothing_to_place", "The model has no operators, so there is nothing to place.")
        self.problem = problem
        self.settings = (settings or SearchSettings()).resolved(problem.n_operators)
        self._population = self.settings.population_size or 0
        self._generations = self.settings.generations or 0
        self._warm_start = warm_start
        self._space = make_space(problem)
        self._costs = make_costs(problem, self._space)
        self._scratch = make_scratch(problem)
        self._reference = reference_plan(problem)
        self._columns = Columns(problem, self.settings, reference_row(problem, self._reference))
        n_objectives = len(self.settings.objectives)
        self._bank = Bank(2 * self._population, problem.n_operators, n_objectives)
        self._lower_bound = makespan_lower_bound_ps(problem)
        limited = problem.memory_capacity_bytes[problem.memory_capacity_bytes < UNLIMITED_BYTES]
        self._capacity = max(1.0, float(limited.sum()))
        self._archive = Archive.empty(n_objectives)
        self._least: PlanSet | None = None
        self._scale = np.ones(n_objectives)
        self._cap_ps = np.inf
        self._cap_known = False
        self._history: list[tuple[int, float, int]] = []
        self._evaluations = 0
        self._outcome = "running"
        self._algorithm: PlacementNSGA2 | None = None

    @property
    def generation(self) -> int:
        """Generations done; 0 after ``start``, -1 before it."""
        return len(self._history) - 1

    @property
    def finished(self) -> bool:
        """Whether no further ``step`` changes anything."""
        return self._outcome != "running"

    def start(self) -> FrontSnapshot:
        """Evaluate the seeds (or, where there are few, all plans) and return the first front."""
        if self._history:
            return self.snapshot()
        genomes = all_genomes(self._space)
        if genomes is not None:
            self._first_plans(*genomes)
            self._conclude("exhausted")
            return self.snapshot()
        generator = np.random.default_rng([self.settings.seed, 1])
        orders, devices, competing = initial_genomes(
            self.problem, self._costs, self._population, generator, self._inherited(), few=self._starts_with_few(),
            splits=self._columns.wants_throughput,
        )  # fmt: skip
        plans, objectives, violation, placement = self._first_plans(orders, devices)
        room = max(1, self._population - (len(plans) - competing))
        rows, _, _ = survivors(objectives[:competing], violation[:competing], placement[:competing], room)
        rows = np.concatenate((rows, np.arange(competing, len(plans))))[: self._population]
        slots = np.arange(len(rows))
        self._bank.put(
            slots,
            {
                "orders": orders[rows],
                "devices": devices[rows],
                "objectives": objectives[rows],
                "violation": violation[rows],
                "placement": placement[rows],
            },
        )
        self._algorithm = self._make_algorithm(slots)
        self._algorithm.tell(infills=self._algorithm.ask())
        if len(self._archive) and count_placements(self._space, 1) == 1:
            self._conclude("single_plan")
        elif self._generations == 0:
            self._conclude("done")
        return self.snapshot()

    def step(self) -> FrontSnapshot:
        """Run one generation; after the last one, nothing."""
        if not self._history:
            return self.start()
        if self.finished or self._algorithm is None:
            return self.snapshot()
        children = self._algorithm.ask()
        slots = slots_of(children)
        if self.generation == 0 and self._starts_with_few():
            self._join_heuristics(slots[:-1])
        self._polish(int(slots[-1]))
        plans = self._evaluated(self._bank.orders[slots], self._bank.devices[slots])
        objectives, violation, placement = self._assess(plans)
        self._bank.put(slots, {"objectives": objectives, "violation": violation, "placement": placement})
        self._algorithm.tell(infills=children)
        self._record()
        if self.generation >= self._generations:
            self._conclude("done")
        return self.snapshot()

    def stop(self) -> FrontSnapshot:
        """End the search now and keep the front so far (R21)."""
        if not self._history:
            self.start()
        if not self.finished:
            self._conclude("stopped")
        return self.snapshot()

    def snapshot(self) -> FrontSnapshot:
        """Return the state as it is; cheap, since the plans to show are chosen when they are first read."""
        _, hypervolume_now, archive_size = self._history[-1] if self._history else (0, 0.0, 0)
        return FrontSnapshot(
            generation=max(0, self.generation),
            generations=self._generations,
            evaluations=self._evaluations,
            archive_size=archive_size,
            hypervolume=hypervolume_now,
            history=tuple(self._history),
            outcome=self._outcome,
            reference=self._reference,
            lower_bound_ps=self._lower_bound,
            memory_capacity_bytes=self.problem.memory_capacity_bytes,
            settings=self.settings,
            choose=self._chooser(),
        )

    def checkpoint(self) -> bytes:
        """Return everything that ``resume`` needs, without pickled objects. ``start`` must have run."""
        state = checkpoints.State(
            settings=self.settings,
            fingerprint=checkpoints.fingerprint(self.problem),
            history=list(self._history),
            evaluations=self._evaluations,
            outcome=self._outcome,
            cap_ps=self._cap_ps,
            cap_known=self._cap_known,
            scale=self._scale,
            archive=self._archive,
            least=None if self._least is None else (self._least.orders, self._least.devices),
            population=None,
        )
        if self._algorithm is not None:
            state.population = checkpoints.PopulationState(
                rows=self._bank.rows(slots_of(self._algorithm.pop)),
                iteration=int(self._algorithm.n_iter),
                random_state=self._algorithm.random_state.bit_generator.state,
            )
        return checkpoints.dump(state)

    @classmethod
    def resume(cls, problem: Problem, settings: SearchSettings | None, data: bytes) -> Search:
        """Return the search that ``checkpoint`` described; it continues as if it had never ended.

        ``settings`` must be those of the checkpoint, or ``None``. Raises ``PlanError`` ``checkpoint_unreadable``
        for bytes that are none and ``checkpoint_mismatch`` for another problem or other settings.
        """
        state = checkpoints.load(data)
        if state.fingerprint != checkpoints.fingerprint(problem):
            raise checkpoints.mismatch("problem")
        if settings is not None and settings.resolved(problem.n_operators) != state.settings:
            raise checkpoints.mismatch("settings")
        search = cls(problem, state.settings)
        search._history = state.history
        search._evaluations = state.evaluations
        search._outcome = state.outcome
        search._cap_ps, search._cap_known = state.cap_ps, state.cap_known
        search._scale = state.scale
        search._archive = state.archive
        if state.least is not None:
            search._least = exact(problem, *state.least)
        population = state.population
        if population is not None:
            slots = np.arange(len(population.rows["orders"]))
            search._bank.put(slots, population.rows)
            search._algorithm = search._make_algorithm(slots)
            restore(search._algorithm, slots, population.iteration, population.random_state)
        return search

    def _make_algorithm(self, slots: NDArray[np.int64]) -> PlacementNSGA2:
        settings = self.settings
        return make_algorithm(
            self._space,
            self._bank,
            slots,
            self._population,
            settings.offspring_per_generation(),
            settings.mutation_prob,
            settings.seed,
        )

    def _inherited(self) -> tuple[Int32, Int32] | None:
        if self._warm_start is None or len(self._warm_start[0]) == 0:
            return None
        pairs = [legalised(self._space, order, device) for order, device in zip(*self._warm_start, strict=True)]
        return np.array([order for order, _ in pairs]), np.array([device for _, device in pairs])

    def _evaluated(self, orders: Int32, devices: Int32) -> PlanSet:
        return evaluate(self.problem, orders, devices, self._scratch, exact_peak=self._columns.needs_peak)

    def _first_plans(self, orders: Int32, devices: Int32) -> tuple[PlanSet, Float64, Float64, NDArray[np.uint64]]:
        """Evaluate the first plans; fix what objectives are divided by; record generation 0."""
        plans = self._evaluated(orders, devices)
        figures = self._columns.figures(plans)
        self._scale = self._columns.scale(self._columns.costs(figures))
        objectives, violation, placement = self._assess(plans, figures)
        self._record()
        return plans, objectives, violation, placement

    def _assess(self, plans: PlanSet, figures: Float64 | None = None) -> tuple[Float64, Float64, NDArray[np.uint64]]:
        """Return multiples, violations and placement hashes of new plans, and let them into the archive."""
        self._evaluations += len(plans)
        self._fix_cap(plans)
        if figures is None:
            figures = self._columns.figures(plans)
        raw = self._columns.costs(figures)
        violation = violations(plans, self._cap_ps, self._capacity, self._columns.excess(figures))
        placement = placement_hash(plans.devices)
        if self._columns.order_matters:
            placement = mixed(placement, np.ascontiguousarray(raw))
        fits = np.flatnonzero(violation == 0)
        if len(fits):
            self._archive = self._archive.with_plans(
                raw[fits], placement[fits], plans.orders[fits], plans.devices[fits]
            )
        if len(self._archive) == 0:
            self._keep_least(plans, violation)
        else:
            self._least = None
        return self._multiples(raw), violation, placement

    def _keep_least(self, plans: PlanSet, violation: Float64) -> None:
        """While none meets the constraints, keep the plans that violate them least."""
        pool = plans
        if self._least is not None:
            missed = self._columns.excess(self._columns.figures(self._least))
            held = violations(self._least, self._cap_ps, self._capacity, missed)
            pool, violation = joined(self._least, plans), np.concatenate((held, violation))
        self._least = _least_violating(pool, violation)

    def _starts_with_few(self) -> bool:
        return self.problem.n_operators > MANY_OPERATORS and self._generations > 0

    def _join_heuristics(self, slots: NDArray[np.int64]) -> None:
        """Let all heuristics into the archive, and the best of them replace the children in ``slots``."""
        orders, devices = heuristic_genomes(self.problem, self._costs, splits=self._columns.wants_throughput)
        objectives, violation, placement = self._assess(self._evaluated(orders, devices))
        rows, _, _ = survivors(objectives, violation, placement, len(slots))
        self._bank.orders[slots[: len(rows)]], self._bank.devices[slots[: len(rows)]] = orders[rows], devices[rows]

    def _polish(self, slot: int) -> None:
        """In a generation with a burst, replace a child by the best plan for the burst's weights, annealed."""
        generation = self.generation + 1
        keys = [objective.key for objective in self._columns.objectives]
        weights = weights_of_burst(generation, self._generations, keys)
        budget = (self.settings.polish_decodes or 0) // max(1, bursts(self._generations))
        if weights is None or budget == 0:
            return
        aim = self._columns.aim(weights.tolist(), self._scale)
        if aim is None:
            return
        scale = np.where(self._scale > 0, weights / np.where(self._scale > 0, self._scale, 1.0), 0.0)
        if self._least is not None:
            order, device = self._least.orders[0].copy(), self._least.devices[0].copy()
        else:
            row = (self._archive.objectives * scale).sum(axis=1).argmin()
            orders, devices = self._archive.take(np.array([row])).stacked()
            order, device = orders[0], devices[0]
        state = draw_state(np.random.default_rng([self.settings.seed, 2, generation]))
        anneal(
            self.problem.arrays, self._scratch, self._costs, order, device, aim, self._cap_ps, self._capacity, budget,
            START_TEMPERATURE, state,
        )  # fmt: skip
        self._bank.orders[slot], self._bank.devices[slot] = order, device
        self._evaluations += budget

    def _fix_cap(self, plans: PlanSet) -> None:
        """Fix the makespan cap when the first plans fit: by the reference's time, or theirs where none is as fast.

        The reference need not fit, and where devices are forbidden no plan may come near it.
        """
        if self._cap_known or self.settings.makespan_cap is None:
            return
        fitting = plans.time_ps[plans.overflow_bytes == 0]
        if len(fitting) == 0:
            return
        reference_ps = float(self._reference.time_ps) if self._reference.feasible else 0.0
        self._cap_ps = self.settings.makespan_cap * max(reference_ps, float(fitting.min()))
        self._cap_known = True

    def _multiples(self, raw: Float64) -> Float64:
        """Return multiples of the reference; 1 for objectives that do not vary."""
        varies = self._scale > 0
        return np.where(varies, raw / np.where(varies, self._scale, 1.0), 1.0)

    def _record(self) -> None:
        value = hypervolume(self._multiples(self._archive.objectives))
        self._history.append((len(self._history), value, len(self._archive)))

    def _conclude(self, outcome: str) -> None:
        if len(self._archive) == 0:
            outcome = "no_feasible"
        elif len(self._archive) == 1 and outcome in ("done", "exhausted"):
            outcome = "single_plan"
        self._outcome = outcome

    def _chooser(self) -> Callable[[], PlanSet]:
        if self._least is not None:
            return partial(_exact_by_overflow, self.problem, self._least, self._columns)
        return partial(
            _chosen, self.problem, self._archive, self._multiples(self._archive.objectives), self.settings.front_size
        )


def _least_violating(plans: PlanSet, violation: Float64) -> PlanSet:
    """Return at most ``LEAST_VIOLATING`` plans of different placements, the least violation first, then the fastest."""
    rows: list[int] = []
    seen: set[bytes] = set()
    for row in np.lexsort((plans.time_ps, violation)).tolist():
        key = plans.devices[row].tobytes()
        if key not in seen:
            seen.add(key)
            rows.append(row)
        if len(rows) == LEAST_VIOLATING:
            break
    return plans.take(rows)


def _exact_by_overflow(problem: Problem, plans: PlanSet, columns: Columns) -> PlanSet:
    result = exact(problem, plans.orders, plans.devices)
    missed = columns.excess(columns.figures(result))
    return result.take(np.lexsort((result.energy_pj, result.time_ps, missed, result.overflow_bytes)))


def _chosen(problem: Problem, archive: Archive, multiples: Float64, front_size: int) -> PlanSet:
    """Return the plans of the archive that carry the hypervolume, with exact peaks, by time."""
    rows = largest_contributors(multiples, front_size)
    result = exact(problem, *archive.take(rows).stacked())
    return result.take(np.lexsort((result.load_variance, result.energy_pj, result.time_ps)))
