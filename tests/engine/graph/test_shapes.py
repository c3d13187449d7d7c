"""Shapes: binding, value propagation, stale declarations, and what happens where nothing is known."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from heteroopt.errors import ModelError
from heteroopt.graph.onnx_reader import inspect_onnx, read_onnx
from tests.engine.graph.conftest import info


def flattening_chain():
    """x -> Shape -> Gather -> Concat -> Reshape -> MatMul, as exporters flatten a feature map."""
    return [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "zero"], ["n"]),
        helper.make_node("Unsqueeze", ["n", "axis"], ["n1"]),
        helper.make_node("Concat", ["n1", "rest"], ["target"], axis=0),
        helper.make_node("Reshape", ["x", "target"], ["flat"]),
        helper.make_node("MatMul", ["flat", "w"], ["y"]),
    ]


CHAIN_WEIGHTS = {
    "zero": np.array(0),
    "axis": np.array([0]),
    "rest": np.array([-1]),
    "w": np.zeros((3 * 8 * 8, 10), np.float32),
}


@pytest.mark.parametrize("batch", ["N", None, -1])
@pytest.mark.parametrize("size", [1, 4])
def test_values_of_shape_operators_are_propagated(read, batch, size):
    name = "N" if batch == "N" else "x_dim_0"
    graph = read(flattening_chain(), {"x": [batch, 3, 8, 8]}, ["y"], CHAIN_WEIGHTS, dims={name: size})
    assert [op.op_type for op in graph.operators] == ["Reshape", "MatMul"]
    assert [t.shape for t in graph.tensors] == [(size, 3, 8, 8), (size, 192), (size, 10)]
    assert [t.size_source for t in graph.tensors] == ["bound", "inferred", "inferred"]
    assert graph.operators[1].flops == 2 * size * 192 * 10
    assert graph.dims == {name: size}
    assert graph.notes == ()


def test_a_question_mark_names_no_dimension(read):
    graph = read([helper.make_node("Relu", ["x"], ["y"])], {"x": ["?", 3, "?"]}, ["y"], dims={"x_dim_2": 7})
    assert graph.dims == {"x_dim_0": 1, "x_dim_2": 7}
    assert graph.tensors[1].shape == (1, 3, 7)


def test_an_unbound_dimension_is_one_and_noted(read):
    graph = read(flattening_chain(), {"x": ["N", 3, 8, 8]}, ["y"], CHAIN_WEIGHTS)
    assert graph.dims == {"N": 1}
    assert graph.notes == ({"code": "dimension_defaulted", "params": {"dimension": "N", "value": 1}},)


@pytest.mark.parametrize(
    ("dims", "code"),
    [({"M": 1}, "dimension_unknown"), ({"N": 0}, "dimension_invalid"), ({"N": 2.5}, "dimension_invalid")],
)
def test_wrong_bindings_are_refused(read, dims, code):
    with pytest.raises(ModelError) as caught:
        read(flattening_chain(), {"x": ["N", 3, 8, 8]}, ["y"], CHAIN_WEIGHTS, dims=dims)
    assert caught.value.code == code


def test_inspection_lists_what_can_be_bound(model):
    nodes = [helper.make_node("Concat", ["a", "b"], ["y"], axis=0)]
    built = model(nodes, {"a": ["N", 4], "b": ["N", None]}, ["y"], output_shapes={"y": ["M", 4]})
    found = inspect_onnx(built.SerializeToString())
    assert [(dim.name, dim.default, dim.used_by) for dim in found.dynamic_dims] == [
        ("N", 1, ["a[0]", "b[0]"]),
        ("b_dim_1", 1, ["b[1]"]),
    ]
    assert [(port.name, port.dtype, port.shape) for port in found.inputs] == [
        ("a", "float32", ["N", 4]),
        ("b", "float32", ["N", "b_dim_1"]),
    ]
    assert (found.opset, found.ir_version, found.n_nodes) == (17, 9, 1)


def test_stale_declarations_are_not_believed(model):
    built = model([helper.make_node("Relu", ["x"], ["h"]), helper.make_node("Exp", ["h"], ["y"])], {"x": [4]}, ["y"])
    built.graph.value_info.append(info("h", [999]))
    graph = read_onnx(built.SerializeToString())
    assert [t.shape for t in graph.tensors] == [(4,), (4,), (4,)]
    assert [note["code"] for note in graph.notes] == ["declaration_stale"]


def test_declarations_help_where_inference_cannot(model):
    nodes = [
        helper.make_node("Magic", ["x"], ["h"], domain="com.example"),
        helper.make_node("Relu", ["h"], ["y"]),
    ]
    built = model(nodes, {"x": ["N", 4]}, ["y"], domains=("com.example",))
    built.graph.value_info.append(info("h", ["N", 6], TensorProto.FLOAT16))
    graph = read_onnx(built.SerializeToString(), {"N": 5})
    assert [(t.shape, t.dtype, t.size_source) for t in graph.tensors[1:]] == [
        ((5, 6), "float16", "declared"),
        ((5, 6), "float16", "inferred"),
    ]


def test_unknown_sizes_are_estimated_listed_and_never_zero(read):
    nodes = [
        helper.make_node("NonZero", ["x"], ["where"], name="nz"),
        helper.make_node("Cast", ["where"], ["y"], to=TensorProto.FLOAT),
    ]
    graph = read(nodes, {"x": [4, 6]}, ["y"])
    where, y = graph.tensors[1:]
    # 2 x (unknown): guessed to hold about as many bytes as the input, 96.
    assert (where.shape, where.size_bytes, where.size_source) == ((2, 6), 96, "estimated")
    assert (y.size_bytes, y.size_source) == (48, "estimated")
    assert graph.operators[1].flops_source == "estimated"
    (note,) = graph.notes
    assert note["code"] == "size_estimated"
    assert note["params"] == {
        "tensor": "where",
        "operator": "nz",
        "op_type": "NonZero",
        "size_bytes": 96,
        "reason": "shape_unknown",
    }


def test_a_rule_that_fails_gives_its_reason(read):
    graph = read([helper.make_node("MatMul", ["a", "b"], ["y"])], {"a": [2, 3], "b": [4, 5]}, ["y"])
    (note,) = graph.notes
    assert note["code"] == "size_estimated"
    assert "Incompatible dimensions" in note["params"]["reason"]
    assert graph.tensors[2].size_bytes == 80


def test_an_input_without_shape_is_noted(read):
    graph = read([helper.make_node("Relu", ["x"], ["y"])], {"x": None}, ["y"])
    assert [t.size_bytes for t in graph.tensors] == [4, 4]
    assert [note["params"]["reason"] for note in graph.notes] == ["input_without_shape", "input_unknown"]


def test_sequences_carry_their_type(read):
    nodes = [
        helper.make_node("SequenceConstruct", ["a", "b"], ["s"]),
        helper.make_node("SequenceAt", ["s", "i"], ["t"]),
        helper.make_node("Relu", ["t"], ["y"]),
    ]
    graph = read(nodes, {"a": [4, 5], "b": [4, 5]}, ["y"], {"i": np.array(1)})
    assert graph.tensors[-1].shape == (4, 5)


def test_microsoft_operators_have_shapes_and_costs(read):
    nodes = [
        helper.make_node("FusedMatMul", ["x", "w"], ["h"], domain="com.microsoft", transB=1),
        helper.make_node("BiasGelu", ["h", "b"], ["y"], domain="com.microsoft"),
    ]
    weights = {"w": np.zeros((7, 5), np.float32), "b": np.zeros(7, np.float32)}
    graph = read(nodes, {"x": [3, 5]}, ["y"], weights, domains=("com.microsoft",))
    assert [t.shape for t in graph.tensors] == [(3, 5), (3, 7), (3, 7)]
    assert [op.flops for op in graph.operators] == [2 * 3 * 5 * 7, 9 * 21]
    assert [op.op_class for op in graph.operators] == ["matmul", "elementwise"]


def test_a_quantised_recurrent_cell(read):
    node = helper.make_node("DynamicQuantizeLSTM", ["x", "w", "r"], ["y", "h"], domain="com.microsoft", hidden_size=4)
    weights = {"w": np.zeros((1, 3, 16), np.int8), "r": np.zeros((1, 4, 16), np.int8)}
    graph = read([node], {"x": [10, 2, 3]}, ["y", "h"], weights, domains=("com.microsoft",))
    (op,) = graph.operators
    assert [graph.tensors[t].shape for t in op.outputs] == [(10, 1, 2, 4), (1, 2, 4)]
    assert op.flops == 2 * 10 * 2 * 4 * 4 * (3 + 4) + 10 * 2 * 4 * 17
    assert op.precision == "int8"


def test_an_input_of_unknown_shape_leaves_alone_what_does_not_depend_on_it(read):
    """The lengths of the mask are optional to attention; its result has the shape of the tokens."""
    nodes = [
        helper.make_node("Magic", ["x"], ["lengths"], domain="com.example"),
        helper.make_node("Attention", ["x", "w", "b", "lengths"], ["y"], domain="com.microsoft", num_heads=2),
    ]
    weights = {"w": np.zeros((8, 24), np.float32), "b": np.zeros(24, np.float32)}
    graph = read(nodes, {"x": [1, 5, 8]}, ["y"], weights, domains=("com.example", "com.microsoft"))
    assert (graph.tensors[2].shape, graph.tensors[2].size_source) == ((1, 5, 8), "inferred")


def test_every_output_of_fused_embeddings_and_normalisations_has_a_shape(read):
    nodes = [
        helper.make_node("EmbedLayerNormalization", ["ids", "", "words", "places", "", "g", "b"], ["e", "mask", "sum"],
                         domain="com.microsoft"),
        helper.make_node("SkipLayerNormalization", ["e", "sum", "g", "b"], ["n", "", "", "total"],
                         domain="com.microsoft"),
        helper.make_node("Add", ["n", "total"], ["y"]),
    ]  # fmt: skip
    weights = {"words": np.zeros((30, 8), np.float32), "places": np.zeros((9, 8), np.float32),
               "g": np.ones(8, np.float32), "b": np.zeros(8, np.float32)}  # fmt: skip
    graph = read(nodes, {"ids": [2, 5]}, ["y", "mask"], weights, domains=("com.microsoft",),
                 elements={"ids": TensorProto.INT32, "mask": TensorProto.INT32})  # fmt: skip
    shapes = {tensor.name: (tensor.shape, tensor.dtype) for tensor in graph.tensors}
    assert shapes["mask"] == ((2,), "int32")
    assert shapes["sum"] == shapes["total"] == shapes["y"] == ((2, 5, 8), "float32")
    assert {tensor.size_source for tensor in graph.tensors} == {"declared", "inferred"}
