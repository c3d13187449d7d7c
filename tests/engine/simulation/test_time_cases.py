"""Schedules worked out by hand: where each rule of time and transfers shows. Links take 10 ps + 1 ps per byte."""

from __future__ import annotations

import pytest

from heteroopt.devices.routes import Hop
from tests.engine.factories import host_routes, small_problem, star_routes
from tests.engine.simulation.both import decode, hops, spans

# Tensor 0 is the model input; operator i makes tensor i + 1.
DIAMOND = {"inputs": [[0], [1], [1], [2, 3]], "outputs": [[1], [2], [3], [4]], "sizes": [0, 40, 30, 20, 5]}


def test_diamond_on_two_devices():
    problem = small_problem([[100, 60], [100, 50], [80, 90], [40, 40]], **DIAMOND, output_tensors=[4])
    schedule = decode(problem, [0, 1, 2, 3], [0, 1, 0, 0])
    # Operator 0 ends at 100; its 40 bytes reach device 1 at 150; operator 1 ends at 200 and its 30 bytes are back
    # at 240; operator 2 runs 100-180 on device 0; operator 3 waits for tensor 2.
    assert spans(schedule) == [(0, 100), (150, 200), (100, 180), (240, 280)]
    assert hops(schedule) == [(1, 0, 1, 100, 150), (2, 1, 0, 200, 240)]
    assert schedule.makespan_ps == 280
    assert schedule.busy_ps.tolist() == [220, 50]
    assert schedule.transferred_bytes == 70
    assert schedule.n_cut_edges == 2
    mean = (220 / 280 + 50 / 280) / 2
    assert schedule.load_variance == pytest.approx((220 / 280 - mean) ** 2)


def test_device_serves_in_the_plans_order():
    problem = small_problem([[10, 100], [10, 10], [10, 10]], [[], [1], []], [[1], [2], [3]], [0, 0, 0, 0])
    waits = decode(problem, [0, 1, 2], [1, 0, 0])
    assert spans(waits) == [(0, 100), (110, 120), (120, 130)]
    goes_first = decode(problem, [0, 2, 1], [1, 0, 0])
    assert spans(goes_first) == [(0, 100), (110, 120), (0, 10)]


def test_tensor_is_sent_once_to_each_device():
    problem = small_problem(
        [[10, 10], [10, 10], [10, 10]], [[], [0], [0]], [[0], [1], [2]], [100, 0, 0], outputs_on_host=False
    )
    schedule = decode(problem, [0, 1, 2], [0, 1, 1])
    assert hops(schedule) == [(0, 0, 1, 10, 120)]
    assert schedule.transferred_bytes == 100
    assert spans(schedule)[1:] == [(120, 130), (130, 140)]


def test_transfers_queue_on_one_channel_in_the_order_of_their_first_readers():
    problem = small_problem(
        [[10, 10], [10, 10], [5, 5], [5, 5]], [[], [], [1], [0]], [[0], [1], [2], [3]], [100, 50, 0, 0]
    )
    schedule = decode(problem, [0, 1, 2, 3], [0, 0, 1, 1])
    # Tensor 1 exists later (at 20) but is placed first, so tensor 0 waits for the channel.
    assert hops(schedule) == [(1, 0, 1, 20, 80), (0, 0, 1, 80, 190)]
    other = decode(problem, [0, 1, 3, 2], [0, 0, 1, 1])
    assert hops(other) == [(0, 0, 1, 10, 120), (1, 0, 1, 120, 180)]


def test_inputs_are_sent_in_their_order():
    problem = small_problem([[10, 10], [10, 10], [5, 5]], [[], [], [1, 0]], [[0], [1], [2]], [100, 50, 0])
    assert [t[0] for t in hops(decode(problem, [0, 1, 2], [0, 0, 1]))] == [1, 0]


def test_links_behind_one_switch_share_a_channel():
    routes = star_routes(3)
    for u in range(3):
        for v in range(3):
            routes[u][v] = [hop.__class__(hop.source, hop.target, 0, hop.latency_ps, 1.0, 0.0) for hop in routes[u][v]]
    problem = small_problem(
        [[10, 10, 10]] * 3, [[], [0], [0]], [[0], [1], [2]], [100, 0, 0], routes=routes, outputs_on_host=False
    )
    assert hops(decode(problem, [0, 1, 2], [0, 1, 2])) == [(0, 0, 1, 10, 120), (0, 0, 2, 120, 230)]


