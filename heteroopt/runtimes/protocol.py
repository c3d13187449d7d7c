"""What crosses the socket between a runtime's process and its user: framed msgpack, small messages only."""

from __future__ import annotations

import socket
import struct
from enum import IntEnum
from typing import Any

import msgpack

from heteroopt.runtimes.errors import RuntimeFault

MAX_MESSAGE_BYTES = 16 << 20
"""Tensors and models travel through shared memory, so messages are small; more than this is a mistake."""

_LENGTH = struct.Struct("<I")
_CHUNK_BYTES = 1 << 16


class Command(IntEnum):
    """The commands of a runtime's process; ``host`` says what each takes."""

    PING = 0
    DESCRIBE = 1
    FINGERPRINT = 2
    OPEN = 3
    CLOSE = 4
    ALLOC = 5
    FREE = 6
    COPY_H2D = 7
    COPY_D2H = 8
    COPY_D2D = 9
    LOAD = 10
    UNLOAD = 11
    DETAILS = 12
    LAUNCH = 13
    CREATE_STREAM = 14
    RECORD = 15
    WAIT_EVENT = 16
    DONE = 17
    SYNCHRONIZE = 18
    RESET_STREAM = 19
    MEMORY = 20
    SHARE = 21
    UNSHARE = 22
    BATCH = 23
    ELAPSED = 24
    TIME_RUNS = 25
    ENERGY = 26
    PROFILE = 27
    HEALTH = 28
    ADOPT = 29


class Channel:
    """One end of a stream socket that carries messages. ``receive`` returns ``None`` when the other end is gone."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self._pending = b""

    def send(self, message: Any) -> None:
        """Send one message. Raises ``OSError`` when the other end is gone."""
        self.socket.sendall(frame(message))

    def receive(self) -> Any:
        """Return the next message, or ``None`` at the end. Raises ``TimeoutError`` after the socket's timeout."""
        data = self._pending
        while len(data) < _LENGTH.size:
            more = self.socket.recv(_CHUNK_BYTES)
            if not more:
                return None
            data += more
        (size,) = _LENGTH.unpack_from(data)
        if size > MAX_MESSAGE_BYTES:
            raise RuntimeFault("runtime_protocol", f"A message of {size} bytes is too long.", size_bytes=size)
        end = _LENGTH.size + size
        if len(data) < end:
            parts, have = [data], len(data)
            while have < end:
                more = self.socket.recv(min(1 << 20, end - have))
                if not more:
                    return None
                parts.append(more)
                have += len(more)
            data = b"".join(parts)
        self._pending = data[end:]
        return msgpack.unpackb(data[_LENGTH.size : end], use_list=True, strict_map_key=False)


def frame(message: Any) -> bytes:
    """Return a message as it travels: its length in four bytes, then msgpack. Raises ``RuntimeFault``."""
    try:
        body: bytes = msgpack.packb(message)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise RuntimeFault("runtime_protocol", f"A message cannot be sent: {error}.", says=str(error)) from error
    if len(body) > MAX_MESSAGE_BYTES:
        raise RuntimeFault("runtime_protocol", f"A message of {len(body)} bytes is too long.", size_bytes=len(body))
    return _LENGTH.pack(len(body)) + body
