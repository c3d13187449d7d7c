"""Uploaded files are written to disk as they arrive, and refused once they pass the size limit."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import TemporaryFileUploadHandler

from config.refusals import UploadTooLarge


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
