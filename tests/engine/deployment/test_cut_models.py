"""Models with control flow, functions, shared weights and odd types, and random ones, cut and run against the whole."""

from dataclasses import replace

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper

from heteroopt.deployment.export_plan import export_plan
from heteroopt.deployment.model_nodes import nodes_of
from tests.engine.deployment import composite_cases as composites
from tests.engine.deployment import segment_cases as cases
from tests.engine.deployment.test_ort_segments import CPU, compare, load_runner

THREE = (
    cases.POOL
    + """
[[devices]]
name = "gpu1"
template = "NVIDIA_A100_40G"
"""
)
ON_CPU = {**CPU, "device.gpu1": "onnxruntime:CPUExecutionProvider"}


@pytest.mark.parametrize("pieces", [2, 3, 6])
@pytest.mark.parametrize("make", composites.COMPOSITES, ids=lambda make: make.__name__)
def test_every_kind_of_model_gives_what_it_gives_in_one_piece(tmp_path, make, pieces):
    request = cases.request_for(make(tmp_path / "m.onnx"), lambda i, n: (pieces * i // n) % 2, fused=pieces == 3)
    worst, manifest = compare(request, tmp_path / "out")
    assert worst <= 1e-6
    assert len(manifest["segments"]) >= 2 or pieces == 3  # fused, a few casts are one operator
    assert manifest["coverage"]["expressed"] == len(request.plan.original.operators)


@pytest.mark.parametrize("make", [composites.with_a_loop, composites.with_a_scan, composites.with_nested_bodies])
def test_control_flow_stays_whole_and_reads_what_its_bodies_capture(tmp_path, make):
    # Everything before the loop on one device, the loop alone on the other: its captures cross the border.
    path = make(tmp_path / "m.onnx")
    kinds = [node.op_type for node in onnx.load(path).graph.node if node.op_type != "Constant"]
    at = next(i for i, kind in enumerate(kinds) if kind in ("Loop", "Scan", "If"))
    request = cases.request_for(path, lambda i, n: int(i == at))
    worst, manifest = compare(request, tmp_path / "out")
    assert worst <= 1e-6
    assert len(manifest["segments"]) == 3
    alone = onnx.load(tmp_path / "out/segments/segment_1.onnx").graph
    assert [node.op_type for node in alone.node] == [kinds[at]]
    captured = {"with_a_loop": "a", "with_a_scan": "gain", "with_nested_bodies": "a"}[make.__name__]
    assert captured in {item.name for item in alone.input}


def test_functions_are_inlined_and_each_call_can_be_elsewhere(tmp_path):
    request = cases.request_for(composites.with_functions(tmp_path / "m.onnx"), lambda i, n: int(i >= 3))
    worst, _ = compare(request, tmp_path / "out")
    assert worst <= 1e-6
    for number in (0, 1):
        model = onnx.load(tmp_path / f"out/segments/segment_{number}.onnx")
        assert not model.functions
        assert "LeakyRelu" in [node.op_type for node in nodes_of(model.graph)]


def test_tied_weights_are_in_every_segment_that_reads_them_and_in_no_other(tmp_path):
    request = cases.request_for(composites.with_shared_weights(tmp_path / "m.onnx"), lambda i, n: i % 2)
    compare(request, tmp_path / "out")
    for segment in request.partition.segments:
        model = onnx.load(tmp_path / f"out/segments/segment_{segment.index}.onnx")
        kinds = {node.op_type for node in model.graph.node}
        assert ("w" in {tensor.name for tensor in model.graph.initializer}) == bool(kinds & {"MatMul", "Gemm"})


def test_what_openvino_cannot_take_is_said(tmp_path):
    to_openvino = {"gpu0": {"runtime": "openvino", "provider": "CPU"}}
    for name, first, said in (
        ("with_a_sequence", 8, "Segment 1 .* cannot be loaded on device gpu0 by openvino"),
        ("through_bfloat16", 1, r"a is a tensor\(bfloat16\), which cannot be handed to OpenVINO"),
    ):
        make = next(make for make in composites.COMPOSITES if make.__name__ == name)
        request = cases.request_for(make(tmp_path / f"{name}.onnx"), lambda i, n, first=first: int(i >= first))
        export_plan("ort-segments", replace(request, options=CPU), tmp_path / name)
        runner = load_runner(tmp_path / name)
        with pytest.raises(Exception, match=said), runner.Plan(str(tmp_path / name), devices=to_openvino) as plan:
            plan.run(runner.made_up(plan.plan))


def test_inputs_that_cannot_be_made_up_are_named(tmp_path):
    path = cases.save(
        tmp_path / "m.onnx", [helper.make_node("Identity", ["x"], ["y"])],
        [helper.make_tensor_value_info("x", onnx.TensorProto.STRING, [2])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.STRING, [2])],
    )  # fmt: skip
    export_plan("ort-segments", replace(cases.request_for(path, lambda i, n: 0), options=CPU), tmp_path / "out")
    runner = load_runner(tmp_path / "out")
    with runner.Plan(str(tmp_path / "out")) as plan:
        with pytest.raises(runner.PlanRefused, match="made up for x, which is of type string"):
            runner.made_up(plan.plan)
        assert plan.run({"x": np.array(["a", "b"], object)})["y"].tolist() == ["a", "b"]


UNARY, BINARY = ("Tanh", "Sigmoid", "Neg", "Abs"), ("Add", "Mul", "Sub", "Max")


@st.composite
def models(draw):
    """Nodes over values of [2, 4]: of one and two inputs, with weights of few, two outputs, views, an If; outputs."""
    values, nodes, node = ["x", "z"], [], helper.make_node
    info = cases.float_input
    for i in range(draw(st.integers(3, 14))):
        kind = draw(st.sampled_from(["unary", "binary", "weight", "split", "view", "if"]))
        first, second = draw(st.sampled_from(values)), draw(st.sampled_from(values))
        out = f"v{i}"
        if kind == "unary":
            nodes.append(node(draw(st.sampled_from(UNARY)), [first], [out]))
        elif kind == "binary":
            nodes.append(node(draw(st.sampled_from(BINARY)), [first, second], [out]))
        elif kind == "weight":
            nodes.append(node("MatMul", [first, draw(st.sampled_from(["w0", "w1"]))], [f"{out}m"]))
            nodes.append(node("Tanh", [f"{out}m"], [out]))
        elif kind == "split":
            nodes.append(node("Split", [first], [f"{out}l", f"{out}r"], axis=1, num_outputs=2))
            nodes.append(node("Concat", [f"{out}r", f"{out}l"], [out], axis=1))
        elif kind == "view":
            nodes.append(node("Reshape", [first, "turned"], [f"{out}t"]))
            nodes.append(node("Reshape", [f"{out}t", "back"], [out]))
        else:
            body = helper.make_graph([node("Add", [first, second], [f"{out}a"])], "a", [], [info(f"{out}a", [2, 4])])
            other = helper.make_graph([node("Neg", [second], [f"{out}b"])], "b", [], [info(f"{out}b", [2, 4])])
            nodes.append(node("ReduceSum", [first], [f"{out}s"], keepdims=0))
            nodes.append(node("Greater", [f"{out}s", "zero"], [f"{out}c"]))
            nodes.append(node("If", [f"{out}c"], [out], then_branch=body, else_branch=other))
        values.append(out)
    made = [value for value in values if value not in ("x", "z")]
    outputs = draw(st.sets(st.sampled_from(made), min_size=1, max_size=3)) | {made[-1]}
    return nodes, sorted(outputs)


def written(path, nodes, outputs):
    constants = [
        cases.weight("w0", 4, 4), cases.weight("w1", 4, 4, seed=1),
        *(onnx.numpy_helper.from_array(np.array(v, k), n) for n, v, k in (
            ("turned", [4, 2], np.int64), ("back", [2, 4], np.int64), ("zero", 0, np.float32))),
    ]  # fmt: skip
    shape = [2, 4]
    ends = [cases.float_input(name, shape) for name in ("x", "z")], [cases.float_input(o, shape) for o in outputs]
    return cases.save(path, nodes, *ends, constants, opset=18)


@settings(max_examples=25, deadline=None)
@given(models(), st.randoms(use_true_random=False), st.booleans())
def test_random_models_in_random_orders_on_random_devices(tmp_path_factory, model, random, fused):
    folder = tmp_path_factory.mktemp("cut")
    path = written(folder / "m.onnx", *model)
    graph = cases.graph_of(path, fused=fused)
    order, ready = [], [i for i in range(len(graph.operators)) if not graph.predecessors(i)]
    while ready:
        order.append(ready.pop(random.randrange(len(ready))))
        later = graph.successors(order[-1])
        ready += [s for s in later if s not in ready and set(graph.predecessors(s)) <= set(order)]
    places = [random.randrange(3) for _ in order]
    request = cases.request_for(path, lambda i, n: places[i], np.array(order, np.int32), fused=fused, pool=THREE)
    export_plan("ort-segments", replace(request, options=ON_CPU), folder / "out")
    made, before = [], {"x", "z"}
    for segment in request.partition.segments:
        graph = onnx.load(folder / f"out/segments/segment_{segment.index}.onnx").graph
        assert {item.name for item in graph.input} <= before, "a segment waits for a later one"
        before |= {item.name for item in graph.output}
        made += [node.output[0] for node in graph.node]
    whole = [node.output[0] for node in onnx.load(path).graph.node]
    planned = {tensor.name for tensor in request.plan.original.tensors if tensor.producer >= 0}
    assert [made.count(name) for name in whole if name in planned] == [1] * len(planned & set(whole))
    runner = load_runner(folder / "out")
    rng = np.random.default_rng(3)
    inputs = {name: rng.standard_normal((2, 4)).astype(np.float32) for name in ("x", "z")}
    with runner.Plan(str(folder / "out")) as plan:
        found = plan.run(inputs)
    for name, value in cases.run_whole(path, inputs).items():
        assert np.allclose(found[name], value, rtol=1e-5, atol=1e-6)
