"""Pools as TOML text, the form in which people keep, edit and exchange them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heteroopt.devices.links import LINK_CLASSES, Link
from heteroopt.devices.spec import DeviceSpec
from heteroopt.devices.templates import list_templates
from heteroopt.devices.toml_limits import check_toml_shape
from heteroopt.errors import PoolError

if TYPE_CHECKING:
    from heteroopt.devices.pool import DevicePool

# 256 devices that spell out every figure take 0.7 MB, 256 devices from templates 15 KB.
MAX_TOML_BYTES = 800_000
MAX_REASON_LENGTH = 300


def parse_pool_toml(source: str | Path) -> dict[str, Any]:
    """Fields of a pool from TOML text or a path. Raises ``PoolError`` (``pool_file``, ``toml_shape``, ``not_toml``).

    The size and the shape are checked first: what passes is parsed in linear time, below a second.
    """
    if isinstance(source, str) and ("\n" in source or "=" in source):
        text = source
    else:
        try:
            with Path(source).open("rb") as file:
                data = file.read(MAX_TOML_BYTES + 1)
            text = data.decode() if len(data) <= MAX_TOML_BYTES else ""
        except (OSError, ValueError) as error:
            raise PoolError(
                "pool_file", f"The pool file {source} cannot be read: {error}.", path=str(source), reason=str(error)
            ) from error
        if len(data) > MAX_TOML_BYTES:
            raise _too_long(len(data))
    if len(text) > MAX_TOML_BYTES:
        raise _too_long(len(text))
    check_toml_shape(text)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = f"{error or 'too deeply nested'}"
        reason = reason if len(reason) <= MAX_REASON_LENGTH else f"{reason[:MAX_REASON_LENGTH]}…"
        raise PoolError(
            "not_toml",
            f"The pool is not valid TOML: {reason}.",
            hint="Start from a sample pool: `heteroopt devices --pool data_center --toml`.",
            reason=reason,
        ) from error


def _too_long(size: int) -> PoolError:
    return PoolError(
        "pool_file",
        f"A pool file has at most {MAX_TOML_BYTES} characters.",
        hint="Name a template in each device and give only what differs.",
        size=size,
    )


def format_pool_toml(pool: DevicePool) -> str:
    """TOML text of a pool: options, then ``[[devices]]`` and ``[[links]]``, without what equals the defaults."""
    options = {key: value for key, value in pool.to_dict().items() if key not in ("devices", "links")}
    lines = [f"{key} = {_value(value)}" for key, value in options.items() if value is not None]
    for device in pool.devices:
        lines += ["", "[[devices]]", *_entries(_device_entries(device))]
    for link in pool.links:
        lines += ["", "[[links]]", *_entries(_link_entries(link))]
    return "\n".join(lines) + "\n"


def _device_entries(device: DeviceSpec) -> dict[str, object]:
    """What a file must say about a device: all of it, or its template and the differences."""
    values = {key: value for key, value in device.to_dict().items() if value is not None}
    if device.template not in list_templates():
        return values
    base = DeviceSpec(template=device.template, name=device.name).to_dict()
    head = {"name": device.name, "template": device.template}
    return {**head, **{key: value for key, value in values.items() if value != base[key]}}


def _link_entries(link: Link) -> dict[str, object]:
    defaults: dict[str, object] = {"channel": None, "directed": False}
    for field in ("bandwidth_gb_per_s", "latency_us", "energy_pj_per_byte"):
        defaults[field] = getattr(LINK_CLASSES[link.link_class], field)
    return {key: value for key, value in link.to_dict().items() if key not in defaults or value != defaults[key]}


def _entries(values: Mapping[str, object]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in values.items()]


def _value(value: object) -> str:
    """One TOML value; JSON's strings and numbers are TOML's, apart from the escape of DEL."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(str(key))} = {_value(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(entry) for entry in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value)
