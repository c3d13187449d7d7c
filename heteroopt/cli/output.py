"""What the command prints: JSON, aligned tables, errors, and a progress bar on a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from heteroopt.errors import HeteroOptError
from heteroopt.progress import Progress
from heteroopt.units import BYTES_PER_MB

NONE_SATISFIES = 3
BAR_WIDTH = 30


def print_json(data: Mapping[str, Any] | Sequence[Any]) -> None:
    """JSON on standard output; names that are not ASCII stay readable, NaN is an error."""
    print(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))


def fail(error: HeteroOptError, *, as_json: bool) -> None:
    """The error on standard error, or as ``{"error": {...}}`` on standard output."""
    if as_json:
        print_json({"error": error.to_dict()})
        return
    print(f"heteroopt: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"  {error.hint}", file=sys.stderr)


def table(headings: Sequence[str], rows: Sequence[Sequence[object]], right: Sequence[int] = ()) -> str:
    """Aligned columns; those in ``right`` to the right."""
    text = [[printable(str(cell)) for cell in row] for row in [list(headings), *rows]]
    widths = [max(len(row[column]) for row in text) for column in range(len(headings))]
    lines = []
    for row in text:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def printable(text: str) -> str:
    """Text that cannot steer a terminal: control characters are replaced."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def figure(value: float) -> str:
    """Six significant digits."""
    return f"{value:.6g}"


def with_unit(value: float, unit: str) -> tuple[str, str]:
    """A figure and its unit for people: bytes in MB (1 MB = 1,000,000 bytes)."""
    return (f"{value / BYTES_PER_MB:.6g}", "MB") if unit == "bytes" else (figure(value), unit)


class ProgressBar:
    """Draws a bar on standard error if that is a terminal; a callback of ``Scheduler.run`` and of calibrations."""

    def __init__(self, *, quiet: bool, unit: str = "generation") -> None:
        self._unit = unit
        self._shown = not quiet and sys.stderr.isatty()

    def __call__(self, progress: Progress, /) -> None:
        if not self._shown:
            return
        done = round(BAR_WIDTH * progress.done / progress.total) if progress.total else BAR_WIDTH
        bar = "#" * done + "." * (BAR_WIDTH - done)
        print(f"\r[{bar}] {self._unit} {progress.done} of {progress.total} ", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Clear the line."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
