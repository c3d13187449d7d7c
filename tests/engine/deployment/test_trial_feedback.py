"""What a trial run tells of costs: exact shares of segments' times, nothing over what was measured, and removable."""

from dataclasses import replace

import numpy as np
import pytest

from heteroopt.api.exporting import plan_request
from heteroopt.costs.calibrated import calibrated_cost_table
from heteroopt.costs.database import MeasuredDevice
from heteroopt.costs.profile import Profile
from heteroopt.costs.table import COST_SOURCES, SOURCE_CODE
from heteroopt.deployment.trial.feedback import trial_profiles
from heteroopt.deployment.trial.report import SegmentTrial, TrialReport
from heteroopt.errors import CostError
from tests.engine.deployment import segment_cases as cases

HERE = MeasuredDevice("onnxruntime", 0, "CPU", "box", "cpu", 0, "ab" * 8, {})


@pytest.fixture
def request_(tmp_path):
    model = cases.with_sizes_inside(tmp_path / "m.onnx")
    return cases.request_for(model, lambda i, n: int(i >= n // 2))


def report_of(request, factors):
    """Every segment takes ``factors[device]`` times its prediction."""
    plan = request.plan
    spent = plan.schedule.finish_ps - plan.schedule.start_ps
    rows = []
    for segment in request.partition.segments:
        predicted = float(spent[list(segment.operators)].sum()) / 1e9
        name = plan.pool.devices[segment.device].name
        rows.append(
            SegmentTrial(segment.index, name, len(segment.members), predicted, predicted * factors[name], 0, 0, 0, 0)
        )
    return TrialReport(plan.content_hash, 16, 1.0, 1.0, 1.0, 1.0, 1.0, tuple(rows), ())


def times(costs, device):
    return np.where(costs.time_ps[:, device] > 0, costs.time_ps[:, device], 0)


def test_costs_add_up_to_what_the_segments_took_and_say_that_a_trial_told_them(request_):
    plan = request_.plan
    names = [device.name for device in plan.pool.devices]
    factors = dict(zip(names, (3.0, 0.5), strict=True))
    found = trial_profiles(request_, report_of(request_, factors), dict.fromkeys(names, HERE), measured_at=7)
    assert {name: made.scale for name, made in found.items()} == pytest.approx(factors)
    costs = calibrated_cost_table(plan.graph, plan.pool, {}, found)
    for column, name in enumerate(names):
        # Operators that ran elsewhere too: the device's own multiple.
        expected = times(plan.costs, column) * factors[name]
        assert times(costs, column) == pytest.approx(expected, abs=1)
        told = {COST_SOURCES[code] for code in costs.source[:, column]}
        assert told <= {"trial", "view", "unsupported"} and "trial" in told
        assert (costs.low_ps[:, column] <= costs.time_ps[:, column]).all()
    before = calibrated_cost_table(plan.graph, plan.pool, {}, {})
    assert before.content_hash == plan.costs.content_hash != costs.content_hash
    made = found[names[0]]
    assert (made.measured_at, made.origin["plan"], made.origin["runs"]) == (7, plan.content_hash, 16)
    assert [one["factor"] for one in made.origin["segments"]] == pytest.approx([3.0] * len(made.origin["segments"]))


def test_operators_that_were_measured_keep_their_figures_and_the_others_take_the_rest(request_):
    plan = request_.plan
    segment = max(request_.partition.segments, key=lambda one: len(one.operators))
    name, column = plan.pool.devices[segment.device].name, segment.device
    heavy = max(segment.operators, key=lambda op: plan.costs.time_ps[op, column])
    source = plan.costs.source.copy()
    source[heavy, column] = SOURCE_CODE["measured"]
    request = plan_request(replace(plan, costs=replace(plan.costs, source=source)))
    report = report_of(request, {device.name: 2.0 for device in plan.pool.devices})
    made = trial_profiles(request, report, {name: HERE})[name]
    seconds = made.seconds_of(plan.graph)
    assert np.isnan(seconds[heavy])
    # 2 T = kept + f (T - kept), launch included in none of them here
    kept = plan.costs.time_ps[heavy, column]
    rest = sum(plan.costs.time_ps[op, column] for op in segment.operators if op != heavy)
    factor = (2 * (kept + rest) - kept) / rest
    for op in segment.operators:
        if op != heavy:
            assert seconds[op] * 1e12 == pytest.approx(plan.costs.time_ps[op, column] * factor)


def test_a_run_of_what_is_all_measured_tells_nothing(request_):
    plan = request_.plan
    measured = replace(plan.costs, source=np.full_like(plan.costs.source, SOURCE_CODE["measured"]))
    request = plan_request(replace(plan, costs=measured))
    report = report_of(request, {device.name: 2.0 for device in plan.pool.devices})
    with pytest.raises(CostError) as refused:
        trial_profiles(request, report, {plan.pool.devices[0].name: HERE})
    assert refused.value.code == "trial_tells_nothing"


def test_a_file_of_it_is_read_back_and_a_profile_has_no_gaps(request_, tmp_path):
    name = request_.plan.pool.devices[0].name
    report = report_of(request_, {device.name: 2.0 for device in request_.plan.pool.devices})
    made = trial_profiles(request_, report, {name: HERE})[name]
    made.save(tmp_path / "t.json")
    again = Profile.load(tmp_path / "t.json")
    assert (again.kind, again.source, dict(again.origin)) == ("trial", "trial", dict(made.origin))
    assert np.array_equal(again.seconds, made.seconds, equal_nan=True)
    data = {**made.to_dict(), "kind": "profile"}
    data["operators"][0][1] = None
    with pytest.raises(CostError):
        Profile.from_dict(data)
    with pytest.raises(CostError):
        Profile.from_dict({**made.to_dict(), "kind": "guess"})
