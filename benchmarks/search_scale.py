"""How the search scales, against pymoo's NSGA-II with Python operators, in one run.

    python -m benchmarks.search_scale [--sizes 143 615 2413 4898] [--population 128] [--generations 200] [--seeds 1]
        [--peer-evaluations N] [--python-evaluations N] [--skip-peers] [--json FILE]

Per size: CPU seconds (all of the process) to the first front, of the whole search and of its parts, and of the
recipe of R13-R15 in pymoo (see ``benchmarks.recipe``) with three decoders: the compiled one, a lean one in plain
Python (see ``benchmarks.lean_decoder``; equal values are checked), and the reference decoder, which is readable and
slow. The peers run ``--peer-evaluations`` (all that the search made, by default) with the compiled decoder, and
``--python-evaluations`` (ten populations) or two populations with the others, and are scaled to as many evaluations
as the search made. Hypervolumes are relative to the reference plan within (2, 2, 2), of all plans met. Read the
ratios: seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import heteroopt.search.algorithm as algorithm_module
import heteroopt.search.met_plans as met_plans_module
import heteroopt.search.polishing as polishing_module
from benchmarks.lean_decoder import lean_decoder
from benchmarks.recipe import run_recipe
from benchmarks.synthetic import synthetic_problem
from heteroopt.search import warm_up
from heteroopt.search.archive import Archive
from heteroopt.search.hypervolume import hypervolume
from heteroopt.search.recombination import Recombination
from heteroopt.search.search import Search
from heteroopt.search.settings import SearchSettings
from heteroopt.search.snapshot import FrontSnapshot
from heteroopt.simulation.problem import Problem

Seconds = dict[str, float]


@contextmanager
def timed_parts() -> Iterator[Seconds]:
    """Count the CPU seconds inside decoding, variation, survival, archive, hypervolume, polish, and putting plans
    together from sections of others.
    """
    seconds: Seconds = defaultdict(float)
    places = [
        (met_plans_module, "evaluate", "decode"),
        (polishing_module, "anneal", "polish"),
        (algorithm_module, "offspring", "variation"),
        (Recombination, "children", "putting together"),
        (algorithm_module, "survivors", "survival"),
        (Archive, "with_plans", "archive"),
        (met_plans_module, "hypervolume", "hypervolume"),
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
        began = time.process_time()
        try:
            return function(*args, **options)
        finally:
            seconds[part] += time.process_time() - began

    return call


def ours(problem: Problem, settings: SearchSettings) -> tuple[dict[str, Any], Search]:
    """Run the search; return its CPU seconds (to the first front, in all, by part) and the search."""
    began = time.process_time()
    search = Search(problem, settings)
    _ = search.start().plans
    first = time.process_time() - began
    with timed_parts() as parts:
        while not search.finished:
            search.step()
    total = time.process_time() - began
    rest = total - first - sum(parts.values())
    return {"first_front_s": first, "total_s": total, "parts_s": {**parts, "pymoo and the rest": rest}}, search


def measure(n: int, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """One row: the search on ``n`` operators and its peers."""
    problem = synthetic_problem(n)
    settings = SearchSettings(options.population, options.generations, seed=seed)
    row, search = ours(problem, settings)
    end = search.snapshot()
    reference = end.reference.values
    row |= {"operators": n, "seed": seed, "evaluations": end.evaluations, "archive": end.archive_size}
    row |= {"hypervolume_seeds": end.history[0][1], "hypervolume": end.hypervolume}
    row["best_time_x"], row["best_energy_x"], _ = (end.plans.objectives().min(axis=0) / reference).tolist()
    if options.skip_peers:
        return row
    check_lean_decoder(problem, end)
    peers = {
        "compiled": options.peer_evaluations or end.evaluations,
        "lean": options.python_evaluations or 10 * options.population,
        "reference": 2 * options.population,
    }
    for decoder, evaluations in peers.items():
        name = f"pymoo_{decoder}_decoder"
        seconds, done, met = run_recipe(
            problem, evaluations, options.population, settings.mutation_prob, seed, decoder=decoder
        )
        scaled = seconds * end.evaluations / done
        row[name] = {"evaluations": done, "cpu_s": seconds, "scaled_s": scaled, "times_ours": scaled / row["total_s"]}
        if done >= end.evaluations:
            row[name]["hypervolume"] = hypervolume(met / reference)
            row[name]["best_time_x"] = float(met[:, 0].min() / reference[0])
    return row


def check_lean_decoder(problem: Problem, end: FrontSnapshot) -> None:
    """Make sure that the peer's decoder does the same work: equal values for a plan of the front."""
    plans = end.plans
    time_ps, energy_pj, variance = lean_decoder(problem)(plans.orders[0].tolist(), plans.devices[0].tolist())
    found = np.array([time_ps, energy_pj, variance])
    if not np.allclose(found, plans.objectives()[0], rtol=1e-12):
        raise AssertionError(f"the lean decoder gives {found}, the simulation {plans.objectives()[0]}")


def show(row: dict[str, Any]) -> None:
    """Print one row."""
    total = row["total_s"]
    print(f"n={row['operators']} seed={row['seed']}: first front {row['first_front_s']:.3f} s, ", end="")
    print(f"{row['evaluations']} evaluations in {total:.2f} s CPU")
    print("  " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in row["parts_s"].items()))
    print(
        f"  hypervolume {row['hypervolume_seeds']:.4f} -> {row['hypervolume']:.4f}, archive {row['archive']}, ", end=""
    )
    print(f"best time {row['best_time_x']:.4f}, energy {row['best_energy_x']:.4f}")
    for name in ("pymoo_compiled_decoder", "pymoo_lean_decoder", "pymoo_reference_decoder"):
        if name in row:
            peer = row[name]
            print(f"  {name}: {peer['cpu_s']:.2f} s for {peer['evaluations']}", end="")
            print(f", scaled {peer['scaled_s']:.2f} s = {peer['times_ours']:.1f} x ours", end="")
            print(f", hypervolume {peer['hypervolume']:.4f}" if "hypervolume" in peer else "", flush=True)


def main() -> None:
    """Print one block per size and seed; write all with ``--json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[143, 615, 2413, 4898])
    parser.add_argument("--population", type=int, default=128)
    parser.add_argument("--generations", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--peer-evaluations", type=int)
    parser.add_argument("--python-evaluations", type=int)
    parser.add_argument("--skip-peers", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warm_up()
    rows = []
    for n in options.sizes:
        for seed in range(1, options.seeds + 1):
            rows.append(measure(n, seed, options))
            show(rows[-1])
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
