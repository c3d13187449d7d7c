"""What a FLOP rule sees of an operator: type, attributes, and the shapes of its inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from heteroopt.graph.attributes import Attributes
from heteroopt.graph.values import Value
from heteroopt.units import FLOP_PER_MAC

Shape = tuple[int, ...]


@dataclass(slots=True)
class View:
    """Shapes and attributes of one operator, as the rules read them."""

    op_type: str
    attributes: Attributes
    inputs: list[Value | None]
    outputs: list[Value]

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


Rule = Callable[[View], int]


def mac(count: int) -> int:
    """FLOP of ``count`` multiply-accumulates."""
    return FLOP_PER_MAC * count
