"""Estimates of a contraction's FLOP where no rule applies: no exact count, but of the right order."""

from __future__ import annotations

import math

from heteroopt.graph.flops_attention import flex_core
from heteroopt.graph.flops_view import View, mac
from heteroopt.graph.op_classes import CONTRACTIONS, OP_CLASS

MODIFIER = 16
"""Operations that the modifiers of a FlexAttention are taken to need for one score."""
HIDDEN = 64
"""Width of a token where nothing says it."""
_FAILURES = (LookupError, ValueError, TypeError, AttributeError, ZeroDivisionError)


def estimated_flops(view: View) -> int:
    """FLOP of a contraction from sizes alone; of any other operator one per output element."""
    produced = sum(value.elements for value in view.outputs if value.name)
    group = OP_CLASS.get(view.op_type)
    if group not in CONTRACTIONS:
        return produced
    if group == "attention":
        return max(produced, _attention(view))
    if group == "recurrent":
        return max(produced, _recurrent(view))
    return max(produced, _convolution(view, produced) if group == "conv" else _product(view, produced))


def _product(view: View, produced: int) -> int:
    """(m k)(k n)(m n) is the square of the multiply-accumulates of a matrix product."""
    sizes = sorted(view.elements(position) for position in range(len(view.inputs)))[-2:]
    return mac(math.isqrt(math.prod(sizes) * produced))


def _convolution(view: View, produced: int) -> int:
    """Each output (of a transposed one: input) element meets the weight's elements of one channel."""
    position = 3 if view.op_type.startswith("QLinear") else 1
    try:
        channels = max(1, view.shape(position)[0])
    except _FAILURES:
        return _product(view, produced)
    spread = view.elements(0) if view.op_type.endswith("Transpose") else produced
    return mac(spread * (view.elements(position) // channels))


def _recurrent(view: View) -> int:
    """Every token meets the elements of both weights of every direction."""
    try:
        tokens = math.prod(view.shape(0)[:2])
    except _FAILURES:
        tokens = max(1, view.elements(0) // HIDDEN)
    return mac(tokens * (view.elements(1) + view.elements(2)))


def _attention(view: View) -> int:
    try:
        if view.op_type == "FlexAttention":
            query = view.shape(0)
            return flex_core(view) + MODIFIER * math.prod(query[:3]) * view.shape(1)[2]
    except _FAILURES:
        pass
    first = view.inputs[0] if view.inputs else None
    hidden = first.shape[-1] if first is not None and first.shape else HIDDEN
    others = max((view.elements(position) for position in range(1, len(view.inputs))), default=view.elements(0))
    return 2 * mac(view.elements(0) * max(1, others // max(1, hidden)))
