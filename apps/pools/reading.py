"""Reads the text of a pool file. Runs inside the sandbox, so it knows neither Django nor rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heteroopt.devices.pool_toml import parse_pool_toml


def read_pool(payload: Mapping[str, Any], _files: Mapping[str, Path]) -> Any:
    """The fields of the pool in ``payload["text"]``. Raises ``PoolError`` for text that is not such a file."""
    return _as_json(parse_pool_toml(payload["text"]))


def _as_json(value: Any) -> Any:
    """TOML knows dates and infinities, which JSON does not; as text they are refused by name where they stand."""
    if isinstance(value, dict):
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)
