"""The precision that operators compute in, and what passes between clusters, in quantised models."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from heteroopt.graph.fusion import fuse
from heteroopt.graph.onnx_reader import read_onnx
from tests.engine.graph.conftest import build_model

SCALES = {"s": np.float32(0.1), "z": np.uint8(128), "zw": np.int8(0)}


def q(x: str) -> object:
    return helper.make_node("QuantizeLinear", [x, "s", "z"], [f"{x}_q"], name=f"{x}/q")


def dq(x: str) -> object:
    return helper.make_node("DequantizeLinear", [f"{x}_q", "s", "z"], [f"{x}_f"], name=f"{x}/dq")


def dqw(x: str) -> object:
    return helper.make_node("DequantizeLinear", [x, "s", "zw"], [f"{x}_f"], name=f"{x}/dq")


def convolutions() -> bytes:
    """x -> Q -> DQ -> Conv -> Relu -> Q -> DQ -> Conv -> Q -> DQ -> Add (both) -> Q -> DQ -> Sigmoid."""
    nodes = [
        q("x"), dq("x"), dqw("w"),
        helper.make_node("Conv", ["x_f", "w_f", "b"], ["c"], name="conv"),
        helper.make_node("Relu", ["c"], ["r"], name="relu"),
        q("r"), dq("r"),
        helper.make_node("Conv", ["r_f", "w_f"], ["c2"], name="conv2"),
        q("c2"), dq("c2"),
        helper.make_node("Add", ["c2_f", "c2_f"], ["a"], name="add"),
        q("a"), dq("a"),
        helper.make_node("Sigmoid", ["a_f"], ["y"], name="sigmoid"),
    ]  # fmt: skip
    weights = {**SCALES, "w": np.zeros((4, 4, 1, 1), np.int8), "b": np.zeros(4, np.float32)}
    return build_model(nodes, {"x": [1, 4, 8, 8]}, ["y"], weights).SerializeToString()


def test_operators_between_dequantise_and_quantise_run_in_int8():
    graph = read_onnx(convolutions())
    found = {op.name: op.precision for op in graph.operators}
    assert {name: found[name] for name in ("conv", "relu", "conv2", "add", "sigmoid")} == {
        "conv": "int8", "relu": "int8", "conv2": "int8", "add": "int8", "sigmoid": "fp32",
    }  # fmt: skip
    assert graph.weight_bytes == 16 + 16 + 4  # the weight as stored, bias and scale in float32


def test_quantised_numbers_pass_between_clusters():
    fused = fuse(read_onnx(convolutions()))
    assert [(op.name, op.precision) for op in fused.operators] == [
        ("x/q", "fp32"),
        ("conv", "int8"),
        ("conv2", "int8"),
        ("add", "int8"),
        ("sigmoid", "fp32"),
    ]
    between = [fused.tensors[edge.tensor] for edge in fused.edges]
    assert {tensor.dtype for tensor in between} == {"uint8"}
    assert {tensor.size_bytes for tensor in between} == {256}


def test_weights_in_few_bits_do_not_make_the_arithmetic_so():
    weight = helper.make_tensor("w", TensorProto.INT4, [64, 64], np.zeros(64 * 64 // 2, np.uint8).tobytes(), raw=True)
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "half"], ["w_f"]),
        helper.make_node("MatMul", ["x", "w_f"], ["y"], name="product"),
    ]
    built = build_model(nodes, {"x": [2, 64]}, ["y"], {"half": np.float16(0.5)}, opset=21,
                        elements={"x": TensorProto.FLOAT16, "y": TensorProto.FLOAT16})  # fmt: skip
    built.graph.initializer.append(weight)
    graph = read_onnx(built.SerializeToString())
    (op,) = graph.operators
    assert (op.precision, graph.weight_bytes) == ("fp16", 64 * 64 // 2)


def test_a_product_of_quantised_numbers_with_a_floating_result_runs_in_int8():
    nodes = [q("x"), dq("x"), dqw("w"), helper.make_node("MatMul", ["x_f", "w_f"], ["y"], name="product")]
    built = build_model(nodes, {"x": [2, 64]}, ["y"], {**SCALES, "w": np.zeros((64, 8), np.int8)})
    assert read_onnx(built.SerializeToString()).operators[-1].precision == "int8"
    floating = build_model([*nodes[:2], helper.make_node("MatMul", ["x_f", "w"], ["y"], name="product")],
                           {"x": [2, 64]}, ["y"], {**SCALES, "w": np.zeros((64, 8), np.float32)})  # fmt: skip
    assert read_onnx(floating.SerializeToString()).operators[-1].precision == "fp32"


def test_one_floating_input_makes_the_operator_floating():
    nodes = [q("x"), dq("x"), helper.make_node("Add", ["x_f", "other"], ["a"], name="add"), q("a")]
    built = build_model(nodes, {"x": [4], "other": [4]}, ["a_q"], SCALES, elements={"a_q": TensorProto.UINT8})
    found = {op.name: op.precision for op in read_onnx(built.SerializeToString()).operators}
    assert found["add"] == "fp32"


@pytest.mark.parametrize(
    ("element", "bits", "precision"),
    [
        (TensorProto.FLOAT16, 16, "fp16"),
        (TensorProto.BFLOAT16, 16, "bf16"),
        (TensorProto.FLOAT, 32, "fp32"),
        (TensorProto.DOUBLE, 64, "fp64"),
    ],
)
def test_floating_types(element, bits, precision):
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    built = build_model(nodes, {"x": [3, 5]}, ["y"], elements={"x": element, "y": element})
    built.graph.initializer.append(helper.make_tensor("w", element, [5, 7], bytes(35 * bits // 8), raw=True))
    graph = read_onnx(built.SerializeToString())
    assert (graph.operators[0].precision, graph.weight_bytes) == (precision, 35 * bits // 8)
    assert [tensor.size_bytes for tensor in graph.tensors] == [15 * bits // 8, 21 * bits // 8]


@pytest.mark.parametrize(
    ("element", "bits"),
    [
        (TensorProto.FLOAT8E4M3FN, 8),
        (TensorProto.FLOAT8E5M2FNUZ, 8),
        (TensorProto.INT4, 4),
        (TensorProto.UINT4, 4),
        (TensorProto.FLOAT4E2M1, 4),
    ],
)
def test_packed_types_count_their_packed_bytes(element, bits):
    """Fifteen elements of four bits are eight bytes, as weights and as activations."""
    nodes = [helper.make_node("Cast", ["x"], ["h"], to=element), helper.make_node("Cast", ["h"], ["y"], to=1)]
    built = build_model(nodes, {"x": [3, 5]}, ["y"], opset=23)
    graph = read_onnx(built.SerializeToString())
    assert graph.tensors[1].size_bytes == (15 * bits + 7) // 8
    assert graph.tensors[1].dtype == TensorProto.DataType.Name(element).lower()


def test_integer_products_run_in_int8():
    nodes = [helper.make_node("MatMulInteger", ["x", "w"], ["y"])]
    built = build_model(nodes, {"x": [3, 5]}, ["y"], elements={"x": TensorProto.UINT8, "y": TensorProto.INT32})
    built.graph.initializer.append(numpy_helper.from_array(np.zeros((5, 7), np.int8), "w"))
    (op,) = read_onnx(built.SerializeToString()).operators
    assert (op.precision, op.flops) == ("int8", 2 * 3 * 5 * 7)
