"""FLOP of attention operators of com.microsoft whose work the shapes bound but do not fix: packed, paged, windowed.

Sequences are then as long as the data says; each formula takes the longest that fits, so it is from above.
Layouts: ContribOperators.md of ONNX Runtime.
"""

from __future__ import annotations

import math

from heteroopt.graph.flops_attention_core import attention_core, past_tokens, projected_widths
from heteroopt.graph.flops_view import Formula, View, mac


def packed_attention(v: View) -> int:
    """PackedAttention: tokens [T, input] of [B, S] places; each meets at most S keys."""
    tokens, weight, places = v.shape(0), v.shape(1), v.shape(3)
    heads = int(v.attributes["num_heads"])
    width, value_width = projected_widths(v, weight)
    core = attention_core(1, heads, tokens[0], places[1], width // heads, value_width // heads)
    return mac(math.prod(tokens) * weight[-1]) + core


def _packed_heads(v: View) -> int:
    """PackedMultiHeadAttention: Q [T, hidden], or [T, heads, 3, head] with K and V; token_offset is [B, S]."""
    q, places, heads = v.shape(0), v.shape(4), int(v.attributes["num_heads"])
    if len(q) == 4:
        return attention_core(1, heads, q[0], places[1], q[3], q[3])
    return attention_core(1, heads, q[0], places[1], q[1] // heads, v.shape(2)[1] // heads)


def _paged(v: View) -> int:
    """PagedAttention: Q [T, heads x head] (or with K and V); a sequence has at most all blocks of its table row."""
    q, cache, table = v.shape(0), v.shape(3), v.shape(7)
    heads, head = int(v.attributes["num_heads"]), cache[3]
    return attention_core(1, heads, q[0], table[1] * cache[1], head, head)


def _longformer(v: View) -> int:
    """LongformerAttention: projections to local and global Q, K, V; a window on both sides of each token."""
    batch, length, hidden = v.shape(0)
    heads, window = int(v.attributes["num_heads"]), int(v.attributes["window"])
    keys = min(length, 2 * window + 1)
    return mac(2 * batch * length * hidden * v.shape(1)[-1]) + attention_core(
        batch, heads, length, keys, hidden // heads, hidden // heads
    )


def _decoder(v: View) -> int:
    """DecoderAttention: query [Q, B, H], key [K, B, H], weights [H, H] and [H, 2 x H], caches [B, heads, T, head]."""
    (queries, batch, hidden), keys, heads = v.shape(0), v.shape(1)[0], int(v.attributes["num_heads"])
    head = hidden // heads
    projections = queries * batch * hidden * v.shape(2)[-1] + keys * batch * hidden * v.shape(3)[-1]
    return mac(projections) + attention_core(batch, heads, queries, keys + past_tokens(v, 6, 2), head, head)


def _ordered(v: View) -> int:
    """QOrderedAttention: input [B, S, H] and three weights [H, width]."""
    (batch, length, _), heads = v.shape(0), int(v.attributes["num_heads"])
    width, value_width = v.shape(5)[-1], v.shape(7)[-1]
    projections = mac(math.prod(v.shape(0)) * (width + v.shape(6)[-1] + value_width))
    return projections + attention_core(batch, heads, length, length, width // heads, value_width // heads)


def _gated_bias(v: View) -> int:
    """GatedRelativePositionBias: each head's query times weight [head, D], then two operations an output."""
    return mac(math.prod(v.shape(0)) * v.shape(3)[-1]) + 2 * math.prod(v.out())


OTHER_ATTENTION: dict[str, Formula] = {
    "PackedAttention": Formula("2 x in x (q + k + v) + T x heads x S x (...), from above", packed_attention, False),
    "PackedMultiHeadAttention": Formula(
        "T x heads x S x (2 x head + 2 x value head + 5), from above", _packed_heads, False
    ),
    "PagedAttention": Formula("T x heads x keys of all blocks x (4 x head + 5), from above", _paged, False),
    "LongformerAttention": Formula("4 x in x (q + k + v) + the core over 2 x window + 1 keys", _longformer, False),
    "DecoderAttention": Formula("projections + the core over new and cached keys, from above", _decoder, False),
    "QOrderedAttention": Formula("2 x in x (q + k + v) + the core", _ordered),
    "GatedRelativePositionBias": Formula("2 x in x D + 2 x out", _gated_bias),
}
