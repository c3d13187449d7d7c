"""What all attention operators share: the products with the keys and values, the softmax, widths and past tokens."""

from __future__ import annotations

from heteroopt.graph.flops_view import Shape, View, mac

SOFTMAX = 5
"""Operations on one score."""


def attention_core(batch: int, heads: int, queries: int, keys: int, head: int, value_head: int) -> int:
    """Scores, softmax and the weighted sum of the values."""
    scores = batch * heads * queries * keys
    return mac(scores * head) + SOFTMAX * scores + mac(scores * value_head)


def past_tokens(v: View, position: int, axis: int) -> int:
    """Tokens of the past key, 0 without one."""
    return v.shape(position)[axis] if v.given(position) else 0


def projected_widths(v: View, weight: Shape) -> tuple[int, int]:
    """Widths of the queries and of the values that a weight [input, q + k + v] gives."""
    sizes = v.attributes.get("qkv_hidden_sizes")
    return (int(sizes[0]), int(sizes[2])) if sizes else (weight[-1] // 3, weight[-1] // 3)
