"""Fusion: hand-worked clusters, and on random graphs a partition that is acyclic and loses nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper

from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph, Initializer, Operator, Tensor
from heteroopt.graph.samples import bert_encoder_onnx, onnx_light_model


def w(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def test_convolution_takes_its_normalisation_and_activation(read):
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], name="conv"),
        helper.make_node("BatchNormalization", ["c", "s", "b", "m", "v"], ["n"], name="bn"),
        helper.make_node("Relu", ["n"], ["r"], name="relu"),
        helper.make_node("MaxPool", ["r"], ["y"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
    ]
    weights = {"w": w(4, 3, 1, 1), **{name: w(4) for name in "sbmv"}}
    graph = read(nodes, {"x": [1, 3, 8, 8]}, ["y"], weights)
    fused = fuse(graph)
    assert [(op.name, op.op_type, op.members) for op in fused.operators] == [
        ("conv", "Conv", (0, 1, 2)),
        ("pool", "MaxPool", (3,)),
    ]
    conv = fused.operators[0]
    assert conv.attributes["fused"] == ["BatchNormalization", "Relu"]
    assert fused.member_types(0) == ("Conv", "BatchNormalization", "Relu")
    assert conv.flops == 2 * 4 * 64 * 3 + 2 * 4 * 64 + 4 * 64
    # Input, weight and the four vectors are read, the activation written; what passes inside is not moved.
    assert conv.bytes_read == 4 * (3 * 64 + 12 + 16)
    assert conv.bytes_written == 4 * 4 * 64
    assert conv.initializers == (0, 1, 2, 3, 4)
    assert [t.name for t in fused.tensors] == ["x", "r", "y"]
    assert fused.original is graph
    assert fuse(fused) == fused


def test_an_intermediate_with_two_readers_or_that_is_an_output_stays(read):
    nodes = [
        helper.make_node("Exp", ["x"], ["a"]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Abs", ["a"], ["c"]),
        helper.make_node("Add", ["b", "c"], ["d"]),
        helper.make_node("Neg", ["d"], ["y"]),
    ]
    fused = fuse(read(nodes, {"x": [8]}, ["y"]))
    assert [op.members for op in fused.operators] == [(0,), (1,), (2, 3, 4)]
    assert [t.name for t in fused.tensors] == ["x", "a", "b", "y"]
    shown = fuse(read(nodes, {"x": [8]}, ["d", "y"]))
    assert [op.members for op in shown.operators] == [(0,), (1,), (2, 3), (4,)]


def test_views_inside_a_cluster_pass_their_buffer_on(read):
    nodes = [
        helper.make_node("Flatten", ["x"], ["f"]),
        helper.make_node("Relu", ["f"], ["r"]),
        helper.make_node("Reshape", ["r", "shape"], ["y"]),
    ]
    fused = fuse(read(nodes, {"x": [2, 3, 4]}, ["y"], {"shape": np.array([4, 6])}))
    (op,) = fused.operators
    assert (op.op_type, op.op_class, op.is_view) == ("Relu", "elementwise", False)
    assert (op.bytes_read, op.bytes_written) == (96, 96)
    only_views = fuse(read([nodes[0], helper.make_node("Identity", ["f"], ["y"])], {"x": [2, 3, 4]}, ["y"]))
    assert [(op.is_view, op.bytes_read, op.members) for op in only_views.operators] == [(True, 0, (0, 1))]


def test_a_diamond_inside_does_not_close_a_cycle(read):
    # x -> a -> pool -> c and x -> a ... : the pool's branch must not end up both before and after a cluster.
    nodes = [
        helper.make_node("Relu", ["x"], ["a"]),
        helper.make_node("MaxPool", ["a"], ["p"], kernel_shape=[1, 1]),
        helper.make_node("Exp", ["a"], ["e"]),
        helper.make_node("Add", ["p", "e"], ["y"]),
    ]
    fused = fuse(read(nodes, {"x": [1, 1, 4, 4]}, ["y"]))
    assert [op.members for op in fused.operators] == [(0,), (1,), (2, 3)]
    assert fused.operators[2].inputs == (1, 2)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [("resnet50", 176, 57), ("densenet121", 668, 242), ("inception_v2", 371, 94), ("bert", 621, 248)],
)
def test_sample_models_shrink_by_more_than_thirty_percent(name, before, after):
    graph = Graph.from_onnx(bert_encoder_onnx() if name == "bert" else onnx_light_model(name))
    fused = fuse(graph)
    assert (len(graph.operators), len(fused.operators)) == (before, after)
    assert fused.flops == graph.flops
    assert fused.weight_bytes == graph.weight_bytes


KINDS = [
    ("Conv", "conv"), ("Relu", "elementwise"), ("Add", "elementwise"), ("BatchNormalization", "normalization"),
    ("Reshape", "view"), ("MatMul", "matmul"), ("Softmax", "softmax"),
]  # fmt: skip


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Random graphs with several outputs an operator, shared inputs, views, weights and colocation groups."""
    n = draw(st.integers(1, 14))
    names = [f"op{i}" for i in range(n)]
    shapes: list[int] = [draw(st.integers(1, 9))]
    producers, readers = [-1], [[]]
    operators = []
    for i in range(n):
        op_type, op_class = draw(st.sampled_from(KINDS))
        view = op_class == "view"
        count = 1 if view else draw(st.integers(1, 3))
        first = draw(st.integers(max(0, len(shapes) - 4), len(shapes) - 1))
        inputs = list(dict.fromkeys([first, *draw(st.lists(st.integers(0, len(shapes) - 1), max_size=count - 1))]))
        outputs = []
        for _ in range(1 if view else draw(st.sampled_from([1, 1, 1, 2]))):
            outputs.append(len(shapes))
            shapes.append(shapes[first] if view else draw(st.integers(1, 9)))
            producers.append(i)
            readers.append([])
        for t in inputs:
            readers[t].append(i)
        operators.append(
            Operator(
                i, names[i], op_type, "", op_class, tuple(inputs), tuple(outputs), (i % 3,) if i % 2 else (),
                0 if view else draw(st.integers(0, 50)), draw(st.sampled_from(["exact", "estimated"])),
                0 if view else sum(shapes[t] for t in inputs), 0 if view else sum(shapes[t] for t in outputs),
                "fp32", view, "", {}, (i,), draw(st.sampled_from(["", "", "", "g"])),
            )
        )  # fmt: skip
    produced = [i for i, p in enumerate(producers) if p >= 0]
    outputs = sorted(set(draw(st.lists(st.sampled_from(produced), min_size=1, max_size=3))))
    tensors = tuple(
        Tensor(i, f"t{i}", (shapes[i],), "uint8", shapes[i], "given", producers[i], tuple(readers[i]))
        for i in range(len(shapes))
    )
    weights = tuple(Initializer(i, f"w{i}", (5,), "uint8", 5) for i in range(3))
    return Graph("random", tuple(operators), tensors, weights, (0,), tuple(outputs))


