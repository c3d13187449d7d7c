"""Which class an operator type belongs to; efficiencies, fusion and views are decided by class."""

from __future__ import annotations

from typing import Final

_CLASSES: Final[dict[str, str]] = {
    "matmul": "MatMul Gemm MatMulInteger QLinearMatMul Einsum FusedMatMul FusedGemm MatMulNBits DynamicQuantizeMatMul "
    "MatMulIntegerToFloat QGemm TransposeMatMul",
    "conv": "Conv ConvTranspose ConvInteger QLinearConv DeformConv FusedConv NhwcConv QLinearConvTranspose",
    "normalization": "BatchNormalization LayerNormalization InstanceNormalization GroupNormalization LpNormalization "
    "MeanVarianceNormalization RMSNormalization LRN SkipLayerNormalization SkipSimplifiedLayerNormalization "
    "SimplifiedLayerNormalization GroupNorm SkipGroupNorm",
    "softmax": "Softmax LogSoftmax Hardmax QLinearSoftmax BiasSoftmax SoftmaxCrossEntropyLoss",
    "reduction": "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
    "ReduceSumSquare ArgMax ArgMin TopK CumSum CumProd NegativeLogLikelihoodLoss",
    "pooling": "MaxPool AveragePool LpPool GlobalAveragePool GlobalMaxPool GlobalLpPool MaxRoiPool RoiAlign MaxUnpool "
    "QLinearAveragePool QLinearGlobalAveragePool NhwcMaxPool",
    "embedding": "Gather GatherElements GatherND EmbedLayerNormalization EmbeddingBag",
    "movement": "Transpose Concat Split Slice Pad Expand Tile Resize Upsample DepthToSpace SpaceToDepth Scatter "
    "ScatterElements ScatterND ReverseSequence Compress NonZero Unique Trilu GridSample AffineGrid CenterCropPad "
    "Shape Size Range ConstantOfShape OneHot EyeLike Col2Im QLinearConcat TensorScatter SplitToSequence "
    "SequenceConstruct SequenceAt SequenceInsert SequenceErase ConcatFromSequence SequenceLength SequenceEmpty "
    "NonMaxSuppression ImageDecoder StringSplit StringConcat",
    "recurrent": "LSTM GRU RNN DynamicQuantizeLSTM",
    "attention": "Attention MultiHeadAttention GroupQueryAttention QAttention DecoderMaskedMultiHeadAttention "
    "PackedAttention LinearAttention FlexAttention",
    "view": "Reshape Squeeze Unsqueeze Flatten Identity Dropout",
    "control": "If Loop Scan SequenceMap",
    "elementwise": "Relu Sigmoid Tanh Erf Exp Log Sqrt Neg Abs Reciprocal Clip LeakyRelu Elu Selu HardSigmoid "
    "HardSwish Softplus Softsign Gelu Mish Celu ThresholdedRelu PRelu Shrink Swish Floor Ceil Round Sin Cos Tan Asin "
    "Acos Atan Sinh Cosh Asinh Acosh Atanh Sign Add Sub Mul Div Mod Pow Min Max Sum Mean Equal Less LessOrEqual "
    "Greater GreaterOrEqual And Or Xor Not Where Cast CastLike BitShift BitwiseAnd BitwiseOr BitwiseXor BitwiseNot "
    "BitCast QuantizeLinear DequantizeLinear DynamicQuantizeLinear IsNaN IsInf FastGelu BiasGelu "
    "QuickGelu BiasSplitGelu RotaryEmbedding BiasDropout BiasAdd QLinearAdd QLinearMul QLinearSigmoid "
    "QLinearLeakyRelu Bernoulli RandomNormal RandomNormalLike RandomUniform RandomUniformLike Multinomial",
}
OP_CLASS: Final = {op_type: name for name, types in _CLASSES.items() for op_type in types.split()}
CONTRACTIONS: Final = frozenset(("matmul", "conv", "attention", "recurrent"))
"""Classes whose work is products summed over an axis: never about one operation per output."""
VIEW_TYPES: Final = frozenset(_CLASSES["view"].split())
TRAINING_DOMAIN: Final = "heteroopt.training"
"""Domain of the operators that the backward pass adds."""


def op_class(op_type: str, group: int = 1, channels: int = 0) -> str:
    """Class of an operator of a known domain; a convolution whose groups are its channels is depthwise."""
    name = OP_CLASS.get(op_type, "other")
    if name == "conv" and group > 1 and group == channels:
        return "depthwise_conv"
    return name
