"""Formulas of the registry against numbers worked by hand, one line an operator; FLOP = 2 x MAC.

Each case: type, domain, attributes, shapes of the inputs (``None``: left out), of the first output, and the count
with its arithmetic. A small integer input is given as ``(value,)`` in a list: ``[16]``.
"""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from heteroopt.graph.flops import flops
from heteroopt.graph.flops_view import View
from heteroopt.graph.values import Value

MS = "com.microsoft"
ML = "ai.onnx.ml"


def value(given: object) -> Value | None:
    if given is None:
        return None
    if isinstance(given, list):
        data = np.array(given[0], np.int64)
        return Value("c", TensorProto.INT64, (), constant=True, data=data)
    assert isinstance(given, tuple)
    return Value("v", TensorProto.FLOAT, given)


def counted(op_type, domain, attributes, inputs, output):
    outputs = [Value("y", TensorProto.FLOAT, output)]
    return flops(View(op_type, attributes, [value(item) for item in inputs], outputs), domain)


CASES = [
    # Convolutions: every output element is a dot product over C/group x kernel.
    ("Conv", "", {}, [(1, 3, 8, 8), (16, 3, 3, 3)], (1, 16, 6, 6), 2 * 576 * 27),  # 31 104
    ("Conv", "", {"group": 4}, [(1, 8, 8, 8), (8, 2, 3, 3)], (1, 8, 6, 6), 2 * 288 * 18),
    ("Conv", "", {"group": 8}, [(1, 8, 8, 8), (8, 1, 3, 3)], (1, 8, 6, 6), 2 * 288 * 9),
    ("Conv", "", {}, [(2, 3, 10), (4, 3, 5)], (2, 4, 6), 2 * 48 * 15),  # one axis
    ("Conv", "", {}, [(1, 2, 4, 4, 4), (3, 2, 2, 2, 2)], (1, 3, 3, 3, 3), 2 * 81 * 16),  # three axes
    ("QLinearConv", "", {}, [(1, 3, 8, 8), (), (), (16, 3, 3, 3)], (1, 16, 6, 6), 2 * 576 * 27),
    ("NhwcConv", MS, {}, [(1, 8, 8, 3), (16, 3, 3, 3)], (1, 6, 6, 16), 2 * 576 * 27),
    ("FusedConv", MS, {"activation": "Relu"}, [(1, 3, 8, 8), (16, 3, 3, 3)], (1, 16, 6, 6), 2 * 576 * 27),
    # Transposed: every input element spreads over M/group x kernel.
    ("ConvTranspose", "", {"group": 2}, [(1, 4, 5, 5), (4, 3, 2, 2)], (1, 6, 10, 10), 2 * 100 * 12),
    # A deformable convolution also interpolates each sample of each group between four: 8 operations.
    ("DeformConv", "", {}, [(1, 3, 8, 8), (16, 3, 3, 3)], (1, 16, 6, 6), 2 * 576 * 27 + 8 * 36 * 27),
    ("CausalConvWithState", "", {}, [(2, 6, 10), (6, 1, 4)], (2, 6, 10), 120 * 2 * 4),
    ("CausalConvWithState", "", {"activation": "silu"}, [(2, 6, 10), (6, 1, 4)], (2, 6, 10), 120 * (2 * 4 + 5)),
    # Matrix products: out x K.
    ("MatMul", "", {}, [(2, 1, 3, 5), (4, 5, 7)], (2, 4, 3, 7), 2 * 168 * 5),
    ("FusedMatMul", MS, {"transA": 1}, [(2, 5, 3), (2, 5, 7)], (2, 3, 7), 2 * 42 * 5),
    ("FusedMatMul", MS, {"transBatchA": 1}, [(3, 2, 5), (2, 5, 7)], (2, 3, 7), 2 * 42 * 5),
    ("FusedMatMul", MS, {"transA": 1, "transBatchA": 1}, [(5, 2, 3), (2, 5, 7)], (2, 3, 7), 2 * 42 * 5),
    ("MatMulNBits", MS, {"K": 64, "N": 32}, [(2, 3, 64), (32, 2, 16)], (2, 3, 32), 2 * 192 * 64),
    ("MatMulNBitsQkv", MS, {"Nq": 32, "Nkv": 8}, [(2, 3, 64), None, None], (2, 3, 32), 2 * 6 * 64 * 48),
    ("MatMulNBitsMlp", MS, {"N": 32}, [(6, 64), (6, 64), (64,)], (6, 32), 6 * 64 * 6 + 4 * 6 * 64 * 32 + 6 * 6 * 32),
    ("GemmFastGelu", MS, {}, [(3, 5), (5, 7)], (3, 7), 21 * (2 * 5 + 9)),
    ("QOrderedMatMul", MS, {}, [(3, 5), (), (5, 7)], (3, 7), 2 * 21 * 5),
    # Einsum: pairs from left to right. a,b: i j k = 2 x 3 x 4; then (i k),(k l): 2 x 4 x 5.
    ("Einsum", "", {"equation": "ij,jk,kl->il"}, [(2, 3), (3, 4), (4, 5)], (2, 5), 2 * (24 + 40)),
    ("Einsum", "", {"equation": "bij,bjk"}, [(2, 3, 4), (2, 4, 5)], (2, 3, 5), 2 * 120),
    ("Einsum", "", {"equation": "...i,...i->..."}, [(7, 3), (7, 3)], (7,), 2 * 21),
    ("Einsum", "", {"equation": "ii->i"}, [(4, 4)], (4,), 0),  # the diagonal
    ("Einsum", "", {"equation": "ii->"}, [(4, 4)], (), 4),  # its sum
    ("Einsum", "", {"equation": "ij->ji"}, [(4, 5)], (5, 4), 0),
    # Recurrent: steps x batch x directions x hidden x (2 x gates x (I + H) + gate operations).
    ("LSTM", "", {}, [(7, 2, 5), (2, 24, 5), (2, 24, 6)], (7, 2, 2, 6), 7 * 2 * 2 * 6 * (2 * 4 * 11 + 17)),
    ("LSTM", "", {}, [(7, 2, 5), (1, 24, 5), (1, 24, 6), *[None] * 4, (1, 18)], (7, 1, 2, 6), 84 * (88 + 17 + 6)),
    ("GRU", "", {}, [(7, 2, 5), (1, 18, 5), (1, 18, 6)], (7, 1, 2, 6), 7 * 2 * 6 * (2 * 3 * 11 + 15)),
    ("RNN", "", {}, [(7, 2, 5), (1, 6, 5), (1, 6, 6)], (7, 1, 2, 6), 7 * 2 * 6 * (2 * 11 + 5)),
    # Experts: 10 tokens, 2 of 4 experts each of fc1 [16, 8] and fc2 [8, 16], and 5 x 4 for the router's softmax.
    ("MoE", MS, {"k": 2}, [(10, 8), (10, 4), (4, 16, 8), None, (4, 8, 16)], (10, 8), 10 * (2 * 2 * 256 + 20)),
    ("QMoE", MS, {"k": 1, "expert_weight_bits": 4},
     [(10, 8), (10, 4), (4, 16, 4), None, None, (4, 8, 8)], (10, 8), 10 * (2 * 256 + 20)),
    # Attention: scores x (2 x head + 5 + 2 x value head).
    ("Attention", "", {}, [(2, 4, 6, 8), (2, 4, 10, 8), (2, 4, 10, 16)], (2, 4, 6, 16), 480 * (16 + 5 + 32)),
    ("Attention", MS, {"num_heads": 4}, [(2, 6, 32), (32, 96)], (2, 6, 32), 2 * 12 * 32 * 96 + 288 * 37),
    ("GroupQueryAttention", MS, {"num_heads": 4, "kv_num_heads": 2},
     [(1, 3, 32), (1, 3, 16), (1, 3, 16), (1, 2, 5, 8), (1, 2, 5, 8)], (1, 3, 32), 4 * 3 * 8 * 37),
    ("QOrderedAttention", MS, {"num_heads": 4}, [(2, 6, 32), *[()] * 4, (32, 32), (32, 32), (32, 32)], (2, 6, 32),
     2 * 384 * 96 + 288 * 37),
    ("RotaryEmbedding", "", {}, [(2, 4, 6, 8)], (2, 4, 6, 8), 3 * 384),
    ("RotaryEmbedding", MS, {"rotary_embedding_dim": 4, "num_heads": 4}, [(2, 6, 32), (2, 6)], (2, 6, 32), 3 * 192),
    # Windows and interpolation.
    ("MaxPool", "", {"kernel_shape": [3, 3]}, [(1, 2, 8, 8)], (1, 2, 6, 6), 72 * 9),
    ("LpPool", "", {"kernel_shape": [3, 3]}, [(1, 2, 8, 8)], (1, 2, 6, 6), 72 * (2 * 9 + 4)),
    ("Resize", "", {"mode": "nearest"}, [(1, 3, 4, 4)], (1, 3, 8, 8), 0),
    ("Resize", "", {"mode": "linear"}, [(1, 3, 4, 4)], (1, 3, 8, 8), 192 * 2 * 4),
    ("Resize", "", {"mode": "linear"}, [(1, 3, 4)], (1, 3, 8), 24 * 2 * 2),
    ("Resize", "", {"mode": "cubic"}, [(1, 3, 4, 4)], (1, 3, 8, 8), 192 * 2 * 16),
    # 8 -> 4 widens a tap of 2 to 4 an axis
    ("Resize", "", {"mode": "linear", "antialias": 1}, [(1, 1, 8, 8)], (1, 1, 4, 4), 16 * 2 * 16),
    ("GridSample", "", {"mode": "linear"}, [(1, 3, 8, 8), (1, 4, 4, 2)], (1, 3, 4, 4), 48 * 2 * 4 + 3 * 32),
    ("GridSample", "", {"mode": "nearest"}, [(1, 3, 8, 8), (1, 4, 4, 2)], (1, 3, 4, 4), 3 * 32),
    ("AffineGrid", "", {}, [(1, 2, 3), (4,)], (1, 4, 4, 2), 2 * 32 * 3),
    ("RoiAlign", "", {"sampling_ratio": 2}, [(1, 3, 8, 8), (5, 4)], (5, 3, 2, 2), 8 * 60 * 4),
    # Transforms: 5 N log2 N, half of it for real data. 16 points: 5 x 16 x 4 = 320.
    ("DFT", "", {"axis": 1}, [(3, 16, 2)], (3, 16, 2), 3 * 320),
    ("DFT", "", {}, [(3, 16, 1), None, [1]], (3, 16, 2), 3 * 160),
    ("DFT", "", {"onesided": 1}, [(3, 10, 1), [16], [1]], (3, 9, 2), 3 * 160),
    ("STFT", "", {}, [(2, 64, 1), (), (16,)], (2, 7, 9, 2), 14 * (16 + 160)),
    ("Rfft", MS, {}, [(3, 16)], (3, 9, 2), 3 * 160),
    ("Det", "", {}, [(2, 3, 3)], (2,), 2 * (3 + 10 + 2)),  # 3 divisions, 2 x (4 + 1), 2 for the diagonal
    # Sorting and choosing.
    ("TopK", "", {}, [(4, 100), ()], (4, 8), 400 * 3),
    ("TopK", "", {"axis": 0}, [(100, 4), ()], (8, 4), 400 * 3),  # K is along the axis
    ("TopK", "", {"axis": 1}, [(2, 16, 50), ()], (2, 4, 50), 1600 * 2),
    ("Multinomial", "", {}, [(2, 8)], (2, 5), 6 * 16 + 10 * (4 + 3)),
    # Sums: one for each element that is read; a fold of several operands one less than them an output.
    ("ReduceMean", "", {}, [(4, 5, 6)], (4, 5, 1), 120),
    ("ReduceL2", "", {}, [(4, 5, 6)], (4, 5, 1), 240),
    ("ReduceLogSumExp", "", {}, [(4, 5, 6)], (4, 5, 1), 600),
    ("ArgMax", "", {}, [(4, 5, 6)], (4, 5, 1), 120),
    ("CumSum", "", {}, [(4, 5), ()], (4, 5), 20),
    ("GlobalAveragePool", "", {}, [(2, 3, 7, 7)], (2, 3, 1, 1), 294),
    ("Sum", "", {}, [(2, 3), (2, 3), (3,)], (2, 3), 12),
    ("NegativeLogLikelihoodLoss", "", {}, [(4, 10), (4,)], (), 8),
    ("SoftmaxCrossEntropyLoss", "", {}, [(4, 10), (4,)], (), 6 * 40 + 8),
    # Element by element, broadcast included.
    ("Add", "", {}, [(4, 1), (5,)], (4, 5), 20),
    ("Exp", "", {}, [(4, 5)], (4, 5), 80),
    ("Atan", "", {}, [(4, 5)], (4, 5), 80),
    ("Gelu", "", {}, [(4, 5)], (4, 5), 160),
    ("SwiGLU", "", {}, [(4, 5), (4, 5)], (4, 5), 120),
    ("Softmax", "", {}, [(4, 5)], (4, 5), 100),
    ("LayerNormalization", "", {}, [(4, 5), (5,)], (4, 5), 160),
    ("SkipLayerNormalization", MS, {}, [(4, 5), (4, 5), (5,)], (4, 5), 180),
    ("BatchNormalization", "", {}, [(1, 4, 5)], (1, 4, 5), 40),
    ("QuantizeLinear", "", {}, [(4, 5), ()], (4, 5), 60),
    ("DequantizeLinear", "", {}, [(4, 5), ()], (4, 5), 40),
    ("DynamicQuantizeLinear", "", {}, [(4, 5)], (4, 5), 100),
    ("Adam", "ai.onnx.preview.training", {}, [(), (), (4, 5), (4, 5), (4, 5), (4, 5)], (4, 5), 17 * 20),
    # Movement, views, look-ups: none.
    *[(name, "", {}, [(4, 5)], (4, 5), 0) for name in (
        "Transpose", "Concat", "Gather", "Pad", "Reshape", "Identity", "ScatterND", "TensorScatter", "Optional")],
    # Classical models: 6 rows of 4 features.
    ("LinearClassifier", ML, {"coefficients": [0.0] * 12}, [(6, 4)], (6,), 2 * 6 * 12),
    ("SVMRegressor", ML, {"support_vectors": [0.0] * 20, "coefficients": [0.0] * 5}, [(6, 4)], (6, 1), 6 * (40 + 35)),
]  # fmt: skip
# From above, or typical: the data decides.
BOUNDS = [
    # 100 boxes of one class, 10 kept: 100 x 7 to sort, 12 x 10 x 100 overlaps
    ("NonMaxSuppression", "", {}, [(1, 100, 4), (1, 1, 100), [10]], (10, 3), 700 + 12_000),
    ("MaxRoiPool", "", {}, [(1, 3, 8, 8), (5, 5)], (5, 3, 2, 2), 480),
    # two trees of 7 nodes: ceil(log2 7) + 1 comparisons each
    ("TreeEnsembleRegressor", ML, {"nodes_treeids": [0] * 7 + [1] * 7}, [(6, 4)], (6, 1), 6 * 2 * 4),
    # 6 queries x 2 heads x keys of 3 blocks of 16
    ("PagedAttention", MS, {"num_heads": 2}, [(6, 16), None, None, (9, 16, 2, 8), None, None, None, (1, 3)], (6, 16),
     6 * 2 * 48 * (4 * 8 + 5)),
    # window 2 to both sides: 5 keys; local and global projections
    ("LongformerAttention", MS, {"num_heads": 2, "window": 2}, [(1, 10, 16), (16, 48)], (1, 10, 16),
     2 * 2 * 160 * 48 + 10 * 2 * 5 * 37),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_exact_counts(case):
    op_type, domain, attributes, inputs, output, expected = case
    assert counted(op_type, domain, attributes, inputs, output) == (expected, True)


@pytest.mark.parametrize("case", BOUNDS, ids=lambda case: case[0])
def test_counts_that_the_data_decides_are_estimates(case):
    op_type, domain, attributes, inputs, output, expected = case
    assert counted(op_type, domain, attributes, inputs, output) == (expected, False)


@pytest.mark.parametrize(
    ("op_type", "inputs"),
    [
        ("Conv", [(1, 3, 8, 8), None]),
        ("Gradient", [(4,)]),
        ("DFT", [(3, 16, 1), (1,), [1]]),
        ("LinearRegressor", [(6, 4)]),
    ],
)
def test_what_is_not_known_is_not_counted(op_type, inputs):
    assert counted(op_type, "", {}, inputs, (1, 16, 6)) is None


@pytest.mark.parametrize(("version", "transforms"), [(17, 2 * 16 * 60), (20, 2 * 8 * 160)])
def test_the_axis_of_a_transform_without_one_depends_on_the_version(version, transforms):
    """8 points of real data: 2.5 x 8 x 3 = 60 operations; 16 points: 2.5 x 16 x 4 = 160."""
    given = [Value("x", TensorProto.FLOAT, (2, 8, 16, 1))]
    made = [Value("y", TensorProto.FLOAT, (2, 8, 16, 2))]
    assert flops(View("DFT", {}, given, made, version), "") == (transforms, True)
