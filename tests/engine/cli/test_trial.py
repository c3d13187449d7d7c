"""``heteroopt trial --take-back``: what the segments took becomes a profile for each device that the plan uses."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from heteroopt.cli import main
from heteroopt.cli import trial_command as command
from heteroopt.costs.profile import Profile
from heteroopt.deployment.plan_json import plan_document, write_document
from heteroopt.deployment.trial.report import SegmentTrial, TrialReport
from tests.engine.deployment import segment_cases as cases

FACTORS = {"cpu0": 3.0, "gpu0": 0.5}


class Opened:
    """Stands for a runtime of this machine."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def fingerprint(self):
        return SimpleNamespace(hash="ab" * 8, versions={"onnxruntime": "1"})


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A plan's file and its model; a run gives every segment FACTORS times its prediction."""
    model = cases.with_sizes_inside(tmp_path / "m.onnx")
    plan = cases.request_for(model, lambda i, n: int(i >= n // 2)).plan
    write_document(tmp_path / "plan.json", plan_document(plan, with_inputs=True))

    def run(request, settings):
        spent = request.plan.schedule.finish_ps - request.plan.schedule.start_ps
        rows = []
        for segment in request.partition.segments:
            name = request.plan.pool.devices[segment.device].name
            told = float(spent[list(segment.operators)].sum()) / 1e9
            rows.append(SegmentTrial(segment.index, name, 1, told, told * FACTORS[name], 0, 0, 0, 0))
        return TrialReport(request.plan.content_hash, settings.items, 1.0, 1.0, 1.0, 1.0, 1.0, tuple(rows), ())

    monkeypatch.setattr(command, "run_trial", run)
    monkeypatch.setattr(command, "OwnDevice", SimpleNamespace(named=lambda _runtime: Opened()))
    return [str(tmp_path / "plan.json"), "--model", str(model)]


def test_take_back_writes_a_profile_for_each_device(files, tmp_path, capsys):
    given = ["--option", "device.gpu0=openvino:CPU", "--option", "cores.gpu0=0", "--items", "5"]
    assert main(["trial", *files, *given, "--take-back", str(tmp_path / "new" / "back")]) == 0
    said = capsys.readouterr().out
    for name, factor in FACTORS.items():
        path = tmp_path / "new" / "back" / f"{name}.json"
        made = Profile.load(path)
        assert (made.kind, made.scale) == ("trial", pytest.approx(factor))
        assert made.origin["runs"] == 5
        assert f"{name}: {factor:g} x what was predicted, kept in {path}" in said
    ran = {name: Profile.load(tmp_path / "new" / "back" / f"{name}.json").device for name in FACTORS}
    assert (ran["gpu0"].runtime, ran["gpu0"].name, ran["gpu0"].threads) == ("openvino", "CPU 0", 1)
    assert (ran["cpu0"].runtime, ran["cpu0"].fingerprint) == ("onnxruntime", "ab" * 8)


def test_json_says_nothing_beside_the_report_and_without_the_option_nothing_is_written(files, tmp_path, capsys):
    assert main(["trial", *files, "--json", "--take-back", str(tmp_path / "back")]) == 0
    assert json.loads(capsys.readouterr().out)["same_results"] is True
    assert sorted(path.name for path in (tmp_path / "back").iterdir()) == ["cpu0.json", "gpu0.json"]
    before = set(tmp_path.rglob("*"))
    assert main(["trial", *files]) == 0
    assert set(tmp_path.rglob("*")) == before
