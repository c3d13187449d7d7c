"""How good the fronts are: against the plain recipe at equal evaluations, single devices and HEFT, and the bound.

    python -m benchmarks.search_quality [--instances PATTERN...] [--quick] [--fuse] [--seed S] [--skip-recipe]
        [--json FILE]

Per instance: the hypervolume relative to the reference plan, within (2, 2, 2), of all plans that the search met and
that pymoo's NSGA-II with the recipe of R13-R15 met in as many evaluations (see ``benchmarks.recipe``; it has no
makespan cap); the fastest plan of the search, relative to the best of HEFT and all single-device plans, and to the
lower bound. CPU seconds of one core, kernels warm.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.instances import Instance, add_instance_options, chosen_instances
from benchmarks.recipe import run_recipe
from heteroopt.search import warm_up
from heteroopt.search.evaluation import evaluate
from heteroopt.search.genome import priority_order
from heteroopt.search.hypervolume import hypervolume
from heteroopt.search.links import index_order, make_costs
from heteroopt.search.search import Search
from heteroopt.search.seeds.portfolio import insertion_genome
from heteroopt.search.seeds.ranks import optimistic_cost, upward_rank
from heteroopt.search.seeds.single_device import single_device_plans
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.problem import Problem

POPULATION = 128


def specialists_time_ps(problem: Problem) -> float:
    """Return the least makespan of HEFT and of all single-device plans that fit; ``inf`` if none does."""
    costs = make_costs(problem)
    plain = index_order(costs.space)
    by_rank = np.empty(problem.n_operators, np.int32)
    priority_order(costs.space, -upward_rank(costs, plain), by_rank)
    everything = np.ones(problem.n_devices, np.bool_)
    genomes = [(plain, device) for device in single_device_plans(costs.space)]
    genomes.append(insertion_genome(costs, by_rank, optimistic_cost(costs, plain), 0.0, everything))
    plans = evaluate(problem, np.array([o for o, _ in genomes]), np.array([d for _, d in genomes]))
    fitting = plans.time_ps[plans.overflow_bytes == 0]
    return float(fitting.min()) if len(fitting) else math.inf


def finished_search(problem: Problem, settings: SearchSettings) -> tuple[Search, float]:
    """Run a search; return it and its CPU seconds."""
    began = time.process_time()
    search = Search(problem, settings)
    while not search.finished:
        search.step()
    return search, time.process_time() - began


def measure(instance: Instance, seed: int, *, recipe: bool) -> dict[str, Any]:
    """One row."""
    problem = instance.problem
    search, seconds = finished_search(problem, SearchSettings(seed=seed))
    end = search.snapshot()
    row: dict[str, Any] = {"instance": instance.name, "operators": problem.n_operators, "feasible": end.feasible}
    row |= {"evaluations": end.evaluations, "cpu_s": seconds, "outcome": end.outcome}
    if not end.feasible:
        return row
    fastest = float(end.plans.time_ps.min())
    row |= {"hypervolume": end.hypervolume, "hypervolume_seeds": end.history[0][1]}
    row |= {
        "fastest_x_specialists": fastest / specialists_time_ps(problem),
        "fastest_x_bound": fastest / end.lower_bound_ps,
    }
    if recipe:
        spent, done, met = run_recipe(
            problem, end.evaluations, POPULATION, search.settings.mutation_prob, seed, decoder="compiled"
        )
        values = np.asarray(end.reference.values)
        plain = hypervolume(met / np.where(values > 0, values, np.maximum(np.ptp(met, axis=0), 1e-30)))
        row |= {"recipe_evaluations": done, "recipe_cpu_s": spent, "recipe_hypervolume": plain}
        row["hypervolume_x"] = end.hypervolume / plain if plain > 0 else math.inf
        row["fastest_x_recipe"] = fastest / float(met[:, 0].min()) if len(met) else 0.0
    return row


def show(row: dict[str, Any]) -> None:
    """Print one line of the table."""
    if not row["feasible"]:
        print(f"| {row['instance']} | {row['operators']} | no plan fits | | | | | | {row['cpu_s']:.2f} |", flush=True)
        return
    plain = (row.get("recipe_hypervolume", math.nan), row.get("hypervolume_x", math.nan))
    print(
        f"| {row['instance']} | {row['operators']} | {row['hypervolume_seeds']:.3f} | {row['hypervolume']:.3f} "
        f"| {plain[0]:.3f} | {plain[1]:.3f} | {row['fastest_x_specialists']:.4f} | {row['fastest_x_bound']:.3f} "
        f"| {row['cpu_s']:.2f} |",
        flush=True,
    )


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive values."""
    return math.exp(sum(map(math.log, values)) / len(values))


def main() -> None:
    """Print the table, then its extremes; write all with ``--json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_instance_options(parser)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip-recipe", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warm_up()
    print(
        "| instance | operators | seeds | ours | recipe | ours / recipe | time / specialists | time / bound | CPU s |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    rows = []
    for instance in chosen_instances(options):
        rows.append(measure(instance, options.seed, recipe=not options.skip_recipe))
        show(rows[-1])
    ratios = [row["hypervolume_x"] for row in rows if math.isfinite(row.get("hypervolume_x", math.nan))]
    if ratios:
        print(f"\nHypervolume over the recipe's: least {min(ratios):.3f}, geometric mean {geometric_mean(ratios):.3f}")
    slowest = max((row["fastest_x_specialists"] for row in rows if row["feasible"]), default=math.nan)
    print(f"Time over the best of HEFT and single devices: at most {slowest:.4f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
