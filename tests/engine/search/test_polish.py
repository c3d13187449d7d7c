"""Annealing keeps plans legal, never returns a worse one, and does not trade a fit for speed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.search.evaluation import exact
from heteroopt.search.figures import BALANCE, ENERGY, TIME, Aim
from heteroopt.search.gates import make_sections
from heteroopt.search.links import make_costs
from heteroopt.search.polish import TOWARDS, anneal, bursts, weights_of_burst
from heteroopt.search.random_bits import draw_state
from heteroopt.search.search import Search
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.plan_check import check_plan
from heteroopt.simulation.scratch import make_scratch
from tests.engine.factories import plans, random_problem, small_problem


def aim_of(scale):
    none = np.empty(0)
    return Aim(
        code=np.array([TIME, ENERGY, BALANCE]), scale=np.array(scale), bound=none.astype(np.int64), sign=none,
        limit=none, size=none, memory=np.array([0]), price=none, items=1.0,
        wait=np.zeros(1), wait_step=1.0, with_peak=False,
    )  # fmt: skip


def polished(problem, order, device, scale, seed=0, budget=200, cap_ps=np.inf, temperature=0.001):
    order, device, costs = order.copy(), device.copy(), make_costs(problem)
    score = anneal(
        problem.arrays, make_scratch(problem), costs, make_sections(problem, costs.space), order, device,
        aim_of(scale), cap_ps, 1000.0, budget, temperature, draw_state(np.random.default_rng(seed)),
    )  # fmt: skip
    return order, device, score


@settings(max_examples=40, deadline=None)
@given(plans(), st.integers(0, 1000))
def test_the_result_is_legal_and_no_worse(plan, seed):
    problem, order, device = plan
    before = exact(problem, order[None], device[None])
    new_order, new_device, score = polished(problem, order, device, (1.0, 0.0, 0.0), seed, budget=40)
    check_plan(problem, new_order, new_device)
    after = exact(problem, new_order[None], new_device[None])
    assert (after.overflow_bytes[0] > 0, after.time_ps[0]) <= (before.overflow_bytes[0] > 0, before.time_ps[0]) or (
        after.overflow_bytes[0] < before.overflow_bytes[0]
    )
    over = after.overflow_bytes[0]
    assert score == pytest.approx(after.time_ps[0] + (1000 + 100 * over / 1000.0 if over else 0))


def independent(**options):
    """Eight operators of 10 ps on either device, nothing to transfer."""
    return small_problem(
        [[10, 10]] * 8, [[0]] * 8, [[i + 1] for i in range(8)], [0] * 9, inputs_on_host=False, outputs_on_host=False,
        output_tensors=[], **options,
    )  # fmt: skip


def test_it_spreads_independent_operators():
    order = np.arange(8, dtype=np.int32)
    _, device, score = polished(independent(), order, np.zeros(8, np.int32), (1.0, 0.0, 0.0))
    assert score == 40.0
    assert device.sum() == 4


@pytest.mark.parametrize("seed", range(5))
def test_a_walk_that_takes_anything_still_returns_the_best(seed):
    order, best = np.arange(8, dtype=np.int32), np.array([0, 1] * 4, np.int32)
    _, device, score = polished(independent(), order, best, (1.0, 0.0, 0.0), seed, budget=30, temperature=1e6)
    assert score == 40.0
    assert device.sum() == 4


def test_it_keeps_what_fits_and_what_is_within_the_cap():
    problem = independent(initializers=[[i] for i in range(8)], init_sizes=[10] * 8, capacity=[1000, 20])
    order = np.arange(8, dtype=np.int32)
    _, device, score = polished(problem, order, np.zeros(8, np.int32), (1.0, 0.0, 0.0))
    assert (device.sum(), score) == (2, 60.0)
    energy = independent(energies=[[1000, 0]] * 8)
    _, device, _ = polished(energy, order, np.zeros(8, np.int32), (0.0, 0.001, 0.0), cap_ps=50.0)
    assert device.sum() == 5


def test_bursts_are_the_first_generations():
    assert bursts(200) == len(TOWARDS)
    assert bursts(3) == 3
    assert weights_of_burst(0, 200) is None
    assert weights_of_burst(1, 200).tolist() == [1.0, 0.0, 0.0]
    assert weights_of_burst(len(TOWARDS) + 1, 200) is None
    assert weights_of_burst(4, 3) is None


def test_polishing_finds_faster_plans_in_a_few_generations():
    problem = random_problem(51, 60, 4)

    def fastest(decodes):
        search = Search(problem, SearchSettings(population_size=16, generations=10, polish_decodes=decodes))
        search.start()
        while not search.finished:
            search.step()
        return search.snapshot().plans.time_ps.min()

    assert fastest(20_000) < fastest(0)
