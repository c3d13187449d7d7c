"""The compiled decoder equals the reference decoder to the bit, on random problems and plans."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from hypothesis import given, settings

from heteroopt.simulation.decoder import decode_batch
from heteroopt.simulation.reference import decode_reference
from tests.engine.factories import plans, random_devices, random_order, random_problem
from tests.engine.simulation.both import decode


@settings(max_examples=300, deadline=None)
@given(plans())
def test_compiled_equals_reference(plan):
    problem, order, device = plan
    decode(problem, order, device)


def test_batch_rows_do_not_influence_each_other():
    rng = np.random.default_rng(5)
    for seed in range(20):
        problem = random_problem(seed, 30, 4, domain=True, tight=True, shared_channels=True)
        orders = np.array([random_order(problem, rng) for _ in range(12)])
        devices = np.array([random_devices(problem, rng) for _ in range(12)])
        together = decode_batch(problem, orders, devices)
        for row in range(12):
            alone = decode_reference(problem, orders[row], devices[row])
            assert together.time_ps[row] == alone.makespan_ps
            assert together.energy_pj[row] == alone.energy_pj
            assert together.load_variance[row] == alone.load_variance
            assert together.peak_bytes[row].tolist() == alone.peak_bytes.tolist()
            assert together.overflow_bytes[row] == alone.overflow_bytes


def test_threads_with_scratches_of_their_own_do_not_meet():
    rng = np.random.default_rng(2)
    problem = random_problem(8, 60, 4, tight=True)
    orders = np.array([random_order(problem, rng) for _ in range(200)])
    devices = np.array([random_devices(problem, rng) for _ in range(200)])
    alone = decode_batch(problem, orders, devices)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: decode_batch(problem, orders, devices), range(8)))
    for values in found:
        assert np.array_equal(values.time_ps, alone.time_ps)
        assert np.array_equal(values.energy_pj, alone.energy_pj)
        assert np.array_equal(values.peak_bytes, alone.peak_bytes)


def test_large_problem_with_many_memory_events():
    rng = np.random.default_rng(1)
    problem = random_problem(3, 400, 4, tight=True)
    for _ in range(3):
        decode(problem, random_order(problem, rng), random_devices(problem, rng))
