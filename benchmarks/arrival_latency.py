"""What the P99 latency at an arrival rate costs: a plan at a time, and a search that goes by it.

    python -m benchmarks.arrival_latency [--sizes 143 615] [--load 0.6] [--plans 64] [--generations 200] [--skip-search]

On the synthetic graphs of ``benchmarks.synthetic``; items arrive at ``--load`` times the median throughput of the plans
of a short search. Per size: CPU milliseconds a plan for 1,000 arrivals run by stages and task by task (equal values are
checked), for the lower bound and for the estimate from the busiest stretches, with their shares of the value; then CPU
seconds of 128 x ``--generations`` searches for time, energy and balance, and for the P99 latency, energy and balance.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.synthetic import synthetic_problem
from heteroopt.front.front import Front
from heteroopt.search import warm_up
from heteroopt.search.plan_set import PlanSet
from heteroopt.search.search import Search
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.latency import latency_batch, latency_bounds, latency_estimates, poisson_arrivals_ps
from heteroopt.simulation.pipeline_decoder import run_plans
from heteroopt.simulation.problem import Problem
from heteroopt.units import PS_PER_S


def finished(problem: Problem, settings: SearchSettings) -> tuple[Search, float]:
    """Run a search; return it and its CPU seconds."""
    began = time.process_time()
    search = Search(problem, settings)
    while not search.finished:
        search.step()
    return search, time.process_time() - began


def show_plans(problem: Problem, plans: PlanSet, rate_per_s: float) -> None:
    """Print what one plan costs in each way."""
    genomes = plans.orders, plans.devices
    began = time.process_time()
    values = latency_batch(problem, *genomes, rate_per_s)
    staged = time.process_time()
    bounds = latency_bounds(problem, *genomes, rate_per_s)[0]
    bounded = time.process_time()
    estimates = latency_estimates(problem, *genomes, rate_per_s)
    estimated = time.process_time()
    arrivals = poisson_arrivals_ps(rate_per_s)
    finish, _, _ = run_plans(problem, *genomes, arrivals, with_memory=False)
    ended = time.process_time()
    if not np.array_equal(np.sort(finish - arrivals, axis=1)[:, 989], values.p99_ps):
        raise AssertionError("stages and tasks give different latencies")
    spent = [
        1e3 * seconds / len(plans)
        for seconds in (staged - began, bounded - staged, estimated - bounded, ended - estimated)
    ]
    print(f"n={problem.n_operators}: by stages {spent[0]:.3f} ms, by tasks {spent[3]:.3f} ms, ", end="")
    print(f"bound {spent[1]:.3f} ms, estimate {spent[2]:.3f} ms")
    for name, found in (("bound", bounds), ("estimate", estimates)):
        least, median, most = np.quantile(found / values.p99_ps, (0, 0.5, 1))
        print(f"  {name} / value: {least:.3f} to {most:.3f}, median {median:.3f}", flush=True)


def main() -> None:
    """Print a block per size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[143, 615])
    parser.add_argument("--load", type=float, default=0.6)
    parser.add_argument("--plans", type=int, default=64)
    parser.add_argument("--generations", type=int, default=200)
    parser.add_argument("--skip-search", action="store_true")
    options = parser.parse_args()
    warm_up()
    for size in options.sizes:
        problem = synthetic_problem(size)
        plans = finished(problem, SearchSettings(128, 20))[0].snapshot().plans
        rate_per_s = options.load * PS_PER_S / float(np.median(plans.bottleneck_ps))
        show_plans(problem, plans.take(list(range(min(options.plans, len(plans))))), rate_per_s)
        if options.skip_search:
            continue
        for first in ("exec_time_ms", "latency_p99_ms"):
            goals = (first, "energy_j", "load_balance")
            settings = SearchSettings(128, options.generations, seed=1, objectives=goals, arrival_rate_per_s=rate_per_s)
            search, seconds = finished(problem, settings)
            end = search.snapshot()
            began = time.process_time()
            shown = len(end.plans)
            exact = time.process_time()
            Front.from_snapshot(end, problem)
            reported = time.process_time()
            print(f"  {first}: {seconds:.2f} s for {end.evaluations} evaluations, ", end="")
            print(f"{exact - began:.2f} s for exact figures of {shown} plans, ", end="")
            print(f"{reported - exact:.2f} s for all figures of the front", flush=True)


if __name__ == "__main__":
    main()
