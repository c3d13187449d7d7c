"""Devices that share a memory slow each other: finish times by hand, both decoders equal, and what stays as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from heteroopt.errors import PlanError
from heteroopt.simulation.decoder import decode_batch
from heteroopt.simulation.lower_bound import makespan_lower_bound_ps
from heteroopt.simulation.measures import bottleneck_of, measure_plans
from heteroopt.simulation.pipeline import run_pipeline_reference
from heteroopt.simulation.pipeline_decoder import run_pipeline
from heteroopt.simulation.reference import decode_reference
from heteroopt.simulation.schedule import differences
from heteroopt.simulation.sharing import SPEED_UNIT, speed
from tests.engine.factories import plans, random_devices, random_order, random_problem, small_problem
from tests.engine.simulation.both import decode, held, hops, spans


def pair(first_ps, second_ps, *, shares=(1.0, 1.0), slowdown=2.0, waits=0, **options):
    """Two operators on two devices of one memory; the second reads what a third on its device, of ``waits`` ps and
    free of the memory, makes.
    """
    return small_problem(
        [[first_ps] * 2, [waits] * 2, [second_ps] * 2], [[], [], [1]], [[0], [1], [2]], [8, 8, 8],
        store_memory=[0, 0], shares=[[shares[0]] * 2, [0.0] * 2, [shares[1]] * 2], slowdown=[slowdown], **options,
    )  # fmt: skip


def test_two_memory_bound_operators_that_overlap_all_the_time_take_the_slowdown():
    schedule = decode(pair(1000, 1000), [0, 1, 2], [0, 1, 1])
    assert spans(schedule) == [(0, 2000), (0, 0), (0, 2000)]
    assert schedule.makespan_ps == 2000
    assert schedule.busy_ps.tolist() == [2000, 2000]


def test_operators_that_overlap_in_part_are_slowed_in_that_part():
    # Alone until 400: 600 left. Together at half speed: the first is done after 1,200 more, at 1,600, when the second
    # has 1,000 - 600 = 400 left, which it then does alone: 2,000.
    schedule = decode(pair(1000, 1000, waits=400), [0, 1, 2], [0, 1, 1])
    assert spans(schedule) == [(0, 1600), (0, 400), (400, 2000)]


def test_an_operator_inside_another_slows_it_only_while_it_runs():
    # From 100 on the second takes 200 instead of 100, in which the first does 100: 100 + 200 + 800 = 1,100.
    schedule = decode(pair(1000, 100, waits=100), [0, 1, 2], [0, 1, 1])
    assert spans(schedule) == [(0, 1100), (0, 100), (100, 300)]


def test_shares_of_the_memory_weigh_both_ways():
    # 1 + 0.5 x 1 x (3 - 1) = 2 for both: the compute-bound half is slowed as much as it slows the other.
    assert spans(decode(pair(1000, 1000, shares=(0.5, 1.0), slowdown=3.0), [0, 1, 2], [0, 1, 1])) == [
        (0, 2000), (0, 0), (0, 2000),
    ]  # fmt: skip
    assert spans(decode(pair(1000, 1000, shares=(0.0, 1.0)), [0, 1, 2], [0, 1, 1]))[2] == (0, 1000)


def test_speeds_are_rounded_down_and_ends_up_to_the_next_picosecond():
    # 1 / 2.26 of 4,096 is 1,812.4 (2.26 is kept as 1,290 more per 1,024): 1,000 x 4,096 / 1,812 = 2,260.5.
    assert speed(1024, 1024, round(1.26 * 1024)) == 1812
    schedule = decode(pair(1000, 1000, slowdown=2.26), [0, 1, 2], [0, 1, 1])
    assert schedule.makespan_ps == 2261 == -(-1000 * SPEED_UNIT // 1812)


def test_three_devices_add_up():
    problem = small_problem(
        [[600] * 3] * 3, [[], [], []], [[0], [1], [2]], [8] * 3, store_memory=[0, 0, 0], shares=[[1.0] * 3] * 3,
        slowdown=[1.5],
    )  # fmt: skip
    # 1 + 2 x 0.5 = 2 while all three run; 1.5 for two, a speed of 2,730 of 4,096: 900.2; the third alone as without.
    assert spans(decode(problem, [0, 1, 2], [0, 1, 2])) == [(0, 1200)] * 3
    assert spans(decode(problem, [0, 1, 2], [0, 1, 1])) == [(0, 901), (0, 901), (901, 1501)]


def test_operators_in_different_memories_do_not_slow_each_other():
    problem = small_problem(
        [[600] * 4] * 2, [[], []], [[0], [1]], [8] * 2, store_memory=[0, 0, 1, 1], shares=[[1.0] * 4] * 2,
        slowdown=[4.0, 4.0], host=0,
    )  # fmt: skip
    assert spans(decode(problem, [0, 1], [0, 2])) == [(0, 600), (0, 600)]
    assert spans(decode(problem, [0, 1], [2, 3])) == [(0, 2400), (0, 2400)]


def test_what_follows_waits_for_the_slowed_end_and_buffers_are_held_as_long():
    # Two slowed producers on devices 0 and 1 of one memory; device 2 reads both through links of 10 ps + 1 ps/byte.
    problem = small_problem(
        [[100, 100, 50]] * 3, [[], [], [0, 1]], [[0], [1], [2]], [20, 30, 1], store_memory=[0, 0, 1],
        shares=[[1.0] * 3] * 3, slowdown=[2.0, 2.0],
    )  # fmt: skip
    schedule = decode(problem, [0, 1, 2], [0, 1, 2])
    assert spans(schedule) == [(0, 200), (0, 200), (240, 290)]
    assert hops(schedule) == [(0, 0, 2, 200, 230), (1, 1, 2, 200, 240)]
    assert held(schedule, 0) == [(0, 0, 230), (1, 0, 240)]
    assert schedule.critical_path == (1, 2)


def test_a_blocking_hop_waits_for_the_slowed_operator_of_its_device():
    problem = small_problem(
        [[100] * 3] * 3, [[], [], [1]], [[0], [1], [2]], [20, 30, 1], store_memory=[0, 0, 1],
        shares=[[1.0] * 3] * 3, slowdown=[2.0, 2.0], blocking=True,
    )  # fmt: skip
    schedule = decode(problem, [0, 1, 2], [0, 1, 2])
    assert hops(schedule) == [(1, 1, 2, 200, 240)]
    assert schedule.busy_ps.tolist() == [200, 240, 140]


def test_energy_of_the_work_stays_and_idle_energy_grows_with_the_run():
    slowed = decode(pair(1000, 1000, energies=[[5, 5]] * 3, idle=[1.0, 1.0]), [0, 1, 2], [0, 1, 1])
    assert slowed.operator_energy_pj == 15
    assert slowed.idle_energy_pj == 2.0 * 2000


def test_the_bottleneck_expects_the_overlap_of_other_items():
    # One after the other: nothing overlaps in a run of one item, everything does in a steady state.
    chain = small_problem(
        [[1000] * 2] * 2, [[], [0]], [[0], [1]], [0, 0], store_memory=[0, 0], shares=[[1.0] * 2] * 2, slowdown=[2.0],
        routes=[[[], []], [[], []]],
    )  # fmt: skip
    schedule = decode(chain, [0, 1], [0, 1])
    assert schedule.busy_ps.tolist() == [1000, 1000]
    assert bottleneck_of(schedule) == 2000
    assert measure_plans(chain, np.array([[0, 1]]), np.array([[0, 1]])).bottleneck_ps.tolist() == [2000]
    result = run_pipeline(chain, [0, 1], [0, 1], 32)
    assert result.finish_ps[:2].tolist() == [3000, 5000]
    assert result.throughput_per_s == pytest.approx(1e12 / 2000, rel=0.05)


@settings(max_examples=200, deadline=None)
@given(plans(contention=True))
def test_compiled_equals_reference(plan):
    problem, order, device = plan
    schedule = decode(problem, order, device)
    assert measure_plans(problem, order[None], device[None]).bottleneck_ps[0] == bottleneck_of(schedule)


@settings(max_examples=100, deadline=None)
@given(plans(contention=True))
def test_no_operator_is_faster_than_without_contention_and_none_overtakes_the_bound(plan):
    problem, order, device = plan
    slowed, free = decode_reference(problem, order, device), decode_reference(uncontended(problem), order, device)
    assert (slowed.start_ps >= free.start_ps).all()
    assert (slowed.finish_ps - slowed.start_ps >= free.finish_ps - free.start_ps).all()
    assert [t[:4] for t in slowed.transfers] == [t[:4] for t in free.transfers]
    assert slowed.makespan_ps >= makespan_lower_bound_ps(problem)


@settings(max_examples=100, deadline=None)
@given(plans(contention=True))
def test_without_a_slowdown_the_event_driven_decoder_is_the_present_one(plan):
    problem = replace(plan[0], memory_excess=np.zeros(plan[0].n_memories, np.int64), contends=True)
    slowed, free = decode(problem, *plan[1:]), decode_reference(uncontended(problem), *plan[1:])
    assert differences(replace(slowed, problem=free.problem), free) == []


def uncontended(problem):
    return replace(problem, op_memory_share=np.zeros_like(problem.op_memory_share), contends=False)


def test_a_problem_contends_only_where_several_devices_share_a_slowed_memory():
    assert pair(10, 10).contends
    assert not pair(10, 10, slowdown=1.0).contends
    assert not pair(10, 10, shares=(0.0, 0.0)).contends
    alone = small_problem([[5, 5]], [[]], [[0]], [1], shares=[[1.0, 1.0]], slowdown=[3.0, 3.0])
    assert not alone.contends
    assert alone.memory_excess.tolist() == [0, 0]


def test_a_large_problem_and_many_plans_at_once():
    rng = np.random.default_rng(3)
    problem = random_problem(5, 300, 4, domain=True, contention=True, tight=True)
    orders = np.array([random_order(problem, rng) for _ in range(4)])
    devices = np.array([random_devices(problem, rng) for _ in range(4)])
    together = decode_batch(problem, orders, devices)
    for row in range(4):
        alone = decode_reference(problem, orders[row], devices[row])
        assert together.time_ps[row] == alone.makespan_ps
        assert together.peak_bytes[row].tolist() == alone.peak_bytes.tolist()


def test_items_in_flight_slow_each_other():
    # Item 1's first operator overlaps item 0's second: both at half speed from 1,000 on, done at 3,000.
    chain = small_problem(
        [[1000] * 2] * 2, [[], [0]], [[0], [1]], [0, 0], store_memory=[0, 0], shares=[[1.0] * 2] * 2, slowdown=[2.0],
        routes=[[[], []], [[], []]],
    )  # fmt: skip
    result, log = run_pipeline_reference(chain, [0, 1], [0, 1], [0, 0])
    assert result.finish_ps.tolist() == [3000, 4000]
    assert [(e.item, e.index, e.start_ps, e.finish_ps) for e in log if e.kind == "operator"] == [
        (0, 0, 0, 1000), (1, 0, 1000, 3000), (0, 1, 1000, 3000), (1, 1, 3000, 4000),
    ]  # fmt: skip
    assert run_pipeline(chain, [0, 1], [0, 1], 2).finish_ps.tolist() == [3000, 4000]


def test_runs_too_long_to_follow_are_refused():
    with pytest.raises(PlanError) as caught:
        pair(2**50, 2**50)
    assert caught.value.code == "contention_too_long"
    assert not pair(2**50, 2**50, slowdown=1.0).contends


def test_a_launch_is_slowed_as_part_of_the_operator_that_opens_the_segment():
    # 100 + 900 beside 1,000 at half speed: both until 2,000.
    schedule = decode(pair(900, 1000, launch=[100, 0]), [0, 1, 2], [0, 1, 1])
    assert spans(schedule) == [(0, 2000), (0, 0), (0, 2000)]
    assert schedule.launch_ps == 100