@settings(max_examples=200, deadline=None)
@given(graphs())
def test_fusion_keeps_everything_and_stays_acyclic(graph: Graph):
    fused = fuse(graph)  # Graph refuses cycles and wrong order
    members = [m for op in fused.operators for m in op.members]
    assert sorted(members) == list(range(len(graph.operators)))
    assert all(list(op.members) == sorted(op.members) for op in fused.operators)
    assert fused.flops == graph.flops
    owner = {m: op.index for op in fused.operators for m in op.members}
    # The edges that remain are those of the original that are cut, with their sizes.
    cut = {
        (owner[e.source], owner[e.target], graph.tensors[e.tensor].name, e.size_bytes)
        for e in graph.edges
        if owner[e.source] != owner[e.target]
    }
    assert {(e.source, e.target, fused.tensors[e.tensor].name, e.size_bytes) for e in fused.edges} == cut
    assert {graph.tensors[t].name for t in graph.outputs} == {fused.tensors[t].name for t in fused.outputs}
    for op in fused.operators:
        inside = [graph.operators[m] for m in op.members]
        assert {o.colocation for o in inside} == {op.colocation}
        assert set(op.initializers) == {i for o in inside for i in o.initializers}
        assert op.bytes_read <= sum(o.bytes_read for o in inside)
        assert op.bytes_written <= sum(o.bytes_written for o in inside)
        assert op.is_view == all(o.is_view for o in inside)
        # One exit: every member but the last is read inside the cluster only.
        for member in op.members[:-1]:
            assert all(owner[reader] == op.index for reader in graph.successors(member))
    assert Graph.from_dict(fused.to_dict()) == fused


def test_colocation_groups_are_not_mixed(read):
    chain = [("Exp", "x", "a"), ("Abs", "a", "b"), ("Neg", "b", "y")]
    graph = read([helper.make_node(kind, [before], [after]) for kind, before, after in chain], {"x": [4]}, ["y"])
    marked = [replace(op, colocation="g" if op.index else "") for op in graph.operators]
    assert [op.members for op in fuse(replace(graph, operators=tuple(marked))).operators] == [(0,), (1, 2)]
