"""Output types of the operators of ``com.microsoft``, by ContribOperators.md of ONNX Runtime.

A rule that needs a size that is not known gives no type at all: nothing here is a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from onnx import TensorProto

from heteroopt.graph.attributes import Attributes
from heteroopt.graph.flops_view import Shape, View
from heteroopt.graph.output_type import UNKNOWN, OutputType
from heteroopt.graph.values import Value

MAX_RANK = 64
_Rule = Callable[[View], list[OutputType]]

SAME_AS_INPUT = frozenset((
    "Gelu", "FastGelu", "BiasGelu", "QuickGelu", "RotaryEmbedding", "BiasSoftmax", "GroupNorm", "QLinearSigmoid",
    "QLinearLeakyRelu", "QLinearSoftmax", "BiasAdd", "Inverse", "SimplifiedLayerNormalization", "GatedRMSNorm",
    "ScaledSiLU", "QOrderedGelu", "QOrderedLayerNormalization", "LongformerAttention", "MoE", "QMoE", "SwiGLU",
    "QOrderedAttention", "PackedMultiHeadAttention", "BranchwiseRMSNorm", "HyperConnectionPostMix", "MoEPacked",
    "VarlenCausalConvWithState", "SampleOp", "EngramGate", "QOrderedLongformerAttention", "LinearAttentionGate",
))  # fmt: skip


def microsoft_outputs(op_type: str, attributes: Attributes, inputs: Sequence[Value | None]) -> list[OutputType]:
    """Types of the outputs that are known, in their order; further ones are not known."""
    view = View(op_type, attributes, list(inputs), [])
    rule = RULES.get(op_type)
    try:
        if op_type in SAME_AS_INPUT:
            return [OutputType(_element(view, 0), view.shape(0))]
        found = [UNKNOWN] if rule is None else rule(view)
        return [item if _sensible(item.shape) else UNKNOWN for item in found]
    except (LookupError, ValueError, TypeError, ZeroDivisionError):
        return [UNKNOWN]


def _sensible(shape: Shape | None) -> bool:
    return shape is not None and len(shape) <= MAX_RANK and all(size >= -1 for size in shape)


def _element(v: View, position: int) -> int:
    value = v.inputs[position]
    return 0 if value is None else value.element


def _typed(shape: Callable[[View], Shape], typed_by: int = 0) -> _Rule:
    """One output of the element type of the input ``typed_by``."""
    return lambda v: [OutputType(_element(v, typed_by), tuple(shape(v)))]


def matmul_shape(a: Shape, b: Shape) -> Shape:
    """Shape of ``a @ b`` by numpy's rules; raises ``ValueError`` where they do not fit."""
    if len(a) < 2 or len(b) < 2 or a[-1] != b[-2]:
        raise ValueError("sizes do not fit")
    return (*np.broadcast_shapes(a[:-2], b[:-2]), a[-2], b[-1])


def _transposed(v: View, position: int, letter: str) -> Shape:
    """``transA`` swaps the last axes, ``transBatchA`` before that moves the first one behind the batch."""
    shape = v.shape(position)
    if v.attributes.get(f"transBatch{letter}"):
        shape = (*shape[1:-1], shape[0], shape[-1])
    return (*shape[:-2], shape[-1], shape[-2]) if v.attributes.get(f"trans{letter}") else shape


def _gemm(left: int, right: int) -> Callable[[View], Shape]:
    def shape(v: View) -> Shape:
        a, b = v.shape(left), v.shape(right)
        return a[1 if v.attributes.get("transA") else 0], b[0 if v.attributes.get("transB") else 1]

    return shape


def _columns(v: View) -> Shape:
    return (*v.shape(0)[:-1], int(v.attributes["N"]))


def _three_products(v: View) -> list[OutputType]:
    """MatMulNBitsQkv: Q, K, V, and the sum of input and skip."""
    element, lead = _element(v, 0), v.shape(0)[:-1]
    query, other = int(v.attributes["Nq"]), int(v.attributes["Nkv"])
    found = [OutputType(element, (*lead, width)) for width in (query, other, other)]
    return [*found, OutputType(element, v.shape(0))]


def _skip_norm(v: View) -> list[OutputType]:
    """Output, mean and inverse deviation (in training alone), the sum of input, skip and bias."""
    same = OutputType(_element(v, 0), v.shape(0))
    moments = OutputType(TensorProto.FLOAT, (*v.shape(0)[:-1], 1))
    return [same, moments, moments, same]


