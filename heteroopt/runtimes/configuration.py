"""``device_config.yaml`` of a plugin: owned by the host's administrator, read with a safe loader, checked strictly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from heteroopt.runtimes.errors import RuntimeFault

FILE_NAME = "device_config.yaml"
MAX_FILE_BYTES = 1 << 18
MAX_VALUES = 10_000
"""Of a whole file, with what aliases repeat counted each time."""

MAX_DEPTH = 20
MAX_WHOLE_NUMBER = 1 << 63
"""Settings travel to the plugin's process as JSON."""


@dataclass(frozen=True, slots=True)
class PluginConfiguration:
    """How a plugin's process is started.

    ``plugin``: ``module:class``. ``interpreter``: the Python with the vendor's package, ours if empty. ``settings``
    go to the plugin; ``probe_timeout_s`` is how long loading and probing may take each.
    """

    name: str
    plugin: str
    interpreter: str = ""
    probe_timeout_s: float = 5.0
    environment: Mapping[str, str] = field(default_factory=dict)
    enabled: bool = True
    settings: Mapping[str, Any] = field(default_factory=dict)
    verified: bool = True
    """Whether somebody has run this plugin on its hardware."""
    spare: bool = False
    """Whether a second process, with the library loaded, waits to take over when the first one ends."""


def read_configuration(folder: Path) -> PluginConfiguration:
    """Read a plugin's folder; its name is the plugin's. Raises ``RuntimeFault`` ``runtime_configuration``."""
    path = folder / FILE_NAME
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise _unusable(path, f"it has more than {MAX_FILE_BYTES} bytes")
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    except Exception as error:  # beside its own errors, the loader raises any other for a value it cannot make
        raise _unusable(path, str(error)[:1000] or type(error).__name__) from error
    return parse_configuration(folder.name, data, path)


def parse_configuration(name: str, data: object, path: Path) -> PluginConfiguration:
    """Check what was read. Raises ``RuntimeFault`` ``runtime_configuration`` naming the key."""
    if not isinstance(data, dict):
        raise _unusable(path, "it must be a mapping")
    why = _not_plain(data)
    if why:
        raise _unusable(path, why)
    known = {item.name: item for item in fields(PluginConfiguration) if item.name != "name"}
    for key, value in data.items():
        if key not in known:
            raise _unusable(path, f"unknown key {key!r}; known are {', '.join(known)}")
        if not _fits(key, value):
            raise _unusable(path, f"{key} cannot be {repr(value)[:200]}")
    if ":" not in data.get("plugin", ""):
        raise _unusable(path, "plugin must be MODULE:CLASS")
    return PluginConfiguration(name, **data)


def _fits(key: str, value: object) -> bool:
    if key in ("plugin", "interpreter"):
        return isinstance(value, str)
    if key == "probe_timeout_s":
        return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 600
    if key in ("enabled", "verified", "spare"):
        return isinstance(value, bool)
    if key == "environment":
        return isinstance(value, dict) and all(
            name and "=" not in name and isinstance(content, str) for name, content in value.items()
        )
    return isinstance(value, dict)


def _not_plain(data: object) -> str:
    """Say what of the data could not be sent on as JSON or would be far larger than its text; "" if nothing."""
    left: list[tuple[object, int]] = [(data, 0)]
    seen = 0
    while left:
        value, depth = left.pop()
        seen += 1
        if seen > MAX_VALUES or depth > MAX_DEPTH:
            return f"it has more than {MAX_VALUES} values or {MAX_DEPTH} levels"
        if isinstance(value, dict):
            if not all(isinstance(name, str) for name in value):
                return f"a key that is no text: {next(name for name in value if not isinstance(name, str))!r}"
            left += [(part, depth + 1) for pair in value.items() for part in pair]
        elif isinstance(value, list):
            left += [(part, depth + 1) for part in value]
        elif isinstance(value, str):
            if "\0" in value:
                return "a text with a NUL character"
        elif isinstance(value, float):
            if not math.isfinite(value):
                return f"{value} is no finite number"
        elif isinstance(value, int):
            if not -MAX_WHOLE_NUMBER <= value < MAX_WHOLE_NUMBER:
                return "a whole number that does not fit 64 bits"
        elif value is not None:
            return f"a {type(value).__name__} is neither text, number, list nor mapping; put it in quotes"
    return ""


def _unusable(path: Path, why: str) -> RuntimeFault:
    return RuntimeFault(
        "runtime_configuration",
        f"{path} cannot be used: {why}.",
        hint="Correct the file; the one that ships with the plugin shows every key.",
        path=str(path),
        says=why,
    )
