"""Counting and listing all plans of a small problem."""

import math

import numpy as np
from hypothesis import given, settings

from heteroopt.search.exhaustive import MOST_PLANS, all_genomes, count_placements, topological_orders
from heteroopt.search.space import make_space
from heteroopt.simulation.plan_check import check_plans
from tests.engine.factories import problems, small_problem


def independent(n, n_devices=2, **options):
    return small_problem(
        [[1] * n_devices] * n, [[0]] * n, [[i + 1] for i in range(n)], [1] * (n + 1), output_tensors=[n], **options
    )


def test_counts_by_hand():
    space = make_space(independent(4, 3))
    assert count_placements(space, 1000) == 81
    assert count_placements(space, 80) == 81
    assert len(topological_orders(space, 1000)) == math.factorial(4)
    assert topological_orders(space, 23) is None
    assert count_placements(make_space(independent(4, 3, group=[0, 0, -1, -1])), 1000) == 27


def test_a_chain_has_one_order():
    problem = small_problem([[1, 1]] * 3, [[0], [1], [2]], [[1], [2], [3]], [1] * 4, output_tensors=[3])
    assert topological_orders(make_space(problem), 10) == [[0, 1, 2]]


@settings(max_examples=40, deadline=None)
@given(problems(max_operators=6))
def test_all_genomes_are_legal_different_and_as_many_as_counted(problem):
    space = make_space(problem)
    genomes = all_genomes(space)
    if genomes is None:
        return
    orders, devices = genomes
    check_plans(problem, orders, devices)
    rows = {order.tobytes() + device.tobytes() for order, device in zip(orders, devices, strict=True)}
    assert len(rows) == len(orders) <= MOST_PLANS
    assert len(np.unique(devices, axis=0)) == count_placements(space, MOST_PLANS)


def test_large_problems_are_not_enumerated():
    assert all_genomes(make_space(independent(13))) is None
    assert all_genomes(make_space(independent(7))) is None
