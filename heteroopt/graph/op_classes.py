"""Which class an operator type belongs to; efficiencies, fusion and views are decided by class."""

from __future__ import annotations

from typing import Final

_CLASSES: Final[dict[str, str]] = {
    "matmul": "MatMul Gemm MatMulInteger QLinearMatMul Einsum FusedMatMul FusedGemm MatMulNBits DynamicQuantizeMatMul "
    "MatMulIntegerToFloat QGemm TransposeMatMul MatMulInteger16 MatMulBnb4 MatMulFpQ4 QOrderedMatMul "
    "SparseToDenseMatMul FusedMatMulActivation GemmFloat8 GemmFastGelu MatMulNBitsMlp MatMulNBitsQkv MoE QMoE "
    "MatMulPacked MatMulBlockQuantizedFp4Weight MatMulBlockQuantizedFp8Weight MatMulNBitsQLoRA RouterGateUpProj "
    "MoEPacked MoEGroupRouter HyperConnectionLowRankMix",
    "conv": "Conv ConvTranspose ConvInteger QLinearConv DeformConv FusedConv NhwcConv QLinearConvTranspose "
    "NhwcFusedConv ConvTransposeWithDynamicPads",
    "depthwise_conv": "CausalConvWithState VarlenCausalConvWithState",
    "normalization": "BatchNormalization LayerNormalization InstanceNormalization GroupNormalization LpNormalization "
    "MeanVarianceNormalization RMSNormalization LRN SkipLayerNormalization SkipSimplifiedLayerNormalization "
    "SimplifiedLayerNormalization GroupNorm SkipGroupNorm QOrderedLayerNormalization GatedRMSNorm "
    "BranchwiseRMSNorm RMSNormRotary",
    "softmax": "Softmax LogSoftmax Hardmax QLinearSoftmax BiasSoftmax SoftmaxCrossEntropyLoss",
    "reduction": "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
    "ReduceSumSquare ArgMax ArgMin TopK CumSum CumProd NegativeLogLikelihoodLoss "
    "QLinearReduceMean ReduceSumInteger IsAllFinite",
    "pooling": "MaxPool AveragePool LpPool GlobalAveragePool GlobalMaxPool GlobalLpPool MaxRoiPool RoiAlign "
    "QLinearAveragePool QLinearGlobalAveragePool NhwcMaxPool MaxpoolWithMask CropAndResize",
    "embedding": "Gather GatherElements GatherND EmbedLayerNormalization EmbeddingBag QEmbedLayerNormalization "
    "GatherBlockQuantized TorchEmbedding RelativePositionBias",
    "movement": "Transpose Concat Split Slice Pad Expand Tile Resize Upsample DepthToSpace SpaceToDepth Scatter "
    "ScatterElements ScatterND ReverseSequence Compress NonZero Unique Trilu GridSample AffineGrid CenterCropPad "
    "Shape Size Range ConstantOfShape OneHot EyeLike Col2Im QLinearConcat TensorScatter SplitToSequence "
    "SequenceConstruct SequenceAt SequenceInsert SequenceErase ConcatFromSequence SequenceLength SequenceEmpty "
    "MaxUnpool NonMaxSuppression ImageDecoder StringSplit StringConcat StringNormalizer RegexFullMatch TfIdfVectorizer "
    "Constant Optional OptionalGetElement OptionalHasElement ExpandDims GatherPacked RemovePadding RestorePadding "
    "UnfoldTensor Tokenizer ArrayFeatureExtractor CastMap CategoryMapper DictVectorizer FeatureVectorizer LabelEncoder "
    "OneHotEncoder ZipMap ConvStateReplay NGramRepeatBlock SampleOp BifurcationDetector SpeculativePrefixCommit",
    "recurrent": "LSTM GRU RNN DynamicQuantizeLSTM",
    "attention": "Attention MultiHeadAttention GroupQueryAttention QAttention DecoderMaskedMultiHeadAttention "
    "PackedAttention LinearAttention FlexAttention DecoderMaskedSelfAttention SparseAttention PackedMultiHeadAttention "
    "PagedAttention LongformerAttention DecoderAttention QOrderedAttention GatedRelativePositionBias GatedDeltaNet "
    "DynamicSparseAttention SparsePagedAttention QOrderedLongformerAttention",
    "view": "Reshape Squeeze Unsqueeze Flatten Identity Dropout",
    "control": "If Loop Scan SequenceMap",
    "elementwise": "Relu Sigmoid Tanh Erf Exp Log Sqrt Neg Abs Reciprocal Clip LeakyRelu Elu Selu HardSigmoid "
    "HardSwish Softplus Softsign Gelu Mish Celu ThresholdedRelu PRelu Shrink Swish Floor Ceil Round Sin Cos Tan Asin "
    "Acos Atan Sinh Cosh Asinh Acosh Atanh Sign Add Sub Mul Div Mod Pow Min Max Sum Mean Equal Less LessOrEqual "
    "Greater GreaterOrEqual And Or Xor Not Where Cast CastLike BitShift BitwiseAnd BitwiseOr BitwiseXor BitwiseNot "
    "BitCast QuantizeLinear DequantizeLinear DynamicQuantizeLinear IsNaN IsInf FastGelu BiasGelu "
    "QuickGelu BiasSplitGelu RotaryEmbedding BiasDropout BiasAdd QLinearAdd QLinearMul QLinearSigmoid "
    "QLinearLeakyRelu Bernoulli RandomNormal RandomNormalLike RandomUniform RandomUniformLike Multinomial "
    "SwiGLU ScaledSiLU QOrderedGelu QLinearWhere MulInteger BitmaskBiasDropout BitmaskDropout QuantizeBFP "
    "DequantizeBFP QuantizeWithOrder DequantizeWithOrder GemmaRotaryEmbedding MRotaryEmbedding ComplexMul "
    "ComplexMulConj GatedAdd Scaler Normalizer Imputer Binarizer HannWindow HammingWindow BlackmanWindow "
    "MelWeightMatrix Adam Momentum Adagrad EngramGate LinearAttentionGate HyperConnectionPreMix HyperConnectionPostMix",
    "other": "DFT STFT Det Rfft Irfft Inverse CDist LinearClassifier LinearRegressor SVMClassifier SVMRegressor "
    "TreeEnsemble TreeEnsembleClassifier TreeEnsembleRegressor",
}
OP_CLASS: Final = {op_type: name for name, types in _CLASSES.items() for op_type in types.split()}
CONTRACTIONS: Final = frozenset(("matmul", "conv", "attention", "recurrent"))
"""Classes whose work is products summed over an axis: never about one operation per output."""
UNCOUNTED: Final = {
    "Gradient": "its work is that of the graph that it differentiates",
    "BeamSearch": "its steps depend on the data", "WhisperBeamSearch": "its steps depend on the data",
    "GreedySearch": "its steps depend on the data", "Sampling": "its steps depend on the data",
    "EPContext": "it holds a compiled model that only its runtime can read",
    "AttnLSTM": "its attention runs inside its steps, over a memory whose length the data gives",
    "DynamicTimeWarping": "the path that it finds depends on the data",
    "GatedDeltaNetStateReplay": "how many transitions it replays is in its data",
    "Mamba2Verify": "how many tokens it accepts depends on the data",
    "MurmurHash3": "it hashes integers: its bytes say more than its operations",
    "NGramHashMapping": "it hashes integers: its bytes say more than its operations",
    "VarlenNGramHashMapping": "it hashes integers: its bytes say more than its operations",
    "SparseAttentionIndexer": "how many keys it scores is in its data",
    "PackedSparseAttentionIndexer": "how many keys it scores is in its data",
    "PackedSparseAttentionIndexerMerge": "how many candidates it merges is in its data",
    "WordConvEmbedding": "how long words are is in its data",
    "Snpe": "it holds a compiled model that only its runtime can read",
}  # fmt: skip
"""Published operators whose work no shape tells, and why: costed by their bytes, with a place to give a cost."""
VIEW_TYPES: Final = frozenset(_CLASSES["view"].split())
TRAINING_DOMAIN: Final = "heteroopt.training"
"""Domain of the operators that the backward pass adds."""


def op_class(op_type: str, group: int = 1, channels: int = 0) -> str:
    """Class of an operator of a known domain; a convolution whose groups are its channels is depthwise."""
    name = OP_CLASS.get(op_type, "other")
    if name == "conv" and group > 1 and group == channels:
        return "depthwise_conv"
    return name
