"""What the launch of a segment costs, worked out by hand. Links take 10 ps + 1 ps per byte."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from heteroopt.costs.table import CostTable
from heteroopt.errors import CostError
from heteroopt.simulation.decoder import count_segments
from heteroopt.simulation.pipeline import run_pipeline_reference
from heteroopt.simulation.pipeline_decoder import run_pipeline
from tests.engine.factories import plans, small_problem
from tests.engine.simulation.both import decode, spans

CHAIN = {"inputs": [[0], [1], [2]], "outputs": [[1], [2], [3]], "sizes": [0, 40, 30, 5], "output_tensors": [3]}
TIMES = [[100, 60], [100, 50], [80, 90]]


def test_a_segment_is_launched_before_its_first_operator():
    schedule = decode(small_problem(TIMES, **CHAIN, launch=[7, 20]), [0, 1, 2], [0, 0, 0])
    assert spans(schedule) == [(0, 107), (107, 207), (207, 287)]
    assert (schedule.n_segments, schedule.launch_ps) == (1, 7)
    assert schedule.busy_ps.tolist() == [287, 0]


def test_every_change_of_device_launches_and_once_the_data_are_there():
    schedule = decode(small_problem(TIMES, **CHAIN, launch=[7, 20]), [0, 1, 2], [0, 1, 0])
    # 107 + 50 for the way of 40 bytes, then 20 + 50 on device 1, back by 40, then 7 + 80.
    assert spans(schedule) == [(0, 107), (157, 227), (267, 354)]
    assert (schedule.n_segments, schedule.launch_ps) == (3, 34)
    assert schedule.busy_ps.tolist() == [194, 70]


def test_segments_are_counted_where_they_cost_nothing():
    schedule = decode(small_problem(TIMES, **CHAIN), [0, 1, 2], [0, 1, 0])
    assert (schedule.n_segments, schedule.launch_ps, spans(schedule)[0]) == (3, 0, (0, 100))


def test_a_view_waits_for_no_launch_and_the_first_real_operator_pays():
    # Operator 1 is a view on device 1 that opens its segment; operator 2 pays the launch.
    view = {"inputs": [[0], [1], [2]], "outputs": [[1], [2], [3]], "sizes": [0, 40, 40, 5], "views": [1]}
    problem = small_problem([[100, 60], [0, 0], [80, 90]], **view, launch=[7, 20], outputs_on_host=False)
    schedule = decode(problem, [0, 1, 2], [0, 1, 1])
    assert spans(schedule) == [(0, 107), (157, 157), (157, 267)]
    assert (schedule.n_segments, schedule.launch_ps) == (2, 27)
    alone = decode(problem, [0, 1, 2], [0, 1, 0])
    assert (alone.n_segments, alone.launch_ps) == (3, 14)


def test_what_runs_beside_the_other_device_stays_in_its_segment():
    # Operator 2 needs nothing of device 1: it belongs to the first segment, operator 3 opens another.
    diamond = {"inputs": [[0], [1], [1], [2, 3]], "outputs": [[1], [2], [3], [4]], "sizes": [0, 40, 30, 20, 5]}
    problem = small_problem([[100, 60], [100, 50], [80, 90], [40, 40]], **diamond, launch=[7, 20])
    schedule = decode(problem, [0, 1, 2, 3], [0, 1, 0, 0])
    assert spans(schedule) == [(0, 107), (157, 227), (107, 187), (267, 314)]
    assert (schedule.n_segments, schedule.launch_ps) == (3, 34)


def test_every_item_in_flight_launches_again():
    problem = small_problem(TIMES, **CHAIN, launch=[7, 20])
    result, _ = run_pipeline_reference(problem, [0, 1, 2], [0, 0, 0], [0, 0, 0])
    assert result.finish_ps.tolist() == [287, 574, 861]
    compiled = run_pipeline(problem, [0, 1, 2], [0, 0, 0], 3)
    assert compiled.finish_ps.tolist() == [287, 574, 861]


@settings(max_examples=60, deadline=None)
@given(plans(contention=False))
def test_launches_are_part_of_the_busy_time(plan):
    problem, order, device = plan
    schedule = decode(problem, order, device)
    work = np.where(problem.is_view, 0, problem.op_time_ps[np.arange(len(device)), device]).sum()
    spent = int((schedule.finish_ps - schedule.start_ps).sum())
    assert spent == work + schedule.launch_ps
    assert count_segments(problem, order[None], device[None])[0][0] == schedule.n_segments
    assert len(set(device.tolist())) <= schedule.n_segments <= len(device)


def test_a_cost_table_keeps_its_launches_and_old_ones_their_hash():
    table = CostTable.from_arrays([[5, 6]], [[1, 2]], segment_launch_ps=[3.4, 0])
    assert table.segment_launch_ps.tolist() == [3, 0]
    again = CostTable.from_dict(table.to_dict())
    assert (again.content_hash, again.segment_launch_ps.tolist()) == (table.content_hash, [3, 0])
    silent = CostTable.from_arrays([[5, 6]], [[1, 2]])
    assert "segment_launch_ps" not in silent.to_dict()
    assert table.content_hash != silent.content_hash
    assert CostTable.from_arrays([[5, 6]], [[1, 2]], segment_launch_ps=[0, 0]).content_hash == silent.content_hash


@pytest.mark.parametrize("launches", [[1], [1, -1], [1, float("nan")], [1, 1e14], ["a", "b"]])
def test_launches_that_are_none_are_refused(launches):
    with pytest.raises(CostError) as refusal:
        CostTable.from_arrays([[5, 6]], [[1, 2]], segment_launch_ps=launches)
    assert refusal.value.code == "cost_launch"
