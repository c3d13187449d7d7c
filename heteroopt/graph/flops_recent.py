"""FLOP of the fused operators that ONNX Runtime added for recent language models: gates, streams, experts, sparse keys.

Layouts: ContribOperators.md of ONNX Runtime. Conventions are those of :mod:`heteroopt.graph.flops_elements`: a sum or a
product 1, a transcendental or a root 4, a normalisation by root mean square 5 an element.
"""

from __future__ import annotations

import math

from heteroopt.graph.flops_attention_core import attention_core
from heteroopt.graph.flops_view import Formula, View, mac

_RMS = 5
_SIGMOID = 4
_SOFTPLUS = 6


def _branches(v: View) -> int:
    """Streams of [..., C, H], or of [..., C x H] with ``num_branches``."""
    return int(v.attributes["num_branches"]) if v.attributes.get("num_branches") else v.shape(0)[-2]


def _low_rank_mix(v: View) -> int:
    """HyperConnectionLowRankMix: streams [..., C x H], down [C x H, R], up [R, C x H], gates [C x H, C].

    Each element of the streams is normalised, gated by a sigmoid and summed over the branches; with the prologue it
    first takes the block before (one MAC).
    """
    elements, width = math.prod(v.shape(0)), v.shape(0)[-1]
    rank, gates = v.shape(2)[-1], v.shape(4)[-1]
    products = elements * rank + elements // width * rank * width + elements * gates
    prologue = mac(elements) if v.given(5) else 0
    return mac(products) + elements * (_RMS + _SIGMOID + 2) + prologue


def _post_mix(v: View) -> int:
    """HyperConnectionPostMix: each stream takes one MAC of the block, and C of the streams where they are mixed."""
    return mac(math.prod(v.shape(0)) * (1 + (_branches(v) if v.given(3) else 0)))


def _qlora(v: View) -> int:
    """MatMulNBitsQLoRA: K x N, and K x R and R x N of an adapter of rank R, which may be empty."""
    tokens, depth = math.prod(v.shape(0)[:-1]), v.shape(0)[-1]
    columns = int(v.attributes["N"])
    rank = v.shape(3)[0]
    return mac(tokens * (depth * columns + rank * (depth + columns)))


def _router_gate_up(v: View) -> int:
    """RouterGateUpProj: one product of router + 2 x inter columns, an activation and a product of inter elements."""
    tokens, (depth, columns) = math.prod(v.shape(0)[:-1]), v.shape(1)
    inner = (columns - int(v.attributes["router_size"])) // 2
    return mac(tokens * depth * columns) + 6 * tokens * inner


def _packed_experts(v: View) -> int:
    """MoEPacked: gate and up [experts, inter, ...] and down [experts, hidden, ...], packed along the last axis."""
    tokens, hidden = math.prod(v.shape(0)[:-1]), v.shape(0)[-1]
    experts, inner, _ = v.shape(2)
    projections = 3 if v.given(3) else 2
    return tokens * (mac(int(v.attributes["k"]) * projections * inner * hidden) + 5 * experts)


def _group_router(v: View) -> int:
    """MoEGroupRouter: logits by a product [experts, width] or given; a sigmoid, a bias and a choice of each expert."""
    experts = v.shape(1)[-1]
    tokens = math.prod(v.shape(0)[:-1])
    product = tokens * experts * v.shape(0)[-1] if v.given(2) else 0
    return mac(product) + tokens * experts * (_SIGMOID + 2)


