"""Output sizes of com.microsoft operators, worked by hand from ContribOperators.md; what is not known stays so."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from heteroopt.graph.shapes_microsoft import microsoft_outputs, window_sizes
from heteroopt.graph.values import Value

FLOAT, HALF, BYTE, INT32 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.UINT8, TensorProto.INT32
PAST = (2, 4, 7, 8)


def value(given, element=FLOAT):
    if isinstance(given, tuple) and given and isinstance(given[0], str):
        return Value("v", FLOAT, None)  # of unknown rank
    if isinstance(given, int):
        return Value("c", INT32, (), constant=True, data=np.array(given))
    return None if given is None else Value("v", element, given)


def shapes(op_type, inputs, **attributes):
    return [item.shape for item in microsoft_outputs(op_type, attributes, [value(item) for item in inputs])]


@pytest.mark.parametrize(
    ("op_type", "inputs", "attributes", "expected"),
    [
        ("FusedMatMul", [(2, 3, 5), (2, 5, 7)], {}, [(2, 3, 7)]),
        ("FusedMatMul", [(2, 5, 3), (2, 7, 5)], {"transA": 1, "transB": 1}, [(2, 3, 7)]),
        ("FusedMatMul", [(3, 2, 5), (2, 5, 7)], {"transBatchA": 1}, [(2, 3, 7)]),
        ("FusedGemm", [(5, 3), (5, 7)], {"transA": 1}, [(3, 7)]),
        ("QGemm", [(3, 5), (), (), (7, 5)], {"transB": 1}, [(3, 7)]),
        ("MatMulNBits", [(2, 3, 64), None], {"N": 32, "K": 64}, [(2, 3, 32)]),
        ("MatMulNBitsQkv", [(2, 3, 64)], {"Nq": 64, "Nkv": 16}, [(2, 3, 64), (2, 3, 16), (2, 3, 16), (2, 3, 64)]),
        # (8 + 1 + 1 - 3) // 2 + 1 = 4
        ("FusedConv", [(1, 3, 8, 8), (16, 3, 3, 3)], {"pads": [1] * 4, "strides": [2, 2]}, [(1, 16, 4, 4)]),
        ("NhwcConv", [(1, 8, 8, 3), (16, 3, 3, 3)], {}, [(1, 6, 6, 16)]),
        ("NhwcMaxPool", [(1, 8, 8, 3)], {"kernel_shape": [2, 2], "strides": [2, 2]}, [(1, 4, 4, 3)]),
        ("QLinearAveragePool", [(1, 3, 7, 7)], {"kernel_shape": [7, 7]}, [(1, 3, 1, 1)]),
        ("QLinearGlobalAveragePool", [(1, 7, 7, 3)], {"channels_last": 1}, [(1, 1, 1, 3)]),
        ("QLinearConcat", [(), (), (2, 3), (), (), (2, 5), (), ()], {"axis": 1}, [(2, 8)]),
        ("QLinearAdd", [(2, 3), (), (), (3,)], {}, [(2, 3)]),
        ("BiasSplitGelu", [(2, 3, 8), (8,)], {}, [(2, 3, 4)]),
        ("SkipLayerNormalization", [(2, 3, 8), (2, 3, 8)], {}, [(2, 3, 8), (2, 3, 1), (2, 3, 1), (2, 3, 8)]),
        ("EmbedLayerNormalization", [(2, 6), (2, 6), (99, 8)], {}, [(2, 6, 8), (2,), (2, 6, 8)]),
        ("Attention", [(2, 6, 20), (20, 96)], {"num_heads": 4}, [(2, 6, 32), (2, 2, 4, 6, 8)]),
        ("Attention", [(2, 6, 20), (20, 96), None, None, (2, *PAST)], {"num_heads": 4},
         [(2, 6, 32), (2, 2, 4, 13, 8)]),
        ("MultiHeadAttention", [(2, 6, 32), (2, 5, 32), (2, 5, 32), None, None, None, PAST, PAST], {"num_heads": 4},
         [(2, 6, 32), (2, 4, 12, 8), (2, 4, 12, 8)]),
        ("MultiHeadAttention", [(2, 6, 32), (2, 5, 32), (2, 5, 64)], {"num_heads": 4},
         [(2, 6, 64), (2, 4, 5, 8), (2, 4, 5, 16)]),
        ("GroupQueryAttention", [(1, 3, 32), (1, 3, 16), (1, 3, 16), (1, 2, 5, 8), (1, 2, 5, 8), None, 8],
         {"num_heads": 4, "kv_num_heads": 2}, [(1, 3, 32), (1, 2, 8, 8), (1, 2, 8, 8)]),
        # a buffer for 20 tokens, of which 8 are used
        ("GroupQueryAttention", [(1, 3, 64), None, None, (1, 2, 20, 8), (1, 2, 20, 8), None, 8],
         {"num_heads": 4, "kv_num_heads": 2}, [(1, 3, 32), (1, 2, 20, 8), (1, 2, 20, 8)]),
        ("GroupQueryAttention", [(1, 3, 32), (1, 3, 16), (1, 3, 16), (1, 2, 5, 8), (1, 2, 5, 8)],
         {"num_heads": 4, "kv_num_heads": 2}, [(1, 3, 32), (1, 2, -1, 8), (1, 2, -1, 8)]),
        ("DynamicQuantizeLSTM", [(7, 2, 5), (1, 5, 24)], {}, [(7, 1, 2, 6), (1, 2, 6), (1, 2, 6)]),
        ("Rfft", [(3, 16)], {}, [(3, 9, 2)]),
    ],
)  # fmt: skip
def test_sizes(op_type, inputs, attributes, expected):
    assert shapes(op_type, inputs, **attributes) == expected


def test_element_types():
    found = microsoft_outputs(
        "EmbedLayerNormalization", {}, [value((2, 6), INT32), value((2, 6), INT32), value((99, 8), HALF)]
    )
    assert [item.element for item in found] == [HALF, INT32, HALF]
    (packed,) = microsoft_outputs(
        "GatherBlockQuantized", {}, [value((99, 4), BYTE), value((2, 3)), value((99, 1), HALF)]
    )
    assert (packed.shape, packed.element) == ((2, 3, 8), HALF)


@pytest.mark.parametrize(
    ("op_type", "inputs", "attributes"),
    [
        ("QLinearAdd", [(2, 3), (), (), ("?",)], {}),  # an operand of unknown rank
        ("FusedMatMul", [(2, 3), (4, 5)], {}),
        ("MatMulNBits", [(2, 3)], {"N": -7}),
        ("MatMulNBits", [(2, 3)], {}),
        ("Gelu", [("?",)], {}),
        ("MultiHeadAttention", [(2, 6, 32), (2, 6, 32)], {}),
        ("FusedConv", [(1, 3, 2, 2), (16, 3, 5, 5)], {}),
        ("Attention", [(2, 6, 32), (32, 96)], {"num_heads": 0}),
        ("Unheard", [(2, 3)], {}),
    ],
)
def test_what_is_not_known_is_not_guessed(op_type, inputs, attributes):
    assert shapes(op_type, inputs, **attributes) == [None]


@pytest.mark.parametrize(
    ("size", "kernel", "attributes", "expected"),
    [
        (7, 3, {"strides": [2], "pads": [1, 1]}, 4),
        (7, 3, {"strides": [2], "auto_pad": "SAME_UPPER"}, 4),
        (8, 3, {"strides": [2], "auto_pad": "VALID", "pads": [9, 9]}, 3),
        (8, 3, {"strides": [2], "ceil_mode": 1}, 4),
        (9, 3, {"dilations": [2]}, 5),
        (4, 2, {"strides": [3], "ceil_mode": 1}, 2),
        (4, 1, {"strides": [4], "pads": [0, 1], "ceil_mode": 1}, 1),  # a second window would lie in the padding alone
    ],
)
def test_windows(size, kernel, attributes, expected):
    assert window_sizes((size,), [kernel], attributes) == (expected,)
