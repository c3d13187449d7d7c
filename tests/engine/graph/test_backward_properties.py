"""Training steps of random networks: every weight is updated once and after all its readers; fusion stays legal."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, helper

from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph
from heteroopt.graph.onnx_reader import read_onnx
from heteroopt.graph.passes import OPTIMIZERS, expand_backward
from tests.engine.graph.conftest import build_model

UNARY = ["Relu", "Tanh", "Erf", "Exp", "Softmax", "Transpose", "Neg", "Identity", "Floor", "Mish", "Dropout"]
UPDATES = {optimizer.op_type for optimizer in OPTIMIZERS.values()}


@st.composite
def networks(draw: st.DrawFn) -> ModelProto:
    """Networks of [4, 4] tensors with branches, residuals, tied weights, views, dead ends and several outputs."""
    matrices = [f"w{i}" for i in range(draw(st.integers(1, 3)))]
    vectors = [f"b{i}" for i in range(2)]
    nodes, known = [], ["x"]
    for k in range(draw(st.integers(1, 12))):
        a, b = (draw(st.sampled_from(known[-4:])) for _ in range(2))
        kind = draw(
            st.sampled_from(["MatMul", "Gemm", "MatMulBoth", "Bias", "Add", "Sub", "Mul", "Div", "LN", "unary"])
        )
        if kind == "MatMul":
            node = ("MatMul", [a, draw(st.sampled_from(matrices))])
        elif kind == "Gemm":
            node = ("Gemm", [a, draw(st.sampled_from(matrices)), draw(st.sampled_from(vectors))])
        elif kind == "MatMulBoth":
            node = ("MatMul", [a, b])
        elif kind == "Bias":
            node = (draw(st.sampled_from(["Add", "Mul", "Sub", "Div"])), [a, draw(st.sampled_from(vectors))])
        elif kind == "LN":
            node = ("LayerNormalization", [a, *vectors])
        elif kind == "unary":
            node = (draw(st.sampled_from(UNARY)), [a])
        else:
            node = (kind, [a, b])
        nodes.append(helper.make_node(node[0], node[1], [f"t{k}"], name=f"op{k}"))
        known.append(f"t{k}")
    nodes.append(helper.make_node("MatMul", [known[-1], matrices[0]], ["y"], name="last"))
    outputs = ["y", *draw(st.lists(st.sampled_from(known[1:]), max_size=1))]
    weights = {name: np.zeros((4, 4), np.float32) for name in matrices}
    weights |= {name: np.zeros(4, np.float32) for name in vectors}
    return build_model(nodes, {"x": [4, 4]}, outputs, weights, opset=18)


def ancestors(graph: Graph) -> list[set[int]]:
    above: list[set[int]] = []
    for op in graph.operators:
        direct = graph.predecessors(op.index)
        above.append(set(direct).union(*(above[p] for p in direct)))
    return above


@settings(max_examples=120, deadline=None)
@given(networks(), st.sampled_from(sorted(OPTIMIZERS)))
def test_every_weight_is_updated_once_where_it_is_and_after_it_was_read(model, optimizer):
    graph = read_onnx(model.SerializeToString())
    step = expand_backward(graph, optimizer=optimizer)
    above = ancestors(step)
    updates = [op for op in step.operators if op.op_type in UPDATES]
    updated = [op.initializers[0] for op in updates]
    assert len(set(updated)) == len(updated)
    for op in updates:
        assert op.outputs == ()
        assert op.colocation
        weight, *states = op.initializers
        readers = [o for o in step.operators if weight in o.initializers and o.index != op.index]
        assert readers
        assert {o.colocation for o in readers} == {op.colocation}
        assert {o.index for o in readers} <= above[op.index]
        assert len(states) == len(OPTIMIZERS[optimizer].states)
        assert not [o for o in step.operators if set(states) & set(o.initializers) and o.index != op.index]
        assert step.tensors[op.inputs[0]].size_bytes == step.initializers[weight].size_bytes
    # Every matrix that influences y, the first output, is trained.
    loss = next(op for op in step.operators if op.name == "loss/y")
    differentiable = {o.index for o in graph.operators if o.op_type not in ("Floor",)}
    for op in graph.operators:
        if op.op_type in ("MatMul", "Gemm") and op.initializers and op.index in above[loss.index] & differentiable:
            reach = [o for o in graph.operators if o.op_type == "Floor" and op.index in above[o.index]]
            assert reach or op.initializers[0] in updated


@settings(max_examples=120, deadline=None)
@given(networks())
def test_the_forward_part_is_kept_and_data_survive_a_round_trip(model):
    graph = read_onnx(model.SerializeToString())
    step = expand_backward(graph)
    n = len(graph.operators)
    for before, after in zip(graph.operators, step.operators[:n], strict=True):
        assert (before.name, before.inputs, before.outputs, before.flops, before.bytes_read) == (
            after.name, after.inputs, after.outputs, after.flops, after.bytes_read,
        )  # fmt: skip
    # Nothing of the backward pass feeds the forward pass.
    assert all(step.tensors[t].producer < n for op in step.operators[:n] for t in op.inputs)
    again = Graph.from_dict(json.loads(json.dumps(step.to_dict())))
    assert again == step
    assert again.content_hash == step.content_hash
    assert step.content_hash != graph.content_hash
    assert expand_backward(graph) == step


@settings(max_examples=120, deadline=None)
@given(networks())
def test_gradients_have_the_size_of_what_they_are_of_and_are_used(model):
    graph = read_onnx(model.SerializeToString())
    step = expand_backward(graph)
    forward = {tensor.name: tensor.size_bytes for tensor in (*graph.tensors, *graph.initializers)}
    for op in step.operators[len(graph.operators) :]:
        for t in op.outputs:
            tensor = step.tensors[t]
            if tensor.name.startswith("gradient/"):
                of = tensor.name.removeprefix("gradient/")
                of = of if of in forward else of.rpartition("_")[0]
                assert tensor.size_bytes == forward[of]
                assert tensor.consumers


@settings(max_examples=120, deadline=None)
@given(networks())
def test_fusion_of_a_step_loses_nothing_and_mixes_no_groups(model):
    step = expand_backward(read_onnx(model.SerializeToString()))
    fused = fuse(step)  # its constructor refuses cycles
    assert sorted(m for op in fused.operators for m in op.members) == list(range(len(step.operators)))
    assert fused.flops == step.flops
    assert len(fused.operators) < len(step.operators)
    for op in fused.operators:
        assert {step.operators[m].colocation for m in op.members} == {op.colocation}
        assert op.bytes_read <= sum(step.operators[m].bytes_read for m in op.members)
    # What a gradient operator reads again stands in memory until then: it leaves its cluster.
    kept = {step.tensors[t].name for op in step.operators for t in op.inputs if op.scope.startswith("backward")}
    shown = {tensor.name for tensor in fused.tensors}
    owner = {m: op.index for op in fused.operators for m in op.members}
    for tensor in step.tensors:
        crosses = any(owner[c] != owner.get(tensor.producer, -1) for c in tensor.consumers)
        if tensor.name in kept and crosses:
            assert tensor.name in shown