def _gated_delta(v: View) -> int:
    """GatedDeltaNet: every token changes the state [value heads, d_k, d_v] and reads it.

    Q [..., heads, d_k] and K, V alike, or packed with the state [B, value heads, d_v, d_k] at input 6.
    """
    if v.given(1):
        tokens = math.prod(v.shape(0)[:-2])
        heads, state = v.shape(2)[-2], v.shape(0)[-1] * v.shape(2)[-1]
        readers = max(v.shape(0)[-2], heads)
    else:
        tokens = math.prod(v.shape(0)[:-1])
        _, heads, value_head, head = v.shape(6)
        state = head * value_head
        readers = max((v.shape(0)[-1] - heads * value_head) // (2 * head), heads)
    rule = str(v.attributes.get("update_rule", "gated_delta"))
    products = readers + heads * (2 if "delta" in rule else 1)
    return tokens * (mac(products * state) + (heads * state if "gated" in rule else 0))


def _sparse(query: int, indices: int) -> Formula:
    """Attention over the keys that an indexer chose, with a local window where the mode adds one."""

    def rule(v: View) -> int:
        tokens = math.prod(v.shape(query)[:-1])
        heads, kv_heads = int(v.attributes["num_heads"]), int(v.attributes["kv_num_heads"])
        width = v.shape(query)[-1]
        head = width // heads if v.given(1) else width // (heads + 2 * kv_heads)
        window = v.attributes.get("local_window_size", 0)
        local = str(v.attributes.get("attention_mode", "selected_only")) == "local_plus_selected"
        keys = v.shape(indices)[-1] + (max(0, int(window)) if local and isinstance(window, int) else 0)
        return attention_core(1, heads, tokens, keys, head, head)

    return Formula("T x heads x (selected + window) x (4 x head + 5), from above", rule, exact=False)


def _varlen_conv(v: View) -> int:
    """VarlenCausalConvWithState: [tokens, C] with weight [C, 1, k]; Swish (5) where ``activation`` asks for it."""
    active = str(v.attributes.get("activation", "none")).lower() not in ("", "none")
    return math.prod(v.shape(0)) * (mac(v.shape(1)[-1]) + (5 if active else 0))


def _longformer(v: View) -> int:
    """QOrderedLongformerAttention: as LongformerAttention, with the weights at inputs 2 and 8."""
    (batch, length, hidden), heads = v.shape(0), int(v.attributes["num_heads"])
    head = hidden // heads
    keys = min(length, 2 * int(v.attributes["window"]) + 1)
    projections = mac(2 * batch * length * hidden * v.shape(2)[-1])
    return projections + attention_core(batch, heads, length, keys, head, head)


RECENT: dict[str, Formula] = {
    "BranchwiseRMSNorm": Formula("5 x in", lambda v: _RMS * math.prod(v.shape(0))),
    "RMSNormRotary": Formula("8 x out", lambda v: (_RMS + 3) * math.prod(v.out())),
    "EngramGate": Formula("12 x keys + out", lambda v: 12 * math.prod(v.shape(0)) + math.prod(v.shape(0))),
    "LinearAttentionGate": Formula(
        "in x (8, or 12 with the update rate)",
        lambda v: math.prod(v.shape(0)) * (_SOFTPLUS + 2 + (_SIGMOID if v.given(3) else 0)),
    ),
    "HyperConnectionPreMix": Formula("2 x in + out", lambda v: mac(math.prod(v.shape(0))) + math.prod(v.out())),
    "HyperConnectionPostMix": Formula("2 x in, x (1 + C) where streams are mixed", _post_mix),
    "HyperConnectionLowRankMix": Formula("2 x in x (2 x rank + gates) + 11 x in", _low_rank_mix),
    "MatMulNBitsQLoRA": Formula("tokens x 2 x (K x N + rank x (K + N))", _qlora),
    "RouterGateUpProj": Formula("tokens x (2 x K x columns + 6 x inter)", _router_gate_up),
    "MoEPacked": Formula("tokens x (2 x k x projections x inter x hidden + 5 x experts)", _packed_experts),
    "MoEGroupRouter": Formula("tokens x experts x (2 x width + 6)", _group_router),
    "GatedDeltaNet": Formula("tokens x state x (2 x products + decay)", _gated_delta),
    "DynamicSparseAttention": _sparse(0, 7),
    "SparsePagedAttention": _sparse(0, 9),
    "VarlenCausalConvWithState": Formula("in x (2 x kernel + 5 with an activation)", _varlen_conv),
    "QOrderedLongformerAttention": Formula(
        "4 x in x (q + k + v) + the core over 2 x window + 1 keys", _longformer, exact=False
    ),
}
