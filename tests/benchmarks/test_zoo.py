"""What the zoo says of a model: costed operators of known size, sizes compared with a run's, the printed row."""

from __future__ import annotations

import json
import sys

import onnx
from onnx import TensorProto, helper

from benchmarks import zoo
from heteroopt.graph.onnx_reader import read_onnx

FLOAT = TensorProto.FLOAT


def model(path):
    """A product, a view of it, and an operator that nobody knows."""
    nodes = [
        helper.make_node("MatMul", ["x", "x"], ["m"]),
        helper.make_node("Identity", ["m"], ["i"]),
        helper.make_node("Magic", ["i"], ["y"], domain="com.example"),
    ]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [info("x", FLOAT, [4, 4])], [info("y", FLOAT, None)])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.example", 1)]
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=9), path)
    return path


def test_views_cost_nothing_and_guessed_sizes_are_not_known(tmp_path):
    assert zoo.costed(read_onnx(model(tmp_path / "m.onnx"))) == [True, False]


def test_a_wrong_size_is_named(tmp_path, monkeypatch):
    path = model(tmp_path / "m.onnx")

    def run(command, **_):
        assert json.loads(path.with_suffix(".request").read_text())["inputs"] == {"x": [4, 4]}
        path.with_suffix(".answer").write_text(json.dumps({"shapes": {"m": [4, 5], "i": [4, 4], "y": [1]}}))

    monkeypatch.setattr(zoo.subprocess, "run", run)
    path.with_suffix(".json").write_text('{"torch_flops": 128}')
    row = zoo.examine("m", path, sys.executable)
    assert (row.operators, row.costed, row.exact, row.checked, row.wrong) == (3, 2, 1, 2, 1)  # y is a guess
    assert row.wrong_names == ("m: read [4, 4], run [4, 5]",)
    assert (row.products_flops, row.torch_flops) == (128, 128)
    (line,) = [line for line in zoo.table([row]).splitlines() if line.startswith("| m |")]
    assert line.endswith("| 3 | 2 | 50.0 % | 2 | 1 | 0.000 | 1.000000 |")


def test_a_refusal_keeps_its_reason(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"no model")
    row = zoo.examine("m", path, sys.executable)
    assert row.refused.startswith("model_unreadable: ")
    assert row.refused in zoo.table([row])
