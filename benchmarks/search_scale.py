"""How the search scales, against plain pymoo NSGA-II on the same decoder, in one run.

    python -m benchmarks.search_scale [--sizes 143 615 2413 4898] [--population 128] [--generations 200] [--seeds 1]

Per size: seconds to the first front, of the whole search and of its parts, and the same number of evaluations with
pymoo's NSGA-II as it comes (SBX, polynomial mutation, duplicate elimination; random keys for the order, device genes
rounded down to one of the legal devices; the three kinds of start of R14; no seeds from list schedules, no makespan
cap). Both decode with the compiled decoder. Hypervolumes are relative to the reference plan within (2, 2, 2), of all
plans met. Read the ratios: seconds depend on the machine and on what else it does.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem as MooProblem
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.optimize import minimize

import heteroopt.search.algorithm as algorithm_module
import heteroopt.search.search as search_module
from benchmarks.synthetic import synthetic_problem
from heteroopt.search import warm_up
from heteroopt.search.archive import Archive
from heteroopt.search.genome import priority_order
from heteroopt.search.hypervolume import hypervolume
from heteroopt.search.links import make_costs
from heteroopt.search.search import Search
from heteroopt.search.seeds.basic import greedy_plans, random_plans, round_robin_plans
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.decoder import decode_batch
from heteroopt.simulation.problem import Problem

Seconds = dict[str, float]


@contextmanager
def timed_parts() -> Iterator[Seconds]:
    """Count the seconds inside decoding, variation, survival, archive, hypervolume and polish."""
    seconds: Seconds = defaultdict(float)
    places = [
        (search_module, "evaluate", "decode"),
        (algorithm_module, "offspring", "variation"),
        (algorithm_module, "survivors", "survival"),
        (Archive, "with_plans", "archive"),
        (search_module, "hypervolume", "hypervolume"),
        (search_module, "anneal", "polish"),
    ]
    originals = [(owner, name, getattr(owner, name)) for owner, name, _ in places]
    for owner, name, part in places:
        setattr(owner, name, _timed(getattr(owner, name), seconds, part))
    try:
        yield seconds
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)


def _timed(function: Callable[..., Any], seconds: Seconds, part: str) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        began = time.perf_counter()
        try:
            return function(*args, **options)
        finally:
            seconds[part] += time.perf_counter() - began

    return call


class PlainProblem(MooProblem):  # type: ignore[misc]
    """Random keys (first n genes) and devices (last n) in [0, 1], as pymoo's users write it; keeps all values met."""

    def __init__(self, problem: Problem) -> None:
        n = problem.n_operators
        super().__init__(n_var=2 * n, n_obj=3, n_ieq_constr=1, xl=0.0, xu=1.0 - 1e-9)
        self.problem = problem
        self.space = make_costs(problem).space
        self.met: list[NDArray[np.float64]] = []

    def _evaluate(self, x: NDArray[np.float64], out: dict[str, Any], *_: Any, **__: Any) -> None:
        n = self.problem.n_operators
        orders = np.empty((len(x), n), np.int32)
        for row in range(len(x)):
            priority_order(self.space, np.ascontiguousarray(x[row, :n]), orders[row])
        first = self.space.choice_ptr[:-1]
        devices = self.space.choice_idx[first + (x[:, n:] * np.diff(self.space.choice_ptr)).astype(np.int32)]
        values = decode_batch(self.problem, orders, devices, exact_peak=False)
        out["F"] = np.column_stack((values.time_ps, values.energy_pj, values.load_variance))
        out["G"] = values.overflow_bytes[:, None].astype(float)
        self.met.append(out["F"][values.overflow_bytes == 0])

    def start(self, population: int, seed: int) -> NDArray[np.float64]:
        """Return a first population: a third each of random, greedy and round-robin plans."""
        costs, generator = make_costs(self.problem), np.random.default_rng(seed)
        shares = [population // 3 + (kind < population % 3) for kind in range(3)]
        makers = (random_plans, greedy_plans, round_robin_plans)
        blocks = [make(costs, share, generator) for make, share in zip(makers, shares, strict=True)]
        orders, devices = (np.concatenate([block[part] for block in blocks]) for part in (0, 1))
        legal_rank = np.cumsum(self.problem.legal, axis=1) - 0.5
        genes = legal_rank[np.arange(self.problem.n_operators), devices] / np.diff(costs.space.choice_ptr)
        return np.concatenate((np.argsort(orders, axis=1) / self.problem.n_operators, genes), axis=1)


def plain(problem: Problem, evaluations: int, population: int, seed: int) -> tuple[float, NDArray[np.float64]]:
    """Run pymoo's NSGA-II as it comes; return seconds and all feasible values met."""
    moo = PlainProblem(problem)
    start = moo.start(population, seed)
    algorithm = NSGA2(pop_size=population, sampling=start, crossover=SBX(), mutation=PM(prob=0.15))
    began = time.perf_counter()
    minimize(moo, algorithm, ("n_eval", evaluations), seed=seed)
    return time.perf_counter() - began, np.concatenate(moo.met)


def ours(problem: Problem, settings: SearchSettings) -> tuple[float, float, Seconds, Search]:
    """Run the search; return seconds to the first front, in all, by part, and the search."""
    with timed_parts() as parts:
        began = time.perf_counter()
        search = Search(problem, settings)
        _ = search.start().plans
        first = time.perf_counter() - began
        while not search.finished:
            search.step()
        total = time.perf_counter() - began
    return first, total, parts, search


def main() -> None:
    """Print one block per size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[143, 615, 2413, 4898])
    parser.add_argument("--population", type=int, default=128)
    parser.add_argument("--generations", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--skip-plain", action="store_true")
    options = parser.parse_args()
    warm_up()
    for n in options.sizes:
        problem = synthetic_problem(n)
        for seed in range(1, options.seeds + 1):
            settings = SearchSettings(options.population, options.generations, seed=seed)
            first, total, parts, search = ours(problem, settings)
            end = search.snapshot()
            rest = total - sum(parts.values())
            split = ", ".join(f"{name} {value / total:.0%}" for name, value in parts.items())
            print(f"n={n} seed={seed}: first front {first:.3f} s, {end.evaluations} evaluations in {total:.2f} s")
            print(f"  {split}, pymoo and the rest {rest / total:.0%} ({rest:.2f} s)")
            print(f"  hypervolume seeds {end.history[0][1]:.4f}, end {end.hypervolume:.4f}, archive {end.archive_size}")
            if options.skip_plain:
                continue
            seconds, met = plain(problem, end.evaluations, options.population, seed)
            reference = end.reference.values
            volume = hypervolume(met / reference)
            best = met.min(axis=0) / reference
            own = end.plans.objectives().min(axis=0) / reference
            print(f"  plain pymoo {seconds:.2f} s ({seconds / total:.1f} x), hypervolume {volume:.4f}", end="")
            print(f" (ours x {end.hypervolume / max(volume, 1e-12):.3f}),", end="")
            print(f" best time {best[0]:.4f} (ours {own[0]:.4f}), energy {best[1]:.4f} (ours {own[1]:.4f})")


if __name__ == "__main__":
    main()
