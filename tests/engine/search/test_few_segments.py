"""An accelerator that takes every other operator of a chain faster, but has to be started for each."""

import numpy as np

from heteroopt.search.search import Search
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.decoder import decode_one
from tests.engine.factories import small_problem, star_routes

N = 40


def chain(launch):
    """CPU 1 ms an operator, accelerator half of it for every other one; links of 50 us and 1 GB/s, tensors 100 KB."""
    ms = 10**9
    times = [[ms, ms // 2 if i % 2 else -1] for i in range(N)]
    return small_problem(
        times, [[i] for i in range(N)], [[i + 1] for i in range(N)], [100_000] * (N + 1), output_tensors=[N],
        routes=star_routes(2, latency_ps=50 * 10**6, ps_per_byte=1000.0), launch=launch,
    )  # fmt: skip


def fastest(problem):
    search = Search(problem, SearchSettings(population_size=32, generations=20, seed=3))
    search.start()
    while not search.finished:
        search.step()
    plans = search.snapshot().plans
    best = int(np.argmin(plans.time_ps))
    return decode_one(problem, plans.orders[best], plans.devices[best])


def test_where_starting_the_accelerator_costs_more_than_it_saves_the_plan_stays_in_few_pieces():
    # 0.5 ms saved, 0.3 ms for two transfers of 100 KB: worth it until a start takes more than the other 0.2 ms.
    for launch in ([150 * 10**6] * 2, [0, 300 * 10**6]):
        plan = fastest(chain(launch))
        assert plan.n_segments <= 2
        assert plan.n_segments == len(set(plan.device.tolist()))


def test_where_it_costs_little_the_accelerator_is_used():
    plan = fastest(chain([10**6, 10**6]))
    assert plan.n_segments > N // 2
    assert plan.makespan_ps < fastest(chain([150 * 10**6] * 2)).makespan_ps


def test_every_operator_on_its_fastest_device_loses_where_pieces_have_to_be_started():
    # 99 operators that two devices take in turn faster (0.5 ms against 1 ms and 2 ms), a start of 1 ms: greed makes 99
    # pieces, 99 x 0.15 ms of transfers and 99 ms of starts.
    n, ms = 99, 10**9
    times = [[ms, ms // 2 if i % 2 == 0 else 2 * ms] for i in range(n)]
    problem = small_problem(
        times, [[i] for i in range(n)], [[i + 1] for i in range(n)], [100_000] * (n + 1), output_tensors=[n],
        routes=star_routes(2, latency_ps=50 * 10**6, ps_per_byte=1000.0), launch=[ms, ms],
    )  # fmt: skip
    greedy = decode_one(problem, np.arange(n, dtype=np.int32), problem.op_time_ps.argmin(axis=1).astype(np.int32))
    assert greedy.n_segments == 99
    plan = fastest(problem)
    assert plan.n_segments < 10
    assert 1.8 * plan.makespan_ps < greedy.makespan_ps
    assert plan.launch_ps < greedy.launch_ps
