"""Storage for devices whose memory is the host's: plain arrays, shared by the drivers of CPU runtimes."""

from __future__ import annotations

import contextlib
import mmap
import os
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.runtimes.errors import failed
from heteroopt.runtimes.plugin import Argument, Driver

ALIGNMENT_BYTES = 64
"""What vector units and every runtime here want."""

HUGE_PAGE_BYTES = 2 << 20
"""From this size on, memory is asked for in pages of this size: fewer of them are faulted in and looked up."""

FAULTED_BYTES = 256 << 20
"""Up to this size the pages are there when ``allocate`` returns, so that the first copy is as fast as the next."""

Bytes = NDArray[np.uint8]

CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Where a container's limit stands (version 2, version 1)."""


class HostMemoryDriver(Driver):
    """A driver whose storage is a uint8 array; what is left to write is ``load`` and ``run``."""

    copies_anywhere = True

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity_bytes = capacity_bytes

    @property
    def capacity_bytes(self) -> int:
        return self._capacity_bytes

    def allocate(self, size_bytes: int) -> Bytes:
        if size_bytes >= HUGE_PAGE_BYTES:
            return _on_huge_pages(size_bytes)
        whole = np.empty(size_bytes + ALIGNMENT_BYTES, np.uint8)
        start = -whole.ctypes.data % ALIGNMENT_BYTES
        return whole[start : start + size_bytes]

    def adopt(self, memory: memoryview) -> Bytes:
        return np.frombuffer(memory, np.uint8)

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


def _on_huge_pages(size_bytes: int) -> Bytes:
    """Return memory that begins at a huge page; the system may still give it small ones."""
    area = mmap.mmap(-1, size_bytes + HUGE_PAGE_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(OSError):  # a kernel without them
        area.madvise(mmap.MADV_HUGEPAGE)
    whole = np.frombuffer(area, np.uint8)
    start = -whole.ctypes.data % HUGE_PAGE_BYTES
    storage: Bytes = whole[start : start + size_bytes]
    if size_bytes <= FAULTED_BYTES:
        storage[:: mmap.PAGESIZE] = 0
    return storage


def as_array(argument: Argument, dtype: np.dtype[Any] | None = None) -> NDArray[Any]:
    """Return the argument as an array of its shape over the storage itself (no copy)."""
    kind = dtype_named(argument.dtype) if dtype is None else dtype
    count = int(np.prod(argument.shape, dtype=np.int64))
    begin = argument.offset_bytes
    data: NDArray[Any] = argument.storage[begin : begin + count * kind.itemsize].view(kind)
    return data.reshape(argument.shape)


def dtype_named(name: str) -> np.dtype[Any]:
    """Return the type of that name, also "bfloat16", "float8_e4m3fn" and others that numpy itself lacks.

    Raises ``RuntimeFault`` ``program_failed`` for one that does not exist.
    """
    try:
        return np.dtype(name)
    except TypeError:
        pass
    try:
        found: np.dtype[Any] = np.dtype(getattr(import_module("ml_dtypes"), name))
    except (ImportError, AttributeError, TypeError):
        raise failed(f"there is no element type {name!r} in numpy or ml_dtypes", kind="TypeError") from None
    return found


def host_memory_bytes(limits: Iterable[Path] = CGROUP_LIMITS) -> int:
    """Return what programs of this host may use: its memory, or the limit of the container if that is lower."""
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in limits:
        try:
            size = min(size, int(path.read_text()))
        except (OSError, ValueError):  # not there, or "max"
            continue
    return size
