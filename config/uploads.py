"""Uploaded files are written to disk as they arrive, and refused once they pass the size limit."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import TemporaryFileUploadHandler

from heteroopt.errors import HeteroOptError


class UploadTooLarge(HeteroOptError):
    """The file, or the whole request body, is above ``HETEROOPT_MAX_UPLOAD_BYTES``."""

    http_status = 413

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(
            "upload_too_large",
            f"The upload is larger than {limit_bytes} bytes.",
            hint="Upload a smaller file, or raise HETEROOPT_MAX_UPLOAD_BYTES on the server.",
            limit_bytes=limit_bytes,
        )


class LimitedFileUploadHandler(TemporaryFileUploadHandler):
    """Streams a file to the data folder (never to memory) and counts its bytes."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.received_bytes = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.received_bytes += len(raw_data)
        if self.received_bytes > settings.MAX_UPLOAD_BYTES:
            raise UploadTooLarge(settings.MAX_UPLOAD_BYTES)
        super().receive_data_chunk(raw_data, start)