def _embed(v: View) -> list[OutputType]:
    """Normalised embedding, mask index [B] (int32), the sum before the normalisation."""
    hidden = OutputType(_element(v, 2), (*v.shape(0), v.shape(2)[-1]))
    return [hidden, OutputType(TensorProto.INT32, v.shape(0)[:1]), hidden]


def _quantised_lstm(v: View) -> list[OutputType]:
    """Outputs [T, D, B, H], [D, B, H] and [D, B, H] of X [T, B, I] and W [D, I, 4 x H]."""
    (steps, batch, _), (directions, _, rows) = v.shape(0), v.shape(1)
    element, state = _element(v, 0), (directions, batch, rows // 4)
    return [OutputType(element, (steps, *state)), OutputType(element, state), OutputType(element, state)]


def _projected(typed_by: int, past: int) -> _Rule:
    """Attention, QAttention: [B, S, value width], and present [2, B, heads, past + S, head]."""

    def rule(v: View) -> list[OutputType]:
        x, sizes, element = v.shape(0), v.attributes.get("qkv_hidden_sizes"), _element(v, typed_by)
        width = int(sizes[2]) if sizes else v.shape(1)[-1] // 3
        heads = int(v.attributes["num_heads"])
        before = v.shape(past)[3] if v.given(past) else 0
        present = OutputType(element, (2, x[0], heads, before + x[1], width // heads)) if len(x) == 3 else UNKNOWN
        if v.attributes.get("past_present_share_buffer") and v.given(past):
            present = OutputType(element, v.shape(past))
        return [OutputType(element, (*x[:-1], width)), present]

    return rule


def _heads_output(v: View) -> Shape:
    """[B, S, heads x head] of queries alone, [B, S, heads, 3, head], or with K and V beside them in the last axis."""
    query, heads = v.shape(0), int(v.attributes["num_heads"])
    if len(query) == 5:
        return (*query[:2], query[2] * query[4])
    if not v.given(1):
        every = heads + 2 * int(v.attributes.get("kv_num_heads", heads))
        return (*query[:-1], query[-1] // every * heads)
    if "kv_num_heads" in v.attributes or not v.given(2):
        return query
    value = v.shape(2)
    return (*query[:-1], heads * value[3] if len(value) == 4 else value[-1])


def _multi_head(past: int) -> _Rule:
    """The output, then present key and value: [B, heads, past + new, head], or a shared buffer's own shape."""

    def rule(v: View) -> list[OutputType]:
        output, element, heads = _heads_output(v), _element(v, 0), int(v.attributes["num_heads"])
        shared = v.attributes.get("past_present_share_buffer") or v.given(past + 2)
        presents = []
        for position in (past, past + 1):
            if v.given(position) and shared:
                presents.append(OutputType(element, v.shape(position)))
            elif v.given(position) and v.given(1) and len(v.shape(1)) == 3:
                before = v.shape(position)
                presents.append(OutputType(element, (*before[:2], before[2] + v.shape(1)[1], before[3])))
            elif not v.given(position) and v.given(2) and len(v.shape(1)) == len(v.shape(2)) == 3:
                new = v.shape(1 if position == past else 2)
                presents.append(OutputType(element, (new[0], heads, new[1], new[2] // heads)))
            else:
                presents.append(UNKNOWN)
        return [OutputType(element, output), *presents]

    return rule


def _grouped(v: View) -> list[OutputType]:
    """The output, then present key and value [B, kv heads, T, head]: T is the longer of the past buffer and all tokens.

    Input 6 says how many tokens there are in all; where it is no constant, T is not known.
    """
    output, element = _heads_output(v), _element(v, 0)
    query, heads, kv_heads = v.shape(0), int(v.attributes["num_heads"]), int(v.attributes["kv_num_heads"])
    head = query[-1] // heads if v.given(1) else query[-1] // (heads + 2 * kv_heads)
    try:
        total = v.number(6)
    except LookupError:
        total = -1
    if not v.given(3):
        tokens = query[1]
    elif total < 0:
        tokens = -1
    else:
        tokens = max(total, v.shape(3)[2])
    present = OutputType(_element(v, 3) if v.given(3) else element, (query[0], kv_heads, tokens, head))
    return [OutputType(element, output), present, present]


def window_sizes(spatial: Shape, kernel: Sequence[int], attributes: Attributes) -> Shape:
    """Sizes that a window of ``kernel`` gives, by ONNX's rule for Conv and the pools."""
    rank = len(spatial)
    strides, dilations = attributes.get("strides", [1] * rank), attributes.get("dilations", [1] * rank)
    pads, auto = attributes.get("pads", [0] * 2 * rank), str(attributes.get("auto_pad", "NOTSET"))
    sizes = []
    for axis, size in enumerate(spatial):
        if auto.startswith("SAME"):
            sizes.append(-(-size // strides[axis]))
            continue
        around = 0 if auto == "VALID" else pads[axis] + pads[axis + rank]
        room = size + around - dilations[axis] * (kernel[axis] - 1) - 1
        steps = -(-room // strides[axis]) if attributes.get("ceil_mode") else room // strides[axis]
        if attributes.get("ceil_mode") and steps * strides[axis] >= size + (0 if auto == "VALID" else pads[axis]):
            steps -= 1  # the last window would start in the padding
        if steps < 0:
            raise ValueError("the window is larger than what it slides over")
        sizes.append(steps + 1)
    return tuple(sizes)


def _conv(v: View) -> Shape:
    """X [B, C, *], W [M, C/g, *k]."""
    x, weight = v.shape(0), v.shape(1)
    return (x[0], weight[0], *window_sizes(x[2:], weight[2:], v.attributes))


def _nhwc_conv(v: View) -> Shape:
    """X [B, *, C], W [M, *k, C/g]."""
    x, weight = v.shape(0), v.shape(1)
    return (x[0], *window_sizes(x[1:-1], weight[1:-1], v.attributes), weight[0])


def _pool(v: View) -> Shape:
    x, kernel = v.shape(0), v.attributes["kernel_shape"]
    if v.op_type == "NhwcMaxPool" or v.attributes.get("channels_last"):
        return (x[0], *window_sizes(x[1:-1], kernel, v.attributes), x[-1])
    return (*x[:2], *window_sizes(x[2:], kernel, v.attributes))


def _global_pool(v: View) -> Shape:
    x = v.shape(0)
    if v.attributes.get("channels_last"):
        return (x[0], *(1 for _ in x[1:-1]), x[-1])
    return (*x[:2], *(1 for _ in x[2:]))


def _joined(v: View) -> Shape:
    """QLinearConcat: output scale and zero point, then tensor, scale and zero point of every operand."""
    shapes = [v.shape(position) for position in range(2, len(v.inputs), 3)]
    axis = int(v.attributes["axis"]) % len(shapes[0])
    return (*shapes[0][:axis], sum(shape[axis] for shape in shapes), *shapes[0][axis + 1 :])


def _broadcast(*positions: int) -> Callable[[View], Shape]:
    return lambda v: tuple(np.broadcast_shapes(*(v.shape(position) for position in positions)))


def _looked_up(v: View) -> Shape:
    """GatherBlockQuantized: 4-bit data stands two to a byte along its last axis where it is uint8."""
    data, indices = v.shape(0), v.shape(1)
    axis = int(v.attributes.get("gather_axis", 0)) % len(data)
    if _element(v, 0) == TensorProto.UINT8:
        data = (*data[:-1], data[-1] * (8 // int(v.attributes.get("bits", 4))))
    return (*data[:axis], *indices, *data[axis + 1 :])


def _halved(v: View) -> Shape:
    return (*v.shape(0)[:-1], v.shape(0)[-1] // 2)


_PRODUCT = _typed(lambda v: matmul_shape(_transposed(v, 0, "A"), _transposed(v, 1, "B")))


def _reduced_streams(v: View) -> Shape:
    """[..., H] of streams [..., C, H], or of [..., C x H] with ``num_branches``."""
    branches = v.attributes.get("num_branches")
    return (*v.shape(0)[:-1], v.shape(0)[-1] // int(branches)) if branches else (*v.shape(0)[:-2], v.shape(0)[-1])


def _selected(v: View) -> Shape:
    """As wide as the queries, which may stand packed with keys and values."""
    heads, width = int(v.attributes["num_heads"]), v.shape(0)[-1]
    if v.given(1):
        return v.shape(0)
    return (*v.shape(0)[:-1], heads * (width // (heads + 2 * int(v.attributes["kv_num_heads"]))))


def _router_gate_up(v: View) -> list[OutputType]:
    router, columns = int(v.attributes["router_size"]), v.shape(1)[-1]
    sizes = (router, (columns - router) // 2)
    return [OutputType(_element(v, 0), (*v.shape(0)[:-1], size)) for size in sizes]


RULES: dict[str, _Rule] = {
    "FusedMatMul": _PRODUCT, "TransposeMatMul": _PRODUCT, "FusedMatMulActivation": _PRODUCT,
    "FusedGemm": _typed(_gemm(0, 1)), "GemmFloat8": _typed(_gemm(0, 1)), "QGemm": _typed(_gemm(0, 3)),
    "GemmFastGelu": _PRODUCT, "DynamicQuantizeMatMul": _PRODUCT,
    "MatMulIntegerToFloat": _typed(lambda v: matmul_shape(v.shape(0), v.shape(1)), 2),
    "QOrderedMatMul": _typed(lambda v: matmul_shape(v.shape(0), v.shape(2))),
    "MatMulNBits": _typed(_columns), "MatMulBnb4": _typed(_columns), "MatMulPacked": _typed(_columns),
    "MatMulBlockQuantizedFp4Weight": _typed(lambda v: (*v.shape(0)[:-1], v.shape(1)[0])),
    "MatMulBlockQuantizedFp8Weight": _typed(lambda v: (*v.shape(0)[:-1], v.shape(1)[0])),
    "MatMulNBitsMlp": lambda v: [OutputType(_element(v, 0), _columns(v)), OutputType(_element(v, 0), v.shape(0))],
    "MatMulNBitsQkv": _three_products, "DynamicQuantizeLSTM": _quantised_lstm,
    "FusedConv": _typed(_conv), "NhwcConv": _typed(_nhwc_conv), "NhwcFusedConv": _typed(_nhwc_conv),
    "NhwcMaxPool": _typed(_pool), "QLinearAveragePool": _typed(_pool), "MaxpoolWithMask": _typed(_pool),
    "QLinearGlobalAveragePool": _typed(_global_pool), "QLinearConcat": _typed(_joined, 2),
    "QLinearAdd": _typed(_broadcast(0, 3)), "QLinearMul": _typed(_broadcast(0, 3)),
    "QLinearWhere": _typed(_broadcast(0, 1, 4), 1), "BiasSplitGelu": _typed(_halved),
    "BiasDropout": lambda v: [OutputType(_element(v, 0), v.shape(0)), OutputType(TensorProto.BOOL, v.shape(0))],
    "SkipLayerNormalization": _skip_norm, "SkipSimplifiedLayerNormalization": _skip_norm,
    "SkipGroupNorm": lambda v: [OutputType(_element(v, 0), v.shape(0))] * 2, "EmbedLayerNormalization": _embed,
    "Attention": _projected(0, 4), "DecoderMaskedSelfAttention": _projected(0, 4), "QAttention": _projected(2, 8),
    "PackedAttention": _typed(lambda v: (v.shape(0)[0], _value_width(v))),
    "MultiHeadAttention": _multi_head(6), "DecoderMaskedMultiHeadAttention": _multi_head(5),
    "GroupQueryAttention": _grouped, "SparseAttention": _grouped, "GatherBlockQuantized": _typed(_looked_up, 2),
    "Rfft": _typed(lambda v: (*v.shape(0)[:-1], v.shape(0)[-1] // 2 + 1, 2)),
    "CDist": _typed(lambda v: (v.shape(0)[0], v.shape(1)[0])), "ComplexMul": _typed(_broadcast(0, 1)),
    "MatMulNBitsQLoRA": _typed(_columns), "HyperConnectionPreMix": _typed(_reduced_streams),
    "HyperConnectionLowRankMix": _typed(_reduced_streams),
    "NGramRepeatBlock": _typed(lambda v: v.shape(1), 1),
    "RMSNormRotary": _typed(lambda v: (*v.shape(0)[:2], v.shape(0)[2] * v.shape(1)[0])),
    "GatedDeltaNet": _typed(lambda v: (*v.shape(0)[:-2], max(v.shape(0)[-2], v.shape(2)[-2]), v.shape(2)[-1])),
    "DynamicSparseAttention": _typed(_selected), "SparsePagedAttention": _typed(_selected),
    "RouterGateUpProj": _router_gate_up,
    "ComplexMulConj": _typed(_broadcast(0, 1)), "ExpandDims": _typed(lambda v: _expanded(v.shape(0), v.number(1))),
}  # fmt: skip


def _value_width(v: View) -> int:
    sizes = v.attributes.get("qkv_hidden_sizes")
    return int(sizes[2]) if sizes else v.shape(1)[-1] // 3


def _expanded(shape: Shape, axis: int) -> Shape:
    place = axis if axis >= 0 else len(shape) + 1 + axis
    if not 0 <= place <= len(shape):
        raise ValueError("axis")
    return (*shape[:place], 1, *shape[place:])
