"""Hands large request bodies to the view while they arrive; Django would first write all of a body to a file.

So a body is read only once the view has found out who sends it, it needs no room in the system's folder for temporary
files, and what arrived before a cut connection is not lost.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import io
from collections.abc import Mapping
from typing import Any, Final

import django
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler

from config.body_limit import Message, Receive

AT_ONCE_BYTES: Final = 1 << 20
"""A declared body up to this size is read as Django does: in memory, and no thread waits for a slow sender."""
PIECE: Final = b"application/offset+octet-stream"
"""Media type of a piece of an upload."""
IDLE_SECONDS: Final = 30.0
"""A sender of whom nothing arrives for so long is given up."""


class ArrivingBody(io.RawIOBase):
    """A request's body for the thread that answers the request; holds one message of the server at a time.

    Reading raises ``OSError`` after a cut connection and after ``IDLE_SECONDS`` without a byte, again and again.
    """

    def __init__(self, receive: Receive, idle_seconds: float, *, hands_out_parts: bool = True) -> None:
        """Made on the event loop that ``receive`` belongs to, read on another thread."""
        self.hands_out_parts = hands_out_parts
        self.receive = receive
        self.idle_seconds = idle_seconds
        self.complete = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._held = memoryview(b"")
        self._failure: type[OSError] | None = None

    def readable(self) -> bool:
        """It can be read, once."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with what is there, waiting for the first byte; 0 at the end."""
        while not self._held and not self.complete.is_set():
            self._held = memoryview(self._wait_for_more())
        n_bytes = min(len(buffer), len(self._held))
        buffer[:n_bytes] = self._held[:n_bytes]
        self._held = self._held[n_bytes:]
        return n_bytes

    def read(self, size: int = -1) -> bytes | None:
        """Up to ``size`` bytes: as many as there are of a piece of an upload, else all of them, as parsers expect."""
        if self.hands_out_parts or size < 0:
            return super().read(size)
        parts = []
        while size > 0 and (part := super().read(size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _wait_for_more(self) -> bytes:
        if self._failure is not None:
            raise self._failure("The request's body ended early.")
        try:
            return asyncio.run_coroutine_threadsafe(self._next(), self._loop).result()
        except TimeoutError:
            self._failure = TimeoutError
            raise
        except (OSError, concurrent.futures.CancelledError, RuntimeError) as error:
            # Cancelled, or the loop is closed: the server shuts down.
            self._failure = ConnectionResetError
            raise ConnectionResetError("The request's body was cut.") from error

    async def _next(self) -> bytes:
        message = await asyncio.wait_for(self.receive(), self.idle_seconds)
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        if not message.get("more_body", False):
            self.complete.set()
        return bytes(message.get("body", b""))


class ArrivingBodyHandler(ASGIHandler):
    """Django's handler, but for bodies above ``AT_ONCE_BYTES`` and of undeclared length."""

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request.

        Only pieces of uploads are read by their view without knowing their length. Any other body that comes in
        chunks, as some proxies send it, is taken whole first: Django and its parsers take a body of undeclared
        length for none.
        """
        if _is_undeclared(scope) and not _is_piece(scope):
            try:
                body = await super().read_body(receive)
            except RequestAborted:
                return
            scope, receive = _declared(scope, body), _Replay(body, receive)
        taken: Any = receive
        if _is_large(scope):
            taken = ArrivingBody(receive, IDLE_SECONDS, hands_out_parts=_is_piece(scope))
        await super().handle(scope, taken, send)

    async def read_body(self, receive: Any) -> Any:
        """Leave a large body to the view."""
        return receive if isinstance(receive, ArrivingBody) else await super().read_body(receive)

    async def listen_for_disconnect(self, receive: Any) -> None:
        """Watch the connection once the body has arrived: until then whoever reads it learns of a cut."""
        if isinstance(receive, ArrivingBody):
            await receive.complete.wait()
            receive = receive.receive
        await super().listen_for_disconnect(receive)


class _Replay:
    """Sends a body that was taken whole once more, then what comes after it. Closes the file at its end."""

    def __init__(self, body: Any, receive: Receive) -> None:
        self.body, self.receive = body, receive

    async def __call__(self) -> Message:
        if self.body is None:
            return await self.receive()
        part = self.body.read(1 << 16)
        if not part:
            self.body.close()
            self.body = None
        return {"type": "http.request", "body": part, "more_body": bool(part)}


def _declared(scope: Message, body: Any) -> Message:
    """The request as if it had said how long its body is; the file then stands at its beginning."""
    length = str(body.seek(0, io.SEEK_END)).encode()
    body.seek(0)
    kept = [pair for pair in scope["headers"] if pair[0] not in (b"transfer-encoding", b"content-length")]
    return {**scope, "headers": [*kept, (b"content-length", length)]}


def _is_undeclared(scope: Message) -> bool:
    return any(name == b"transfer-encoding" for name, _ in scope["headers"])


def _is_piece(scope: Message) -> bool:
    return any(name == b"content-type" and value.split(b";")[0] == PIECE for name, value in scope["headers"])


def _is_large(scope: Message) -> bool:
    headers: Mapping[bytes, bytes] = dict(scope["headers"])
    length = headers.get(b"content-length", b"0")
    return b"transfer-encoding" in headers or not length.isdigit() or int(length) > AT_ONCE_BYTES


def application() -> ArrivingBodyHandler:
    """Set Django up and return it."""
    django.setup(set_prefix=False)
    return ArrivingBodyHandler()
