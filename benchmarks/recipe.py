"""The recipe of R13-R15 as pymoo's users write it: NSGA-II with operators in Python, and any decoder.

Single-point crossover of devices, prefix crossover of orders, one device changed often, two neighbours swapped
rarely, a small chance for every operator; a third each of random, greedy and round-robin plans at the start.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.problem import Problem as MooProblem
from pymoo.optimize import minimize

from benchmarks.lean_decoder import lean_decoder
from heteroopt.search.links import make_costs
from heteroopt.search.seeds.basic import greedy_plans, random_plans, round_robin_plans
from heteroopt.simulation.decoder import decode_batch
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.reference import decode_reference

Float64 = NDArray[np.float64]
Genes = NDArray[np.int64]

CROSSOVER_PROB = 0.9
SWAP_SHARE = 0.2


class PlanProblem(MooProblem):  # type: ignore[misc]
    """Genes: the order (n), then a device per operator (n); keeps the values of all feasible plans met."""

    def __init__(self, problem: Problem, decoder: str) -> None:
        n = problem.n_operators
        super().__init__(n_var=2 * n, n_obj=3, n_ieq_constr=1, xl=0, xu=max(n, problem.n_devices), vtype=int)
        self.problem, self.decoder = problem, decoder
        self.lean = lean_decoder(problem) if decoder == "lean" else None
        self.met: list[Float64] = []

    def _evaluate(self, x: Genes, out: dict[str, Any], *_: Any, **__: Any) -> None:
        n = self.problem.n_operators
        overflow: NDArray[Any]
        if self.decoder == "compiled":
            values = decode_batch(self.problem, x[:, :n], x[:, n:], exact_peak=False)
            out["F"] = np.column_stack((values.time_ps, values.energy_pj, values.load_variance))
            overflow = values.overflow_bytes
        elif self.lean is not None:
            out["F"] = np.array([self.lean(row[:n].tolist(), row[n:].tolist()) for row in x])
            overflow = np.zeros(len(x), np.int64)
        else:
            plans = [decode_reference(self.problem, row[:n].tolist(), row[n:].tolist()) for row in x]
            out["F"] = np.array([(plan.makespan_ps, plan.energy_pj, plan.load_variance) for plan in plans])
            overflow = np.array([plan.overflow_bytes for plan in plans])
        out["G"] = overflow[:, None].astype(float)
        self.met.append(out["F"][overflow == 0])


class PlanCrossover(Crossover):  # type: ignore[misc]
    """Orders: a prefix of one parent, then the rest as in the other; devices: one point."""

    def __init__(self) -> None:
        super().__init__(2, 2, prob=CROSSOVER_PROB)

    def _do(self, problem: Any, x: Genes, *_: Any, random_state: np.random.Generator, **__: Any) -> Genes:
        children = x.copy()
        n = problem.problem.n_operators
        for mating in range(x.shape[1]):
            cut = int(random_state.integers(n))
            for child, other in ((0, 1), (1, 0)):
                order, rest = x[child, mating, :n], x[other, mating, :n]
                taken = np.zeros(n, bool)
                taken[order[:cut]] = True
                children[child, mating, cut:n] = rest[~taken[rest]]
                children[child, mating, n + cut :] = x[other, mating, n + cut :]
        return children


class PlanMutation(Mutation):  # type: ignore[misc]
    """The three mutations of R15."""

    def __init__(self, problem: Problem, probability: float) -> None:
        super().__init__(prob=1.0)
        self.chance = probability
        self.choices = [np.flatnonzero(row) for row in problem.legal]
        self.reads = [
            set(problem.pred_idx[problem.pred_ptr[i] : problem.pred_ptr[i + 1]].tolist())
            for i in range(problem.n_operators)
        ]

    def _do(self, problem: Any, x: Genes, *_: Any, random_state: np.random.Generator, **__: Any) -> Genes:
        n = problem.problem.n_operators
        result = x.copy()
        for row in result:
            changed: list[int] = []
            if random_state.random() < self.chance:
                changed.append(int(random_state.integers(n)))
            if random_state.random() < self.chance * SWAP_SHARE:
                changed.extend(np.flatnonzero(random_state.random(n) * n < 1.0).tolist())
            for operator in changed:
                row[n + operator] = random_state.choice(self.choices[operator])
            place = int(random_state.integers(max(1, n - 1)))
            swaps = n > 1 and random_state.random() < self.chance * SWAP_SHARE
            if swaps and int(row[place]) not in self.reads[row[place + 1]]:
                row[place], row[place + 1] = row[place + 1], row[place]
        return result


def first_plans(problem: Problem, population: int, seed: int) -> Genes:
    """Return int64 [population, 2n]: a third each of random, greedy and round-robin plans."""
    costs, generator = make_costs(problem), np.random.default_rng(seed)
    shares = [population // 3 + (kind < population % 3) for kind in range(3)]
    makers = (random_plans, greedy_plans, round_robin_plans)
    blocks = [make(costs, share, generator) for make, share in zip(makers, shares, strict=True)]
    return np.concatenate([np.concatenate(block, axis=1) for block in blocks]).astype(np.int64)


def run_recipe(
    problem: Problem, evaluations: int, population: int, mutation_prob: float, seed: int, *, decoder: str
) -> tuple[float, int, Float64]:
    """Run pymoo's NSGA-II with its duplicate elimination; return CPU seconds, evaluations done, feasible values met.

    ``decoder``: ``compiled``, ``lean`` (plain Python, see ``benchmarks.lean_decoder``) or ``reference``.
    """
    moo = PlanProblem(problem, decoder)
    began = time.process_time()
    algorithm = NSGA2(
        pop_size=population,
        sampling=first_plans(problem, population, seed),
        crossover=PlanCrossover(),
        mutation=PlanMutation(problem, mutation_prob),
    )
    result = minimize(moo, algorithm, ("n_eval", evaluations), seed=seed)
    return time.process_time() - began, int(result.algorithm.evaluator.n_eval), np.concatenate(moo.met)
