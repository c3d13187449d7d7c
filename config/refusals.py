"""Refusals of the web side that answer with a status of their own; the engine's errors answer 400."""

from __future__ import annotations

from heteroopt.errors import HeteroOptError


class WebError(HeteroOptError):
    """Base: ``http_status`` is the status of the answer."""

    def __init__(self, code: str, message: str, *, http_status: int, hint: str = "", **params: object) -> None:
        super().__init__(code, message, hint=hint, **params)
        self.http_status = http_status


class ConflictError(WebError):
    """409: what is asked for does not go with the state that things are in."""

    def __init__(self, code: str, message: str, *, hint: str = "", **params: object) -> None:
        super().__init__(code, message, http_status=409, hint=hint, **params)


class UploadTooLarge(WebError):
    """413: the file, or the whole request body, is above ``HETEROOPT_MAX_UPLOAD_BYTES``."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(
            "upload_too_large",
            f"The upload is larger than {limit_bytes} bytes.",
            http_status=413,
            hint="Upload a smaller file, or raise HETEROOPT_MAX_UPLOAD_BYTES on the server.",
            limit_bytes=limit_bytes,
        )
