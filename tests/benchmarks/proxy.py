"""A reverse proxy as people put before the server: it ends TLS, and sends bodies on in chunks of unknown number."""

from __future__ import annotations

import contextlib
import re
import socket
import threading

CHUNK = 10_000


class Proxy:
    """Listens on ``port`` and forwards to ``upstream`` as the host ``host``, to which browsers speak https."""

    def __init__(self, upstream: int, host: str) -> None:
        self.upstream, self.host = upstream, host
        self.locations: list[bytes] = []
        """The addresses in answers."""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self.listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.upstream)) as server:
            head, _, body = self._read_head(client).partition(b"\r\n\r\n")
            first, *lines = head.split(b"\r\n")
            headers = dict(line.split(b": ", 1) for line in lines)
            lower = {name.lower(): value for name, value in headers.items()}
            length = int(lower.pop(b"content-length", b"0"))
            lower |= {
                b"host": self.host.encode(), b"origin": f"https://{self.host}".encode(), b"connection": b"close",
                b"x-forwarded-proto": b"https", b"x-forwarded-for": b"203.0.113.9",
            }  # fmt: skip
            if length:
                lower[b"transfer-encoding"] = b"chunked"
            server.sendall(b"\r\n".join([first, *(b": ".join(pair) for pair in lower.items())]) + b"\r\n\r\n")
            if length and not self._send_chunks(client, server, body, length):
                return
            while received := server.recv(65_536):
                self.locations += re.findall(rb"\r\nlocation: ([^\r]*)", received, re.IGNORECASE)
                client.sendall(received)

    def _read_head(self, client: socket.socket) -> bytes:
        head = b""
        while b"\r\n\r\n" not in head and (received := client.recv(65_536)):
            head += received
        return head

    def _send_chunks(self, client: socket.socket, server: socket.socket, body: bytes, length: int) -> bool:
        """Whether the whole body passed."""
        left = length
        while left:
            body = body or client.recv(CHUNK)
            if not body:
                return False
            for start in range(0, len(body), CHUNK):
                chunk = body[start : start + CHUNK]
                server.sendall(f"{len(chunk):x}".encode() + b"\r\n" + chunk + b"\r\n")
            left -= len(body)
            body = b""
        server.sendall(b"0\r\n\r\n")
        return True
