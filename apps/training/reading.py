"""Reads the TOML text of a cluster. Runs inside the sandbox, so it knows neither Django nor rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heteroopt.training.request import parse_toml, request_from


def read_cluster(payload: Mapping[str, Any], _files: Mapping[str, Path]) -> Any:
    """The request in ``payload["text"]`` in its JSON form. Raises what reading it as a request raises."""
    return request_from(parse_toml(payload["text"])).to_json()
