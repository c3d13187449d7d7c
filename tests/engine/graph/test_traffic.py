"""Bytes that operators move, what counts as a weight, and the cost of control flow."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

from tests.engine.graph.conftest import info


def w(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def test_activations_weights_and_outputs_are_moved_once(read):
    node = helper.make_node("Gemm", ["a", "b", "c"], ["y"])
    (op,) = read([node], {"a": [3, 5]}, ["y"], {"b": w(5, 7), "c": w(7)}).operators
    assert (op.bytes_read, op.bytes_written) == (4 * (15 + 35 + 7), 4 * 21)
    (square,) = read([helper.make_node("Mul", ["x", "x"], ["y"])], {"x": [4]}, ["y"]).operators
    assert (square.inputs, square.bytes_read, square.bytes_written) == ((0,), 16, 16)


def test_an_embedding_reads_the_rows_it_needs_and_keeps_the_whole_table(read):
    node = helper.make_node("Gather", ["table", "ids"], ["y"])
    graph = read([node], {"ids": [2, 3]}, ["y"], {"table": w(1000, 8)}, elements={"ids": TensorProto.INT64})
    (op,) = graph.operators
    assert op.op_class == "embedding"
    assert (op.bytes_read, op.bytes_written, op.flops) == (4 * 6 * 8 + 8 * 6, 4 * 6 * 8, 0)
    assert graph.weight_bytes == 32_000


def test_views_cost_nothing_and_share_their_input(read):
    nodes = [
        helper.make_node("Reshape", ["x", "shape"], ["r"]),
        helper.make_node("Dropout", ["r"], ["d", "mask"]),
        helper.make_node("Relu", ["d"], ["y"]),
    ]
    graph = read(nodes, {"x": [2, 6]}, ["y"], {"shape": np.array([3, 4])})
    assert [op.is_view for op in graph.operators] == [True, True, False]
    assert [(op.flops, op.bytes_read, op.bytes_written) for op in graph.operators[:2]] == [(0, 0, 0)] * 2
    assert [len(op.outputs) for op in graph.operators] == [1, 1, 1]  # the mask is not made at inference
    assert graph.initializers == ()  # a target shape is no weight
    assert graph.tensors[1].shape == (3, 4)


def test_a_reshaped_constant_with_a_dynamic_shape_is_no_view(read):
    node = helper.make_node("Reshape", ["c", "s"], ["y"])
    graph = read(
        [node], {"s": [2]}, ["y"], {"c": w(2, 6)}, elements={"s": TensorProto.INT64}, output_shapes={"y": [3, 4]}
    )
    (op,) = graph.operators
    assert (op.is_view, op.op_class, op.bytes_written) == (False, "movement", 48)


def test_tied_weights_are_one_initializer(read):
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"]),
        helper.make_node("Transpose", ["w"], ["wt"], perm=[1, 0]),
        helper.make_node("MatMul", ["h", "wt"], ["y"]),
    ]
    graph = read(nodes, {"x": [2, 5]}, ["y"], {"w": w(5, 7)})
    assert [op.op_type for op in graph.operators] == ["MatMul", "MatMul"]
    assert [op.initializers for op in graph.operators] == [(0,), (0,)]
    assert graph.parameters == 35


def branch(name: str, repeats: int, captured: str = "x"):
    """A body that applies Exp to a tensor from outside ``repeats`` times."""
    names = [captured, *(f"{name}{i}" for i in range(repeats))]
    nodes = [helper.make_node("Exp", [names[i]], [names[i + 1]]) for i in range(repeats)]
    return helper.make_graph(nodes, name, [], [info(names[-1], None)])


def test_if_is_one_operator_with_the_cost_of_its_dearest_branch(read):
    nodes = [
        helper.make_node("Relu", ["a"], ["x"]),
        helper.make_node("If", ["c"], ["y"], then_branch=branch("t", 1), else_branch=branch("e", 3)),
    ]
    graph = read(nodes, {"a": [10], "c": []}, ["y"], elements={"c": TensorProto.BOOL})
    op = graph.operators[1]
    assert (op.op_type, op.op_class) == ("If", "control")
    assert [graph.tensors[t].name for t in op.inputs] == ["c", "x"]  # what a branch takes from outside is an input
    assert op.flops == 3 * 4 * 10
    assert op.bytes_written == 40 + 3 * 40
    assert graph.tensors[op.outputs[0]].shape == (10,)


def test_if_with_a_known_condition_costs_that_branch(read):
    nodes = [
        helper.make_node("Relu", ["a"], ["x"]),
        helper.make_node("If", ["c"], ["y"], then_branch=branch("t", 1), else_branch=branch("e", 3)),
    ]
    graph = read(nodes, {"a": [10]}, ["y"], {"c": np.array(True)})
    assert graph.operators[1].flops == 4 * 10


def loop_body():
    return helper.make_graph(
        [
            helper.make_node("Add", ["state", "k"], ["next"]),
            helper.make_node("Identity", ["go"], ["go_on"]),
            helper.make_node("Identity", ["next"], ["seen"]),
        ],
        "body",
        [info("i", [], TensorProto.INT64), info("go", [], TensorProto.BOOL), info("state", None)],
        [info("go_on", [], TensorProto.BOOL), info("next", None), info("seen", None)],
    )


def test_loop_with_known_trips_multiplies_its_body(read):
    node = helper.make_node("Loop", ["n", "", "s"], ["last", "all"], body=loop_body())
    graph = read([node], {"s": [10]}, ["last", "all"], {"n": np.array(7), "k": w(10)})
    (op,) = graph.operators
    assert op.flops == 7 * 10
    assert [graph.tensors[t].shape for t in op.outputs] == [(10,), (7, 10)]
    assert [graph.initializers[i].name for i in op.initializers] == ["k"]
    assert graph.notes == ()


def test_loop_with_unknown_trips_counts_once_and_says_so(read):
    node = helper.make_node("Loop", ["n", "", "s"], ["last", "all"], name="loop", body=loop_body())
    graph = read([node], {"s": [10], "n": []}, ["last"], {"k": w(10)}, elements={"n": TensorProto.INT64})
    assert graph.operators[0].flops == 10
    assert {"code": "trip_count_unknown", "params": {"operator": "loop", "assumed": 1}} in graph.notes


def test_scan_runs_its_body_along_the_scanned_axis(read):
    body = helper.make_graph(
        [helper.make_node("Add", ["state", "item"], ["next"]), helper.make_node("Identity", ["next"], ["out"])],
        "body",
        [info("state", None), info("item", None)],
        [info("next", None), info("out", None)],
    )
    node = helper.make_node("Scan", ["s", "x"], ["last", "all"], body=body, num_scan_inputs=1)
    graph = read([node], {"s": [4], "x": [6, 4]}, ["last", "all"])
    (op,) = graph.operators
    assert op.flops == 6 * 4
    assert [graph.tensors[t].shape for t in op.outputs] == [(4,), (6, 4)]


def test_an_unknown_operator_is_costed_by_its_bytes(read):
    node = helper.make_node("Magic", ["x"], ["y"], name="m", domain="com.example")
    graph = read([node], {"x": [10]}, ["y"], domains=("com.example",))
    (op,) = graph.operators
    assert (op.flops, op.flops_source, op.bytes_read, op.bytes_written, op.op_class) == (
        0,
        "bytes_only",
        40,
        40,
        "other",
    )
    assert [note["code"] for note in graph.notes] == ["size_estimated", "operator_unknown"]
    assert graph.tensors[1].size_source == "estimated"
