"""Parsing files of an export again, with one error for all that cannot be."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

from heteroopt.errors import HeteroOptError


def parsed_json(key: str, path: Path) -> Any:
    """The JSON in a file of an export. Raises ``HeteroOptError`` ``export_unparsable``."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise unparsable(key, path.name, str(error)) from error


def parsed_python(key: str, path: Path) -> None:
    """Parse a script of an export. Raises ``HeteroOptError`` ``export_unparsable``."""
    try:
        ast.parse(path.read_text("utf-8"))
    except (OSError, ValueError, SyntaxError) as error:
        raise unparsable(key, path.name, str(error)) from error


def unparsable(key: str, file: str, reason: str) -> HeteroOptError:
    """The error of a file that its engine would not read."""
    return HeteroOptError(
        "export_unparsable",
        f"{file} of the {key} export cannot be parsed again: {reason[:200]}.",
        hint="Export again; if it stays so, report it as a bug.",
        format=key,
        file=file,
        reason=reason[:200],
    )
