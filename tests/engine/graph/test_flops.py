"""FLOPs against numbers worked by hand; FLOP = 2 x MAC."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from heteroopt.graph.graph import Graph
from heteroopt.graph.samples import bert_encoder_onnx, onnx_light_model


def w(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def macs(graph: Graph) -> int:
    (op,) = graph.operators
    assert op.flops_source == "exact"
    assert op.flops % 2 == 0
    return op.flops // 2


@pytest.mark.parametrize(
    ("channels", "weight", "attributes", "expected"),
    [
        # input elements x outputs of a group x kernel
        (4, (4, 6, 4, 4), {"strides": [2, 2], "pads": [1, 1, 1, 1]}, 49_152),
        (4, (4, 1, 3, 3), {"group": 4}, 4_608),
        (6, (6, 2, 2, 2), {"group": 3}, 6_144),
    ],
)
def test_transposed_convolution(read, channels, weight, attributes, expected):
    node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], **attributes)
    assert macs(read([node], {"x": [2, channels, 8, 8]}, ["y"], {"w": w(*weight)})) == expected


@pytest.mark.parametrize(
    ("channels", "weight", "attributes", "expected", "op_class"),
    [
        # output elements x channels of a group x kernel; output is 2 x M x 6 x 6 without padding
        (4, (8, 4, 3, 3), {}, 2 * 8 * 36 * 4 * 9, "conv"),
        (4, (8, 2, 3, 3), {"group": 2}, 2 * 8 * 36 * 2 * 9, "conv"),
        (4, (4, 1, 3, 3), {"group": 4}, 2 * 4 * 36 * 9, "depthwise_conv"),
        (4, (8, 4, 3, 3), {"strides": [2, 2], "pads": [1, 1, 1, 1]}, 2 * 8 * 16 * 4 * 9, "conv"),
        (4, (8, 4, 3, 3), {"dilations": [2, 2]}, 2 * 8 * 16 * 4 * 9, "conv"),
    ],
)
def test_convolution(read, channels, weight, attributes, expected, op_class):
    node = helper.make_node("Conv", ["x", "w", "b"], ["y"], **attributes)
    graph = read([node], {"x": [2, channels, 8, 8]}, ["y"], {"w": w(*weight), "b": w(weight[0])})
    assert macs(graph) == expected
    assert graph.operators[0].op_class == op_class


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((3, 5), (5, 7), 3 * 5 * 7),
        ((2, 3, 5), (5, 7), 2 * 3 * 5 * 7),
        ((2, 1, 3, 5), (4, 5, 7), 2 * 4 * 3 * 5 * 7),
        ((5,), (5, 7), 5 * 7),
        ((3, 5), (5,), 3 * 5),
    ],
)
def test_matrix_product_is_batched_and_broadcast(read, a, b, expected):
    graph = read([helper.make_node("MatMul", ["a", "b"], ["y"])], {"a": list(a), "b": list(b)}, ["y"])
    assert macs(graph) == expected


@pytest.mark.parametrize(("trans_a", "trans_b"), [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_gemm_with_transposed_operands(read, trans_a, trans_b):
    a, b = [5, 3] if trans_a else [3, 5], (7, 5) if trans_b else (5, 7)
    node = helper.make_node("Gemm", ["a", "b", "c"], ["y"], transA=trans_a, transB=trans_b)
    assert macs(read([node], {"a": a}, ["y"], {"b": w(*b), "c": w(7)})) == 3 * 5 * 7


@pytest.mark.parametrize(
    ("equation", "shapes", "expected"),
    [
        ("bij,bjk->bik", [(2, 3, 5), (2, 5, 7)], 2 * 3 * 5 * 7),
        ("bhqd,bhkd->bhqk", [(2, 4, 8, 16), (2, 4, 9, 16)], 2 * 4 * 8 * 9 * 16),
        ("...ij,...jk->...ik", [(2, 4, 3, 5), (2, 4, 5, 7)], 2 * 4 * 3 * 5 * 7),
    ],
)
def test_einsum_spans_all_its_letters(read, equation, shapes, expected):
    names = ["a", "b"][: len(shapes)]
    node = helper.make_node("Einsum", names, ["y"], equation=equation)
    graph = read([node], {name: list(shape) for name, shape in zip(names, shapes, strict=True)}, ["y"])
    assert macs(graph) == expected


@pytest.mark.parametrize(("op_type", "gates", "per_unit"), [("LSTM", 4, 17), ("GRU", 3, 15), ("RNN", 1, 5)])
def test_recurrent_cells(read, op_type, gates, per_unit):
    steps, batch, width, hidden = 10, 2, 3, 4
    node = helper.make_node(op_type, ["x", "w", "r"], ["y"], hidden_size=hidden, direction="bidirectional")
    weights = {"w": w(2, gates * hidden, width), "r": w(2, gates * hidden, hidden)}
    (op,) = read([node], {"x": [steps, batch, width]}, ["y"], weights).operators
    products = 2 * steps * batch * 2 * gates * hidden * (width + hidden)
    assert op.flops == products + steps * batch * 2 * hidden * per_unit
    assert op.op_class == "recurrent"


def test_quantised_products_count_the_same_and_run_in_int8(read):
    conv = helper.make_node("ConvInteger", ["x", "w"], ["y"])
    kinds = {"x": TensorProto.UINT8, "y": TensorProto.INT32}
    graph = read([conv], {"x": [1, 4, 8, 8]}, ["y"], {"w": np.zeros((8, 4, 3, 3), np.uint8)}, elements=kinds)
    assert macs(graph) == 8 * 36 * 4 * 9
    assert graph.operators[0].precision == "int8"
    assert graph.weight_bytes == 8 * 4 * 9


def test_attention_operator(read):
    node = helper.make_node("Attention", ["q", "k", "v"], ["y"], q_num_heads=4, kv_num_heads=2)
    shapes = {"q": [2, 5, 32], "k": [2, 7, 16], "v": [2, 7, 16]}
    (op,) = read([node], shapes, ["y"], opset=23).operators
    scores = 2 * 4 * 5 * 7
    assert op.flops == 2 * scores * 8 + 5 * scores + 2 * scores * 8
    assert op.op_class == "attention"


@pytest.mark.parametrize(
    ("node", "shape", "expected"),
    [
        (helper.make_node("Relu", ["x"], ["y"]), [2, 3], 6),
        (helper.make_node("Softmax", ["x"], ["y"]), [2, 3], 30),
        (helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], strides=[2, 2]), [1, 2, 4, 4], 8 * 4),
        (helper.make_node("GlobalAveragePool", ["x"], ["y"]), [1, 2, 4, 4], 32),
        (helper.make_node("ReduceMean", ["x"], ["y"], axes=[1]), [2, 3], 6),
        (helper.make_node("Transpose", ["x"], ["y"], perm=[1, 0]), [2, 3], 0),
        (helper.make_node("Identity", ["x"], ["y"]), [2, 3], 0),
    ],
)
def test_other_operators(read, node, shape, expected):
    (op,) = read([node], {"x": shape}, ["y"]).operators
    assert (op.flops, op.flops_source) == (expected, "exact")


@pytest.mark.parametrize(
    ("name", "gflop"),
    [("resnet50", 8.178368512), ("vgg19", 39.264124928), ("densenet121", 5.668323328), ("inception_v1", 2.863112704)],
)
def test_products_of_published_models(name, gflop):
    graph = Graph.from_onnx(onnx_light_model(name))
    products = sum(op.flops for op in graph.operators if op.op_class in ("conv", "depthwise_conv", "matmul"))
    assert products == round(gflop * 10**9)
    assert {op.flops_source for op in graph.operators} == {"exact"}


def test_products_of_bert_base():
    graph = Graph.from_onnx(bert_encoder_onnx())
    products = sum(op.flops for op in graph.operators if op.op_class == "matmul")
    # 12 layers: four projections, two of the feed-forward network, scores and context; then the pooler.
    layer = 128 * (4 * 768 * 768 + 2 * 768 * 3072) + 2 * 12 * 128 * 128 * 64
    assert products == 2 * (12 * layer + 768 * 768)
    assert round(products / 10**9, 2) == 22.35
