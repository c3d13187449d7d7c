"""One POST over a connection to an address that was checked before. The standard library, with the address pinned.

No client of the lock lets one choose the address without giving up the check of the certificate's name; here the
socket goes to the checked address, TLS asks for the URL's name, nothing is redirected and no proxy is asked.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from collections.abc import Mapping
from typing import Any

from apps.reviews.addresses import Target
from heteroopt.version import __version__

SECONDS = 10.0
MOST_ANSWER_BYTES = 64 << 10


class PostError(Exception):
    """The request had no answer; the text says why."""


def post(target: Target, body: bytes, headers: Mapping[str, str], *, context: ssl.SSLContext | None = None) -> int:
    """Send ``body`` and return the answer's status. Raises :class:`PostError` after at most about 20 s."""
    connection = _Pinned(target, context)
    deadline = time.monotonic() + 2 * SECONDS
    try:
        connection.request(
            "POST",
            target.path,
            body=body,
            headers={"Host": target.host_header, "User-Agent": f"HeteroOpt/{__version__}", "Connection": "close"}
            | dict(headers),
        )
        answer = connection.getresponse()
        taken = 0
        while taken < MOST_ANSWER_BYTES and time.monotonic() < deadline:
            piece = answer.read(8192)
            if not piece:
                break
            taken += len(piece)
        return answer.status
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise PostError(f"{type(error).__name__}: {error}"[:300]) from error
    finally:
        connection.close()


class _Pinned(http.client.HTTPConnection):
    """Connects to the checked address; over https with the URL's host as the name that the certificate must have."""

    def __init__(self, target: Target, context: ssl.SSLContext | None) -> None:
        super().__init__(target.host, target.port, timeout=SECONDS)
        self._target = target
        self._context = context

    def connect(self) -> None:
        """Open the socket."""
        self.sock: Any = socket.create_connection((self._target.address, self._target.port), SECONDS)
        if self._target.scheme == "https":
            context = self._context or ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self._target.host)