def test_route_through_the_host_is_store_and_forward():
    problem = small_problem(
        [[10, 10, 10]] * 3, [[], [0], [0]], [[0], [1], [2]], [100, 0, 0], routes=host_routes(3, host=0)
    )
    schedule = decode(problem, [0, 1, 2], [1, 2, 0])
    assert hops(schedule) == [(0, 1, 0, 10, 120), (0, 0, 2, 120, 230)]
    # The copy that the route left on the host serves the reader there.
    assert spans(schedule) == [(0, 10), (230, 240), (120, 130)]


def test_second_route_starts_from_the_copy_on_the_host():
    problem = small_problem([[10] * 4] * 3, [[], [0], [0]], [[0], [1], [2]], [100, 0, 0], routes=host_routes(4, host=0))
    schedule = decode(problem, [0, 1, 2], [1, 2, 3])
    assert hops(schedule) == [(0, 1, 0, 10, 120), (0, 0, 2, 120, 230), (0, 0, 3, 120, 230)]


def test_implicit_host_stores_but_computes_nothing():
    problem = small_problem(
        [[10, 20]], [[0]], [[1]], [30, 40], host=2, n_stores=3, output_tensors=[1], idle=[1.0, 100.0]
    )
    schedule = decode(problem, [0], [1])
    assert hops(schedule) == [(0, 2, 1, 0, 40), (1, 1, 2, 60, 110)]
    assert spans(schedule) == [(40, 60)]
    assert schedule.makespan_ps == 110
    assert schedule.busy_ps.tolist() == [0, 20]
    assert schedule.idle_energy_pj == 100.0 * 110


def test_model_inputs_and_outputs_can_stay_off_the_host():
    case = {"times": [[10, 20]], "inputs": [[0]], "outputs": [[1]], "sizes": [30, 40], "output_tensors": [1]}
    both_off = decode(small_problem(**case, inputs_on_host=False, outputs_on_host=False), [0], [1])
    assert hops(both_off) == [] and both_off.makespan_ps == 20
    inputs_only = decode(small_problem(**case, outputs_on_host=False), [0], [1])
    assert hops(inputs_only) == [(0, 0, 1, 0, 40)] and inputs_only.makespan_ps == 60
    outputs_only = decode(small_problem(**case, inputs_on_host=False), [0], [1])
    assert hops(outputs_only) == [(1, 1, 0, 20, 70)] and outputs_only.makespan_ps == 70


def test_output_goes_to_the_host_as_soon_as_it_is_made():
    # The output (tensor 1) takes the channel before tensor 0, which an operator on the host reads later.
    problem = small_problem([[10, 10], [10, 10]], [[], [0]], [[0, 1], [2]], [50, 50, 0], output_tensors=[1])
    schedule = decode(problem, [0, 1], [1, 0])
    assert hops(schedule) == [(1, 1, 0, 10, 70), (0, 1, 0, 70, 130)]


def test_blocking_transfer_occupies_both_devices():
    problem = small_problem([[10, 10], [30, 30], [10, 10]], [[], [], [0]], [[0], [1], [2]], [100, 0, 0], blocking=True)
    schedule = decode(problem, [0, 1, 2], [0, 1, 1])
    # Device 1 is busy until 30, so the copy of tensor 0 runs 30-140 and keeps both devices.
    assert hops(schedule) == [(0, 0, 1, 30, 140)]
    assert spans(schedule) == [(0, 10), (0, 30), (140, 150)]
    assert schedule.busy_ps.tolist() == [120, 150]
    free = small_problem([[10, 10], [30, 30], [10, 10]], [[], [], [0]], [[0], [1], [2]], [100, 0, 0])
    assert spans(decode(free, [0, 1, 2], [0, 1, 1])) == [(0, 10), (0, 30), (120, 130)]


VIEW = {"inputs": [[], [0], [1]], "outputs": [[0], [1], [2]], "sizes": [100, 100, 0], "views": [1]}


def test_view_shares_the_buffer_and_costs_nothing():
    problem = small_problem([[10, 10], [0, 0], [10, 10]], **VIEW)
    schedule = decode(problem, [0, 1, 2], [0, 0, 0])
    assert spans(schedule) == [(0, 10), (10, 10), (10, 20)]
    assert [h.tensor for h in schedule.holdings] == [0, 2]


