"""Compiling every kernel of the search ahead, so that the first real search starts at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.devices.routes import Hop
from heteroopt.search.dominance import mixed
from heteroopt.search.figures import prices
from heteroopt.search.gates import Sections
from heteroopt.search.search import Search
from heteroopt.search.section_choice import combine, rows_of_plans
from heteroopt.search.seeds.bottleneck import bottleneck_plans
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.problem import Problem, make_problem
from heteroopt.simulation.scratch import make_scratch
from heteroopt.simulation.warm_up import warm_up as warm_up_simulation

Int32 = NDArray[np.int32]


def compile_kernels() -> None:
    """Run two generations on a small problem, from the seeds to a cut front, after warming the decoder up."""
    warm_up_simulation()
    search = Search(_small_problem(), SearchSettings(population_size=16, generations=2, mutation_prob=1.0))
    search.start()
    while not search.finished:
        search.step()
    plans = search.snapshot().plans
    warm = Search(_small_problem(), search.settings, warm_start=(plans.orders, plans.devices))
    warm.start()
    warm.step()
    goals = ("exec_time_ms", "latency_p99_ms")
    loaded = Search(_small_problem(), SearchSettings(16, 1, objectives=goals, arrival_rate_per_s=1e9))
    loaded.start()
    loaded.step()
    bottleneck_plans(_small_problem())
    _combine(_small_problem(), plans.orders, plans.devices)
    _ = mixed(np.zeros(1, np.uint64), np.zeros((1, 3))), prices(np.zeros((1, 1), np.int32), np.zeros(1))


def _combine(problem: Problem, orders: Int32, devices: Int32) -> None:
    """Put plans together at made-up gates; where sections end does not matter for compiling."""
    sections = Sections(np.array([0, 10, 20], np.int32), np.repeat(np.arange(2, dtype=np.int32), 10))
    rows = rows_of_plans(problem.arrays, make_scratch(problem), sections, orders, devices)
    slope, seen = np.ones((1, rows.shape[2])), np.ones((1, len(orders)), np.bool_)
    combine(sections, orders, devices, rows, slope, seen, problem.n_devices, orders[:1].copy(), devices[:1].copy())


def _small_problem() -> Problem:
    """Return 20 operators in two lanes on two devices, one group among them: too many plans to enumerate."""
    n = 20
    time = np.array([[10 + i, 20 + (7 * i) % 11] for i in range(n)], np.int64)
    routes = [[[], [Hop(0, 1, 0, 5, 0.1, 0.1)]], [[Hop(1, 0, 1, 5, 0.1, 0.1)], []]]
    return make_problem(
        op_time_ps=time,
        op_energy_pj=time.copy(),
        inputs=[[max(0, i - 1)] for i in range(n)],
        outputs=[[i + 1] for i in range(n)],
        initializers=[[i] for i in range(n)],
        is_view=[False] * n,
        tensor_size_bytes=[8] * (n + 1),
        output_tensors=[n],
        init_size_bytes=[4] * n,
        store_memory=[0, 1],
        memory_capacity_bytes=[1 << 20, 1 << 20],
        routes=routes,
        idle_power_w=[1.0, 1.0],
        host=0,
        group=[0, 0] + [-1] * (n - 2),
    )
