"""Memory that two processes see: anonymous files handed over a socket, gone when the last process with them ends."""

from __future__ import annotations

import mmap
import os
import socket

from heteroopt.runtimes.errors import RuntimeFault, handle_unknown


class Region:
    """A mapped region. ``view``: its bytes; drop all slices of it before ``close``."""

    def __init__(self, descriptor: int, size_bytes: int) -> None:
        # all pages at once: a fault each would cost more than copying what they hold
        self._map = mmap.mmap(descriptor, size_bytes, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE)
        self.size_bytes = size_bytes
        self.view = memoryview(self._map)

    def close(self) -> None:
        """Unmap it, unless something still looks into it; then that happens when the last view is gone."""
        try:
            self.view.release()
            self._map.close()
        except BufferError:
            return


def create(size_bytes: int) -> tuple[int, Region]:
    """Return a new region and the descriptor to hand over; the caller closes the descriptor."""
    descriptor = os.memfd_create("heteroopt", os.MFD_CLOEXEC)
    try:
        os.ftruncate(descriptor, size_bytes)
        return descriptor, Region(descriptor, size_bytes)
    except BaseException:
        os.close(descriptor)
        raise


def receive(connection: socket.socket, size_bytes: int) -> Region:
    """Take a region that ``socket.send_fds`` hands over. Raises ``RuntimeFault`` ``runtime_protocol``."""
    data, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
    if not data or not descriptors:
        raise RuntimeFault("runtime_protocol", "A shared region was announced, but its file did not come.")
    try:
        if os.fstat(descriptors[0]).st_size < size_bytes:
            raise RuntimeFault("runtime_protocol", f"A shared region has fewer than {size_bytes} bytes.")
        return Region(descriptors[0], size_bytes)
    finally:
        os.close(descriptors[0])


class Regions:
    """The regions of one process, by number."""

    def __init__(self) -> None:
        self._regions: dict[int, Region] = {}

    def add(self, number: int, region: Region) -> None:
        """Keep a region under the number that both ends use."""
        self._regions[number] = region

    def slice(self, number: int, offset_bytes: int, size_bytes: int) -> memoryview:
        """Return a part of a region. Raises ``RuntimeFault`` for an unknown one or a part outside it."""
        region = self._regions.get(number)
        if region is None:
            raise handle_unknown("region", number)
        if offset_bytes < 0 or size_bytes < 0 or offset_bytes + size_bytes > region.size_bytes:
            raise RuntimeFault(
                "copy_out_of_range",
                f"Bytes {offset_bytes} to {offset_bytes + size_bytes} are outside a region of {region.size_bytes}.",
                offset_bytes=offset_bytes,
                size_bytes=size_bytes,
                buffer_bytes=region.size_bytes,
            )
        return region.view[offset_bytes : offset_bytes + size_bytes]

    def drop(self, number: int) -> None:
        """Forget a region."""
        region = self._regions.pop(number, None)
        if region is None:
            raise handle_unknown("region", number)
        region.close()
