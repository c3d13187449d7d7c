"""The search: ask and tell, so that progress, stop and checkpoint belong to the caller."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import PlanError
from heteroopt.search import checkpoint as checkpoints
from heteroopt.search.algorithm import Bank, PlacementNSGA2, let_in, make_algorithm, restore, slots_of
from heteroopt.search.columns import Columns, reference_row
from heteroopt.search.dominance import survivors
from heteroopt.search.evaluation import exact
from heteroopt.search.exhaustive import all_genomes, is_settled
from heteroopt.search.hypervolume import largest_contributors
from heteroopt.search.inheritance import legal_plans
from heteroopt.search.initial import initial_genomes
from heteroopt.search.links import make_costs
from heteroopt.search.local_search import JOINING, RECOMBINED, SHARE, carriers, changed_plans, rounds
from heteroopt.search.met_plans import MetPlans
from heteroopt.search.plan_set import PlanSet
from heteroopt.search.polishing import Polishing
from heteroopt.search.recombination import Recombination
from heteroopt.search.seeds.portfolio import heuristic_genomes
from heteroopt.search.settings import SearchSettings
from heteroopt.search.snapshot import FrontSnapshot, concluded
from heteroopt.search.space import make_space
from heteroopt.simulation.lower_bound import makespan_lower_bound_ps
from heteroopt.simulation.problem import Problem
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
        reference, scratch = reference_plan(problem), make_scratch(problem)
        columns = Columns(problem, self.settings, reference_row(problem, reference))
        self._met = MetPlans(problem, self.settings, reference, columns, scratch)
        self._bank = Bank(2 * self._population, problem.n_operators, len(self.settings.objectives))
        self._lower_bound = makespan_lower_bound_ps(problem)
        together = (scratch, columns)
        self._polishing = Polishing.of(problem, self._costs, *together, self.settings, self._met.capacity_bytes)
        self._recombination = Recombination.of(problem, self._space, *together)
        self._history: list[checkpoints.Entry] = []
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
            splits=self._met.columns.wants_throughput,
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
            len(self._met.archive)
            and not self._met.columns.order_matters
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
        if self._warm and self._met.least is None:
            self._search_locally(self._algorithm)
        children = self._algorithm.ask()
        slots = slots_of(children)
        if self.generation == 0 and self._starts_with_few():
            self._join_heuristics(slots[:-1])
        orders, devices = self._recombination.in_generation(
            self.generation + 1, self.settings.seed, self._met.archive, self._met.scale, len(slots) // 2
        )
        self._bank.orders[slots[: len(orders)]], self._bank.devices[slots[: len(orders)]] = orders, devices
        self._polish(slots)
        plans = self._met.evaluated(self._bank.orders[slots], self._bank.devices[slots])
        objectives, violation, placement = self._met.assess(plans)
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
            evaluations=self._met.evaluations,
            archive_size=archive_size,
            hypervolume=hypervolume_now,
            history=tuple(self._history),
            outcome=self._outcome,
            reference=self._met.reference,
            lower_bound_ps=self._lower_bound,
            memory_capacity_bytes=self.problem.memory_capacity_bytes,
            settings=self.settings,
            choose=self._met.chooser(),
        )

    def emigrants(self, count: int) -> tuple[Int32, Int32]:
        """Return ``(orders, devices)`` of at most ``count`` plans that carry most of the front, for another island."""
        if self._met.least is not None:
            return self._met.least.orders[:count], self._met.least.devices[:count]
        rows = largest_contributors(self._met.multiples, count)
        return self._met.archive.take(rows).stacked()

    def immigrate(self, orders: Int32, devices: Int32) -> None:
        """Let legal plans of another island into archive and population; nothing once the search has ended."""
        if self.finished or self._algorithm is None or len(orders) == 0:
            return
        slots = self._bank.free(slots_of(self._algorithm.pop))[: len(orders)]
        orders, devices = orders[: len(slots)], devices[: len(slots)]
        objectives, violation, placement = self._met.assess(self._met.evaluated(orders, devices))
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
            evaluations=self._met.evaluations,
            outcome=self._outcome,
            cap_ps=self._met.cap_ps,
            cap_known=self._met.cap_known,
            scale=self._met.scale,
            warm=self._warm,
            archive=self._met.archive,
            least=None if self._met.least is None else (self._met.least.orders, self._met.least.devices),
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
        search._met.evaluations = state.evaluations
        search._outcome = state.outcome
        search._met.cap_ps, search._met.cap_known = state.cap_ps, state.cap_known
        search._met.scale = state.scale
        search._warm = state.warm
        search._met.archive = state.archive
        if state.least is not None:
            search._met.least = exact(problem, *state.least)
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

    def _first_plans(self, orders: Int32, devices: Int32) -> tuple[PlanSet, Float64, Float64, NDArray[np.uint64]]:
        """Evaluate the first plans; fix what objectives are divided by; record generation 0."""
        plans = self._met.evaluated(orders, devices)
        assessed = self._met.assess_first(plans)
        self.record()
        return plans, *assessed

    def keep_least(self, plans: PlanSet) -> None:
        """While none meets the constraints, keep the plans that violate them least."""
        self._met.keep_least(plans)

    def _starts_with_few(self) -> bool:
        return self.problem.n_operators > MANY_OPERATORS and self._generations > 0

    def _join_heuristics(self, slots: NDArray[np.int64]) -> None:
        """Let all heuristics into the archive, and the best of them replace the children in ``slots``."""
        orders, devices = heuristic_genomes(self.problem, self._costs, splits=self._met.columns.wants_throughput)
        objectives, violation, placement = self._met.assess(self._met.evaluated(orders, devices))
        rows, _, _ = survivors(objectives, violation, placement, len(slots))
        self._bank.orders[slots[: len(rows)]], self._bank.devices[slots[: len(rows)]] = orders[rows], devices[rows]

    def _polish(self, slots: NDArray[np.int64]) -> None:
        """Replace the last child by an annealed plan, where this generation has one."""
        if self._warm and self._met.least is None:
            return
        met = self._met
        annealed = self._polishing.extreme(self.generation + 1, met.archive, met.least, met.scale, met.cap_ps)
        if annealed is not None:
            self._bank.orders[slots[-1]], self._bank.devices[slots[-1]], decodes = annealed
            self._met.evaluations += decodes

    def _search_locally(self, algorithm: PlacementNSGA2) -> None:
        """Let changes of the front's plans into the archive, where this generation has any, and join the best plans."""
        started = False
        for count, generator in rounds(self.settings, self.generation + 1):
            most = int(RECOMBINED * count)
            orders, devices = self._recombination.children(self._met.archive, self._met.scale, most, generator)
            multiples = self._met.multiples
            changed = changed_plans(self._met.archive, multiples, self._costs, count - len(orders), generator)
            orders, devices = np.concatenate((orders, changed[0])), np.concatenate((devices, changed[1]))
            self._met.assess(self._met.evaluated(orders, devices))
            started = True
        if started:
            multiples = self._met.multiples
            slots = self._bank.free(slots_of(algorithm.pop))
            rows = carriers(multiples, min(JOINING, len(slots)))
            orders, devices = self._met.archive.take(rows).stacked()
            self._put(slots[: len(rows)], orders, devices, multiples[rows], 0.0, self._met.archive.placement[rows])
            let_in(algorithm, slots[: len(rows)])

    def record(self, generation: int | None = None) -> None:
        """Add an entry to the history: for the next generation, or for the one given."""
        now = self.generation + 1 if generation is None else generation
        self._history.append((now, self._met.hypervolume, len(self._met.archive)))

    def _conclude(self, outcome: str) -> None:
        self._outcome = concluded(outcome, len(self._met.archive))
