"""Against the schedulers of SAGA (PyPI: anrg-saga), which run in a Python of their own.

    python -m benchmarks.against_saga --python /path/to/python-with-saga [--instances PATTERN...] [--quick] [--fuse]
        [--most-operators 400] [--limit-s 20] [--json FILE]

SAGA knows related machines: one cost a task, one speed a device, one bandwidth a pair of devices. A pool is reduced to
that in two ways (by sums and by geometric means of the operators' times; a link's latency counts at the median tensor
size), and of each scheduler the better placement counts, decoded in our simulation: an operator goes where SAGA put
it, or where that is not legal to its fastest device, in the order of SAGA's start times. Ours is the fastest plan of a
default search. CPU seconds, one core, kernels warm. HEFT is timed as the median of eleven runs on either side: SAGA's
without reading and building its graph and network, ours with deriving the costs from the problem and with the decoding.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.instances import Instance, add_instance_options, chosen_instances
from benchmarks.search_quality import finished_search
from heteroopt.search import warm_up
from heteroopt.search.evaluation import evaluate
from heteroopt.search.genome import priority_order
from heteroopt.search.links import Costs, index_order, make_costs
from heteroopt.search.search import Search
from heteroopt.search.seeds.portfolio import insertion_genome
from heteroopt.search.seeds.ranks import optimistic_cost, upward_rank
from heteroopt.search.settings import SearchSettings
from heteroopt.search.space import assign

HEFT_RUNS = 11
RUNNER = Path(__file__).with_name("saga_runner.py")


def related_machines(costs: Costs, mean: str, limit_s: int) -> dict[str, Any]:
    """Return the instance as SAGA takes it; ``mean``: ``sum`` or ``geometric``."""
    n, n_devices = costs.time.shape
    time_ps = np.where(np.isfinite(costs.time), np.maximum(costs.time, 1.0), np.nan)
    cost = np.exp(np.nanmean(np.log(time_ps), axis=1))
    if mean == "sum":
        speed = np.array([np.nansum(cost[~np.isnan(t)]) / np.nansum(t) for t in time_ps.T])
    else:
        speed = np.exp(np.nanmean(np.log(cost[:, None] / time_ps), axis=0))
    space = costs.space
    edges = [
        [str(space.pred_idx[edge]), str(operator), float(costs.pred_bytes[edge])]
        for operator in range(n)
        for edge in range(space.pred_ptr[operator], space.pred_ptr[operator + 1])
    ]
    typical = float(np.median([edge[2] for edge in edges])) if edges else 1.0
    links = []
    for a in range(n_devices):
        for b in range(a + 1, n_devices):
            way = max(costs.latency[u, v] + typical * costs.per_byte[u, v] for u, v in ((a, b), (b, a)))
            links.append([f"d{a}", f"d{b}", typical / max(way, 1.0)])
    return {
        "tasks": {str(i): float(value) for i, value in enumerate(cost)},
        "edges": edges,
        "nodes": {f"d{d}": float(value) for d, value in enumerate(speed)},
        "links": links,
        "limit_s": limit_s,
        "heft_runs": HEFT_RUNS,
    }


def answers(python: Path, instance: dict[str, Any]) -> list[dict[str, Any]]:
    """Run every scheduler of SAGA in the other Python."""
    done = subprocess.run(
        [str(python), str(RUNNER)], input=json.dumps(instance), capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def makespan_ps(instance: Instance, costs: Costs, placement: dict[str, list[Any]]) -> float:
    """Return the makespan of SAGA's placement in our simulation; ``inf`` where it does not fit."""
    space, n = costs.space, instance.problem.n_operators
    device, start = space.fastest.copy(), np.zeros(n)
    for operator in range(n):
        name, start[operator] = placement[str(operator)]
        assign(space, device, operator, int(name[1:]))
    order = np.empty(n, np.int32)
    priority_order(space, start, order)
    plan = evaluate(instance.problem, order[None], device[None])
    return float(plan.time_ps[0]) if plan.overflow_bytes[0] == 0 else math.inf


