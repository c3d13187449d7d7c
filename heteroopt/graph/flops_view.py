"""What a FLOP formula sees of an operator (type, attributes, shapes), and what a formula is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from heteroopt.graph.attributes import Attributes
from heteroopt.graph.values import Value
from heteroopt.units import FLOP_PER_MAC

Shape = tuple[int, ...]
MAX_VERSION = 2**31 - 1
"""Stands for the newest version of any domain's operators."""


@dataclass(slots=True)
class View:
    """Shapes and attributes of one operator, as the rules read them.

    ``version``: of the operators of its domain that the model uses; some defaults changed between them.
    """

    op_type: str
    attributes: Attributes
    inputs: list[Value | None]
    outputs: list[Value]
    version: int = MAX_VERSION

    def shape(self, position: int) -> Shape:
        """Shape of an input; raises ``LookupError`` where there is none (the rule then does not apply)."""
        value = self.inputs[position]
        if value is None or value.shape is None:
            raise LookupError(position)
        return value.shape

    def out(self, position: int = 0) -> Shape:
        """Shape of an output; raises ``LookupError`` where it is unknown."""
        shape = self.outputs[position].shape
        if shape is None:
            raise LookupError(position)
        return shape

    def given(self, position: int) -> bool:
        """Whether the operator has this input, of whatever shape."""
        return position < len(self.inputs) and self.inputs[position] is not None

    def elements(self, position: int) -> int:
        """Elements of an input, guessed where its shape is unknown; 1 without it."""
        value = self.inputs[position] if position < len(self.inputs) else None
        return 1 if value is None else max(1, value.elements)

    def number(self, position: int) -> int:
        """The value of a constant integer input; raises ``LookupError`` where it is not known."""
        value = self.inputs[position]
        if value is None or value.data is None or value.data.size != 1:
            raise LookupError(position)
        return int(value.data.reshape(-1)[0])


Rule = Callable[[View], int]


@dataclass(frozen=True, slots=True)
class Formula:
    """How the FLOP of an operator type are counted.

    ``text`` is the formula as the documentation shows it: *out* and *in* are the elements of the first output and
    input. ``exact`` is false where the work depends on the data and the count is an upper bound or a typical value.
    """

    text: str
    count: Rule
    exact: bool = True


def mac(count: int) -> int:
    """FLOP of ``count`` multiply-accumulates."""
    return FLOP_PER_MAC * count


def per_output(factor: int, why: str = "") -> Formula:
    """``factor`` operations for each element of the first output."""
    return Formula(_scaled(factor, "out", why), lambda v: factor * math.prod(v.out()))


def per_input(factor: int, why: str = "") -> Formula:
    """``factor`` operations for each element of the first input."""
    return Formula(_scaled(factor, "in", why), lambda v: factor * math.prod(v.shape(0)))


def _scaled(factor: int, what: str, why: str) -> str:
    text = what if factor == 1 else f"{factor} x {what}"
    return f"{text} ({why})" if why else text
