"""FLOPs of attention operators and of other contractions of com.microsoft, against numbers worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from heteroopt.graph.flops import formula
from heteroopt.graph.flops_estimate import estimated_flops
from heteroopt.graph.flops_view import View
from heteroopt.graph.op_classes import CONTRACTIONS, OP_CLASS
from heteroopt.graph.values import Value

MICROSOFT = "com.microsoft"


def core(scores: int, head: int, value_head: int | None = None) -> int:
    """Two products and a softmax."""
    return scores * (2 * head + 5 + 2 * (head if value_head is None else value_head))


def one(read, op_type, inputs, *, domain=MICROSOFT, out=None, weights=None, opset=17, elements=None, **attributes):
    """The only operator of a model; an input named "" is left out."""
    named = [f"i{position}" if shape is not None else "" for position, shape in enumerate(inputs)]
    shapes = {name: list(shape) for name, shape in zip(named, inputs, strict=True) if shape is not None}
    for name in weights or {}:
        del shapes[name]
    node = helper.make_node(
        op_type, named, ["y", "state"] if op_type == "LinearAttention" else ["y"], domain=domain, **attributes
    )
    kinds = {name: TensorProto.INT32 for name in (elements or ())}
    graph = read(
        [node], shapes, ["y"], weights, opset=opset, elements=kinds,
        domains=(domain,) if domain else (), output_shapes={"y": out},
    )  # fmt: skip
    (op,) = graph.operators
    return op


PAST = (1, 8, 2047, 128)


@pytest.mark.parametrize(
    "inputs",
    [
        [(1, 1, 4096), (1, 1, 1024), (1, 1, 1024), PAST, PAST],
        [(1, 1, 4096 + 2 * 1024), None, None, PAST, PAST],
    ],
)
def test_grouped_queries_meet_past_and_new_keys(read, inputs):
    op = one(read, "GroupQueryAttention", inputs, num_heads=32, kv_num_heads=8, out=[1, 1, 4096])
    assert (op.flops, op.flops_source) == (core(32 * 2048, 128), "exact")
    assert op.flops > 33_600_000


@pytest.mark.parametrize(
    ("op_type", "inputs", "keys", "value_head"),
    [
        ("MultiHeadAttention", [(2, 6, 32), (2, 6, 32), (2, 6, 64)], 6, 16),
        ("MultiHeadAttention", [(2, 6, 32), (2, 10, 32), (2, 10, 32)], 10, 8),
        ("MultiHeadAttention", [(2, 6, 32), (2, 4, 10, 8), (2, 4, 10, 8)], 10, 8),
        ("MultiHeadAttention", [(2, 6, 4, 3, 8)], 6, 8),
        ("MultiHeadAttention", [(2, 6, 32), (2, 9, 4, 2, 8)], 9, 8),
        ("MultiHeadAttention", [(2, 6, 32), (2, 6, 32), (2, 6, 32), *[None] * 3, (2, 4, 7, 8), (2, 4, 7, 8)], 13, 8),
        (
            "DecoderMaskedMultiHeadAttention",
            [(2, 6, 32), (2, 6, 32), (2, 6, 32), None, None, (2, 4, 7, 8), (2, 4, 7, 8)],
            13,
            8,
        ),
        ("DecoderMaskedMultiHeadAttention", [(2, 6, 96), *[None] * 4, (2, 4, 7, 8), (2, 4, 7, 8)], 13, 8),
    ],
)
def test_heads_meet_past_and_new_keys(read, op_type, inputs, keys, value_head):
    op = one(read, op_type, inputs, num_heads=4, out=[2, 6, 4 * value_head])
    assert (op.flops, op.flops_source) == (core(2 * 4 * 6 * keys, 8, value_head), "exact")


def test_the_output_of_packed_queries_is_as_wide_as_the_heads(read):
    packed = helper.make_node("MultiHeadAttention", ["x"], ["y"], domain=MICROSOFT, num_heads=4)
    graph = read([packed], {"x": [2, 6, 4, 3, 8]}, ["y"], domains=(MICROSOFT,))
    assert graph.tensors[graph.outputs[0]].shape == (2, 6, 32)


@pytest.mark.parametrize(("sizes", "width", "value_width"), [(None, 32, 32), ([16, 16, 64], 16, 64)])
def test_projection_is_counted_and_past_keys_are_met(read, sizes, width, value_width):
    attributes = {"num_heads": 4, **({"qkv_hidden_sizes": sizes} if sizes else {})}
    inputs = [(2, 6, 20), (20, 96), None, None, (2, 2, 4, 7, 8)]
    op = one(read, "Attention", inputs, out=[2, 6, value_width], **attributes)
    assert op.flops == 2 * 12 * 20 * 96 + core(2 * 4 * 6 * 13, width // 4, value_width // 4)


@pytest.mark.parametrize(
    "inputs",
    [
        [(2, 5, 32), (2, 7, 16), (2, 7, 16), None, (2, 2, 9, 8), (2, 2, 9, 8)],
        [(2, 4, 5, 8), (2, 2, 7, 8), (2, 2, 7, 8), None, (2, 2, 9, 8), (2, 2, 9, 8)],
    ],
)
def test_attention_operator_meets_past_keys(read, inputs):
    op = one(read, "Attention", inputs, domain="", opset=23, q_num_heads=4, kv_num_heads=2)
    assert (op.flops, op.flops_source) == (core(2 * 4 * 5 * 16, 8), "exact")


@pytest.mark.parametrize(("rule", "products", "decay"), [("linear", 4 + 2, 0), ("gated_delta", 4 + 2 * 2, 2)])
def test_linear_attention_updates_and_reads_its_state(read, rule, products, decay):
    inputs = [(2, 5, 32), (2, 5, 16), (2, 5, 12), *([None, (2, 5, 2), (2, 5, 2)] if decay else [])]
    out = [2, 5, 24]
    op = one(
        read, "LinearAttention", inputs, domain="", opset=27, q_num_heads=4, kv_num_heads=2, update_rule=rule, out=out
    )
    state = 8 * 6
    assert (op.flops, op.flops_source) == (2 * 5 * (2 * products * state + decay * state), "exact")


@pytest.mark.parametrize("op_type", ["FusedMatMul", "TransposeMatMul"])
@pytest.mark.parametrize(("left", "attributes"), [((64, 256), {}), ((256, 64), {"transA": 1})])
def test_transposed_matrix_product(read, op_type, left, attributes):
    op = one(read, op_type, [left, (256, 512)], **attributes)
    assert (op.flops, op.flops_source) == (16_777_216, "exact")


def test_quantised_transposed_convolution(read):
    x, weight = (2, 4, 8, 8), np.zeros((4, 6, 4, 4), np.int32)
    op = one(
        read, "QLinearConvTranspose", [x, (), (), weight.shape, (), (), (), ()],
        weights={"i3": weight}, elements=["i0", "i3", "y"], out=[2, 6, 16, 16], strides=[2, 2], pads=[1, 1, 1, 1],
    )  # fmt: skip
    assert (op.flops, op.flops_source, op.precision) == (2 * 49_152, "exact", "int8")


def test_packed_sequences_are_an_estimate_from_above(read):
    op = one(read, "PackedAttention", [(10, 20), (20, 96), (96,), (2, 6), (3,)], num_heads=4, out=[10, 32])
    assert (op.flops, op.flops_source) == (2 * 10 * 20 * 96 + core(4 * 10 * 6, 8), "estimated")


def value(*shape: int) -> Value:
    return Value("v", TensorProto.FLOAT, shape)


SHAPES = {
    "matmul": ([value(64, 256), value(256, 512)], [value(64, 512)], 16_777_216),
    "conv": ([value(1, 8, 16, 16), value(4, 8, 3, 3)], [value(1, 4, 16, 16)], 2 * 1024 * 72),
    "recurrent": ([value(10, 2, 8), value(1, 64, 8), value(1, 64, 16)], [value(10, 1, 2, 16)], 2 * 20 * 64 * 24),
    "attention": ([value(2, 6, 32), value(2, 10, 32), value(2, 10, 32)], [value(2, 6, 32)], 4 * 2 * 6 * 10 * 32),
}


@pytest.mark.parametrize("op_type", sorted(name for name, group in OP_CLASS.items() if group in CONTRACTIONS))
def test_every_contraction_has_a_rule_or_a_sensible_estimate(op_type):
    assert formula(op_type, MICROSOFT) is not None
    inputs, outputs, expected = SHAPES[OP_CLASS[op_type]]
    if "QLinearConv" in op_type:
        inputs = [inputs[0], value(), value(), inputs[1]]
    estimate = estimated_flops(View(op_type, {}, list(inputs), outputs))
    assert expected / 4 <= estimate <= expected * 4


@pytest.mark.parametrize("op_type", ["NhwcConv", "MatMulNBits", "MultiHeadAttention", "DynamicQuantizeLSTM"])
def test_contraction_without_what_its_rule_needs_is_estimated(read, op_type):
    op = one(read, op_type, [(64, 256), None], out=[64, 512])
    assert op.flops_source == "estimated"
    assert op.flops >= 64 * 512


def test_skipped_group_normalization_counts_the_addition(read):
    op = one(read, "SkipGroupNorm", [(2, 4, 4, 8), (8,), (8,), (2, 4, 4, 8)], groups=2)
    assert op.flops == 9 * 2 * 4 * 4 * 8
