"""What following contention costs: decoding the same plans with and without it, compiled, in one run.

    python -m benchmarks.contention_decoder [--plans 400] [--repeats 7]

On the sample pool "edge", whose four devices share one memory, given a slowdown of 2: random plans (where nearly every
operator overlaps others) and plans that a search finds.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np

from benchmarks.models import branchy_graph, light_model
from heteroopt.costs.roofline import roofline_cost_table
from heteroopt.devices.domains import MemoryDomain
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.templates import load_sample_pool
from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph
from heteroopt.search.genome import random_devices, random_order
from heteroopt.search.random_bits import draw_state
from heteroopt.search.search import Search
from heteroopt.search.settings import SearchSettings
from heteroopt.search.space import make_space
from heteroopt.simulation.compile import compile_problem
from heteroopt.simulation.decoder import decode_batch
from heteroopt.simulation.problem import Int32, Problem
from heteroopt.simulation.scratch import make_scratch


def random_plans(problem: Problem, count: int) -> tuple[Int32, Int32]:
    """Orders and devices [count, n]."""
    space = make_space(problem)
    orders = np.empty((count, problem.n_operators), np.int32)
    devices = np.empty_like(orders)
    state = draw_state(np.random.default_rng(1))
    for row in range(count):
        random_order(space, state, orders[row])
        random_devices(space, state, devices[row])
    return orders, devices


def best_ns(problem: Problem, orders: Int32, devices: Int32, repeats: int) -> float:
    """Least nanoseconds an operator in ``repeats`` runs over all plans."""
    scratch = make_scratch(problem)
    found = []
    for _ in range(repeats):
        begin = time.perf_counter()
        decode_batch(problem, orders, devices, exact_peak=False, scratch=scratch, known_legal=True)
        found.append((time.perf_counter() - begin) / orders.size * 1e9)
    return min(found)


def main() -> None:
    """Print a row for each graph and kind of plans."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plans", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    pool: DevicePool = load_sample_pool("edge").with_memory_domains({"lpddr5": MemoryDomain(2.0)})
    graphs: list[Graph] = [fuse(light_model("resnet50", 1)), fuse(light_model("densenet121", 1)), branchy_graph(1000)]
    print(f"{'graph':<28} {'plans':<9} {'operators':>9} {'plain ns':>9} {'with ns':>9} {'ratio':>6} {'slower':>7}")
    for graph in graphs:
        problem = compile_problem(graph, pool, roofline_cost_table(graph, pool))
        free = replace(problem, op_memory_share=np.zeros_like(problem.op_memory_share), contends=False)
        search = Search(problem, SearchSettings(generations=30, seed=1))
        while not search.finished:
            search.step()
        found = search.snapshot().plans
        plans = {"random": random_plans(problem, options.plans), "searched": (found.orders, found.devices)}
        for name, (orders, devices) in plans.items():
            times = [decode_batch(one, orders, devices).time_ps for one in (problem, free)]
            plain, slowed = (best_ns(one, orders, devices, options.repeats) for one in (free, problem))
            print(
                f"{graph.name[:28]:<28} {name:<9} {problem.n_operators:>9} {plain:>9.1f} {slowed:>9.1f} "
                f"{slowed / plain:>6.2f} {float(np.mean(times[0] / times[1])):>6.2f}x"
            )


if __name__ == "__main__":
    main()
