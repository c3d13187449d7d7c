"""What is known of one output of an operator before it has a value."""

from __future__ import annotations

from typing import NamedTuple

from onnx import TypeProto


class OutputType(NamedTuple):
    """Element type and dimensions of an output (``None``: unknown rank, -1: unknown size).

    ``container`` is the whole type where the value is no plain tensor (a sequence, a map, an optional).
    """

    element: int = 0
    shape: tuple[int, ...] | None = None
    container: TypeProto | None = None


UNKNOWN = OutputType()
