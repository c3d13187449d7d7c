"""The search: ask and tell, so that progress, stop and checkpoint belong to the caller."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import PlanError
from heteroopt.search import checkpoint as checkpoints
from heteroopt.search.algorithm import Bank, PlacementNSGA2, let_in, make_algorithm, restore, slots_of
from heteroopt.search.archive import Archive
from heteroopt.search.columns import Columns, reference_row
from heteroopt.search.dominance import mixed, placement_hash, survivors
from heteroopt.search.evaluation import evaluate, exact, least_violating, makespan_cap_ps, violations
from heteroopt.search.exhaustive import all_genomes, is_settled
from heteroopt.search.hypervolume import hypervolume, largest_contributors
from heteroopt.search.inheritance import legal_plans
from heteroopt.search.initial import initial_genomes
from heteroopt.search.links import make_costs
from heteroopt.search.local_search import JOINING, RECOMBINED, SHARE, carriers, changed_plans, rounds
from heteroopt.search.plan_set import PlanSet, joined
from heteroopt.search.polishing import Polishing
from heteroopt.search.recombination import Recombination
from heteroopt.search.scales import scaled
from heteroopt.search.seeds.portfolio import heuristic_genomes
from heteroopt.search.settings import SearchSettings
from heteroopt.search.shown import front_of, least_violating_first
from heteroopt.search.snapshot import FrontSnapshot, concluded
from heteroopt.search.space import make_space
from heteroopt.simulation.lower_bound import makespan_lower_bound_ps
from heteroopt.simulation.problem import UNLIMITED_BYTES, Problem
from heteroopt.simulation.reference_plan import reference_plan
from heteroopt.simulation.scratch import make_scratch

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]

MANY_OPERATORS = 1_000
"""Above this size most heuristics join the search in its first generation, so that the first front is not late."""


class Search:
    """One multi-objective search over the plans of a problem.

    ``start`` evaluates the seeds and returns the first front; ``step`` runs one generation; both until ``finished``.
    ``checkpoint`` and ``resume`` continue bit-identically. Equal problem, settings and warm start give equal fronts,
    bit for bit (R19): all that is random comes from ``settings.seed``, nothing runs in parallel.

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
        self._warm = warm_start is not None and len(warm_start[0]) > 0
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
        together = (self._scratch, self._columns)
        self._polishing = Polishing.of(problem, self._costs, *together, self.settings, self._capacity)
        self._recombination = Recombination.of(problem, self._space, *together)
        self._archive = Archive.empty(n_objectives)
        self._least: PlanSet | None = None
        self._scale = np.ones(n_objectives)
        self._cap_ps = np.inf
        self._cap_known = False
        self._history: list[checkpoints.Entry] = []
        self._evaluations = 0
        self._outcome = "running"
        self._algorithm: PlacementNSGA2 | None = None

    @property
    def generation(self) -> int:
        """Generations done; 0 after ``start``, -1 before it."""
        return self._history[-1][0] if self._history else -1

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
        self._put(slots, orders[rows], devices[rows], objectives[rows], violation[rows], placement[rows])
        self._algorithm = self._make_algorithm(slots)
        self._algorithm.tell(infills=self._algorithm.ask())
        if (
            len(self._archive)
            and not self._columns.order_matters
            and is_settled(self._space, plans, self._lower_bound, contends=self.problem.contends)
        ):
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
        if self._warm and self._least is None:
            self._search_locally(self._algorithm)
        children = self._algorithm.ask()
        slots = slots_of(children)
        if self.generation == 0 and self._starts_with_few():
            self._join_heuristics(slots[:-1])
        orders, devices = self._recombination.in_generation(
            self.generation + 1, self.settings.seed, self._archive, self._scale, len(slots) // 2
        )
        self._bank.orders[slots[: len(orders)]], self._bank.devices[slots[: len(orders)]] = orders, devices
        self._polish(slots)
        plans = self._evaluated(self._bank.orders[slots], self._bank.devices[slots])
        objectives, violation, placement = self._assess(plans)
        self._bank.put(slots, {"objectives": objectives, "violation": violation, "placement": placement})
        self._algorithm.tell(infills=children)
        self.record()
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
        """Return the state; cheap, since the plans to show are chosen when they are first read."""
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

    def emigrants(self, count: int) -> tuple[Int32, Int32]:
        """Return ``(orders, devices)`` of at most ``count`` plans that carry most of the front, for another island."""
        if self._least is not None:
            return self._least.orders[:count], self._least.devices[:count]
        rows = largest_contributors(self._multiples(self._archive.objectives), count)
        return self._archive.take(rows).stacked()

    def immigrate(self, orders: Int32, devices: Int32) -> None:
        """Let legal plans of another island into archive and population; nothing once the search has ended."""
        if self.finished or self._algorithm is None or len(orders) == 0:
            return
        slots = self._bank.free(slots_of(self._algorithm.pop))[: len(orders)]
        orders, devices = orders[: len(slots)], devices[: len(slots)]
        objectives, violation, placement = self._assess(self._evaluated(orders, devices))
        self._put(slots, orders, devices, objectives, violation, placement)
        let_in(self._algorithm, slots)

    def checkpoint(self) -> bytes:
        """Return what ``resume`` needs, without pickled objects. ``start`` must have run."""
        return checkpoints.dump(self.state())

    def state(self) -> checkpoints.State:
        """Return what ``checkpoint`` writes."""
        state = checkpoints.State(
            settings=self.settings,
            fingerprint=checkpoints.fingerprint(self.problem),
            history=list(self._history),
            evaluations=self._evaluations,
            outcome=self._outcome,
            cap_ps=self._cap_ps,
            cap_known=self._cap_known,
            scale=self._scale,
            warm=self._warm,
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
        return state

    @classmethod
    def resume(cls, problem: Problem, settings: SearchSettings | None, data: bytes) -> Search:
        """Return the search that ``checkpoint`` described; it continues as if it had never ended.

        ``settings`` must be those of the checkpoint, or ``None``. Raises ``PlanError`` ``checkpoint_unreadable``
        for bytes that are none and ``checkpoint_mismatch`` for another problem or other settings.
        """
        return cls.of_state(problem, checkpoints.load_for(problem, settings, data))

    @classmethod
    def of_state(cls, problem: Problem, state: checkpoints.State) -> Search:
        """Return the search that ``state`` described, for the same problem."""
        search = cls(problem, state.settings)
        search._history = state.history
        search._evaluations = state.evaluations
        search._outcome = state.outcome
        search._cap_ps, search._cap_known = state.cap_ps, state.cap_known
        search._scale = state.scale
        search._warm = state.warm
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
            settings.offspring_per_generation(SHARE if self._warm else 1.0),
            settings.mutation_prob,
            settings.seed,
        )

    def _put(
        self,
        slots: NDArray[np.int64],
        orders: Int32,
        devices: Int32,
        objectives: Float64,
        violation: Float64 | float,
        placement: NDArray[np.uint64],
    ) -> None:
        """Write evaluated plans, one row each, into slots of the bank."""
        bank = self._bank
        bank.orders[slots], bank.devices[slots], bank.objectives[slots] = orders, devices, objectives
        bank.violation[slots], bank.placement[slots] = violation, placement

    def _inherited(self) -> tuple[Int32, Int32] | None:
        if self._warm_start is None or not self._warm:
            return None
        return legal_plans(self._space, *map(np.asarray, self._warm_start))

    def _evaluated(self, orders: Int32, devices: Int32) -> PlanSet:
        return evaluate(self.problem, orders, devices, self._scratch, exact_peak=self._columns.needs_peak)

    def _first_plans(self, orders: Int32, devices: Int32) -> tuple[PlanSet, Float64, Float64, NDArray[np.uint64]]:
        """Evaluate the first plans; fix what objectives are divided by; record generation 0."""
        plans = self._evaluated(orders, devices)
        figures = self._columns.figures(plans, self._archive.objectives)
        self._scale = self._columns.scale(self._columns.costs(figures))
        objectives, violation, placement = self._assess(plans, figures)
        self.record()
        return plans, objectives, violation, placement

    def _assess(self, plans: PlanSet, figures: Float64 | None = None) -> tuple[Float64, Float64, NDArray[np.uint64]]:
        """Return multiples, violations and placement hashes of new plans, and let them into the archive."""
        self._evaluations += len(plans)
        self._fix_cap(plans)
        if figures is None:
            figures = self._columns.figures(plans, self._archive.objectives, self._cap_ps)
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
            self.keep_least(plans, violation)
        else:
            self._least = None
        return self._multiples(raw), violation, placement

    def keep_least(self, plans: PlanSet, violation: Float64 | None = None) -> None:
        """While none meets the constraints, keep the plans that violate them least."""
        if violation is None:
            violation = violations(
                plans, self._cap_ps, self._capacity, self._columns.excess(self._columns.figures(plans))
            )
        pool = plans
        if self._least is not None:
            missed = self._columns.excess(self._columns.figures(self._least))
            held = violations(self._least, self._cap_ps, self._capacity, missed)
            pool, violation = joined(self._least, plans), np.concatenate((held, violation))
        self._least = least_violating(pool, violation)

    def _starts_with_few(self) -> bool:
        return self.problem.n_operators > MANY_OPERATORS and self._generations > 0

    def _join_heuristics(self, slots: NDArray[np.int64]) -> None:
        """Let all heuristics into the archive, and the best of them replace the children in ``slots``."""
        orders, devices = heuristic_genomes(self.problem, self._costs, splits=self._columns.wants_throughput)
        objectives, violation, placement = self._assess(self._evaluated(orders, devices))
        rows, _, _ = survivors(objectives, violation, placement, len(slots))
        self._bank.orders[slots[: len(rows)]], self._bank.devices[slots[: len(rows)]] = orders[rows], devices[rows]

    def _polish(self, slots: NDArray[np.int64]) -> None:
        """Replace the last child by an annealed plan, where this generation has one."""
        if self._warm and self._least is None:
            return
        annealed = self._polishing.extreme(self.generation + 1, self._archive, self._least, self._scale, self._cap_ps)
        if annealed is not None:
            self._bank.orders[slots[-1]], self._bank.devices[slots[-1]], decodes = annealed
            self._evaluations += decodes

    def _search_locally(self, algorithm: PlacementNSGA2) -> None:
        """Let changes of the front's plans into the archive, where this generation has any, and join the best plans."""
        started = False
        for count, generator in rounds(self.settings, self.generation + 1):
            most = int(RECOMBINED * count)
            orders, devices = self._recombination.children(self._archive, self._scale, most, generator)
            multiples = self._multiples(self._archive.objectives)
            changed = changed_plans(self._archive, multiples, self._costs, count - len(orders), generator)
            orders, devices = np.concatenate((orders, changed[0])), np.concatenate((devices, changed[1]))
            self._assess(self._evaluated(orders, devices))
            started = True
        if started:
            multiples = self._multiples(self._archive.objectives)
            slots = self._bank.free(slots_of(algorithm.pop))
            rows = carriers(multiples, min(JOINING, len(slots)))
            orders, devices = self._archive.take(rows).stacked()
            self._put(slots[: len(rows)], orders, devices, multiples[rows], 0.0, self._archive.placement[rows])
            let_in(algorithm, slots[: len(rows)])

    def _fix_cap(self, plans: PlanSet) -> None:
        """Fix the makespan cap when the first plans fit."""
        if self._cap_known or self.settings.makespan_cap is None:
            return
        found = makespan_cap_ps(plans, self._reference, self.settings.makespan_cap)
        if found is not None:
            self._cap_ps, self._cap_known = found, True

    def _multiples(self, raw: Float64) -> Float64:
        return scaled(raw, self._scale)

    def record(self, generation: int | None = None) -> None:
        """Add an entry to the history: for the next generation, or for the one given."""
        value = hypervolume(self._multiples(self._archive.objectives))
        self._history.append((self.generation + 1 if generation is None else generation, value, len(self._archive)))

    def _conclude(self, outcome: str) -> None:
        self._outcome = concluded(outcome, len(self._archive))

    def _chooser(self) -> Callable[[], PlanSet]:
        if self._least is not None:
            return partial(least_violating_first, self.problem, self._least, self._columns)
        return partial(
            front_of, self.problem, self._archive, self._multiples(self._archive.objectives), self.settings.front_size
        )
