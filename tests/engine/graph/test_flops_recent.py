"""FLOP and sizes of recent fused operators of com.microsoft, against numbers worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.engine.graph.test_flops_attention import core, one

T, K, N = 6, 32, 48
STREAMS = (2, 3, 4 * 8)  # 4 branches of 8


def packed(heads: int, kv_heads: int, head: int) -> int:
    return (heads + 2 * kv_heads) * head


@pytest.mark.parametrize(
    ("op_type", "inputs", "attributes", "flops", "out"),
    [
        ("BranchwiseRMSNorm", [STREAMS], {"num_branches": 4}, 5 * 192, (2, 3, 32)),
        ("RMSNormRotary", [(2, 3, 4, 20), (16,), (2, 3)], {}, 8 * 2 * 3 * 64, (2, 3, 64)),
        ("EngramGate", [(2, 3, 4, 8), (2, 3, 4, 8), (2, 3, 8)], {}, 13 * 192, (2, 3, 4, 8)),
        ("LinearAttentionGate", [(2, 3, 8), (8,), (8,)], {}, 8 * 48, (2, 3, 8)),
        ("LinearAttentionGate", [(2, 3, 8), (8,), (8,), (2, 3, 8)], {}, 12 * 48, (2, 3, 8)),
        ("HyperConnectionPreMix", [STREAMS, (2, 3, 4)], {"num_branches": 4}, 2 * 192 + 48, (2, 3, 8)),
        ("HyperConnectionPreMix", [(2, 3, 4, 8), (2, 3, 4)], {}, 2 * 192 + 48, (2, 3, 8)),
        ("HyperConnectionPostMix", [STREAMS, (2, 3, 8), (2, 3, 4)], {"num_branches": 4}, 2 * 192, STREAMS),
        ("HyperConnectionPostMix", [(2, 3, 4, 8), (2, 3, 8), (2, 3, 4), (2, 3, 4, 4)], {}, 2 * 5 * 192, (2, 3, 4, 8)),
        (
            "HyperConnectionLowRankMix", [STREAMS, (32,), (32, 5), (5, 32), (32, 4)], {"num_branches": 4},
            6 * 2 * (32 * 5 + 5 * 32 + 32 * 4) + 11 * 192, (2, 3, 8),
        ),
        (
            "MatMulNBitsQLoRA", [(T, K), (N, 1, 16), (N, 1), (8, 1, 16), (8, 1), (N, 1, 16), (N, 1)],
            {"K": K, "N": N, "bits": 4, "block_size": 32}, T * 2 * (K * N + K * 8 + 8 * N), (T, N),
        ),
        ("RouterGateUpProj", [(2, 3, K), (K, 8 + 2 * 20)], {"router_size": 8}, 6 * (2 * K * N + 6 * 20), (2, 3, 8)),
        (
            "MoEPacked", [(T, K), (T, 16), (16, 64, 18), (16, 64, 18), (16, K, 34)], {"k": 2},
            T * (2 * 2 * 3 * 64 * K + 5 * 16), (T, K),
        ),
        ("MoEPacked", [(T, K), (T, 16), (16, 64, 18), None, (16, K, 34)], {"k": 2}, T * (4 * 2 * 64 * K + 80), (T, K)),
        ("GatedDeltaNet", [(T, 2, 8), (T, 2, 8), (T, 4, 16)], {}, T * 128 * (2 * (4 + 2 * 4) + 4), (T, 4, 16)),
        (
            "GatedDeltaNet", [(T, 2, 8), (T, 2, 8), (T, 4, 16)], {"update_rule": "linear"}, T * 128 * 2 * (4 + 4),
            (T, 4, 16),
        ),
        ("VarlenCausalConvWithState", [(T, K), (K, 1, 4), (3,)], {"activation": "silu"}, T * K * (8 + 5), (T, K)),
    ],
)  # fmt: skip
def test_shapes_alone_decide(read, op_type, inputs, attributes, flops, out):
    op = one(read, op_type, inputs, **attributes)
    assert (op.flops, op.flops_source) == (flops, "exact")
    assert op.bytes_written == 4 * math.prod(out)


def test_an_empty_adapter_costs_nothing(read):
    inputs = [(T, K), (N, 1, 16), (N, 1), (0, 1, 16), (8, 1), (N, 1, 16), (N, 1)]
    empty = {"i3": np.zeros((0, 1, 16), np.uint8)}
    op = one(read, "MatMulNBitsQLoRA", inputs, weights=empty, K=K, N=N, bits=4, block_size=32)
    assert (op.flops, op.flops_source) == (T * 2 * K * N, "exact")


@pytest.mark.parametrize(
    ("width", "others", "mode", "keys"),
    [
        (4 * 16, [(2, 3, 32), (2, 3, 32)], {}, 10),
        (packed(4, 2, 16), [None, None], {}, 10),
        (4 * 16, [(2, 3, 32), (2, 3, 32)], {"attention_mode": "local_plus_selected", "local_window_size": 5}, 15),
    ],
)
def test_sparse_attention_meets_the_selected_keys_from_above(read, width, others, mode, keys):
    inputs = [(2, 3, width), *others, None, None, None, None, (6, 10)]
    op = one(read, "DynamicSparseAttention", inputs, num_heads=4, kv_num_heads=2, **mode)
    assert (op.flops, op.flops_source) == (core(4 * 6 * keys, 16), "estimated")
    assert op.bytes_written == 4 * 6 * 64


def test_packed_projections_of_a_delta_rule_take_their_heads_from_the_state(read):
    inputs = [(T, 2 * 2 * 8 + 4 * 16), None, None, None, None, None, (1, 4, 16, 8)]
    op = one(read, "GatedDeltaNet", inputs, out=[T, 4, 16])
    assert op.flops == T * 128 * (2 * (4 + 2 * 4) + 4)


def test_a_router_counts_its_product_where_it_makes_the_logits(read):
    given = one(read, "MoEGroupRouter", [(T, 16), (16,)], out=[T, 16])
    made = one(read, "MoEGroupRouter", [(T, K), (16,), (16, K)], out=[T, 16])
    assert (given.flops, made.flops) == (T * 16 * 6, T * 16 * (2 * K + 6))
