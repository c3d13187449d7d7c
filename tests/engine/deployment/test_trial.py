"""A trial run reports the segments of the plan, times beside predictions, and results that differ."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import heteroopt as hopt
from heteroopt.deployment.trial import TrialSettings, run_trial
from heteroopt.deployment.trial import run as run_module
from heteroopt.deployment.trial.levels import level, measuring_model
from heteroopt.deployment.trial.once import run_once
from heteroopt.deployment.trial.outcome import compare_outputs
from heteroopt.deployment.trial.weights import with_random_weights
from heteroopt.errors import HeteroOptError
from tests.engine.deployment import plans
from tests.engine.deployment import segment_cases as cases

CPU = {"device.cpu0": "onnxruntime:CPUExecutionProvider", "device.gpu0": "onnxruntime:CPUExecutionProvider"}


def once(path, arrays):
    return run_once(str(path), arrays)


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


def test_a_model_named_from_the_working_folder_is_found(tmp_path, monkeypatch):
    request = cases.request_for(cases.with_sizes_inside(tmp_path / "m.onnx"), lambda i, n: i % 2, **CPU)
    monkeypatch.chdir(tmp_path)
    assert run_trial(replace(request, model_path=Path("m.onnx")), TrialSettings(items=1)).same_results


def test_what_cannot_run_here_says_why(tmp_path):
    request = cases.request_for(cases.with_sizes_inside(tmp_path / "m.onnx"), lambda i, n: i % 2)
    missing = replace(request, options={**CPU, "device.gpu0": "onnxruntime:NoSuchProvider"})
    with pytest.raises(HeteroOptError, match="NoSuchProvider") as failure:
        run_trial(missing, TrialSettings(items=1))
    assert failure.value.code == "trial_failed"


def test_weights_that_are_all_alike_are_random_in_the_run(tmp_path):
    alike = [
        numpy_helper.from_array(np.full((16, 16), 0.25, np.float32), "w0"),
        numpy_helper.from_array(np.array([16, 16], np.int64), "size"),
        numpy_helper.from_array(np.full(4, 2.0, np.float32), "few"),
        numpy_helper.from_array(np.arange(256, dtype=np.float32).reshape(16, 16), "told"),
    ]
    nodes = [
        helper.make_node("ConstantOfShape", ["size"], ["w1"], value=helper.make_tensor("v", 1, [1], [0.5])),
        helper.make_node("MatMul", ["x", "w0"], ["a"]),
        helper.make_node("MatMul", ["a", "w1"], ["b"]),
        helper.make_node("MatMul", ["b", "told"], ["c"]),
        helper.make_node("Softmax", ["c"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "alike", [cases.float_input("x", [4, 16])], [cases.float_input("y", [4, 16])], alike
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path, target = tmp_path / "m.onnx", tmp_path / "r.onnx"
    onnx.save(model, str(path))
    drawn = hopt.Graph.from_onnx(path)
    assert with_random_weights(path, target, drawn, once) == 2
    changed = {t.name: numpy_helper.to_array(t) for t in onnx.load(str(target)).graph.initializer}
    assert {name for name, value in changed.items() if np.std(value) == 0} == {"size", "few"}
    assert np.array_equal(changed["told"], numpy_helper.to_array(alike[3]))
    assert with_random_weights(target, tmp_path / "none.onnx", drawn, once) == 0
    assert not (tmp_path / "none.onnx").exists() and not (tmp_path / "measured-layers.onnx").exists()
    request = cases.request_for(path, lambda i, n: i % 2, **CPU)
    report = run_trial(request, TrialSettings(items=1))
    assert report.random_weights == 2 and report.same_results
    assert not any(output.constant for output in report.outputs)


def test_a_runtime_that_dies_and_one_that_takes_too_long_are_named(tmp_path, monkeypatch):
    request = cases.request_for(cases.with_sizes_inside(tmp_path / "m.onnx"), lambda i, n: i % 2, **CPU)
    dying = tmp_path / "dying.py"
    dying.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    monkeypatch.setattr(run_module, "CHILD", dying)
    with pytest.raises(HeteroOptError, match="ended by SIGSEGV") as failure:
        run_trial(request, TrialSettings(items=1))
    assert failure.value.code == "trial_failed"
    dying.write_text("import time\ntime.sleep(60)\n")
    with pytest.raises(HeteroOptError) as failure:
        run_trial(request, TrialSettings(items=1, seconds=0.2))
    assert failure.value.code == "trial_time"


def residual(path, blocks=12, width=16):
    """Blocks of two layers with a shortcut, a bias and an own scale, all weights alike, and a softmax of 100 scores."""
    nodes, weights, x = [], [], "x"

    def take(name, *shape):
        weights.append(numpy_helper.from_array(np.full(shape, 0.5, np.float32), name))
        return name

    for n in range(blocks):
        nodes += [
            helper.make_node("Gemm", [x, take(f"w{n}", width, width), take(f"b{n}", width)], [f"g{n}"], transB=1),
            helper.make_node("Relu", [f"g{n}"], [f"r{n}"]),
            helper.make_node("Mul", [f"r{n}", take(f"s{n}", width)], [f"m{n}"]),
            helper.make_node("MatMul", [f"m{n}", take(f"v{n}", width, width)], [f"p{n}"]),
            helper.make_node("Add", [f"p{n}", x], [f"x{n}"]),
        ]
        x = f"x{n}"
    nodes.append(helper.make_node("MatMul", [x, take("last", width, 100)], ["scores"]))
    nodes.append(helper.make_node("Softmax", ["scores"], ["y"], axis=-1))
    return cases.save(path, nodes, [cases.float_input("x", [2, width])], [cases.float_input("y", [2, 100])], weights)


def test_random_weights_of_a_deep_model_are_scaled_so_that_its_softmax_says_something(tmp_path):
    path, plain, levelled = residual(tmp_path / "m.onnx"), tmp_path / "plain.onnx", tmp_path / "levelled.onnx"
    graph = hopt.Graph.from_onnx(path)

    def fails(*_):
        raise RuntimeError("no such provider")

    assert with_random_weights(path, plain, graph, fails) == with_random_weights(path, levelled, graph, once) == 49
    x = {"x": np.random.default_rng(1).standard_normal((2, 16)).astype(np.float32)}
    saturated, told = (cases.run_whole(model, x)["y"] for model in (plain, levelled))
    assert saturated.max() > 0.99 and told.max() < 0.5 and len(np.unique(told)) > 150
    request = cases.request_for(path, lambda i, n: i % 2, **CPU)
    [output] = run_trial(request, TrialSettings(items=1)).outputs
    assert not output.constant and output.distance <= 1e-5


def test_weights_that_others_read_too_or_that_the_file_has_are_not_scaled():
    nodes = [
        helper.make_node("MatMul", ["x", "tied"], ["a"]),
        helper.make_node("MatMul", ["a", "tied"], ["b"]),
        helper.make_node("Gemm", ["b", "drawn", "told"], ["c"]),
        helper.make_node("MatMul", ["c", "alone"], ["y"]),
    ]
    stored = [cases.weight(name, 8, 8) for name in ("tied", "drawn", "alone")] + [cases.weight("told", 8)]
    graph = helper.make_graph(nodes, "g", [cases.float_input("x", [4, 8])], [cases.float_input("y", [4, 8])], stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    measuring, layers = measuring_model(model, {"tied", "drawn", "alone"})
    assert [layer.weights for layer in layers] == [("alone",)]
    onnx.checker.check_model(measuring)
    before = numpy_helper.to_array(model.graph.initializer[2])
    assert level(model, layers, [4.0]) == 1
    assert np.allclose(numpy_helper.to_array(model.graph.initializer[2]), before / 4)
    assert level(model, layers, [0.0]) == level(model, layers, [math.nan]) == 0


@pytest.mark.parametrize(
    ("values", "nothing"),
    [
        ([0.0, 1.0, 0.0, 0.0], True),
        ([1e-12, 1.0, 1e-9, 3e-20], True),
        ([-2.5, 0.0, 2.5], True),
        ([0.3, 0.3, 0.7, 0.7], True),
        ([0.0, 0.0], True),
        ([0.0, 1.0], True),
        ([0.3, 0.7], False),
        ([0.1, 0.2, 0.7], False),
        ([0.7], False),
    ],
)
def test_numbers_that_the_comparison_cannot_tell_apart_prove_nothing(values, nothing):
    graph = plans.request().plan.original
    whole = np.array(values, np.float32)
    [output] = compare_outputs(graph, {"whole:y": whole, "plan:y": whole}, "fp32")
    assert output.constant is nothing


def test_outputs_without_a_finite_number_prove_nothing():
    def compared(whole, found):
        graph = plans.request().plan.original
        [output] = compare_outputs(graph, {"whole:y": np.array(whole), "plan:y": np.array(found)}, "fp32")
        return output.within, output.constant

    assert compared([np.nan, np.nan], [np.nan, np.nan]) == (True, True)
    assert compared([np.inf], [np.inf]) == (True, True)
    assert compared([np.nan, 1.0], [np.nan, 1.0]) == (True, False)
    assert compared([np.nan, np.nan], [np.nan, 1.0]) == (False, True)
    assert compared([1.0, 2.0], [1.0, 2.0, 3.0]) == (False, False)
    assert compared(["a", "b"], ["a", "b"]) == (True, False)
    assert compared(["a", "b"], ["a", "c"]) == (False, False)
    assert compared(["1", "2"], [1.0, 2.0]) == (False, False)


def test_texts_and_sequences_are_compared_element_by_element(tmp_path):
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("SplitToSequence", ["a", "sizes"], ["parts"], axis=0),
        helper.make_node("ArgMax", ["a"], ["best"], axis=1, keepdims=0),
        helper.make_node(
            "LabelEncoder", ["best"], ["label"], domain="ai.onnx.ml",
            keys_int64s=list(range(16)), values_strings=[f"class {n}" for n in range(16)],
        ),
    ]  # fmt: skip
    stored = [cases.weight("w", 16, 16), numpy_helper.from_array(np.array([1, 3], np.int64), "sizes")]
    outputs = [
        helper.make_tensor_sequence_value_info("parts", onnx.TensorProto.FLOAT, None),
        helper.make_tensor_value_info("label", onnx.TensorProto.STRING, [4]),
    ]
    graph = helper.make_graph(nodes, "odd", [cases.float_input("x", [4, 16])], outputs, stored)
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 2)]
    onnx.save(helper.make_model(graph, opset_imports=sets, ir_version=8), str(tmp_path / "m.onnx"))
    request = cases.request_for(tmp_path / "m.onnx", lambda i, n: int(i > 0), **CPU)
    report = run_trial(request, TrialSettings(items=1))
    assert {output.name for output in report.outputs} == {"parts", "label"}
    assert report.same_results and not any(output.constant for output in report.outputs)
