"""What lies in memory and when, worked out by hand."""

from __future__ import annotations

import numpy as np

from heteroopt.simulation.problem import UNLIMITED_BYTES
from heteroopt.simulation.schedule import STAYS
from tests.engine.factories import host_routes, random_devices, random_order, random_problem, small_problem
from tests.engine.simulation.both import decode, held

CHAIN = {"inputs": [[], [0], [1]], "outputs": [[0], [1], [2]], "sizes": [100, 60, 30]}


def test_output_is_allocated_at_the_start_and_freed_after_its_last_reader():
    schedule = decode(small_problem([[10], [20], [5]], **CHAIN), [0, 1, 2], [0, 0, 0])
    # Nobody reads tensor 2, so it goes when its operator ends.
    assert held(schedule, 0) == [(0, 0, 30), (1, 10, 35), (2, 30, 35)]
    assert schedule.memory_points(0) == [(0, 100), (10, 160), (30, 90), (35, 0)]
    assert schedule.peak_bytes.tolist() == [160]
    assert [h.tensor for h in schedule.held_at_peak(0)] == [0, 1]


def test_what_is_freed_goes_before_what_is_allocated_at_the_same_instant():
    problem = small_problem([[10], [10], [10]], [[], [0], []], [[0], [1], [2]], [100, 50, 100], capacity=[150])
    schedule = decode(problem, [0, 1, 2], [0, 0, 0])
    assert schedule.peak_bytes.tolist() == [150]
    assert schedule.overflow_bytes == 0


def test_copy_is_allocated_when_its_transfer_starts_and_the_source_is_kept_until_it_ends():
    problem = small_problem([[10, 10]] * 2, [[], [0]], [[0], [1]], [100, 0], outputs_on_host=False)
    schedule = decode(problem, [0, 1], [0, 1])
    assert held(schedule, 0) == [(0, 0, 120)]
    assert held(schedule, 1) == [(0, 10, 130), (1, 120, 130)]


def test_copy_on_the_host_is_freed_after_it_is_sent_on():
    problem = small_problem(
        [[10, 10, 10]] * 2, [[], [0]], [[0], [1]], [100, 0], routes=host_routes(3, host=0), outputs_on_host=False
    )
    schedule = decode(problem, [0, 1], [1, 2])
    assert held(schedule, 1) == [(0, 0, 120)]
    assert held(schedule, 0) == [(0, 10, 230)]
    assert held(schedule, 2) == [(0, 120, 240), (1, 230, 240)]


def test_model_input_stays_on_the_host_until_its_last_read_or_send():
    problem = small_problem([[10, 10], [10, 10]], [[0], [0]], [[1], [2]], [40, 0, 0], outputs_on_host=False)
    assert held(decode(problem, [0, 1], [1, 0]), 0)[0] == (0, 0, 50)
    assert held(decode(problem, [0, 1], [0, 0]), 0)[0] == (0, 0, 20)
    assert held(decode(problem, [0, 1], [1, 1]), 1)[0] == (0, 0, 70)


def test_model_output_stays_on_the_host_to_the_end():
    problem = small_problem([[10, 10], [90, 90]], [[], []], [[0], [1]], [40, 5], output_tensors=[0])
    schedule = decode(problem, [0, 1], [1, 1])
    assert held(schedule, 0) == [(0, 10, STAYS)]
    assert held(schedule, 1) == [(0, 0, 60), (1, 10, 100)]
    at_home = small_problem(
        [[10, 10], [90, 90]], [[], []], [[0], [1]], [40, 5], output_tensors=[0], outputs_on_host=False
    )
    assert held(decode(at_home, [0, 1], [1, 1]), 1) == [(0, 0, STAYS), (1, 10, 100)]


def test_reader_of_a_view_keeps_the_buffer_alive():
    problem = small_problem(
        [[10], [0], [30]], [[], [0], [1]], [[0], [1], [2]], [100, 100, 0], views=[1], outputs_on_host=False
    )
    assert held(decode(problem, [0, 1, 2], [0, 0, 0]), 0)[0] == (0, 0, 40)


