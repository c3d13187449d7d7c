"""What the reader knows of a value while it walks a model: type, shape, and for small constants the numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from onnx import TypeProto

from heteroopt.graph.dtypes import element_type, size_in_bytes

Array = npt.NDArray[np.generic]


@dataclass(slots=True, eq=False)
class Value:
    """One value of a graph, by identity.

    ``element`` is the ONNX element type (0: unknown, or not a tensor). ``data`` is set for constants that are
    small enough, and for small integers computed from a guessed shape, which are no constants. ``weight`` identifies
    the initializer that a constant shares its bytes with (through views and transpositions), or is the value itself.
    ``estimated`` marks a shape or size that is a guess. ``container`` is the type of a sequence, map or optional,
    ``length`` the number of tensors in a sequence (``None``: not known).
    """

    name: str
    element: int
    shape: tuple[int, ...] | None
    constant: bool = False
    data: Array | None = None
    source: str = "inferred"
    weight: Value | None = None
    from_weights: bool = False
    estimated: bool = False
    guessed_bytes: int = 0
    container: TypeProto | None = None
    length: int | None = None

    @property
    def elements(self) -> int:
        """Number of elements; of an unknown shape, as many as the guessed size holds."""
        if self.shape is None:
            return max(1, self.guessed_bytes * 8 // element_type(self.element).bits)
        return math.prod(self.shape)

    @property
    def size_bytes(self) -> int:
        """Bytes that the value takes, guessed if its shape is unknown."""
        if self.shape is None:
            return max(1, self.guessed_bytes)
        return size_in_bytes(math.prod(self.shape), element_type(self.element).bits)

    @property
    def storage(self) -> Value:
        """The constant whose bytes this one uses."""
        return self if self.weight is None else self.weight