def test_view_on_another_device_brings_its_input_there():
    problem = small_problem([[10, 10], [0, 0], [10, 10]], **VIEW)
    schedule = decode(problem, [0, 1, 2], [0, 1, 1])
    assert hops(schedule) == [(0, 0, 1, 10, 120)]
    assert spans(schedule) == [(0, 10), (120, 120), (120, 130)]


def test_reader_on_the_root_buffers_device_needs_no_transfer_back_from_a_view_elsewhere():
    problem = small_problem([[10, 10], [0, 0], [10, 10]], **VIEW)
    schedule = decode(problem, [0, 1, 2], [0, 1, 0])
    assert hops(schedule) == [(0, 0, 1, 10, 120)]
    assert spans(schedule)[2] == (120, 130)


def test_view_neither_waits_for_its_device_nor_holds_it_up():
    problem = small_problem(
        [[10, 10], [50, 50], [0, 0], [10, 10]],
        [[], [], [0], [2]],
        [[0], [1], [2], [3]],
        [20, 0, 20, 0],
        views=[2],
    )
    schedule = decode(problem, [0, 1, 2, 3], [0, 1, 1, 0])
    # The view is ready at 40, in the middle of operator 1 on the same device.
    assert spans(schedule) == [(0, 10), (0, 50), (40, 40), (40, 50)]


def test_plan_of_views_alone_has_no_duration_and_no_variance():
    problem = small_problem([[0, 0]], [[0]], [[1]], [8, 8], views=[0], idle=[5.0, 5.0], output_tensors=[1])
    schedule = decode(problem, [0], [0])
    assert schedule.makespan_ps == 0
    assert schedule.load_variance == 0.0
    assert schedule.energy_pj == 0.0
    assert hops(schedule) == []


def test_moving_inside_a_memory_domain_costs_latency_only():
    problem = small_problem(
        [[10, 10, 10]] * 3, [[], [0], [0]], [[0], [1], [2]], [100, 0, 0], store_memory=[0, 0, 1], outputs_on_host=False
    )
    schedule = decode(problem, [0, 1, 2], [0, 1, 2])
    assert hops(schedule) == [(0, 0, 1, 10, 20), (0, 0, 2, 10, 120)]
    assert [t.size_bytes for t in schedule.transfers] == [0, 100]
    assert next(t.channel for t in schedule.transfers) == -1
    assert schedule.transferred_bytes == 100


def test_second_device_of_a_domain_takes_the_tensor_from_the_first():
    problem = small_problem(
        [[10, 10, 10]] * 3, [[], [0], [0]], [[0], [1], [2]], [100, 0, 0], store_memory=[0, 1, 1], outputs_on_host=False
    )
    schedule = decode(problem, [0, 1, 2], [0, 1, 2])
    assert hops(schedule) == [(0, 0, 1, 10, 120), (0, 1, 2, 120, 130)]
    assert schedule.transferred_bytes == 100


def test_energy_is_operators_transfers_and_idle_power_of_the_devices_used():
    routes = [[[], [Hop(0, 1, 0, 10, 1.0, 2.5)]], [[Hop(1, 0, 1, 10, 1.0, 2.5)], []]]
    case = {
        "times": [[10, 10, 10], [10, 10, 10]],
        "inputs": [[], [0]],
        "outputs": [[0], [1]],
        "sizes": [3, 0],
        "energies": [[7, 1, 1], [1, 9, 1]],
        "idle": [2.0, 3.0, 100.0],
        "routes": [[*row, [Hop(u, 2, 2 + u, 0, 1.0, 0.0)]] for u, row in enumerate(routes)]
        + [[[Hop(2, 0, 4, 0, 1.0, 0.0)], [Hop(2, 1, 5, 0, 1.0, 0.0)], []]],
    }
    schedule = decode(small_problem(**case), [0, 1], [0, 1])
    assert schedule.makespan_ps == 33
    assert schedule.operator_energy_pj == 16
    assert schedule.transfer_energy_pj == 8  # 3 x 2.5 = 7.5, to the nearest whole picojoule
    assert schedule.energy_pj == 16 + 8 + (2.0 + 3.0) * 33
    whole_pool = decode(small_problem(**case, idle_energy_pool=True), [0, 1], [0, 1])
    assert whole_pool.energy_pj == 16 + 8 + 105.0 * 33
