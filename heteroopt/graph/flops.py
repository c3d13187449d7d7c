"""Floating-point operations of one operator from its shapes; 2 per multiply-accumulate (MAC).

One small rule per operator type. Contractions (convolutions, matrix products, recurrent cells) count exactly
2 x MAC and leave their bias out, as PyTorch's FlopCounterMode does; other operators count a fixed number of
operations per element, which is a convention (a transcendental counts 4). Movement and views count 0.
"""

from __future__ import annotations

import math

from heteroopt.graph.flops_attention import ATTENTION_RULES, projected_attention
from heteroopt.graph.flops_view import Rule, View, mac
from heteroopt.graph.op_classes import CONTRACTIONS, OP_CLASS, VIEW_TYPES


def _conv(position: int) -> Rule:
    """Each output element is a dot product over one group's channels and the kernel: weight is [M, C/g, *k]."""
    return lambda v: mac(math.prod(v.out()) * math.prod(v.shape(position)[1:]))


def _conv_transpose(position: int) -> Rule:
    """Each input element spreads over one group's outputs and the kernel: weight is [C, M/g, *k]."""
    return lambda v: mac(math.prod(v.shape(0)) * math.prod(v.shape(position)[1:]))


def _deform_conv(v: View) -> int:
    """A convolution whose samples are interpolated between four neighbours."""
    weight = v.shape(1)
    samples = math.prod(v.out()) // max(v.out()[1], 1) * math.prod(weight[1:]) * int(v.attributes.get("group", 1))
    return mac(math.prod(v.out()) * math.prod(weight[1:])) + 8 * samples


def _matmul(right: int = 1) -> Rule:
    """Batched, broadcast matrix product: every output element is a dot product over the last axis of A."""

    def rule(v: View) -> int:
        depth = v.shape(0)[-1]
        if v.op_type in ("FusedMatMul", "TransposeMatMul") and v.attributes.get("transA"):
            depth = v.shape(0)[-2]
        v.shape(right)
        return mac(math.prod(v.out()) * depth)

    return rule


def _gemm(v: View) -> int:
    a = v.shape(0)
    depth = a[0] if v.attributes.get("transA", 0) else math.prod(a[1:])
    return mac(math.prod(v.out()) * depth)


def _einsum(v: View) -> int:
    """All index letters together span the loop; one multiply-accumulate for each further operand."""
    terms = v.attributes["equation"].replace(" ", "").split("->")[0].split(",")
    sizes: dict[str, int] = {}
    for position, term in enumerate(terms):
        shape = v.shape(position)
        letters = term.replace("...", "")
        head = term.split("...")[0]
        extra = len(shape) - len(letters)
        for i, letter in enumerate(letters):
            axis = i if i < len(head) or "..." not in term else i + extra
            sizes[letter] = max(sizes.get(letter, 1), shape[axis])
        for i in range(extra if "..." in term else 0):
            key = f".{extra - i}"
            sizes[key] = max(sizes.get(key, 1), shape[len(head) + i])
    return mac(math.prod(sizes.values()) * max(1, len(terms) - 1))


def _recurrent(gates: int, activations: int) -> Rule:
    """X [T, B, I], W [D, gates x H, I], R [D, gates x H, H]: two matrix products per step, then the gates."""

    def rule(v: View) -> int:
        steps_and_batch = math.prod(v.shape(0)[:2])
        weight = v.shape(1)
        if v.op_type == "DynamicQuantizeLSTM":  # W is [D, I, gates x H]
            directions, width, rows = weight
        else:
            directions, rows, width = weight
        hidden = rows // gates
        macs = steps_and_batch * directions * gates * hidden * (width + hidden)
        return mac(macs) + steps_and_batch * directions * hidden * activations

    return rule


def _per_output(factor: int) -> Rule:
    return lambda v: factor * math.prod(v.out())


def _per_input(factor: int) -> Rule:
    return lambda v: factor * math.prod(v.shape(0))


def _variadic(v: View) -> int:
    return math.prod(v.out()) * max(1, sum(value is not None for value in v.inputs) - 1)


def _pool(v: View) -> int:
    return math.prod(v.out()) * math.prod(v.attributes.get("kernel_shape", [1]))


def _lrn(v: View) -> int:
    return math.prod(v.out()) * (2 * int(v.attributes.get("size", 5)) + 4)


def _resize(v: View) -> int:
    mode = v.attributes.get("mode", "nearest")
    return math.prod(v.out()) * {"linear": 8, "cubic": 32}.get(mode, 0)


def _top_k(v: View) -> int:
    return math.prod(v.shape(0)) * max(1, math.ceil(math.log2(max(v.out()[-1], 2))))


def _embed_layer_norm(v: View) -> int:
    return 9 * math.prod(v.out())


