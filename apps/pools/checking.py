"""Checks a pool's specification piece by piece, so that every wrong field is named at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from heteroopt.devices.links import Link
from heteroopt.devices.plausible import implausible, implausible_link
from heteroopt.devices.pool import MAX_DEVICES, MAX_LINKS, DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.errors import PoolError

MAX_ERRORS = 100


@dataclass(frozen=True, slots=True)
class PoolCheck:
    """The pool, or the errors that keep it from being one (``{"field", "code", "message", "params"}``)."""

    pool: DevicePool | None
    errors: list[dict[str, Any]]


def check_spec(spec: object) -> PoolCheck:
    """Check a specification as ``DevicePool.from_dict`` reads it."""
    errors: list[dict[str, Any]] = []
    if isinstance(spec, Mapping):
        _each(spec.get("devices"), "devices", _plausible, MAX_DEVICES, errors)
        _each(spec.get("links"), "links", _plausible_link, MAX_LINKS, errors)
    if errors:
        return PoolCheck(None, errors[:MAX_ERRORS])
    try:
        return PoolCheck(DevicePool.from_dict(spec), [])  # type: ignore[arg-type]
    except PoolError as error:
        return PoolCheck(None, [_described(error, _pool_field(error, spec))])


def checked_pool(spec: object) -> DevicePool:
    """The pool, or ``PoolError`` ``pool_invalid`` with every wrong field in ``params["errors"]``."""
    check = check_spec(spec)
    if check.pool is None:
        first = check.errors[0]
        raise PoolError(
            "pool_invalid",
            f"The pool cannot be used: {first['message']}",
            hint="Correct the fields that are named.",
            errors=check.errors,
            fields={entry["field"]: [entry["message"]] for entry in reversed(check.errors)},
        )
    return check.pool


def _plausible(entry: Any) -> DeviceSpec:
    """A device whose figures can be true of it. Raises ``PoolError``."""
    device = DeviceSpec.from_dict(entry)
    error = implausible(device)
    if error is not None:
        raise error
    return device


def _plausible_link(entry: Any) -> Link:
    """A link whose figures can be true of its class. Raises ``PoolError``."""
    link = Link.from_dict(entry)
    error = implausible_link(link)
    if error is not None:
        raise error
    return link


def _each(entries: object, name: str, read: Callable[[Any], object], most: int, errors: list[dict[str, Any]]) -> None:
    if not isinstance(entries, list) or len(entries) > most:
        return
    for position, entry in enumerate(entries):
        try:
            read(entry)
        except PoolError as error:
            errors.append(_described(error, _path(f"{name}.{position}", error)))


def _path(prefix: str, error: PoolError) -> str:
    """``devices.0.peak_gflop_per_s.fp32`` from the field ``peak_gflop_per_s[fp32]``."""
    field = error.params.get("field")
    if error.code == "bad_name":
        field = {"Link source": "source", "Link target": "target", "Channel": "channel"}.get(
            str(error.params.get("what")), "memory_domain" if error.params.get("what") == "Memory domain" else "name"
        )
    if error.code in ("unknown_template", "unknown_link_class"):
        field = error.code.removeprefix("unknown_")
    if not field:
        return prefix
    inner = re.sub(r"\[(.*)\]$", r".\1", str(field))
    return f"{prefix}.{inner}"


def _pool_field(error: PoolError, spec: object) -> str:
    """The field of a refusal that concerns the pool as a whole."""
    devices = spec.get("devices") if isinstance(spec, Mapping) else None
    if error.code in ("duplicate_device", "reserved_name") and isinstance(devices, list):
        named = [i for i, device in enumerate(devices) if device.get("name") == error.params.get("device")]
        return f"devices.{named[-1]}.name" if named else "devices"
    if error.code in ("unknown_link_end", "duplicate_link"):
        return "links"
    if error.code == "unknown_device":
        return "default_device"
    if error.code == "domain_size":
        return "devices"
    if error.code in ("unknown_domain", "slowdown_source") or error.params.get("field") == "slowdown":
        return "memory_domains"
    return str(error.params.get("field", ""))


def _described(error: PoolError, field: str) -> dict[str, Any]:
    return {"field": field, "code": error.code, "message": str(error), "params": error.params}
