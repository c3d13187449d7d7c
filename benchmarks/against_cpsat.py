"""Against CP-SAT: how far the fastest plan of a default search is from the proven optimum or from CP-SAT's best.

    python -m benchmarks.against_cpsat [--instances PATTERN...] [--quick] [--fuse] [--limit-s 90] [--json FILE]

For graphs of at most 250 operators. CP-SAT starts from our plan, with one worker, on the model that ``heteroopt prove``
uses: it leaves out queues on links and memory, so its bound holds for every legal plan, and its plans are decoded.
*proved*: the bound meets the better of both plans (within 0.01 %). Wall seconds of CP-SAT, CPU seconds of ours.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.instances import Instance, add_instance_options, chosen_instances
from benchmarks.search_quality import finished_search
from heteroopt.search import warm_up
from heteroopt.search.proof import MOST_OPERATORS, OPTIMAL_GAP, Proof
from heteroopt.search.settings import SearchSettings


def measure(instance: Instance, limit_s: float) -> dict[str, Any] | None:
    """One row, ``None`` where no plan fits."""
    problem = instance.problem
    search, seconds = finished_search(problem, SearchSettings(seed=1))
    end = search.snapshot()
    if not end.feasible:
        return None
    ours = float(end.plans.time_ps.min())
    row = int(end.plans.time_ps.argmin())
    proof = Proof(problem, end.plans.orders[row], end.plans.devices[row])
    state = proof.run(limit_s)
    best = float(proof.plan().makespan_ps)
    bound = float(state.bound_ps)
    return {
        "instance": instance.name,
        "operators": problem.n_operators,
        "status": state.status,
        "proved": best <= bound * (1 + OPTIMAL_GAP),
        "cpsat_s": state.seconds,
        "search_cpu_s": seconds,
        "ours_x_best": ours / best,
        "ours_x_bound": ours / bound,
    }


def main() -> None:
    """Print the table, then the extremes; write all with ``--json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_instance_options(parser)
    parser.add_argument("--limit-s", type=float, default=90.0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warm_up()
    print("| instance | operators | CP-SAT | s | optimum proved | ours / best | ours / bound | ours s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    rows = []
    for instance in chosen_instances(options, most_operators=MOST_OPERATORS):
        row = measure(instance, options.limit_s)
        if row is None:
            print(f"| {instance.name} | {instance.problem.n_operators} | no plan fits | | | | | |", flush=True)
            continue
        rows.append(row)
        print(
            f"| {row['instance']} | {row['operators']} | {row['status']} | {row['cpsat_s']:.1f} "
            f"| {'yes' if row['proved'] else 'no'} | {row['ours_x_best']:.4f} "
            f"| {row['ours_x_bound']:.4f} | {row['search_cpu_s']:.2f} |",
            flush=True,
        )
    for proved, words in ((True, "Proved"), (False, "Not proved")):
        chosen = [row["ours_x_best"] for row in rows if row["proved"] is proved]
        if chosen:
            print(f"\n{words}: {len(chosen)} instances, ours over the best known at most {max(chosen):.4f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
