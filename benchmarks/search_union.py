"""How much of the best known front one search finds: its hypervolume over that of the union of ten long runs.

    python -m benchmarks.search_union [--instances PATTERN...] [--quick] [--fuse] [--runs 10] [--times 5] [--json FILE]

Each long run has ``--times`` as many generations (and polishing decodes) as the default one, and a seed of its own;
the union holds all non-dominated plans of all of them and of the default run. Hypervolumes are relative to the
reference plan, within (2, 2, 2).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.instances import Instance, add_instance_options, chosen_instances
from benchmarks.search_quality import finished_search
from heteroopt.search import warm_up
from heteroopt.search.hypervolume import hypervolume
from heteroopt.search.settings import SearchSettings

MOST_PLANS = 10_000


def measure(instance: Instance, runs: int, times: int) -> dict[str, Any]:
    """One row: the default search, and ``runs`` searches of ``times`` as many generations."""
    problem = instance.problem
    search, seconds = finished_search(problem, SearchSettings(seed=1, front_size=MOST_PLANS))
    end = search.snapshot()
    row: dict[str, Any] = {"instance": instance.name, "operators": problem.n_operators, "feasible": end.feasible}
    row |= {"cpu_s": seconds, "long_cpu_s": 0.0}
    if not end.feasible:
        return row
    row["hypervolume"] = end.hypervolume
    fronts = [end.plans.objectives()]
    scale = np.array(end.reference.values)
    long = []
    for run in range(runs):
        settings = SearchSettings(
            search.settings.population_size,
            (search.settings.generations or 0) * times,
            seed=100 + run,
            front_size=MOST_PLANS,
        )
        other, spent = finished_search(problem, settings)
        row["long_cpu_s"] += spent
        fronts.append(other.snapshot().plans.objectives())
        long.append(other.snapshot().hypervolume)
    union = np.concatenate(fronts)
    row["union"] = hypervolume(union / np.where(scale > 0, scale, np.maximum(np.ptp(fronts[0], axis=0), 1e-30)))
    row["long"] = [min(long), max(long)]
    row["share"] = end.hypervolume / row["union"]
    row["fastest_x_union"] = float(end.plans.time_ps.min() / union[:, 0].min())
    return row


def main() -> None:
    """Print the table, then the least share; write all with ``--json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_instance_options(parser)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warm_up()
    print("| instance | operators | one run | long runs | union | share | time / best known | CPU s | CPU s, long |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    rows = []
    for instance in chosen_instances(options):
        row = measure(instance, options.runs, options.times)
        rows.append(row)
        if row["feasible"]:
            low, high = row["long"]
            print(
                f"| {row['instance']} | {row['operators']} | {row['hypervolume']:.4f} | {low:.4f} - {high:.4f} "
                f"| {row['union']:.4f} | {row['share']:.4f} | {row['fastest_x_union']:.4f} | {row['cpu_s']:.2f} "
                f"| {row['long_cpu_s']:.1f} |",
                flush=True,
            )
        else:
            print(
                f"| {row['instance']} | {row['operators']} | no plan fits | | | | | {row['cpu_s']:.2f} | |", flush=True
            )
    shares = [row["share"] for row in rows if row["feasible"]]
    if shares:
        print(f"\nLeast share: {min(shares):.4f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