def our_heft_seconds(instance: Instance) -> float:
    """Return CPU seconds of our HEFT from the problem to the decoded plan."""
    began = time.process_time()
    costs = make_costs(instance.problem)
    plain = index_order(costs.space)
    by_rank = np.empty(instance.problem.n_operators, np.int32)
    priority_order(costs.space, -upward_rank(costs, plain), by_rank)
    everything = np.ones(instance.problem.n_devices, np.bool_)
    order, device = insertion_genome(costs, by_rank, optimistic_cost(costs, plain), 0.0, everything)
    evaluate(instance.problem, order[None], device[None])
    return time.process_time() - began


def measure(instance: Instance, python: Path, limit_s: int) -> dict[str, Any]:
    """One row."""
    costs = make_costs(instance.problem)
    makespans: dict[str, float] = {}
    seconds: dict[str, float] = {}
    failed: dict[str, str] = {}
    for mean in ("sum", "geometric"):
        for answer in answers(python, related_machines(costs, mean, limit_s)):
            name = answer["name"]
            if "error" in answer:
                failed[name] = answer["error"]
                continue
            missing = sum(str(operator) not in answer["placement"] for operator in range(instance.problem.n_operators))
            if missing:
                failed[name] = f"its schedule leaves out {missing} tasks"
                continue
            found = makespan_ps(instance, costs, answer["placement"])
            makespans[name] = min(found, makespans.get(name, math.inf))
            seconds[name] = min(answer["seconds"], seconds.get(name, math.inf))
    best = min(makespans, key=lambda name: makespans[name])
    began = time.process_time()
    Search(instance.problem, SearchSettings(seed=1)).start()
    first_front_s = time.process_time() - began
    search, search_s = finished_search(instance.problem, SearchSettings(seed=1))
    end = search.snapshot()
    ours = float(end.plans.time_ps.min()) if end.feasible else math.inf
    return {
        "instance": instance.name,
        "operators": instance.problem.n_operators,
        "schedulers": len(makespans),
        "failed": failed,
        "makespans_x_ours": {name: value / ours for name, value in makespans.items()},
        "best": best,
        "ours_x_best": ours / makespans[best],
        "saga_heft_s": seconds.get("Heft"),
        "saga_all_s": sum(seconds.values()),
        "our_heft_s": statistics.median(our_heft_seconds(instance) for _ in range(HEFT_RUNS)),
        "first_front_s": first_front_s,
        "search_s": search_s,
    }


def main() -> None:
    """Print the table, then the extremes; write all with ``--json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_instance_options(parser)
    parser.add_argument("--python", type=Path, required=True, help="the interpreter that has anrg-saga")
    parser.add_argument("--most-operators", type=int, default=400)
    parser.add_argument("--limit-s", type=int, default=20, help="seconds for each of its schedulers")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warm_up()
    print(
        "| instance | operators | its schedulers | its best | ours / its best | its HEFT ms | our HEFT ms | ratio "
        "| first front s | search s | all of its s |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    rows = []
    for instance in chosen_instances(options, most_operators=options.most_operators):
        row = measure(instance, options.python, options.limit_s)
        rows.append(row)
        heft = math.nan if row["saga_heft_s"] is None else row["saga_heft_s"]
        print(
            f"| {row['instance']} | {row['operators']} | {row['schedulers']} | {row['best']} "
            f"| {row['ours_x_best']:.4f} | {1e3 * heft:.1f} | {1e3 * row['our_heft_s']:.2f} "
            f"| {heft / row['our_heft_s']:.0f} | {row['first_front_s']:.3f} "
            f"| {row['search_s']:.2f} | {row['saga_all_s']:.1f} |",
            flush=True,
        )
    if rows:
        print(f"\nOurs over its best: at most {max(row['ours_x_best'] for row in rows):.4f}")
        speedups = [row["saga_heft_s"] / row["our_heft_s"] for row in rows if row["saga_heft_s"]]
        fronts = [row["saga_heft_s"] / row["first_front_s"] for row in rows if row["saga_heft_s"]]
        print(f"Its HEFT over ours: at least {min(speedups):.0f}; over our first front: at least {min(fronts):.1f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
