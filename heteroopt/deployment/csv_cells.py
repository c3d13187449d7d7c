"""CSV cells that a spreadsheet never takes for a formula, and that can be read back exactly."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

GUARD = "'"
_DANGEROUS = ("=", "+", "-", "@", "\t", "\r", GUARD)


def neutralised(text: str) -> str:
    """Text with an apostrophe in front where a spreadsheet would run or reinterpret it (OWASP, "CSV Injection")."""
    return GUARD + text if text.startswith(_DANGEROUS) else text


def restored(cell: str) -> str:
    """Inverse of ``neutralised``."""
    return cell[len(GUARD) :] if cell.startswith(GUARD) else cell


def write_csv(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """RFC 4180 text with CRLF line ends; text cells are neutralised, floats keep full precision, None is empty."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(headings)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return buffer.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))
    return str(value) if isinstance(value, int) else neutralised(str(value))
