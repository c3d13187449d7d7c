"""Operators that a device was found not to run, and why: kept beside the device's figures, as their source."""

from __future__ import annotations

from collections.abc import Mapping

from heteroopt.devices.spec import DeviceSpec

PREFIX = "unsupported_ops."
"""``sources`` keeps the reason of an operator type under this and its name."""


def without_operators(device: DeviceSpec, reasons: Mapping[str, str]) -> DeviceSpec:
    """Return the device without these operator types, each with its reason.

    What an earlier call took off comes back; what the device's own description takes off stays.
    """
    earlier = {key.removeprefix(PREFIX) for key in device.sources if key.startswith(PREFIX)}
    values = device.to_dict()
    values["unsupported_ops"] = sorted((device.unsupported_ops - earlier) | set(reasons))
    kept = {key: text for key, text in device.sources.items() if not key.startswith(PREFIX)}
    stated = {name for name in device.unsupported_ops if name not in earlier}
    found = {f"{PREFIX}{name}": text for name, text in sorted(reasons.items()) if name not in stated}
    values["sources"] = {**kept, **found}
    return DeviceSpec.from_dict(values)


def why_unsupported(device: DeviceSpec, op_type: str) -> str:
    """Return why a device does not run an operator type, "" where that is not known or it does."""
    return "" if device.supports(op_type) else device.sources.get(f"{PREFIX}{op_type}", "")