RULES: dict[str, Rule] = {
    "Conv": _conv(1), "ConvInteger": _conv(1), "FusedConv": _conv(1), "QLinearConv": _conv(3), "NhwcConv": _conv(1),
    "ConvTranspose": _conv_transpose(1), "QLinearConvTranspose": _conv_transpose(3), "DeformConv": _deform_conv,
    "MatMul": _matmul(), "MatMulInteger": _matmul(), "QLinearMatMul": _matmul(3), "FusedMatMul": _matmul(),
    "TransposeMatMul": _matmul(),
    "DynamicQuantizeMatMul": _matmul(), "MatMulIntegerToFloat": _matmul(), "MatMulNBits": _matmul(),
    "Gemm": _gemm, "FusedGemm": _gemm, "QGemm": _gemm, "Einsum": _einsum,
    "LSTM": _recurrent(4, 17), "DynamicQuantizeLSTM": _recurrent(4, 17), "GRU": _recurrent(3, 15),
    "RNN": _recurrent(1, 5),
    **ATTENTION_RULES,
    "BatchNormalization": _per_output(2), "LayerNormalization": _per_output(8), "InstanceNormalization": _per_output(8),
    "GroupNormalization": _per_output(8), "GroupNorm": _per_output(8), "RMSNormalization": _per_output(5),
    "SimplifiedLayerNormalization": _per_output(5), "SkipLayerNormalization": _per_output(9),
    "SkipSimplifiedLayerNormalization": _per_output(6), "SkipGroupNorm": _per_output(9),
    "EmbedLayerNormalization": _embed_layer_norm,
    "LpNormalization": _per_output(3), "MeanVarianceNormalization": _per_output(7), "LRN": _lrn,
    "Softmax": _per_output(5), "LogSoftmax": _per_output(6), "QLinearSoftmax": _per_output(5),
    "BiasSoftmax": _per_output(6), "SoftmaxCrossEntropyLoss": _per_input(7),
    "MaxPool": _pool, "AveragePool": _pool, "LpPool": _pool, "QLinearAveragePool": _pool, "NhwcMaxPool": _pool,
    "GlobalAveragePool": _per_input(1), "GlobalMaxPool": _per_input(1), "GlobalLpPool": _per_input(3),
    "QLinearGlobalAveragePool": _per_input(1), "RoiAlign": _per_output(32), "MaxRoiPool": _per_output(8),
    "TopK": _top_k, "Resize": _resize, "Upsample": _resize, "GridSample": _per_output(16),
    "ReduceSumSquare": _per_input(2), "ReduceL2": _per_input(2), "ReduceLogSum": _per_input(2),
    "ReduceLogSumExp": _per_input(5),
    "Sum": _variadic, "Mean": _variadic, "Min": _variadic, "Max": _variadic,
    "Sigmoid": _per_output(4), "Tanh": _per_output(4), "Erf": _per_output(4), "Exp": _per_output(4),
    "Log": _per_output(4), "Sqrt": _per_output(4), "Pow": _per_output(4), "Sin": _per_output(4), "Cos": _per_output(4),
    "Tan": _per_output(4), "Elu": _per_output(5), "Selu": _per_output(6), "Celu": _per_output(6),
    "Softplus": _per_output(6), "Mish": _per_output(11), "Gelu": _per_output(8), "FastGelu": _per_output(9),
    "BiasGelu": _per_output(9), "QuickGelu": _per_output(6), "BiasSplitGelu": _per_output(9), "Swish": _per_output(5),
    "HardSwish": _per_output(4), "HardSigmoid": _per_output(3), "LeakyRelu": _per_output(2), "PRelu": _per_output(2),
    "Clip": _per_output(2), "QuantizeLinear": _per_output(3), "DequantizeLinear": _per_output(2),
    "DynamicQuantizeLinear": _per_output(5), "RotaryEmbedding": _per_output(3), "QLinearAdd": _per_output(5),
    "QLinearMul": _per_output(5), "QLinearSigmoid": _per_output(8), "QLinearLeakyRelu": _per_output(5),
    "RandomNormal": _per_output(8), "RandomNormalLike": _per_output(8), "RandomUniform": _per_output(4),
    "RandomUniformLike": _per_output(4),
}  # fmt: skip


def flops(view: View, domain: str) -> int | None:
    """FLOP of one run, or ``None`` where the operator, or a shape it needs, is unknown or the operator has no rule."""
    rule = RULES.get(view.op_type)
    if domain == "com.microsoft" and view.op_type == "Attention":
        rule = projected_attention(4)
    if rule is None:
        group = OP_CLASS.get(view.op_type)
        if group is None or group in CONTRACTIONS:
            return None
        if view.op_type in VIEW_TYPES or group in ("movement", "embedding", "control"):
            return 0
        rule = _per_input(1) if group == "reduction" else _per_output(1)
    try:
        return max(0, rule(view))
    except (LookupError, ValueError, TypeError, AttributeError, ZeroDivisionError):
        return None
