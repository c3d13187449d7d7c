"""NSGA-II as pymoo drives it (ask and tell), with compiled mating and survival.

pymoo keeps the generations, the population and the random generator; this module gives it strategies that handle a
whole generation in one compiled call, since pymoo's own operators work plan by plan in Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.individual import Individual
from pymoo.core.infill import InfillCriterion
from pymoo.core.population import Population
from pymoo.core.problem import Problem as MooProblem
from pymoo.core.survival import Survival
from pymoo.core.termination import NoTermination

from heteroopt.search.dominance import survivors
from heteroopt.search.random_bits import draw_state
from heteroopt.search.space import Space
from heteroopt.search.variation import mutation_rates, offspring

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
UInt64 = NDArray[np.uint64]


class Bank:
    """Rows for parents and children: genomes and all that belongs to them; pymoo's individuals hold row numbers.

    ``orders``, ``devices`` int32 [slots, n]; ``placement`` uint64 [slots], the hash of each row of devices;
    ``objectives`` float64 [slots, m] as multiples; ``violation`` float64 [slots] (0 = meets all constraints);
    ``rank`` int64 and ``crowding`` float64 [slots], set by survival.
    """

    def __init__(self, slots: int, n_operators: int, n_objectives: int = 3) -> None:
        self.orders: Int32 = np.zeros((slots, n_operators), np.int32)
        self.devices: Int32 = np.zeros((slots, n_operators), np.int32)
        self.placement: UInt64 = np.zeros(slots, np.uint64)
        self.objectives: Float64 = np.zeros((slots, n_objectives))
        self.violation: Float64 = np.zeros(slots)
        self.rank: Int64 = np.zeros(slots, np.int64)
        self.crowding: Float64 = np.zeros(slots)

    def free(self, taken: Int64) -> Int64:
        """Return the slots, ascending, that none of the ``taken`` ones is."""
        available = np.ones(len(self.orders), bool)
        available[taken] = False
        return np.flatnonzero(available)

    def put(self, slots: Int64, values: dict[str, NDArray[Any]]) -> None:
        """Write rows of the arrays named, one row a slot."""
        for name, rows in values.items():
            getattr(self, name)[slots] = rows

    def rows(self, slots: Int64) -> dict[str, NDArray[Any]]:
        """Return copies of the rows of every array, by name."""
        return {name: array[slots] for name, array in vars(self).items()}


class _SlotProblem(MooProblem):  # type: ignore[misc]
    """What pymoo must know: one whole-number variable (the slot), the objectives, one constraint."""

    def __init__(self, slots: int, n_objectives: int) -> None:
        super().__init__(n_var=1, n_obj=n_objectives, n_ieq_constr=1, xl=0, xu=slots - 1, vtype=int)


class CompiledMating(InfillCriterion):  # type: ignore[misc]
    """Tournaments, crossover and mutations of all children in one compiled call, into free slots of the bank."""

    def __init__(self, space: Space, bank: Bank, mutation_prob: float) -> None:
        super().__init__()
        self.space = space
        self.bank = bank
        self.rates = mutation_rates(mutation_prob)

    def do(
        self, problem: Any, pop: Any, n_offsprings: int, random_state: np.random.Generator | None = None, **_: Any
    ) -> Any:
        """Return a population of ``n_offsprings`` children, not evaluated yet."""
        assert random_state is not None
        parents, bank = slots_of(pop), self.bank
        children = bank.free(parents)[:n_offsprings]
        rank, crowding = bank.rank[parents], bank.crowding[parents]
        state = draw_state(random_state)
        offspring(self.space, bank.orders, bank.devices, parents, rank, crowding, self.rates, state, children)
        return population_of(children)


class CompiledSurvival(Survival):  # type: ignore[misc]
    """Rank and crowding with constraints, one plan a placement, in one compiled call."""

    def __init__(self, bank: Bank) -> None:
        super().__init__(filter_infeasible=False)
        self.bank = bank

    def _do(self, problem: Any, pop: Any, *_: Any, n_survive: int | None = None, **__: Any) -> Any:
        slots, bank = slots_of(pop), self.bank
        rows, rank, crowding = survivors(
            bank.objectives[slots], bank.violation[slots], bank.placement[slots], n_survive or len(pop)
        )
        bank.rank[slots[rows]], bank.crowding[slots[rows]] = rank, crowding
        return pop[rows]


class PlacementNSGA2(NSGA2):  # type: ignore[misc]
    """pymoo's NSGA-II whose population is rows of a genome bank."""

    bank: Bank

    def _set_optimum(self, **_: Any) -> None:
        self.opt = self.pop[self.bank.rank[slots_of(self.pop)] == 0]


def make_algorithm(
    space: Space, bank: Bank, initial: Int64, population_size: int, offspring: int, mutation_prob: float, seed: int
) -> PlacementNSGA2:
    """Return the algorithm, set up; its first ``ask`` returns the ``initial`` slots, later ones ``offspring`` each."""
    algorithm = PlacementNSGA2(
        pop_size=population_size,
        n_offsprings=offspring,
        sampling=population_of(initial),
        mating=CompiledMating(space, bank, mutation_prob),
        survival=CompiledSurvival(bank),
        eliminate_duplicates=False,
        output=None,
        seed=seed,
    )
    algorithm.bank = bank
    algorithm.termination = NoTermination()
    algorithm.setup(_SlotProblem(*bank.objectives.shape))
    return algorithm


def restore(algorithm: PlacementNSGA2, slots: Int64, iteration: int, random_state: dict[str, Any]) -> None:
    """Continue an algorithm from the rows ``slots`` of its bank, its counter and the state of its generator."""
    algorithm.pop = population_of(slots)
    algorithm.n_iter = iteration
    algorithm.is_initialized = True
    algorithm.random_state.bit_generator.state = random_state


def let_in(algorithm: PlacementNSGA2, slots: Int64) -> None:
    """Let evaluated plans in ``slots`` of the bank compete for the population, which keeps its size."""
    rivals = population_of(np.concatenate((slots_of(algorithm.pop), slots)))
    algorithm.pop = algorithm.survival.do(algorithm.problem, rivals, n_survive=algorithm.pop_size)


_CONFIG = Individual.default_config()


def population_of(slots: Int64) -> Any:
    """Return a pymoo population of the given slots (one configuration for all individuals: made anew it is slow)."""
    return Population([Individual(config=_CONFIG, _X=[slot]) for slot in slots.tolist()])


def slots_of(pop: Any) -> Int64:
    """Return int64 [p]: the slot of each individual."""
    return np.array([individual._X[0] for individual in pop], np.int64)
