"""FLOP of operators that count a fixed number of operations per element: a convention, the same for all of them.

An addition, multiplication, division, comparison, rounding or selection counts 1; a transcendental or a root counts 4
alone, and 1 more for each operation around it. A softmax counts 5 (maximum, subtraction, exponential, sum, division),
as is customary. Steps are those of the function bodies in ONNX's Operators.md.
"""

from __future__ import annotations

import math

from heteroopt.graph.flops_view import Formula, View, per_input, per_output


def _variadic(v: View) -> int:
    return math.prod(v.out()) * max(1, sum(value is not None for value in v.inputs) - 1)


def _rotary(position: int) -> Formula:
    """Each pair of rotated elements: four multiplications and two additions; ``rotary_embedding_dim`` leaves some."""

    def rule(v: View) -> int:
        shape, rotated = v.shape(0), int(v.attributes.get("rotary_embedding_dim", 0))
        if not rotated:
            return 3 * math.prod(shape)
        heads = int(v.attributes.get("num_heads", 0))
        head = shape[-1] if len(shape) == 4 else shape[-1] // heads
        return 3 * math.prod(shape) * rotated // head

    return Formula("3 for each rotated element", rule)


def _loss(v: View) -> int:
    """Scores [N, C, *], labels [N, *]: log-softmax of the scores, then a weight and an addition a label."""
    return 6 * math.prod(v.shape(0)) + 2 * math.prod(v.shape(1))


def _negative_log_likelihood(v: View) -> int:
    return 2 * math.prod(v.shape(1))


def _update(factor: int) -> Formula:
    """Inputs R, T, then weights, gradients and states of as many parameters: ``factor`` operations an element."""

    def rule(v: View) -> int:
        per_parameter = {"Adagrad": 3, "Momentum": 3, "Adam": 4}[v.op_type]
        count = (len(v.inputs) - 2) // per_parameter
        return factor * sum(math.prod(v.shape(2 + i)) for i in range(count))

    return Formula(f"{factor} x the updated weights' elements", rule)


_ONE = per_output(1)
_TRANSCENDENTAL = per_output(4)
_SIMPLE = (
    "Abs Add And BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast CastLike Ceil Div Equal Floor "
    "Greater GreaterOrEqual Hardmax IsInf IsNaN Less LessOrEqual Mod Mul Neg Not Or Reciprocal Relu Round Sign Sub "
    "Where Xor"
)
_FUNCTIONS = "Acos Acosh Asin Asinh Atan Atanh Cos Cosh Erf Exp Log Pow Sigmoid Sin Sinh Sqrt Tan Tanh"
_SUMS = (
    "ArgMax ArgMin CumProd CumSum GlobalAveragePool GlobalMaxPool ReduceL1 ReduceMax ReduceMean ReduceMin ReduceProd "
    "ReduceSum"
)
ELEMENTS: dict[str, Formula] = {
    **dict.fromkeys(_SIMPLE.split(), _ONE),
    **dict.fromkeys(_FUNCTIONS.split(), _TRANSCENDENTAL),
    **dict.fromkeys(_SUMS.split(), per_input(1)),
    **dict.fromkeys(("Sum", "Mean", "Min", "Max"), Formula("out x (operands - 1)", _variadic)),
    "ReduceSumSquare": per_input(2), "ReduceL2": per_input(2), "ReduceLogSum": per_input(2),
    "ReduceLogSumExp": per_input(5), "GlobalLpPool": per_input(3),
    "BatchNormalization": per_output(2, "scale and shift, folded from the four weights"),
    "LayerNormalization": per_output(8), "InstanceNormalization": per_output(8), "GroupNormalization": per_output(8),
    "RMSNormalization": per_output(5), "LpNormalization": per_output(3), "MeanVarianceNormalization": per_output(7),
    "Softmax": per_output(5), "LogSoftmax": per_output(6),
    "SoftmaxCrossEntropyLoss": Formula("6 x in + 2 x labels", _loss),
    "NegativeLogLikelihoodLoss": Formula("2 x labels", _negative_log_likelihood),
    "Elu": per_output(5), "Selu": per_output(6), "Celu": per_output(6), "Softplus": per_output(6),
    "Mish": per_output(11), "Gelu": per_output(8), "Swish": per_output(5), "SwiGLU": per_output(6),
    "HardSwish": per_output(4), "HardSigmoid": per_output(3), "LeakyRelu": per_output(2), "PRelu": per_output(2),
    "Clip": per_output(2), "Softsign": per_output(3), "Shrink": per_output(3), "ThresholdedRelu": per_output(2),
    "QuantizeLinear": per_output(3), "DequantizeLinear": per_output(2), "DynamicQuantizeLinear": per_output(5),
    "RotaryEmbedding": _rotary(0),
    "RandomNormal": per_output(8), "RandomNormalLike": per_output(8), "RandomUniform": per_output(4),
    "RandomUniformLike": per_output(4), "Bernoulli": per_output(5, "a random number and a comparison"),
    "HannWindow": per_output(7), "HammingWindow": per_output(7), "BlackmanWindow": per_output(13),
    "MelWeightMatrix": per_output(4),
    # Kingma and Ba, ICLR 2015, and the regularisation of ONNX's operators
    "Adam": _update(17), "Momentum": _update(7), "Adagrad": _update(12),
}  # fmt: skip
MICROSOFT_ELEMENTS: dict[str, Formula] = {
    "GroupNorm": per_output(8), "SkipGroupNorm": per_output(9), "SimplifiedLayerNormalization": per_output(5),
    "SkipLayerNormalization": per_output(9), "SkipSimplifiedLayerNormalization": per_output(6),
    "EmbedLayerNormalization": per_output(9), "QEmbedLayerNormalization": per_output(9),
    "QOrderedLayerNormalization": per_output(8), "BiasSoftmax": per_output(6), "QLinearSoftmax": per_output(5),
    "FastGelu": per_output(9), "BiasGelu": per_output(9), "QuickGelu": per_output(6), "BiasSplitGelu": per_output(9),
    "QOrderedGelu": per_output(13), "BiasAdd": per_output(2), "BiasDropout": per_output(2),
    "BitmaskBiasDropout": per_output(2), "ScaledSiLU": per_output(6),
    "QLinearAdd": per_output(5), "QLinearMul": per_output(5), "QLinearSigmoid": per_output(8),
    "QLinearLeakyRelu": per_output(5), "QLinearWhere": per_output(4), "QLinearReduceMean": per_input(3),
    "QLinearGlobalAveragePool": per_input(1), "ReduceSumInteger": per_input(1), "MulInteger": per_output(1),
    "QuantizeBFP": per_output(3), "DequantizeBFP": per_output(2), "QuantizeWithOrder": per_output(3),
    "DequantizeWithOrder": per_output(2), "GemmaRotaryEmbedding": per_output(8), "MRotaryEmbedding": per_output(3),
    "ComplexMul": per_output(3), "ComplexMulConj": per_output(3), "IsAllFinite": per_input(1),
    "GatherBlockQuantized": per_output(2), "GatedAdd": per_output(2), "GatedRMSNorm": per_output(11),
    "BitmaskDropout": per_output(2),
}  # fmt: skip
