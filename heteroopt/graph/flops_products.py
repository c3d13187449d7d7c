"""FLOP of contractions: convolutions, matrix products, Einsum, recurrent cells and mixtures of experts.

They count exactly 2 x MAC and leave their bias out, as PyTorch's FlopCounterMode does
(torch/utils/flop_counter.py); padding counts like data there and here. Layouts are those of ONNX's Operators.md and
of ContribOperators.md of ONNX Runtime. Unpacking quantised weights is not counted.
"""

from __future__ import annotations

import math

from heteroopt.graph.flops_view import Formula, View, mac


def _conv(position: int) -> Formula:
    """Each output element is a dot product over one group's channels and the kernel: weight is [M, C/g, *k]."""
    return Formula("2 x out x C/group x kernel", lambda v: mac(math.prod(v.out()) * math.prod(v.shape(position)[1:])))


def _conv_transpose(position: int) -> Formula:
    """Each input element spreads over one group's outputs and the kernel: weight is [C, M/g, *k]."""
    return Formula("2 x in x M/group x kernel", lambda v: mac(math.prod(v.shape(0)) * math.prod(v.shape(position)[1:])))


def _nhwc_conv(v: View) -> int:
    """Output [B, *, M], weight [M, *k, C/g]: the same count in the other layout."""
    return mac(math.prod(v.out()) * math.prod(v.shape(1)[1:]))


def _deform_conv(v: View) -> int:
    """A convolution whose samples are interpolated between four neighbours, for every group of offsets alike."""
    weight = v.shape(1)
    samples = math.prod(v.out()) // max(v.out()[1], 1) * math.prod(weight[1:]) * int(v.attributes.get("group", 1))
    return mac(math.prod(v.out()) * math.prod(weight[1:])) + 8 * samples


def _causal_conv(v: View) -> int:
    """Depthwise over [B, C, L] with weight [C, 1, k]; Swish (5 an element) where ``activation`` asks for it."""
    active = str(v.attributes.get("activation", "none")).lower() not in ("", "none")
    return math.prod(v.out()) * (mac(v.shape(1)[-1]) + (5 if active else 0))


def _matmul(right: int = 1) -> Formula:
    """Batched, broadcast matrix product: every output element is a dot product over the last axis of A."""

    def rule(v: View) -> int:
        v.shape(right)
        return mac(math.prod(v.out()) * v.shape(0)[-1])

    return Formula("2 x out x K", rule)


def _transposed_matmul(v: View) -> int:
    """As MatMul; ``transA`` swaps the last axes of A, ``transBatchA`` moves its first axis behind the batch."""
    a = v.shape(0)
    v.shape(1)
    depth = a[-1]
    if v.attributes.get("transA"):
        depth = a[0] if v.attributes.get("transBatchA") else a[-2]
    return mac(math.prod(v.out()) * depth)


def _gemm(v: View) -> int:
    a = v.shape(0)
    depth = a[0] if v.attributes.get("transA", 0) else math.prod(a[1:])
    return mac(math.prod(v.out()) * depth)


def _normalised_product(v: View) -> int:
    """A [.., K], normalised where it has a scale (5, or 6 with a skip), times the columns of two or three weights.

    MatMulNBitsMlp: gate and value of ``N`` columns each, an activation of the gate and their product (6).
    MatMulNBitsQkv: ``Nq`` columns and twice ``Nkv``.
    """
    tokens, depth = math.prod(v.shape(0)[:-1]), v.shape(0)[-1]
    work = tokens * depth * (5 + v.given(1)) if v.given(2) else 0
    if v.op_type == "MatMulNBitsQkv":
        return work + mac(tokens * depth * (int(v.attributes["Nq"]) + 2 * int(v.attributes["Nkv"])))
    columns = int(v.attributes["N"])
    return work + mac(2 * tokens * depth * columns) + 6 * tokens * columns


def einsum_macs(equation: str, shapes: list[tuple[int, ...]]) -> int:
    """Multiply-accumulates of an Einsum whose operands are contracted from left to right, one pair at a time.

    An index leaves a pair's result as soon as neither a later operand nor the output has it. One operand needs none.
    Raises ``ValueError`` where the equation does not fit the shapes.
    """
    left, _, right = equation.replace(" ", "").partition("->")
    terms = [_letters(term, len(shape)) for term, shape in zip(left.split(","), shapes, strict=True)]
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for letter, size in zip(term, shape, strict=True):
            sizes[letter] = max(sizes.get(letter, 1), size)
    broadcast = [letter for letter in sizes if letter.startswith(".")]
    if "->" in equation:
        wanted = {*right.replace(".", ""), *(broadcast if "..." in right else ())}
    else:  # implicit output: what stands once, and the broadcast axes
        wanted = {letter for letter in sizes if sum(term.count(letter) for term in terms) == 1} | set(broadcast)
    macs, kept = 0, set(terms[0])
    for position in range(1, len(terms)):
        kept |= set(terms[position])
        macs += math.prod(sizes[letter] for letter in kept)
        kept &= wanted.union(*terms[position + 1 :])
    return macs


def _letters(term: str, rank: int) -> list[str]:
    """Index names of one operand; an ellipsis becomes ``.n`` counted from the right."""
    head, dots, tail = term.partition("...")
    if not dots:
        return list(head)
    extra = rank - len(head) - len(tail)
    if extra < 0:
        raise ValueError("more indices than axes")
    return [*head, *(f".{extra - i}" for i in range(extra)), *tail]


