"""The first population: heuristics for one half, the three kinds of R14 for the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.links import Costs
from heteroopt.search.seeds.basic import greedy_plans, random_plans, round_robin_plans
from heteroopt.search.seeds.portfolio import heuristic_genomes
from heteroopt.simulation.problem import Problem

Int32 = NDArray[np.int32]


def initial_genomes(
    problem: Problem,
    costs: Costs,
    population_size: int,
    generator: np.random.Generator,
    inherited: tuple[Int32, Int32] | None = None,
    *,
    few: bool = False,
    splits: bool = False,
) -> tuple[Int32, Int32, int]:
    """Return ``orders``, ``devices`` [k, n] and how many of the first rows compete for one half of the population.

    Those are the inherited plans and the heuristics; the rest, half a population in equal parts of random, greedy
    and round-robin plans, all joins it (R14). ``few``: only some of the heuristics.
    ``splits``: placements with a small bottleneck among them.
    """
    heuristics = heuristic_genomes(problem, costs, few=few, splits=splits)
    blocks = [heuristics] if inherited is None else [inherited, heuristics]
    competing = sum(len(orders) for orders, _ in blocks)
    half = max(3, population_size // 2)
    shares = [half // 3 + (1 if kind < half % 3 else 0) for kind in range(3)]
    for make, share in zip((random_plans, greedy_plans, round_robin_plans), shares, strict=True):
        blocks.append(make(costs, share, generator))
    return np.concatenate([o for o, _ in blocks]), np.concatenate([d for _, d in blocks]), competing
