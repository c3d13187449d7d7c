"""Sections end at gates, and a plan that is put together from its sections has the figures of a whole decode."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.search.gates import changed_sections, make_sections
from heteroopt.search.genome import random_devices, random_order
from heteroopt.search.random_bits import draw_state
from heteroopt.search.section_figures import put_together, row_width, section_row
from heteroopt.search.space import make_space
from heteroopt.simulation.kernel import simulate
from heteroopt.simulation.scratch import make_scratch
from tests.engine.factories import host_routes, plans, small_problem


def blocks(seed, n_blocks=4, **options):
    """A graph of blocks: an operator, one to three branches, and one that joins them; views among them."""
    rng = np.random.default_rng(seed)
    inputs, views, tensor = [], [], 0

    def add(*reads):
        inputs.append(list(reads))
        if rng.random() < 0.2:
            views.append(len(inputs) - 1)
        return len(inputs)

    for _ in range(n_blocks):
        tensor = add(tensor)
        ends = []
        for _ in range(int(rng.integers(1, 4))):
            end = tensor
            for _ in range(int(rng.integers(1, 3))):
                end = add(end)
            ends.append(end)
        tensor = add(*ends)
    n = len(inputs)
    sizes = rng.integers(1, 200, n + 1).tolist()
    for view in views:
        sizes[view + 1] = sizes[inputs[view][0]]
    return small_problem(
        rng.integers(1, 60, (n, 3)).tolist(), inputs, [[i + 1] for i in range(n)], sizes, views=views,
        output_tensors=[n], energies=rng.integers(1, 90, (n, 3)).tolist(), idle=[1.0, 2.0, 0.5], **options,
    )  # fmt: skip


def figures(scratch):
    return [*scratch.result[:5], scratch.result[7], *scratch.value, *scratch.busy, *scratch.n_placed]


def whole(problem, order, device):
    scratch = make_scratch(problem)
    simulate(problem.arrays, scratch, order, device, False)
    return figures(scratch), bool((scratch.held_sum <= problem.memory_capacity_bytes).all())


def in_parts(problem, sections, order, device):
    scratch = make_scratch(problem)
    total, row = np.zeros((2, row_width(scratch)), np.int64)
    numbers = np.random.default_rng(0).permutation(len(sections.first) - 1)
    for number in numbers:  # in any order: none depends on another
        section_row(problem.arrays, scratch, sections, number, order, device, row)
        total += row
    fits = put_together(problem.arrays, scratch, total)
    return figures(scratch), fits


def random_plan(space, seed):
    n = len(space.group)
    order, device = np.empty(n, np.int32), np.empty(n, np.int32)
    state = draw_state(np.random.default_rng(seed))
    random_order(space, state, order)
    random_devices(space, state, device)
    return order, device


OPTIONS = (
    {},
    {"blocking": True},
    {"routes": host_routes(3, 1), "host": 1},
    {"store_memory": [0, 0, 1]},
    {"inputs_on_host": False, "outputs_on_host": False},
    {"n_stores": 4, "host": 3},
    {"launch": [40, 0, 90]},
)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(OPTIONS))
def test_sections_of_a_plan_add_up_to_its_figures(seed, options):
    problem = blocks(seed, **options)
    space = make_space(problem)
    sections = make_sections(problem, space)
    order, device = random_plan(space, seed)
    assert (np.diff(sections.first) > 0).all()
    assert (np.repeat(np.arange(len(sections.first) - 1), np.diff(sections.first)) == sections.of[order]).all()
    assert in_parts(problem, sections, order, device) == whole(problem, order, device)


@settings(max_examples=60, deadline=None)
@given(plans())
def test_so_do_those_of_any_graph(plan):
    problem, order, device = plan
    sections = make_sections(problem, make_space(problem))
    parts, fits = in_parts(problem, sections, order, device)
    expected, fitted = whole(problem, order, device)
    assert fits == fitted
    if fits:
        assert parts == expected


def test_blocks_end_at_gates():
    chain = small_problem([[1, 1]] * 4, [[0], [1], [2], [3]], [[1], [2], [3], [4]], [1] * 5, output_tensors=[4])
    assert make_sections(chain, make_space(chain)).first.tolist() == [0, 1, 2, 3, 4]
    found = [len(make_sections(problem := blocks(seed), make_space(problem)).first) for seed in range(20)]
    assert min(found) >= 3


@pytest.mark.parametrize(
    ("inputs", "outputs", "views"),
    [
        ([[0], [1], [2, 0], [3]], [4], []),  # the model's input is read again at the end
        ([[0], [1], [2, 1], [3]], [4], []),  # the first output too
        ([[0], [1], [2], [3]], [2, 4], []),  # an output of the model leaves early
        ([[0], [1], [2], [3]], [4], [1]),  # a view's buffer is its reader's
        ([[0], [1], [2], []], [4], []),  # what needs nothing may start at once
    ],
)
def test_no_gate_where_something_passes_it_by(inputs, outputs, views):
    problem = small_problem(
        [[1, 1]] * 4, inputs, [[1], [2], [3], [4]], [1] * 5, output_tensors=outputs, views=views
    )  # fmt: skip
    assert 2 not in make_sections(problem, make_space(problem)).first.tolist()


def test_a_gate_that_moves_changes_the_section_after_it_too():
    chain = small_problem([[1, 1]] * 4, [[0], [1], [2], [3]], [[1], [2], [3], [4]], [1] * 5, output_tensors=[4])
    sections = make_sections(chain, make_space(chain))
    order, here = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    changed, stamped = np.empty(4, np.int32), np.full(4, -1)
    count = changed_sections(sections, order, order, here, np.array([0, 1, 0, 1], np.int32), 1, changed, stamped)
    assert sorted(changed[:count]) == [1, 2, 3]
    assert changed_sections(sections, order, order, here, here, 2, changed, stamped) == 0