def _einsum(v: View) -> int:
    """One operand alone is moved, or summed: an addition for each of its elements that the indices name."""
    equation, shapes = str(v.attributes["equation"]), [v.shape(position) for position in range(len(v.inputs))]
    if len(shapes) > 1:
        return mac(einsum_macs(equation, shapes))
    letters = _letters(equation.replace(" ", "").partition("->")[0], len(shapes[0]))
    named = math.prod(dict(zip(letters, shapes[0], strict=True)).values())
    return named if named > math.prod(v.out()) else 0


def _recurrent(gates: int, activations: int) -> Formula:
    """X [T, B, I], W [D, gates x H, I], R [D, gates x H, H]: two matrix products per step, then the gates.

    Shorter sequences (``sequence_lens``) do not make the count smaller; peepholes of an LSTM (input 7) add three
    multiply-accumulates to a unit.
    """

    def rule(v: View) -> int:
        steps_and_batch = math.prod(v.shape(0)[:2])
        weight = v.shape(1)
        if v.op_type == "DynamicQuantizeLSTM":  # W is [D, I, gates x H]
            directions, width, rows = weight
        else:
            directions, rows, width = weight
        hidden = rows // gates
        units = steps_and_batch * directions * hidden
        peepholes = mac(3) if v.op_type == "LSTM" and v.given(7) else 0
        return mac(units * gates * (width + hidden)) + units * (activations + peepholes)

    return Formula(f"T x B x D x H x (2 x {gates} x (I + H) + {activations})", rule)


def _experts(first: int, second: int, third: int) -> Formula:
    """Input [tokens, H], router [tokens, E], fc1 [E, F1, H], fc2 [E, H, F2], fc3 [E, F3, H] where there is one.

    Every token goes through ``k`` experts. Widths come from ``router`` and from the weights' elements: fc1 has
    E x F1 x H of them, packed or not, where ``expert_weight_bits`` says how many a byte holds.
    """

    def rule(v: View) -> int:
        tokens, experts, chosen = math.prod(v.shape(0)[:-1]), v.shape(1)[-1], int(v.attributes.get("k", 1))
        packed = 8 // int(v.attributes.get("expert_weight_bits", 4)) if v.op_type == "QMoE" else 1
        weights = sum(math.prod(v.shape(p)) for p in (first, second, third) if v.given(p)) * packed
        return tokens * (mac(chosen * weights // experts) + 5 * experts)

    return Formula("tokens x (2 x k x weights / experts + 5 x experts)", rule)


_MATMUL = _matmul()
_GEMM = Formula("2 x out x K", _gemm)
_TRANSPOSED = Formula("2 x out x K", _transposed_matmul)
_NHWC = Formula("2 x out x C/group x kernel", _nhwc_conv)

PRODUCTS: dict[str, Formula] = {
    "Conv": _conv(1), "ConvInteger": _conv(1), "QLinearConv": _conv(3), "ConvTranspose": _conv_transpose(1),
    "DeformConv": Formula("2 x out x C/group x kernel + 8 x samples", _deform_conv),
    "CausalConvWithState": Formula("out x (2 x kernel + 5 with an activation)", _causal_conv),
    "MatMul": _MATMUL, "MatMulInteger": _MATMUL, "QLinearMatMul": _matmul(3), "Gemm": _GEMM,
    "Einsum": Formula("2 x the product of all index sizes of each pair, from left to right", _einsum),
    "LSTM": _recurrent(4, 17), "GRU": _recurrent(3, 15), "RNN": _recurrent(1, 5),
}  # fmt: skip
MICROSOFT_PRODUCTS: dict[str, Formula] = {
    "FusedConv": _conv(1), "NhwcConv": _NHWC, "NhwcFusedConv": _NHWC, "QLinearConvTranspose": _conv_transpose(3),
    "ConvTransposeWithDynamicPads": _conv_transpose(1),
    "FusedMatMul": _TRANSPOSED, "TransposeMatMul": _TRANSPOSED, "FusedMatMulActivation": _TRANSPOSED,
    "DynamicQuantizeMatMul": _MATMUL, "MatMulIntegerToFloat": _MATMUL, "MatMulInteger16": _MATMUL,
    "MatMulNBits": _MATMUL, "MatMulBnb4": _MATMUL, "MatMulFpQ4": _MATMUL, "QOrderedMatMul": _matmul(2),
    "SparseToDenseMatMul": Formula("2 x out x K, as if dense", _transposed_matmul, exact=False),
    "FusedGemm": _GEMM, "QGemm": _GEMM, "GemmFloat8": _GEMM,
    "GemmFastGelu": Formula("out x (2 x K + 9)", lambda v: math.prod(v.out()) * (mac(v.shape(0)[-1]) + 9)),
    "MatMulNBitsMlp": Formula("tokens x N x (4 x K + 6) + the normalisation", _normalised_product),
    "MatMulNBitsQkv": Formula("tokens x 2 x K x (Nq + 2 x Nkv) + the normalisation", _normalised_product),
    "MatMulPacked": _MATMUL, "MatMulBlockQuantizedFp4Weight": _MATMUL, "MatMulBlockQuantizedFp8Weight": _MATMUL,
    "DynamicQuantizeLSTM": _recurrent(4, 17),
    "MoE": _experts(2, 4, 6), "QMoE": _experts(2, 5, 8),
}  # fmt: skip
