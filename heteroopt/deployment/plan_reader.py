"""Reads plan files back, checking what later steps rely on."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from heteroopt.deployment.plan_json import FORMAT, READABLE_VERSIONS
from heteroopt.errors import PlanError

MAX_PLAN_BYTES = 256 * 1024 * 1024
_PARTS = ("hashes", "model", "pool", "reference", "plan", "devices", "operators", "placement", "transfers")


def read_plan(path: str | Path) -> dict[str, Any]:
    """The document in a plan file.

    Raises ``PlanError``: ``plan_file`` (cannot be read, not JSON, too large), ``plan_format`` (another format or a
    newer version), ``plan_incomplete``.
    """
    try:
        size = Path(path).stat().st_size
        if size > MAX_PLAN_BYTES:
            raise PlanError("plan_file", f"{path} is larger than {MAX_PLAN_BYTES} bytes.", path=str(path), size=size)
        document = json.loads(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise PlanError(
            "plan_file",
            f"The plan file {path} cannot be read: {error}.",
            hint="Write one with `heteroopt plan MODEL --pool POOL --out PLAN.json`.",
            path=str(path),
            reason=str(error),
        ) from error
    return checked_document(document, str(path))


def checked_document(document: Any, name: str = "the plan") -> dict[str, Any]:
    """The document itself if it is a plan of a version that is understood; otherwise ``PlanError``."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise PlanError("plan_format", f"{name} is not a {FORMAT} file.", path=name)
    if document.get("format_version") not in READABLE_VERSIONS:
        raise PlanError(
            "plan_format",
            f"{name} has the format version {document.get('format_version')!r}; this engine reads "
            f"{' and '.join(str(version) for version in READABLE_VERSIONS)}.",
            hint="Update HeteroOpt, or write the plan again.",
            path=name,
        )
    missing = [part for part in _PARTS if not isinstance(document.get(part), (dict, list))]
    if missing:
        raise PlanError("plan_incomplete", f"{name} lacks {', '.join(missing)}.", path=name, missing=missing)
    return document


def plan_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the current format version."""
    text = (files("heteroopt.deployment") / "schema" / "plan-v2.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
