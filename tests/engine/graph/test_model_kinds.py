"""Files as exporters of every age write them: opsets, old ways to declare weights, odd names, odd dimensions."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from heteroopt.errors import ModelError
from heteroopt.graph.dimension_formula import formula_size
from heteroopt.graph.dimension_names import default_size
from heteroopt.graph.onnx_reader import inspect_onnx, read_onnx
from tests.engine.graph.conftest import build_model, info


@pytest.mark.parametrize("opset", range(7, onnx.defs.onnx_opset_version() + 1))
def test_one_network_in_every_opset(opset):
    """The same convolutional network as each opset writes it costs the same."""
    weights = {
        "w": np.zeros((8, 3, 3, 3), np.float32), **{name: np.ones(8, np.float32) for name in "sbmv"},
        "fc": np.zeros((8 * 16, 10), np.float32), "target": np.array([1, -1]), "axes": np.array([1]),
    }  # fmt: skip
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1], name="conv"),
        helper.make_node("BatchNormalization", ["c", "s", "b", "m", "v"], ["n"], name="norm"),
        helper.make_node("Clip", ["n"], ["r"], name="relu6", **({} if opset >= 11 else {"min": 0.0, "max": 6.0})),
        helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2], name="pool"),
        helper.make_node("Reshape", ["p", "target"], ["f"], name="flat"),
        helper.make_node("Gemm", ["f", "fc", "zero"] if opset < 11 else ["f", "fc"], ["g"], name="gemm"),
        helper.make_node("Softmax", ["g"], ["q"], axis=1, name="softmax"),
    ]
    if opset >= 13:
        nodes.append(helper.make_node("ReduceSum", ["q", "axes"], ["y"], name="sum"))
    else:
        nodes.append(helper.make_node("ReduceSum", ["q"], ["y"], axes=[1], name="sum"))
    weights["zero"] = np.zeros(10, np.float32)
    graph = read_onnx(build_model(nodes, {"x": [1, 3, 8, 8]}, ["y"], weights, opset=opset).SerializeToString())
    flops = {op.name: op.flops for op in graph.operators}
    assert flops["conv"] == 2 * 8 * 64 * 27
    assert flops["gemm"] == 2 * 128 * 10
    assert {tensor.name: tensor.shape for tensor in graph.tensors}["y"] == (1, 1)
    assert {op.flops_source for op in graph.operators} == {"exact"}
    assert graph.notes == ()


def test_weights_listed_as_inputs_too_are_weights():
    """IR version 3 wanted every initializer among the inputs."""
    built = build_model([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": ["N", 8], "w": [8, 4]}, ["y"],
                        {"w": np.zeros((8, 4), np.float32)})  # fmt: skip
    built.ir_version = 3
    graph = read_onnx(built.SerializeToString())
    assert [graph.tensors[t].name for t in graph.inputs] == ["x"]
    assert graph.parameters == 32
    assert [dim.name for dim in inspect_onnx(built.SerializeToString()).dynamic_dims] == ["N"]


def test_missing_and_repeated_names_of_operators():
    nodes = [helper.make_node("Relu", ["x"], ["a"], name="same"), helper.make_node("Relu", ["a"], ["b"], name="same"),
             helper.make_node("Exp", ["b"], ["c"]), helper.make_node("Exp", ["c"], ["y"])]  # fmt: skip
    graph = read_onnx(build_model(nodes, {"x": [4]}, ["y"]).SerializeToString())
    assert [op.name for op in graph.operators][:2] == ["same", "same_2"]
    assert len({op.name for op in graph.operators}) == 4
    again = read_onnx(build_model(nodes, {"x": [4]}, ["y"]).SerializeToString())
    assert again.content_hash == graph.content_hash


def test_two_values_of_one_name_are_refused():
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Exp", ["x"], ["y"])]
    with pytest.raises(ModelError) as caught:
        read_onnx(build_model(nodes, {"x": [4]}, ["y"]).SerializeToString())
    assert (caught.value.code, caught.value.params["value"]) == ("duplicate_name", "y")


def test_sizes_below_one_are_dynamic():
    built = build_model([helper.make_node("Relu", ["x"], ["y"])], {"x": [-1, 3, 0, -1]}, ["y"])
    dims = inspect_onnx(built.SerializeToString()).dynamic_dims
    assert [(dim.name, dim.default) for dim in dims] == [("x_dim_0", 1), ("x_dim_2", 224), ("x_dim_3", 224)]
    graph = read_onnx(built.SerializeToString(), {"x_dim_0": 2, "x_dim_2": 32})
    assert graph.tensors[0].shape == (2, 3, 32, 224)
    assert [note["params"] for note in graph.notes] == [{"dimension": "x_dim_3", "value": 224}]


@pytest.mark.parametrize(
    ("parameter", "axis", "rank", "element", "size"),
    [
        ("batch_size", 0, 2, TensorProto.INT64, 1),
        ("N", 0, 4, TensorProto.FLOAT, 1),
        ("sequence_length", 1, 2, TensorProto.INT64, 128),
        ("seq", 1, 3, TensorProto.FLOAT, 128),
        ("past_sequence_length", 2, 4, TensorProto.FLOAT, 128),
        ("height", 2, 4, TensorProto.FLOAT, 224),
        ("w", 3, 4, TensorProto.FLOAT, 224),
        ("", 3, 4, TensorProto.FLOAT, 224),
        ("", 1, 4, TensorProto.FLOAT, 1),
        ("?", 1, 2, TensorProto.INT64, 128),
        ("", 1, 2, TensorProto.FLOAT, 1),
        ("num_boxes", 0, 2, TensorProto.FLOAT, 1),
        ("DynamicDimension.1", 3, 4, TensorProto.FLOAT, 224),
        ("unk__6", 0, 4, TensorProto.FLOAT, 1),
    ],
)
def test_sizes_that_are_suggested(parameter, axis, rank, element, size):
    assert default_size(parameter, axis, rank, element) == size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("n", 7), ("n + 1", 8), ("2*n", 14), ("floor(n/2)", 3), ("floor(n/2 - 1/2) + 1", 4), ("Max(1, n - 9)", 1),
        ("n - 7", None), ("m", None), ("m + 1", None), ("n.bit_length()", None), ("__import__('os')", None),
        ("n / 2", None), ("(" * 300, None), ("9 ** 9", None), ("", None), ("n // 0", None), ("True + n", None),
    ],
)  # fmt: skip
def test_formulas_of_dimensions(text, size):
    assert formula_size(text, {"n": 7}) == size


def test_a_model_of_five_thousand_operators_stays_small_in_notes_and_keeps_its_edges():
    """A long chain of branches without one shape that is known: noted up to a bound, never without a size."""
    nodes, last = [], "x"
    for i in range(2500):
        nodes += [helper.make_node("Unknown", [last], [f"a{i}"], domain="com.example", name=f"a{i}"),
                  helper.make_node("Add", [f"a{i}", last], [f"b{i}"], name=f"b{i}")]  # fmt: skip
        last = f"b{i}"
    built = build_model(nodes, {"x": [1, 64]}, [last], domains=("com.example",))
    graph = read_onnx(built.SerializeToString())
    assert (len(graph.operators), len(graph.edges)) == (5000, 3 * 2500 - 2)
    assert min(tensor.size_bytes for tensor in graph.tensors) > 0
    assert min(op.bytes_read + op.bytes_written for op in graph.operators) > 0
    assert len(graph.notes) < 400


def test_values_of_shape_operators_reach_a_product_with_the_batch_left_out():
    """x[N, 3, 8, 8] flattened by numbers from its own shape; N is asked for once, under either way to leave it out."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "zero"], ["n"]),
        helper.make_node("Unsqueeze", ["n", "axis"], ["n1"]),
        helper.make_node("Concat", ["n1", "rest"], ["target"], axis=0),
        helper.make_node("Reshape", ["x", "target"], ["flat"]),
        helper.make_node("MatMul", ["flat", "w"], ["y"]),
    ]
    weights = {"zero": np.array(0), "axis": np.array([0]), "rest": np.array([-1]), "w": np.zeros((192, 10), np.float32)}
    for batch in ("N", None):
        built = build_model(nodes, {"x": [batch, 3, 8, 8]}, ["y"], weights)
        assert len(inspect_onnx(built.SerializeToString()).dynamic_dims) == 1
        graph = read_onnx(built.SerializeToString())
        assert {tensor.size_source for tensor in graph.tensors} == {"bound", "inferred"}
        assert all(op.flops > 0 or op.is_view for op in graph.operators)


def test_sparse_weights_and_text():
    sparse = helper.make_sparse_tensor(
        numpy_helper.from_array(np.array([1.0], np.float32), "w"), numpy_helper.from_array(np.array([3]), "i"), [8, 4]
    )
    built = build_model([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": [2, 8]}, ["y"])
    built.graph.sparse_initializer.append(sparse)
    assert read_onnx(built.SerializeToString()).parameters == 32
    texts = build_model([helper.make_node("StringNormalizer", ["t"], ["y"])], {}, ["y"], opset=17,
                        elements={"y": TensorProto.STRING})  # fmt: skip
    texts.graph.input.append(info("t", [3], TensorProto.STRING))
    (op,) = read_onnx(texts.SerializeToString()).operators
    assert op.bytes_written > 0
