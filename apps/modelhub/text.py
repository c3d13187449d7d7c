"""Text of users made safe to store (no NUL, which PostgreSQL refuses; no lone surrogates) and to name a file with."""

from __future__ import annotations

import re
from typing import Any

from django.http import HttpResponse

REPLACEMENT = "\ufffd"
_SURROGATES = {code: REPLACEMENT for code in range(0xD800, 0xE000)}
_BAD = {0: REPLACEMENT, **_SURROGATES}
_CONTROLS = {code: " " for code in (*range(0x20), 0x7F, *range(0x80, 0xA0))}


def clean(value: Any) -> Any:
    """Return JSON-able data with every character that a database cannot hold replaced."""
    if isinstance(value, str):
        return value.translate(_BAD)
    if isinstance(value, dict):
        return {clean(key): clean(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(entry) for entry in value]
    return value


def file_name(name: str | None, default: str) -> str:
    """The last part of a file name without control characters, at most 255 characters."""
    last = (name or "").replace("\\", "/").rsplit("/", 1)[-1].translate(_BAD).translate(_CONTROLS).strip()
    return last[:255] or default


def display_name(name: str | None, default: str) -> str:
    """A name to show: one line, at most 200 characters."""
    return (name or "").translate(_BAD).translate(_CONTROLS).strip()[:200] or default[:200]


def attachment(content: str, name: str, suffix: str, content_type: str) -> HttpResponse:
    """A download named after ``name``, of which only letters, digits and ``._-`` get into the header."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:80] or "download"
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{stem}.{suffix}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
