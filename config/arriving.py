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
from django.core.handlers.asgi import ASGIHandler

from config.body_limit import Message, Receive

AT_ONCE_BYTES: Final = 1 << 20
"""A declared body up to this size is read as Django does: in memory, and no thread waits for a slow sender."""
IDLE_SECONDS: Final = 30.0
"""A sender of whom nothing arrives for so long is given up."""


class ArrivingBody(io.RawIOBase):
    """A request's body for the thread that answers the request; holds one message of the server at a time.

    Reading raises ``OSError`` after a cut connection and after ``IDLE_SECONDS`` without a byte, again and again.
    """

    def __init__(self, receive: Receive, idle_seconds: float) -> None:
        """Made on the event loop that ``receive`` belongs to, read on another thread."""
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
        """Answer a request."""
        taken: Any = ArrivingBody(receive, IDLE_SECONDS) if _is_large(scope) else receive
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


def _is_large(scope: Message) -> bool:
    headers: Mapping[bytes, bytes] = dict(scope["headers"])
    length = headers.get(b"content-length", b"0")
    return b"transfer-encoding" in headers or not length.isdigit() or int(length) > AT_ONCE_BYTES


def application() -> ArrivingBodyHandler:
    """Set Django up and return it."""
    django.setup(set_prefix=False)
    return ArrivingBodyHandler()
