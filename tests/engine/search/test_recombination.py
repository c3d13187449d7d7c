"""Sections of several plans put together: legal, and the best that there is for costs that add up."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.search.archive import Archive
from heteroopt.search.columns import Columns, reference_row
from heteroopt.search.evaluation import exact
from heteroopt.search.gates import make_sections
from heteroopt.search.recombination import Recombination
from heteroopt.search.section_choice import combine, rows_of_plans
from heteroopt.search.settings import SearchSettings
from heteroopt.search.space import make_space
from heteroopt.simulation.plan_check import check_plans
from heteroopt.simulation.reference_plan import reference_plan
from heteroopt.simulation.scratch import make_scratch
from tests.engine.search.test_gates import OPTIONS, blocks, random_plan


def several(space, seed, count):
    pairs = [random_plan(space, 100 * seed + k) for k in range(count)]
    return np.array([order for order, _ in pairs]), np.array([device for _, device in pairs])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(OPTIONS))
def test_no_other_choice_of_sections_is_faster(seed, options):
    problem = blocks(seed, n_blocks=2, **options)
    space = make_space(problem)
    sections = make_sections(problem, space, 3)
    orders, devices = several(space, seed, 4)
    rows = rows_of_plans(problem.arrays, make_scratch(problem), sections, orders, devices)
    slope = np.zeros((1, rows.shape[2]))
    slope[0, 0] = 1.0
    new_order, new_device = orders[:1].copy(), devices[:1].copy()
    combine(sections, orders, devices, rows, slope, np.ones((1, 4), bool), 3, new_order, new_device)
    best = exact(problem, new_order, new_device).time_ps[0]
    first = sections.first
    for picks in product(range(4), repeat=len(first) - 1):
        gates = [order[end - 1] for order, end in zip(orders[list(picks)], first[1:-1], strict=False)]
        if any(devices[a, g] != devices[b, g] for a, b, g in zip(picks, picks[1:], gates, strict=False)):
            continue
        order = np.concatenate([orders[p][a:b] for p, a, b in zip(picks, first, first[1:], strict=False)])
        device = np.empty_like(devices[0])
        for pick, begin, end in zip(picks, first, first[1:], strict=False):
            device[orders[pick][begin:end]] = devices[pick][orders[pick][begin:end]]
        assert exact(problem, order[None], device[None]).time_ps[0] >= best


@pytest.mark.parametrize(
    "keys", [("exec_time_ms", "energy_j", "load_balance"), ("throughput_per_s", "transferred_bytes"), ("energy_j",)]
)
@pytest.mark.parametrize("group", [None, "wide"])
def test_children_are_legal_whatever_is_asked_for(keys, group):
    problem = blocks(1, n_blocks=6)
    if group:
        shared = [-1] * problem.n_operators
        shared[2] = shared[9] = 0
        problem = blocks(1, n_blocks=6, group=shared)
    space, chosen = make_space(problem), SearchSettings(objectives=keys)
    orders, devices = several(space, 3, 9)
    columns = Columns(problem, chosen.resolved(problem.n_operators), reference_row(problem, reference_plan(problem)))
    archive = Archive.of(np.ones((9, len(keys))), np.arange(9, dtype=np.uint64), orders, devices)
    recombination = Recombination.of(problem, space, make_scratch(problem), columns)
    generator = np.random.default_rng(0)
    new_orders, new_devices = recombination.children(archive, np.ones(len(keys)), 20, generator)
    assert len(new_orders) == 20
    check_plans(problem, new_orders, new_devices)
    assert len(np.unique(new_devices, axis=0)) > 9
    assert len(recombination.children(archive.take(np.arange(1)), np.ones(len(keys)), 20, generator)[0]) == 0
