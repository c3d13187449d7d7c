"""Checksum of one piece of an upload, as tus sends it: ``sha256 <base64>``."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from typing import Final

from config.refusals import WebError
from heteroopt.errors import ModelError

ALGORITHMS: Final = ("sha1", "sha256")


class Checksum:
    """What a piece must hash to; fed with the piece while it is written."""

    def __init__(self, header: str) -> None:
        """Raises ``checksum_invalid`` for a header that does not name a known algorithm and a hash of its length."""
        algorithm, _, encoded = header.strip().partition(" ")
        try:
            self._wanted = base64.b64decode(encoded.strip(), validate=True)
        except (binascii.Error, ValueError):
            self._wanted = b""
        if (
            algorithm not in ALGORITHMS
            or len(self._wanted) != hashlib.new(algorithm, usedforsecurity=False).digest_size
        ):
            raise ModelError(
                "checksum_invalid",
                "The header Upload-Checksum names no known algorithm with a hash of its length.",
                hint=f"It is one of {', '.join(ALGORITHMS)}, a blank and the hash in base64.",
            )
        self._hasher = hashlib.new(algorithm, usedforsecurity=False)

    def update(self, piece: bytes) -> None:
        """Add bytes of the piece."""
        self._hasher.update(piece)

    def verify(self) -> None:
        """Raise 460 ``upload_checksum`` if the bytes are others."""
        if not hmac.compare_digest(self._hasher.digest(), self._wanted):
            raise WebError(
                "upload_checksum",
                "The piece arrived damaged: its checksum differs.",
                http_status=460,
                hint="Send the same piece again.",
            )
