"""Crossover and mutation keep precedence, legality and groups, and do what they say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.search.crossover import point_crossover, prefix_crossover, segment_crossover, window_crossover
from heteroopt.search.genome import random_devices, random_order
from heteroopt.search.links import make_costs
from heteroopt.search.mutation import (
    BOUNDARY,
    CHAIN,
    KINDS,
    MOVE,
    SEGMENT,
    SINGLE,
    SWAP,
    WINDOW,
    mutate,
)
from heteroopt.search.random_bits import draw_state
from heteroopt.search.ranked_order import ranked_order
from heteroopt.search.segments import grow_chain, grow_segment
from heteroopt.search.space import make_space
from heteroopt.search.variation import mutation_rates, offspring, tournament
from heteroopt.simulation.plan_check import check_plans
from tests.engine.factories import problems, small_problem


def genomes(space, state, count):
    n = len(space.group)
    orders, devices = np.empty((count, n), np.int32), np.empty((count, n), np.int32)
    for row in range(count):
        random_order(space, state, orders[row])
        random_devices(space, state, devices[row])
    return orders, devices


@settings(max_examples=60, deadline=None)
@given(problems(max_operators=20), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.15, 1.0]))
def test_children_are_legal(problem, seed, mutation_prob):
    space, state = make_space(problem), draw_state(np.random.default_rng(seed))
    parents, children = np.arange(6), np.arange(6, 46)
    orders, devices = genomes(space, state, 46)
    orders[6:], devices[6:] = -1, -1
    before = orders[:6].copy(), devices[:6].copy()
    offspring(
        space, orders, devices, parents, np.zeros(6, np.int64), np.zeros(6), mutation_rates(mutation_prob), state,
        children,
    )  # fmt: skip
    check_plans(problem, orders[6:].copy(), devices[6:].copy())
    assert np.array_equal(before[0], orders[:6])
    assert np.array_equal(before[1], devices[:6])


@settings(max_examples=60, deadline=None)
@given(problems(max_operators=20), st.integers(0, 2**32 - 1), st.integers(0, KINDS - 1))
def test_every_mutation_keeps_a_genome_legal(problem, seed, kind):
    space, state = make_space(problem), draw_state(np.random.default_rng(seed))
    orders, devices = genomes(space, state, 1)
    n = problem.n_operators
    mark, scratch = np.zeros(n, np.int32), np.empty(n, np.int32)
    for stamp in range(1, 15):
        mutate(space, kind, state, mark, stamp, scratch, orders[0], devices[0])
    check_plans(problem, orders, devices)


@settings(max_examples=40, deadline=None)
@given(problems(max_operators=20), st.integers(0, 2**32 - 1))
def test_prefix_crossover_keeps_precedence_at_every_cut(problem, seed):
    space, state = make_space(problem), draw_state(np.random.default_rng(seed))
    orders, devices = genomes(space, state, 2)
    n = problem.n_operators
    mark = np.zeros(n, np.int32)
    for cut in range(n + 1):
        child = np.empty(n, np.int32)
        prefix_crossover(orders[0], orders[1], cut, mark, cut + 1, child)
        assert child[:cut].tolist() == orders[0, :cut].tolist()
        rest = set(child[cut:].tolist())
        assert child[cut:].tolist() == [i for i in orders[1].tolist() if i in rest]
        check_plans(problem, child[None].copy(), devices[:1])


def chain(n=5, n_devices=2, **options):
    """0 -> 1 -> ... -> n - 1."""
    return small_problem(
        [[5] * n_devices] * n, [[i] for i in range(n)], [[i + 1] for i in range(n)], [4] * (n + 1),
        output_tensors=[n], **options,
    )  # fmt: skip


def test_device_crossovers_take_what_they_name():
    space = make_space(chain())
    order, other = np.arange(5, dtype=np.int32), np.ones(5, np.int32)
    device = np.zeros(5, np.int32)
    point_crossover(space, other, order, 3, device)
    assert device.tolist() == [0, 0, 0, 1, 1]
    device = np.zeros(5, np.int32)
    window_crossover(space, other, order, 1, 2, device)
    assert device.tolist() == [0, 1, 1, 0, 0]
    device = np.zeros(5, np.int32)
    segment_crossover(space, other, 2, 3, np.zeros(5, np.int64), 1, np.empty(5, np.int32), device)
    assert device.tolist() == [0, 1, 1, 1, 0]


def test_a_window_takes_the_whole_group_of_its_members():
    space = make_space(chain(group=[0, -1, -1, -1, 0]))
    device = np.zeros(5, np.int32)
    window_crossover(space, np.ones(5, np.int32), np.arange(5, dtype=np.int32), 0, 2, device)
    assert device.tolist() == [1, 1, 0, 0, 1]


def test_segments_are_connected_and_as_long_as_asked():
    space = make_space(chain(9))
    mark, segment = np.zeros(9, np.int32), np.empty(9, np.int32)
    assert grow_segment(space, 4, 5, mark, 1, segment) == 5
    assert sorted(segment[:5].tolist()) == [2, 3, 4, 5, 6]
    assert grow_segment(space, 0, 99, mark, 2, segment) == 9


@pytest.mark.parametrize("kind", [SINGLE, SEGMENT, BOUNDARY, WINDOW, MOVE, SWAP])
def test_mutations_change_what_they_name(kind):
    problem = small_problem(
        [[5, 5, 5]] * 12, [[0]] * 6 + [[i + 1] for i in range(6)], [[i + 1] for i in range(12)], [4] * 13,
        output_tensors=[12],
    )  # fmt: skip
    space, state = make_space(problem), draw_state(np.random.default_rng(3))
    seen_order = seen_device = False
    for trial in range(60):
        orders, devices = genomes(space, state, 1)
        order, device = orders[0].copy(), devices[0].copy()
        mutate(space, kind, state, np.zeros(12, np.int64), 1, np.empty(12, np.int32), order, device)
        moved = int((device != devices[0]).sum())
        seen_order |= not np.array_equal(order, orders[0])
        seen_device |= moved > 0
        if kind == SINGLE:
            assert moved == 1, trial
        if kind == BOUNDARY:
            assert moved <= 1
        if kind == SWAP:
            assert int((order != orders[0]).sum()) in (0, 2)
    assert seen_order == (kind in (MOVE, SWAP))
    assert seen_device == (kind not in (MOVE, SWAP))


def test_rates_follow_the_setting():
    assert mutation_rates(0.0).tolist() == [0.0] * KINDS
    rates = mutation_rates(0.15)
    assert rates.argmax() == SEGMENT
    assert rates[SINGLE] > rates[SWAP] > 0
    assert mutation_rates(1.0).max() == 1.0


def test_tournaments_prefer_rank_then_crowding():
    state = draw_state(np.random.default_rng(0))
    rank, crowding = np.array([0, 0, 1]), np.array([1.0, 2.0, 9.0])
    wins = np.bincount([tournament(rank, crowding, state) for _ in range(3000)], minlength=3) / 3000
    assert wins == pytest.approx([3 / 9, 5 / 9, 1 / 9], abs=0.04)


def test_a_chain_ends_at_forks_and_joins():
    # 0 forks into 1-2 and 3, which join in 4; 4-5 goes on.
    problem = small_problem(
        [[1, 1]] * 6, [[0], [1], [2], [1], [3, 4], [5]], [[i + 1] for i in range(6)], [1] * 7, output_tensors=[6]
    )
    space, chain = make_space(problem), np.empty(6, np.int32)
    runs = [chain[: grow_chain(space, origin, chain)].tolist() for origin in range(6)]
    assert runs == [[0], [1, 2], [1, 2], [3], [4, 5], [4, 5]]


def test_a_branch_moves_as_one():
    problem = small_problem(
        [[1, 1]] * 5, [[0], [1], [2], [1], [3, 4]], [[i + 1] for i in range(5)], [1] * 6, output_tensors=[5]
    )
    space, state = make_space(problem), draw_state(np.random.default_rng(3))
    seen = set()
    for _ in range(60):
        order, device = np.arange(5, dtype=np.int32), np.zeros(5, np.int32)
        mutate(space, CHAIN, state, np.zeros(5, np.int32), 1, np.empty(5, np.int32), order, device)
        assert order.tolist() == [0, 1, 2, 3, 4]
        seen.add(tuple(device.tolist()))
    assert seen == {(1, 0, 0, 0, 0), (0, 1, 1, 0, 0), (0, 0, 0, 1, 0), (0, 0, 0, 0, 1)}


def test_the_longest_way_to_the_end_goes_first():
    # Two branches from 0: 1 is short, 2-3 is long on device 0; on device 1 operator 1 is the longest.
    problem = small_problem(
        [[1, 1], [5, 90], [4, 4], [4, 4]], [[0], [1], [1], [3]], [[1], [2], [3], [4]], [0] * 5, output_tensors=[]
    )
    costs, order = make_costs(problem), np.arange(4, dtype=np.int32)
    ranked_order(costs, np.zeros(4, np.int32), np.empty(4), order)
    assert order.tolist() == [0, 2, 1, 3]
    ranked_order(costs, np.array([0, 1, 0, 0], np.int32), np.empty(4), order)
    assert order.tolist() == [0, 1, 2, 3]


def test_transfers_are_part_of_the_way_to_the_end():
    # 2 takes half of 1's time, but what it makes has to be sent to 3 on the other device.
    problem = small_problem(
        [[1, 1], [10, 10], [5, 5], [1, 1]], [[0], [1], [1], [3]], [[1], [2], [3], [4]], [0, 0, 0, 20, 0],
        output_tensors=[],
    )  # fmt: skip
    costs, order = make_costs(problem), np.arange(4, dtype=np.int32)
    ranked_order(costs, np.array([0, 0, 0, 1], np.int32), np.empty(4), order)
    assert order.tolist() == [0, 2, 1, 3]
    ranked_order(costs, np.zeros(4, np.int32), np.empty(4), order)
    assert order.tolist() == [0, 1, 2, 3]
