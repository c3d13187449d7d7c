"""``device_config.yaml`` of a plugin: owned by the host's administrator, read with a safe loader, checked strictly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from heteroopt.runtimes.errors import RuntimeFault

FILE_NAME = "device_config.yaml"
MAX_FILE_BYTES = 1 << 18


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
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise _unusable(path, str(error)) from error
    return parse_configuration(folder.name, data, path)


def parse_configuration(name: str, data: object, path: Path) -> PluginConfiguration:
    """Check what was read. Raises ``RuntimeFault`` ``runtime_configuration`` naming the key."""
    if not isinstance(data, dict):
        raise _unusable(path, "it must be a mapping")
    known = {item.name: item for item in fields(PluginConfiguration) if item.name != "name"}
    for key, value in data.items():
        if key not in known:
            raise _unusable(path, f"unknown key {key!r}; known are {', '.join(known)}")
        if not _fits(key, value):
            raise _unusable(path, f"{key} cannot be {value!r}")
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
        return isinstance(value, dict) and all(isinstance(part, str) for pair in value.items() for part in pair)
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)


def _unusable(path: Path, why: str) -> RuntimeFault:
    return RuntimeFault(
        "runtime_configuration",
        f"{path} cannot be used: {why}.",
        hint="Correct the file; the one that ships with the plugin shows every key.",
        path=str(path),
        says=why,
    )
