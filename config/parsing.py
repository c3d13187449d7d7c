"""Reads JSON request bodies, which are held in memory, so their size is limited; files come by other ways."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import IO, Any

from rest_framework import parsers
from rest_framework.exceptions import ParseError

from config.refusals import WebError

MAX_BODY_BYTES = 16 << 20
"""More than ten times a placement of 100,000 operators, the longest body that people send."""


class JSONParser(parsers.JSONParser):
    """DRF's strict JSON parser (no NaN, no infinity), which also refuses what is too long or nested too deeply."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the body's data. Raises ``ParseError``, which answers 400, and 413 ``body_too_large``."""
        body = stream.read(MAX_BODY_BYTES + 1)
        if len(body) > MAX_BODY_BYTES:
            raise WebError(
                "body_too_large",
                f"The request's JSON is larger than {MAX_BODY_BYTES} bytes.",
                http_status=413,
                hint="Send less at a time; models and tables are uploaded as files.",
                limit_bytes=MAX_BODY_BYTES,
            )
        try:
            return super().parse(io.BytesIO(body), media_type, parser_context)
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None
