"""The registry: how the floating-point operations of each operator type are counted; 2 per multiply-accumulate (MAC).

Contractions (convolutions, matrix products, recurrent cells, attention) count exactly 2 x MAC and leave their bias
out, as PyTorch's FlopCounterMode does; other operators count a fixed number of operations per element, which is a
convention (see :mod:`heteroopt.graph.flops_elements`). Movement, views and look-ups count 0.
"""

from __future__ import annotations

from collections.abc import Mapping

from heteroopt.graph.flops_attention import ATTENTION, MICROSOFT_ATTENTION
from heteroopt.graph.flops_elements import ELEMENTS, MICROSOFT_ELEMENTS
from heteroopt.graph.flops_ml import CLASSICAL
from heteroopt.graph.flops_products import MICROSOFT_PRODUCTS, PRODUCTS
from heteroopt.graph.flops_recent import RECENT
from heteroopt.graph.flops_sampling import MICROSOFT_SAMPLING, SAMPLING
from heteroopt.graph.flops_view import Formula, View
from heteroopt.graph.op_classes import OP_CLASS

ONNX_FORMULAS: Mapping[str, Formula] = {**ELEMENTS, **PRODUCTS, **SAMPLING, **ATTENTION, **CLASSICAL}
"""Of ai.onnx, ai.onnx.ml and the preview domains."""
MICROSOFT_FORMULAS: Mapping[str, Formula] = {
    **MICROSOFT_ELEMENTS, **MICROSOFT_PRODUCTS, **MICROSOFT_SAMPLING, **MICROSOFT_ATTENTION,
    **RECENT,
}  # fmt: skip
"""Of com.microsoft; an operator of ONNX's name that is not here counts like ONNX's."""
WORKLESS_CLASSES = frozenset(("view", "movement", "embedding", "control"))
"""Operators of these classes that have no formula move or choose data: 0 FLOP (bodies are counted apart)."""


def formula(op_type: str, domain: str) -> Formula | None:
    """How the FLOP of this operator type are counted; ``None``: not at all (they are 0, or not known)."""
    if domain == "com.microsoft" and op_type in MICROSOFT_FORMULAS:
        return MICROSOFT_FORMULAS[op_type]
    return ONNX_FORMULAS.get(op_type) or MICROSOFT_FORMULAS.get(op_type)


def flops(view: View, domain: str) -> tuple[int, bool] | None:
    """FLOP of one run and whether shapes alone decide them.

    ``None`` where the operator, or a shape or attribute that it needs, is unknown, or where nothing can say.
    """
    found = formula(view.op_type, domain)
    if found is None:
        return (0, True) if OP_CLASS.get(view.op_type) in WORKLESS_CLASSES else None
    try:
        return max(0, found.count(view)), found.exact
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError):
        return None
