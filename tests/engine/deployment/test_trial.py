"""A trial run reports the segments of the plan, times beside predictions, and results that differ."""

from dataclasses import replace

import pytest

from heteroopt.deployment.trial import TrialSettings, run_trial
from heteroopt.errors import HeteroOptError
from tests.engine.deployment import segment_cases as cases

CPU = {"device.cpu0": "onnxruntime:CPUExecutionProvider", "device.gpu0": "onnxruntime:CPUExecutionProvider"}


def test_a_plan_that_runs_as_it_should(tmp_path):
    request = cases.request_for(cases.with_control_flow(tmp_path / "m.onnx"), lambda i, n: i % 2, **CPU)
    report = run_trial(request, TrialSettings(items=3, in_flight=2))
    assert [s.index for s in report.segments] == list(range(request.partition.n_segments))
    assert [s.device for s in report.segments] == [
        request.plan.pool.devices[s.device].name for s in request.partition.segments
    ]
    assert {o.name for o in report.outputs} == {"y", "d"}
    assert report.same_results and all(0 < o.tolerance < 1e-3 and not o.constant for o in report.outputs)
    assert all(s.measured_ms > 0 for s in report.segments)
    spent = request.plan.schedule.finish_ps - request.plan.schedule.start_ps
    assert sum(s.predicted_ms for s in report.segments) == pytest.approx(spent.sum() / 1e9)
    assert report.latency_ms > 0 and report.throughput_per_s > 0 and report.whole_ms > 0
    assert report.to_dict()["same_results"] is True


def test_what_cannot_run_here_says_why(tmp_path):
    request = cases.request_for(cases.with_sizes_inside(tmp_path / "m.onnx"), lambda i, n: i % 2)
    missing = replace(request, options={**CPU, "device.gpu0": "onnxruntime:NoSuchProvider"})
    with pytest.raises(HeteroOptError, match="NoSuchProvider") as failure:
        run_trial(missing, TrialSettings(items=1))
    assert failure.value.code == "trial_failed"
