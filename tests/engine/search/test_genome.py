"""Genomes are topological orders and legal devices, however they are made."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.search.genome import priority_order, random_devices, random_order
from heteroopt.search.inheritance import legalised
from heteroopt.search.links import index_order
from heteroopt.search.random_bits import below, draw_state, log_uniform_length, uniform
from heteroopt.search.space import assign, make_space
from heteroopt.simulation.plan_check import check_plan
from heteroopt.simulation.topology import canonical_order
from tests.engine.factories import problems, small_problem


@settings(max_examples=40, deadline=None)
@given(problems(), st.integers(0, 2**32 - 1))
def test_random_genomes_are_legal(problem, seed):
    space, state = make_space(problem), draw_state(np.random.default_rng(seed))
    order, device = np.empty(problem.n_operators, np.int32), np.empty(problem.n_operators, np.int32)
    random_order(space, state, order)
    random_devices(space, state, device)
    check_plan(problem, order, device)


@settings(max_examples=40, deadline=None)
@given(problems(), st.integers(0, 2**32 - 1))
def test_anything_can_be_made_legal(problem, seed):
    rng = np.random.default_rng(seed)
    n = problem.n_operators
    order, device = legalised(
        make_space(problem), rng.integers(-2, n + 2, n + 3), rng.integers(-1, problem.n_devices + 1, n + 2)
    )
    check_plan(problem, order, device)


@settings(max_examples=30, deadline=None)
@given(problems(), st.integers(0, 2**32 - 1))
def test_a_legal_genome_stays_as_it_is(problem, seed):
    space, state = make_space(problem), draw_state(np.random.default_rng(seed))
    order, device = np.empty(problem.n_operators, np.int32), np.empty(problem.n_operators, np.int32)
    random_order(space, state, order)
    random_devices(space, state, device)
    same_order, same_device = legalised(space, order, device)
    assert np.array_equal(order, same_order)
    assert np.array_equal(device, same_device)


@settings(max_examples=30, deadline=None)
@given(problems())
def test_index_order_is_the_canonical_order(problem):
    assert np.array_equal(index_order(make_space(problem)), canonical_order(problem))


def diamond(**options):
    """0 -> (1, 2) -> 3 on two devices."""
    return small_problem(
        [[5, 9]] * 4, [[0], [1], [1], [2, 3]], [[1], [2], [3], [4]], [10] * 5, output_tensors=[4], **options
    )


def test_priority_order_takes_the_least_key_that_is_ready():
    order = np.empty(4, np.int32)
    priority_order(make_space(diamond()), np.array([3.0, 2.0, 1.0, 0.0]), order)
    assert order.tolist() == [0, 2, 1, 3]


def test_a_group_moves_as_one():
    space = make_space(diamond(group=[-1, 0, 0, -1]))
    device = np.zeros(4, np.int32)
    assign(space, device, 2, 1)
    assert device.tolist() == [0, 1, 1, 0]


def test_an_illegal_device_is_not_assigned():
    problem = small_problem([[5, -1], [5, 9]], [[0], [1]], [[1], [2]], [1] * 3, output_tensors=[2])
    device = np.zeros(2, np.int32)
    assign(make_space(problem), device, 0, 1)
    assert device.tolist() == [0, 0]


def test_a_group_counts_as_fastest_by_its_sum():
    problem = small_problem([[1, 2], [9, 3]], [[0], [1]], [[1], [2]], [1] * 3, output_tensors=[2], group=[0, 0])
    assert make_space(problem).fastest.tolist() == [1, 1]


def test_random_numbers_have_their_ranges_and_repeat():
    state = draw_state(np.random.default_rng(5))
    again = state.copy()
    drawn = [(uniform(state), below(state, 7), log_uniform_length(state, 100)) for _ in range(2000)]
    assert drawn == [(uniform(again), below(again, 7), log_uniform_length(again, 100)) for _ in range(2000)]
    uniforms, wholes, lengths = zip(*drawn, strict=True)
    assert 0 <= min(uniforms) < 0.01 < 0.99 < max(uniforms) < 1
    assert set(wholes) == set(range(7))
    assert min(lengths) == 1
    assert 50 < max(lengths) <= 100
    assert sum(length <= 10 for length in lengths) > 800
