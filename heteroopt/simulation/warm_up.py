"""Compiling the simulation's kernels ahead, so that nobody waits for them in the middle of a request."""

from __future__ import annotations

import numpy as np

from heteroopt.devices.routes import Hop
from heteroopt.simulation.compiled import CACHE_FOLDER
from heteroopt.simulation.decoder import decode_batch, decode_one
from heteroopt.simulation.kernel_cache import forget_old_caches
from heteroopt.simulation.latency import latency_batch, latency_bounds, latency_estimates, waiting_table
from heteroopt.simulation.lower_bound import makespan_lower_bound_ps
from heteroopt.simulation.pipeline_decoder import pipeline_batch
from heteroopt.simulation.problem import Problem, make_problem


def warm_up() -> None:
    """Compile, or load from numba's cache, every kernel of this package (about 35 s cold, 1 s from the cache)."""
    forget_old_caches(CACHE_FOLDER)
    problem = tiny_problem()
    decode_one(problem, [0, 1], [0, 1])
    decode_batch(problem, np.array([[0, 1]]), np.array([[0, 1]]))
    pipeline_batch(problem, np.array([[0, 1]]), np.array([[0, 1]]), 2)
    latency_batch(problem, np.array([[0, 1]]), np.array([[0, 1]]), 1.0)
    latency_bounds(problem, np.array([[0, 1]]), np.array([[0, 1]]), 1.0)
    latency_estimates(problem, np.array([[0, 1]]), np.array([[0, 1]]), 1.0)
    waiting_table(1.0)
    makespan_lower_bound_ps(problem)


def tiny_problem() -> Problem:
    """Two operators on two devices: the smallest problem in which every kernel has something to do."""
    return make_problem(
        op_time_ps=np.array([[2, 3], [3, 2]], np.int64),
        op_energy_pj=np.array([[1, 1], [1, 1]], np.int64),
        inputs=[[0], [1]],
        outputs=[[1], [2]],
        initializers=[[0], []],
        is_view=[False, False],
        tensor_size_bytes=[1, 1, 1],
        output_tensors=[2],
        init_size_bytes=[1],
        store_memory=[0, 1],
        memory_capacity_bytes=[1, 1],
        routes=[[[], [Hop(0, 1, 0, 1, 1.0, 1.0)]], [[Hop(1, 0, 1, 1, 1.0, 1.0)], []]],
        idle_power_w=[1.0, 1.0],
        host=0,
    )
