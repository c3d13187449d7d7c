"""A file beside a plan must be the model that was planned: names and types of operators alone do not make it that."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import heteroopt as hopt
from heteroopt.cli import main
from heteroopt.deployment.export_plan import build, export_plan
from heteroopt.deployment.export_registry import find_exporter
from heteroopt.deployment.exporting import Refusal
from heteroopt.deployment.plan_json import plan_document, write_document
from heteroopt.errors import HeteroOptError
from tests.engine.deployment import segment_cases as cases

CPU = {"device.cpu0": "onnxruntime:CPUExecutionProvider", "device.gpu0": "onnxruntime:CPUExecutionProvider"}


def saved(path, *, hidden=16, perm=(1, 0), crossed=False, opset=17, extra=False, rows=4, seed=0):
    """x @ w0 @ w1, less its transposed transpose; every variant has the same output names and operator types."""
    ends = ["b", "c"] if crossed else ["c", "b"]
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["a"]),
        helper.make_node("MatMul", ["a", "w1"], ["b"]),
        helper.make_node("Transpose", ["b"], ["t"], perm=list(perm)),
        helper.make_node("Transpose", ["t"], ["c"], perm=list(perm)),
        helper.make_node("Sub", ends, ["y"]),
    ]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, 8])]
    if extra:
        outputs.append(helper.make_tensor_value_info("a", TensorProto.FLOAT, [rows, hidden]))
    weights = [cases.weight("w0", 8, hidden, seed=seed), cases.weight("w1", hidden, 8, seed=seed)]
    return cases.save(path, nodes, [cases.float_input("x", [rows, 8])], outputs, weights, opset=opset)


def planned(tmp_path, **more):
    return cases.request_for(saved(tmp_path / "planned.onnx", **more), lambda i, n: i % 2, **CPU)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hidden": 32}, "a: has weights of"),
        ({"perm": (0, 1)}, 't: has the attributes {"perm": [0, 1]} instead of {"perm": [1, 0]}'),
        ({"crossed": True}, "y: reads"),
        ({"opset": 16}, "opset: 16 instead of 17"),
        ({"extra": True}, "outputs: ['y', 'a'] instead of ['y']"),
        ({"rows": 6}, "makes float32 (6, 16) instead of float32 (4, 16)"),
    ],
)
def test_another_model_with_the_same_names_and_types_is_refused(tmp_path, change, said):
    request = planned(tmp_path)
    other = replace(request, model_path=saved(tmp_path / "other.onnx", **change))
    with pytest.raises(Refusal) as refusal:
        build("ort-segments", other)
    assert refusal.value.code == "export_model_differs"
    assert said in refusal.value.params["reason"] and refusal.value.params["planned"] == 5


def test_no_format_takes_a_file_that_is_not_the_planned_one_not_even_one_that_does_not_need_it(tmp_path):
    request = replace(planned(tmp_path), options={})
    other = saved(tmp_path / "other.onnx", hidden=32)
    options = {"openvino-hetero": {"target.gpu0": "AUTO"}, "tensorrt": {"target.cpu0": "DLA"}}
    for key in ("plan-json", "csv", "trace", "tensorrt", "openvino-hetero", "ort-annotations", "ort-segments"):
        with pytest.raises(Refusal) as refusal:
            build(key, replace(request, model_path=other, options=options.get(key, {})))
        assert refusal.value.code == "export_model_differs", key


def test_the_same_model_saved_otherwise_is_taken_and_the_manifest_names_the_file_that_was_given(tmp_path):
    request = planned(tmp_path)
    model = onnx.load(str(request.model_path))
    model.doc_string, model.producer_name = "saved again", "another tool"
    model.graph.name = "renamed"
    for number, node in enumerate(model.graph.node):
        node.name = f"n{number}"
    onnx.save(model, str(tmp_path / "again.onnx"))
    (tmp_path / "far").mkdir()
    onnx.save(model, str(tmp_path / "far/m.onnx"), save_as_external_data=True, location="w.bin", size_threshold=0)
    further = saved(tmp_path / "further.onnx", seed=5)
    for number, path in enumerate((tmp_path / "again.onnx", tmp_path / "far/m.onnx", further)):
        manifest = export_plan("ort-segments", replace(request, model_path=path), tmp_path / f"out{number}")
        assert manifest["model"]["file_sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert manifest["hashes"]["model"] == request.plan.original.content_hash


def test_sizes_that_a_file_leaves_open_or_states_are_those_of_the_plan(tmp_path):
    request = planned(tmp_path, rows="rows")
    assert request.plan.original.dims == {"rows": 1}
    assert build("ort-segments", request)
    assert build("ort-segments", replace(request, model_path=saved(tmp_path / "one.onnx", rows=1)))
    with pytest.raises(Refusal, match="planned"):
        build("ort-segments", replace(request, model_path=saved(tmp_path / "six.onnx", rows=6)))


def test_what_a_person_said_of_a_model_is_no_difference(tmp_path):
    node = helper.make_node("Odd", ["x", "w"], ["a"], domain="own")
    nodes = [node, helper.make_node("Relu", ["a"], ["y"])]
    graph = helper.make_graph(
        nodes, "g", [cases.float_input("x", [4, 8])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.ones((8, 8), np.float32), "w")],
    )  # fmt: skip
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    onnx.save(helper.make_model(graph, opset_imports=sets, ir_version=9), str(tmp_path / "m.onnx"))
    stated = {"shapes": {"a": [4, 8]}, "costs": {"own::Odd": {"flops": 12345}}}
    found = cases.request_for(tmp_path / "m.onnx", lambda i, n: i % 2, **CPU)
    given = hopt.Graph.from_onnx(tmp_path / "m.onnx", given=stated)
    assert given.content_hash != found.plan.graph.content_hash
    assert build("csv", replace(found, options={}, plan=replace(found.plan, graph=given)))


def test_the_commands_refuse_another_model(tmp_path, capsys):
    request = planned(tmp_path)
    write_document(tmp_path / "plan.json", plan_document(request.plan, with_inputs=True))
    other = str(saved(tmp_path / "other.onnx", crossed=True))
    chosen = [part for name, value in CPU.items() for part in ("--option", f"{name}={value}")]
    for command in (["trial"], ["export", "--format", "ort-segments", "--out", str(tmp_path / "out")]):
        assert main([command[0], str(tmp_path / "plan.json"), "--model", other, *command[1:], *chosen]) == 1
        said = capsys.readouterr()
        assert "not the model that was planned" in said.out + said.err and "plan this one" in said.out + said.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("key", ["plan-json", "csv", "trace"])
def test_files_of_a_whole_plan_are_checked_by_index_outputs_and_model_not_by_names(tmp_path, key):
    request = replace(planned(tmp_path), options={})
    export_plan(key, request, tmp_path / "out")
    [path] = [file for file in (tmp_path / "out").iterdir() if file.name != "manifest.json"]
    written, exporter = path.read_text("utf-8"), find_exporter(key)
    assert exporter.check(tmp_path / "out").complete
    of_model = request.plan.original.content_hash
    outputs = {"plan-json": ('"outputs": ["t"]', '"outputs": ["elsewhere"]'), "csv": ('[[""t""]]', '[[""elsewhere""]]'),
               "trace": ('"model_outputs": [["t"]]', '"model_outputs": [["elsewhere"]]')}[key]  # fmt: skip
    for before, after, code in (
        (*outputs, "export_incomplete"),
        (of_model, "0" * 64, "export_hash_differs"),
    ):
        assert before in written, key
        path.write_text(written.replace(before, after), "utf-8")
        with pytest.raises(HeteroOptError) as caught:
            exporter.check(tmp_path / "out")
        assert caught.value.code == code
