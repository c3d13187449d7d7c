"""Sequences and optional values: how many tensors, how many bytes, and the shapes that come out of them."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from heteroopt.graph.onnx_reader import inspect_onnx, read_onnx
from tests.engine.graph.conftest import build_model, info


def by_name(graph):
    return {tensor.name: tensor for tensor in graph.tensors}


def sizes(nodes, outputs, weights=None, inputs=None, **options):
    built = build_model(nodes, inputs or {"a": [4, 5], "b": [4, 5]}, outputs, weights, **options)
    return by_name(read_onnx(built.SerializeToString()))


def test_a_sequence_is_as_large_as_its_tensors():
    found = sizes(
        [
            helper.make_node("SequenceConstruct", ["a", "b", "c"], ["s"]),
            helper.make_node("SequenceInsert", ["s", "a"], ["longer"]),
            helper.make_node("SequenceErase", ["longer", "i"], ["shorter"]),
            helper.make_node("SequenceAt", ["shorter", "i"], ["t"]),
            helper.make_node("Relu", ["t"], ["y"]),
        ],
        ["y"],
        {"i": np.array(1)},
        {"a": [4, 5], "b": [4, 5], "c": [4, 5]},
    )
    assert {name: found[name].size_bytes for name in ("s", "longer", "shorter")} == {
        "s": 240, "longer": 320, "shorter": 240,
    }  # fmt: skip
    assert found["s"].size_source == "inferred"
    assert (found["y"].shape, found["y"].size_source) == ((4, 5), "inferred")


@pytest.mark.parametrize(
    ("attributes", "shape"), [({"axis": 0}, (8, 5)), ({"axis": 1}, (4, 10)), ({"axis": 0, "new_axis": 1}, (2, 4, 5))]
)
def test_a_joined_sequence_has_the_shape_that_it_is_computed_to_have(attributes, shape):
    nodes = [
        helper.make_node("SequenceConstruct", ["a", "b"], ["s"]),
        helper.make_node("ConcatFromSequence", ["s"], ["y"], **attributes),
    ]
    found = sizes(nodes, ["y"])
    assert (found["y"].shape, found["y"].size_source) == (shape, "inferred")
    built = build_model(nodes, {"a": [4, 5], "b": [4, 5]}, ["y"])
    zeros = np.zeros((4, 5), np.float32)
    assert ReferenceEvaluator(built).run(None, {"a": zeros, "b": zeros})[0].shape == shape


def test_a_split_sequence_keeps_the_bytes_and_counts_its_parts():
    found = sizes(
        [
            helper.make_node("SplitToSequence", ["a", "two"], ["s"], axis=1),
            helper.make_node("SequenceLength", ["s"], ["n"]),
        ],
        ["n", "s"],
        {"two": np.array(2)},
        elements={"n": TensorProto.INT64},
    )
    assert (found["s"].size_bytes, found["s"].size_source) == (80, "inferred")


def test_an_input_that_is_a_sequence_asks_for_its_length():
    tensor = helper.make_tensor_type_proto(TensorProto.FLOAT, ["N", 8])
    item = helper.make_value_info("s", helper.make_sequence_type_proto(tensor))
    nodes = [helper.make_node("SequenceAt", ["s", "i"], ["t"]), helper.make_node("Relu", ["t"], ["y"])]
    built = build_model(nodes, {}, ["y"], {"i": np.array(0)})
    built.graph.input.append(item)
    data = built.SerializeToString()
    assert [(dim.name, dim.default) for dim in inspect_onnx(data).dynamic_dims] == [("s_length", 1), ("N", 1)]
    found = by_name(read_onnx(data, {"s_length": 6, "N": 3}))
    assert (found["s"].size_bytes, found["s"].size_source) == (6 * 3 * 8 * 4, "bound")


def test_an_optional_holds_what_it_holds():
    found = sizes(
        [
            helper.make_node("Optional", ["a"], ["o"]),
            helper.make_node("OptionalGetElement", ["o"], ["t"]),
            helper.make_node("Relu", ["t"], ["y"]),
        ],
        ["y"],
    )
    assert found["o"].size_bytes == 80
    assert (found["y"].shape, found["y"].size_source) == ((4, 5), "inferred")


def test_a_map_over_a_sequence_runs_once_for_each_tensor():
    body = helper.make_graph(
        [helper.make_node("MatMul", ["e", "w"], ["o"])], "b", [info("e", [4, 5])], [info("o", None)]
    )
    nodes = [
        helper.make_node("SequenceConstruct", ["a", "b"], ["s"]),
        helper.make_node("SequenceMap", ["s"], ["mapped"], name="map", body=body),
        helper.make_node("SequenceAt", ["mapped", "i"], ["t"]),
        helper.make_node("Relu", ["t"], ["y"]),
    ]
    weights = {"w": np.zeros((5, 7), np.float32), "i": np.array(0)}
    built = build_model(nodes, {"a": [4, 5], "b": [4, 5]}, ["y"], weights)
    graph = read_onnx(built.SerializeToString())
    mapped = next(op for op in graph.operators if op.op_type == "SequenceMap")
    assert (mapped.flops, mapped.flops_source) == (2 * 2 * 4 * 5 * 7, "exact")
    found = by_name(graph)
    assert (found["mapped"].size_bytes, found["y"].shape) == (2 * 4 * 7 * 4, (4, 7))
