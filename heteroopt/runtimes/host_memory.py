"""Storage for devices whose memory is the host's: plain arrays, shared by the drivers of CPU runtimes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.runtimes.plugin import Argument, Driver

ALIGNMENT_BYTES = 64
"""What vector units and every runtime here want."""

Bytes = NDArray[np.uint8]


class HostMemoryDriver(Driver):
    """A driver whose storage is a uint8 array; what is left to write is ``load`` and ``run``."""

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity_bytes = capacity_bytes

    @property
    def capacity_bytes(self) -> int:
        return self._capacity_bytes

    def allocate(self, size_bytes: int) -> Bytes:
        whole = np.empty(size_bytes + ALIGNMENT_BYTES, np.uint8)
        start = -whole.ctypes.data % ALIGNMENT_BYTES
        return whole[start : start + size_bytes]

    def release(self, storage: Bytes) -> None:
        return

    def write(self, storage: Bytes, offset_bytes: int, source: memoryview) -> None:
        storage[offset_bytes : offset_bytes + source.nbytes] = np.frombuffer(source, np.uint8)

    def read(self, storage: Bytes, offset_bytes: int, target: memoryview) -> None:
        np.frombuffer(target, np.uint8)[:] = storage[offset_bytes : offset_bytes + target.nbytes]

    def copy(self, source: Bytes, source_offset: int, target: Bytes, target_offset: int, size_bytes: int) -> None:
        target[target_offset : target_offset + size_bytes] = source[source_offset : source_offset + size_bytes]

    @abstractmethod
    def run(self, program: Any, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument]) -> float | None:
        """Run a program once."""


def as_array(argument: Argument, dtype: np.dtype[Any] | None = None) -> NDArray[Any]:
    """Return the argument as an array of its shape over the storage itself (no copy)."""
    kind = dtype_named(argument.dtype) if dtype is None else dtype
    count = int(np.prod(argument.shape, dtype=np.int64))
    begin = argument.offset_bytes
    data: NDArray[Any] = argument.storage[begin : begin + count * kind.itemsize].view(kind)
    return data.reshape(argument.shape)


def dtype_named(name: str) -> np.dtype[Any]:
    """Return numpy's type of that name; bfloat16 and the 8-bit floats are those of ``ml_dtypes``."""
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        kind: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return kind
