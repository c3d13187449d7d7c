"""``heteroopt calibrate`` and plans by what it wrote, on a made-up device."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from heteroopt.cli import main
from heteroopt.deployment.plan_reader import plan_schema
from heteroopt.graph.sketch import Sketch

POOL = """
[[devices]]
name = "npu0"
device_type = "NPU"
memory_size_bytes = 1000000000
peak_gflop_per_s = { fp32 = 100.0 }
memory_bandwidth_gb_per_s = 10.0
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch) -> Path:
    """A folder with a model, a pool and a host's configuration of the simulated runtime."""
    folder = tmp_path / "runtimes" / "simulated"
    folder.mkdir(parents=True)
    (folder / "device_config.yaml").write_text(
        "plugin: heteroopt.runtimes.plugins.simulated.runtime:SimulatedRuntime\n"
        "settings: {devices: [{name: sim0, overhead_us: 500}]}\n"
    )
    model = Sketch([("Relu", "x", "r", {}), ("Softmax", "r", "y", {})], {"x": (2, 8)})
    (tmp_path / "model.onnx").write_bytes(model.model())
    (tmp_path / "pool.toml").write_text(POOL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    return code, capsys.readouterr().out


MEASURE = ("calibrate", "--runtime", "simulated", "--runtimes", "runtimes", "--model", "model.onnx", "--cases", "2")


def test_it_measures_a_models_operators_and_plans_take_them(here: Path, capsys):
    code, text = run(capsys, *MEASURE, "--out", "npu0.json", "--resume", "checkpoint.json")
    assert code == 0
    assert "sim0 through simulated" in text
    assert "Wrote npu0.json" in text
    assert json.loads((here / "checkpoint.json").read_text())["rows"]
    code, text = run(
        capsys, "plan", "model.onnx", "--pool", "pool.toml", "--calibration", "npu0=npu0.json", "--generations", "0",
        "--out", "plan.json", "--json",
    )  # fmt: skip
    assert code == 0
    document = json.loads((here / "plan.json").read_text())
    jsonschema.validate(document, plan_schema())
    assert {(row["cost_source"], row["energy_source"]) for row in document["operators"]} == {("measured", "template")}
    assert json.loads(text)["plan"]["exec_time_ms"] > 2 * 0.45  # two operators of 0.5 ms; the data sheet says far less
    code, text = run(capsys, "calibrate", "--show", "npu0.json", "--json")
    assert code == 0
    assert json.loads(text)["rows"] == 2
    code, text = run(capsys, *MEASURE, "--check", "npu0.json")
    assert code == 0
    assert "still holds" in text


def test_cases_and_the_calibrator_are_written_for_elsewhere(here: Path, capsys):
    code, text = run(
        capsys, "calibrate", "--model", "model.onnx", "--cases", "3", "--cases-out", "cases.json",
        "--calibrator-out", "calibrator.py",
    )  # fmt: skip
    assert code == 0
    assert text.splitlines() == ["Wrote calibrator.py", "Wrote cases.json"]
    document = json.loads((here / "cases.json").read_text())
    assert sum(case["from_model"] for case in document["cases"]) == 2
    compile((here / "calibrator.py").read_text(), "calibrator.py", "exec")


def test_options_that_do_not_go_together_show_the_usage(here: Path, capsys):
    assert main(["calibrate", "--runtime", "simulated"]) == 2
    assert main(["calibrate", "--out", "x.json"]) == 2
    assert "usage: heteroopt calibrate --runtime NAME" in capsys.readouterr().err


def test_a_file_that_is_no_calibration_is_refused(here: Path, capsys):
    (here / "npu0.json").write_text('{"format": "another"}')
    code = main(["plan", "model.onnx", "--pool", "pool.toml", "--calibration", "npu0=npu0.json"])
    assert code == 1
    assert "The calibration cannot be used" in capsys.readouterr().err
