"""How the devices of a pool are named and marked on every page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heteroopt.devices.pool import DevicePool


def load_pool(spec: Mapping[str, Any]) -> DevicePool:
    """The engine's pool of a stored specification."""
    return DevicePool.from_dict(spec)


def device_marks(pool: DevicePool) -> list[dict[str, Any]]:
    """Name, tag, colour slot, display name and type of each device, in the order of the pool."""
    return [
        {
            "name": device.name,
            "tag": tag,
            "slot": slot,
            "display_name": device.display_name,
            "device_type": device.device_type,
        }
        for device, tag, slot in zip(pool.devices, pool.tags(), pool.slots(), strict=True)
    ]
