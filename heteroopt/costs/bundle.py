"""A calibration as a file: size and nesting are limited before it is parsed, and its hash is checked after."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from heteroopt.costs.database import PerformanceDatabase
from heteroopt.errors import CostError

MAX_BUNDLE_BYTES = 64 << 20


def read_bundle(source: str | Path | bytes) -> PerformanceDatabase:
    """Read a bundle that may come from anybody.

    Raises ``CostError``: ``bundle_too_large``, ``bundle_unreadable`` (no JSON, nested too deeply, NaN or infinity),
    ``bundle_changed`` (its hash is that of other content) or ``bundle_invalid`` naming the field.
    """
    if isinstance(source, bytes):
        data = source
    else:
        with Path(source).open("rb") as file:
            data = file.read(MAX_BUNDLE_BYTES + 1)
    if len(data) > MAX_BUNDLE_BYTES:
        raise CostError(
            "bundle_too_large",
            f"The calibration has more than {MAX_BUNDLE_BYTES} bytes.",
            hint="Calibrate with fewer cases.",
            limit_bytes=MAX_BUNDLE_BYTES,
        )
    try:
        content = json.loads(data.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError, UnicodeDecodeError) as error:
        raise CostError(
            "bundle_unreadable",
            f"The calibration is no readable JSON: {str(error)[:200] or type(error).__name__}.",
            hint="Upload the file as the calibrator wrote it.",
            says=str(error)[:200],
        ) from error
    database = PerformanceDatabase.from_dict(content)
    if content.get("hash") != bundle_hash(content):
        raise CostError(
            "bundle_changed",
            "The calibration was changed after it was written: its hash does not fit its content.",
            hint="Upload the file as the calibrator wrote it.",
        )
    return database


def write_bundle(database: PerformanceDatabase, path: str | Path) -> str:
    """Write a bundle and return its hash; figures are kept exactly."""
    content = database.to_dict()
    content["hash"] = bundle_hash(content)
    Path(path).write_text(json.dumps(content), "utf-8")
    return str(content["hash"])


def bundle_hash(content: dict[str, Any]) -> str:
    """SHA-256 (hex) over everything but the hash itself, as the calibrator makes it."""
    rest = {key: value for key, value in content.items() if key != "hash"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON")
