"""What kernels work on: a value of known type and shape, in device memory, known on the host, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.runtimes.errors import refused

C_TYPES = {
    "float32": "float", "float16": "half", "float64": "double", "bool": "uchar", "uint8": "uchar", "int8": "char",
    "uint16": "ushort", "int16": "short", "uint32": "uint", "int32": "int", "uint64": "ulong", "int64": "long",
}  # fmt: skip
"""OpenCL C's name of every element type that kernels are made for."""

WORDS = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}
"""Types that move elements of a size without looking at them."""


@dataclass(slots=True, eq=False)
class Storage:
    """Memory of one value and of all views of it. ``size_bytes``: what is needed."""

    size_bytes: int


@dataclass(slots=True, eq=False)
class Value:
    """A dense, row-major tensor. ``host``: its content where that is known before the program runs."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    storage: Storage
    host: NDArray[Any] | None = field(default=None)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def c_type(self) -> str:
        """The element type in OpenCL C."""
        return C_TYPES[self.dtype.name]

    @property
    def word(self) -> str:
        """A type of the same size, for kernels that only move elements."""
        return WORDS[self.dtype.itemsize]

    @property
    def accumulator(self) -> str:
        """The type in which sums are kept: float for half and float, double for double, long for whole numbers."""
        if self.dtype.kind == "f":
            return "double" if self.dtype.itemsize == 8 else "float"
        return "ulong" if self.dtype.kind == "u" else "long"

    def view(self, shape: Sequence[int]) -> Value:
        """Return the same elements under another shape."""
        host = None if self.host is None else self.host.reshape(tuple(shape))
        return Value(self.dtype, tuple(shape), self.storage, host)


def make_value(dtype: np.dtype[Any], shape: Sequence[int]) -> Value:
    """Return a new value in memory of its own."""
    if dtype.name not in C_TYPES:
        raise refused(f"no kernels for elements of type {dtype.name}", kind="TypeError")
    return Value(dtype, tuple(int(n) for n in shape), Storage(prod(int(n) for n in shape) * dtype.itemsize))


def known(array: NDArray[Any]) -> Value:
    """Return a value whose content is known now."""
    value = make_value(array.dtype, array.shape)
    value.host = np.ascontiguousarray(array).reshape(array.shape)
    return value


def broadcast(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Return the common shape (numpy's rule). Raises ``RuntimeFault`` ``program_refused``."""
    try:
        return np.broadcast_shapes(*(tuple(shape) for shape in shapes))
    except ValueError as error:
        raise refused(f"shapes {', '.join(str(list(shape)) for shape in shapes)} do not fit together") from error


def row_strides(shape: Sequence[int]) -> list[int]:
    """Return the distance in elements between neighbours along each axis."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return strides


def strides_into(value: Value, shape: Sequence[int]) -> list[int]:
    """Return the strides of ``value`` read as if it had ``shape``: 0 along axes over which it is repeated."""
    missing = len(shape) - len(value.shape)
    own = row_strides(value.shape)
    return [
        0 if axis < missing or value.shape[axis - missing] == 1 else own[axis - missing] for axis in range(len(shape))
    ]