def test_weights_count_once_for_each_memory_that_uses_them():
    problem = small_problem(
        [[10, 10, 10]] * 3,
        [[], [], []],
        [[0], [1], [2]],
        [0, 0, 0],
        initializers=[[0, 1], [0], [0]],
        init_sizes=[1000, 7],
        store_memory=[0, 1, 1],
    )
    assert decode(problem, [0, 1, 2], [0, 0, 0]).weight_bytes.tolist() == [1007, 0]
    assert decode(problem, [0, 1, 2], [0, 1, 1]).weight_bytes.tolist() == [1007, 1000]
    assert decode(problem, [0, 1, 2], [2, 1, 1]).weight_bytes.tolist() == [0, 1007]


def test_domain_counts_a_shared_tensor_and_the_capacity_once():
    problem = small_problem(
        [[10, 10]] * 3,
        [[], [0], [0]],
        [[0], [1], [2]],
        [100, 5, 5],
        store_memory=[0, 0],
        capacity=[104],
        outputs_on_host=False,
    )
    schedule = decode(problem, [0, 1, 2], [0, 1, 0])
    assert held(schedule, 0) == [(0, 0, 30), (2, 10, 20), (1, 20, 30)]
    assert schedule.peak_bytes.tolist() == [105]
    assert schedule.overflow_bytes == 1


def test_overflow_is_the_sum_over_the_memories():
    problem = small_problem([[10, 10]] * 2, [[], []], [[0], [1]], [100, 80], capacity=[90, 30])
    schedule = decode(problem, [0, 1], [0, 1])
    assert schedule.peak_bytes.tolist() == [100, 80]
    assert schedule.overflow_bytes == 10 + 50
    assert schedule.overflow_by_memory.tolist() == [10, 50]


def test_memory_follows_time_and_not_the_order_of_placing():
    # Operator 2 is placed last but runs first on device 1: its output is gone before tensor 1 arrives there.
    problem = small_problem(
        [[50, 50], [10, 10], [20, 20]], [[], [0], []], [[0], [1], [2]], [100, 0, 100], outputs_on_host=False
    )
    schedule = decode(problem, [0, 2, 1], [0, 1, 1])
    assert schedule.start_ps.tolist() == [0, 160, 0]
    assert schedule.peak_bytes.tolist() == [100, 100]


def test_even_split_of_unequal_layers_overflows_while_a_split_by_bytes_fits():
    # Eight layers in MB, the first two six times larger; outputs are 15 % of the weights; two devices of 10 GB.
    weights = [4200, 4200, 700, 700, 700, 700, 700, 700]
    problem = small_problem(
        [[10, 10]] * 8,
        [[], *[[i] for i in range(7)]],
        [[i] for i in range(8)],
        [weight * 15 // 100 for weight in weights],
        initializers=[[i] for i in range(8)],
        init_sizes=weights,
        capacity=[8500, 8500],
        outputs_on_host=False,
    )
    even = decode(problem, range(8), [0, 0, 0, 0, 1, 1, 1, 1])
    # Layers 0-3 weigh 9800; at the peak the outputs of layers 0 and 1 (630 each) lie there too.
    assert even.peak_bytes.tolist() == [9800 + 1260, 2800 + 210]
    assert even.overflow_bytes == 11060 - 8500
    assert [h.tensor for h in even.held_at_peak(0)] == [0, 1]
    assert decode(problem, range(8), [0, 1, 0, 0, 0, 1, 1, 1]).feasible


def test_unlimited_memories_never_overflow():
    rng = np.random.default_rng(0)
    problem = random_problem(11, 20, 3)
    assert set(problem.memory_capacity_bytes.tolist()) == {UNLIMITED_BYTES}
    assert decode(problem, random_order(problem, rng), random_devices(problem, rng)).feasible
