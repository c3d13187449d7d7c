"""Searches on two inputs on which simpler tools go wrong: many costly cuts, and layers of unequal size."""

import numpy as np

from heteroopt.search.search import Search
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.decoder import decode_one
from tests.engine.factories import small_problem, star_routes

MS = 10**9


def fastest(problem):
    search = Search(problem, SearchSettings(population_size=32, generations=20, seed=5))
    search.start()
    while not search.finished:
        search.step()
    plans = search.snapshot().plans
    best = int(np.argmin(plans.time_ps))
    return decode_one(problem, plans.orders[best], plans.devices[best]), plans


def test_where_two_transfers_cost_more_than_an_operator_gains_everything_stays_on_the_processor():
    # Half a millisecond saved for each second operator, 0.35 ms for each of two transfers of 300 KB.
    n = 40
    problem = small_problem(
        [[MS, MS // 2 if i % 2 else -1] for i in range(n)], [[i] for i in range(n)], [[i + 1] for i in range(n)],
        [300_000] * (n + 1), output_tensors=[n], routes=star_routes(2, latency_ps=50 * 10**6, ps_per_byte=1000.0),
    )  # fmt: skip
    plan, _ = fastest(problem)
    assert plan.device.tolist() == [0] * n
    assert plan.makespan_ps == n * MS


def test_a_split_by_bytes_is_found_where_an_even_split_of_the_layers_does_not_fit():
    # Eight layers in MB, the first two six times larger; outputs are 15 % of the weights; two devices of 8,500 MB.
    weights = [4200, 4200, 700, 700, 700, 700, 700, 700]
    problem = small_problem(
        [[MS, MS]] * 8, [[], *[[i] for i in range(7)]], [[i] for i in range(8)],
        [weight * 15 // 100 for weight in weights], initializers=[[i] for i in range(8)], init_sizes=weights,
        capacity=[8500, 8500], outputs_on_host=False,
    )  # fmt: skip
    plan, plans = fastest(problem)
    assert plan.overflow_bytes == 0 and max(plan.peak_bytes.tolist()) <= 8500
    assert set(plan.device.tolist()) == {0, 1}
    for order, devices in zip(plans.orders, plans.devices, strict=True):
        assert decode_one(problem, order, devices).overflow_bytes == 0
