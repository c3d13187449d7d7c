"""``heteroopt profile`` and plans by what it wrote, through ONNX Runtime."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest

import heteroopt as hopt
from heteroopt.cli import main
from heteroopt.deployment.plan_reader import plan_schema
from heteroopt.graph.sketch import Sketch

POOL = """
[[devices]]
name = "npu0"
device_type = "NPU"
memory_size_bytes = 1000000000
"""


@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="onnxruntime is not installed")
def test_a_profile_is_written_and_plans_of_that_model_take_it(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    nodes = [("MatMul", "a b", "m", {}), ("Relu", "m", "r", {}), ("Softmax", "r", "y", {})]
    (tmp_path / "model.onnx").write_bytes(Sketch(nodes, {"a": (64, 128), "b": (128, 96)}).model())
    (tmp_path / "other.onnx").write_bytes(Sketch([("Relu", "x", "y", {})], {"x": (2, 3)}).model())
    (tmp_path / "pool.toml").write_text(POOL)
    assert main(["profile", "model.onnx", "--runtime", "onnxruntime", "--threads", "1", "--out", "p.json"]) == 0
    assert "Wrote p.json" in capsys.readouterr().out
    profile = hopt.Profile.load("p.json")
    plan = ["--pool", "pool.toml", "--profile", "npu0=p.json", "--generations", "0", "--out", "plan.json", "--json"]
    assert main(["plan", "model.onnx", *plan]) == 0
    capsys.readouterr()
    document = json.loads((tmp_path / "plan.json").read_text())
    jsonschema.validate(document, plan_schema())
    assert {row["cost_source"] for row in document["operators"]} == {"profiled"}
    assert sum(row["time_ms"] for row in document["operators"]) == pytest.approx(profile.median_s * 1e3, rel=1e-6)
    assert main(["plan", "other.onnx", *plan]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "profile_other_model"
