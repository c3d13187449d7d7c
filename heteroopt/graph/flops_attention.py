"""FLOP of attention operators: products with all keys, past ones included, and the softmax.

Masks do not make the count smaller, causal and window masks included: what is counted is what the shapes say.
Layouts of the inputs: ONNX's Attention, LinearAttention and FlexAttention, and ContribOperators.md of ONNX Runtime.
"""

from __future__ import annotations

import math

from heteroopt.graph.flops_attention_core import attention_core, past_tokens, projected_widths
from heteroopt.graph.flops_other_attention import OTHER_ATTENTION
from heteroopt.graph.flops_view import Formula, Rule, View, mac


def _attention(v: View) -> int:
    """ONNX Attention: Q, K, V as [B, heads, S, head] or [B, S, heads x head], with grouped key/value heads."""
    q, k, value = v.shape(0), v.shape(1), v.shape(2)
    past = past_tokens(v, 4, 2)
    if len(q) == 4:
        return attention_core(q[0], q[1], q[2], k[2] + past, q[3], value[3])
    heads, kv_heads = int(v.attributes["q_num_heads"]), int(v.attributes["kv_num_heads"])
    return attention_core(q[0], heads, q[1], k[1] + past, q[2] // heads, value[2] // kv_heads)


def projected_attention(past: int) -> Rule:
    """com.microsoft Attention and QAttention: the projection of the input to Q, K and V included.

    past: position of the past keys and values, [2, B, heads, S, head].
    """

    def rule(v: View) -> int:
        x, weight, heads = v.shape(0), v.shape(1), int(v.attributes["num_heads"])
        width, value_width = projected_widths(v, weight)
        core = attention_core(x[0], heads, x[1], x[1] + past_tokens(v, past, 3), width // heads, value_width // heads)
        return mac(math.prod(x) * weight[-1]) + core

    return rule


def _multi_head_attention(past: int) -> Rule:
    """com.microsoft MultiHeadAttention and its decoder: Q [B, S, hidden], or packed QKV [B, S, heads, 3, head].

    K is [B, S, hidden], packed with V as [B, S, heads, 2, head], or [B, heads, S, head]. past: position of the past
    key, [B, heads, S, head].
    """

    def rule(v: View) -> int:
        q, heads, before = v.shape(0), int(v.attributes["num_heads"]), past_tokens(v, past, 2)
        if len(q) == 5:
            return attention_core(q[0], q[2], q[1], q[1] + before, q[4], q[4])
        if not v.given(1):  # Q, K and V side by side in the last axis
            head = q[2] // 3 // heads
            return attention_core(q[0], heads, q[1], q[1] + before, head, head)
        key, head = v.shape(1), q[2] // heads
        if len(key) == 5:
            return attention_core(q[0], heads, q[1], key[1] + before, head, head)
        value = v.shape(2) if v.given(2) else key
        keys, value_head = (key[2], value[3]) if len(key) == 4 else (key[1], value[-1] // heads)
        return attention_core(q[0], heads, q[1], keys + before, head, value_head)

    return rule


def _group_query_attention(v: View) -> int:
    """com.microsoft GroupQueryAttention: Q [B, S, heads x head], or packed with K and V in the last axis.

    K and V have kv_num_heads; the past key, [B, kv heads, S, head], is input 3.
    """
    q, heads, kv_heads = v.shape(0), int(v.attributes["num_heads"]), int(v.attributes["kv_num_heads"])
    new = v.shape(1)[1] if v.given(1) else q[1]
    head = q[2] // heads if v.given(1) else q[2] // (heads + 2 * kv_heads)
    return attention_core(q[0], heads, q[1], new + past_tokens(v, 3, 2), head, head)


def _linear_attention(v: View) -> int:
    """ONNX LinearAttention: a state [kv heads, d_k, d_v] that every token changes and every query head reads."""
    key, value = v.shape(1), v.shape(2)
    heads, kv_heads = int(v.attributes["q_num_heads"]), int(v.attributes["kv_num_heads"])
    update = str(v.attributes.get("update_rule", "gated_delta"))
    state = (key[2] // kv_heads) * (value[2] // kv_heads)
    products = heads + kv_heads * (2 if "delta" in update else 1)
    decay = kv_heads * state if "gated" in update else 0
    return key[0] * key[1] * (mac(products * state) + decay)


def _flex_attention(v: View) -> int:
    """ONNX FlexAttention without modifiers, whose work is not known: Q, K, V as [B, heads, S, head]."""
    if any(name in v.attributes for name in ("score_mod", "prob_mod")):
        raise LookupError("score_mod")
    return flex_core(v)


def flex_core(v: View) -> int:
    """The products and the softmax of a FlexAttention."""
    q, key, value = v.shape(0), v.shape(1), v.shape(2)
    return attention_core(q[0], q[1], q[2], key[2], q[3], value[3])


_CORE = "B x heads x Q x K x (2 x head + 2 x value head + 5)"
ATTENTION: dict[str, Formula] = {
    "Attention": Formula(_CORE, _attention),
    "LinearAttention": Formula("B x T x state x (2 x products + decay)", _linear_attention),
    "FlexAttention": Formula(f"{_CORE}, without modifiers", _flex_attention),
}
MICROSOFT_ATTENTION: dict[str, Formula] = {
    "Attention": Formula(f"2 x in x (q + k + v) + {_CORE}", projected_attention(4)),
    "DecoderMaskedSelfAttention": Formula(f"2 x in x (q + k + v) + {_CORE}", projected_attention(4)),
    "QAttention": Formula(f"2 x in x (q + k + v) + {_CORE}", projected_attention(8)),
    "MultiHeadAttention": Formula(_CORE, _multi_head_attention(6)),
    "DecoderMaskedMultiHeadAttention": Formula(_CORE, _multi_head_attention(5)),
    "GroupQueryAttention": Formula(_CORE, _group_query_attention),
    "SparseAttention": Formula(f"{_CORE}, as if dense", _group_query_attention, exact=False),
    **OTHER_ATTENTION,
}
