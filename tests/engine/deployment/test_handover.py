"""What handing over between core sets takes, from reports worked by hand and from the runner itself."""

from __future__ import annotations

import json
import subprocess
from types import SimpleNamespace

import onnx
import pytest

from heteroopt.costs.database import MeasuredHandover
from heteroopt.deployment.handover import SEGMENTS, measure_handover


def cores(name: str, *numbers: int, runtime: str = "onnxruntime", kind: str = "CPU"):
    position = {"cores": list(numbers)}
    described = SimpleNamespace(name=name, device_type=kind, position=position)
    return SimpleNamespace(runtime=runtime, description=described)


def test_it_is_what_an_item_takes_beside_its_programs_for_each_segment():
    seen = {}

    def run(folder):
        seen.update(json.loads((folder / "plan.json").read_text()))
        seen["models"] = [onnx.load(folder / segment["file"]) for segment in seen["segments"]]
        return {"latency_ms": 10.0, "segments_ms": [1.2] * 8}

    found = measure_handover(cores("a", 0), cores("b", 1, 2), run=run)
    assert found is not None and found.beside == "b"
    assert found.seconds == pytest.approx(50e-6)  # (10 - 8 x 1.2) ms over 8
    assert [(one["cpus"], one["threads"], one["provider"]) for one in seen["devices"]] == [
        ([0], 1, "CPUExecutionProvider"), ([1, 2], 2, "CPUExecutionProvider"),
    ]  # fmt: skip
    assert [segment["device"] for segment in seen["segments"]] == ["first", "second"] * 4
    for number, model in enumerate(seen["models"]):
        assert [node.op_type for node in model.graph.node] == ["MatMul"]
        assert [i.name for i in model.graph.input] == seen["segments"][number]["inputs"] == [f"t{number}"]


def test_a_disturbed_run_never_gives_less_than_nothing():
    found = measure_handover(cores("a", 0), cores("b", 1), run=lambda _: {"latency_ms": 9.0, "segments_ms": [1.2] * 8})
    assert found == MeasuredHandover("b", 0.0)


@pytest.mark.parametrize(
    "second",
    [
        cores("a", 0),
        cores("b"),
        cores("b", 1, runtime="opencl"),
        cores("gpu", 1, kind="GPU"),
    ],
    ids=["itself", "no cores", "another runtime", "no CPU"],
)
def test_nothing_is_measured_where_no_runner_hands_over(second):
    def never(_folder):
        raise AssertionError("it ran")

    assert measure_handover(cores("a", 0), second, run=never) is None


@pytest.mark.parametrize(
    "fault", [OSError("no Python"), subprocess.TimeoutExpired("runner.py", 60), ValueError("no JSON"), KeyError("x")]
)
def test_a_runner_that_does_not_run_leaves_it_out(fault):
    def run(_folder):
        raise fault

    assert measure_handover(cores("a", 0), cores("b", 1), run=run) is None


def test_the_runner_itself_measures_it():
    """No figure is looked at: they are this machine's."""
    pytest.importorskip("openvino")
    found = measure_handover(cores("a", 0), cores("b", 0, runtime="openvino"))
    assert SEGMENTS == 8
    assert found is not None and 0.0 <= found.seconds < 1.0
