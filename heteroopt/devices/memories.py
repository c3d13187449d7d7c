"""Memories of a pool: which stores share one, and how many bytes of each a plan may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heteroopt.devices.checks import whole
from heteroopt.devices.pool import DevicePool

UNLIMITED_BYTES = 1 << 62
"""Capacity of the implicit host, which is not limited."""


@dataclass(frozen=True, slots=True)
class Memories:
    """``store_memory[s]`` is the memory of store s, numbered in order of first use; the rest is per memory.

    ``slowdown``: of two memory-bound operators on devices of that memory, 1 where nothing says otherwise.
    """

    store_memory: tuple[int, ...]
    capacity_bytes: tuple[int, ...]
    names: tuple[str, ...]
    slowdown: tuple[float, ...]


def find_memories(pool: DevicePool, caps: Mapping[str, int] | None = None) -> Memories:
    """Usable bytes per memory: ``min(size x memory_fraction, caps) - workspace``, at least 0.

    Devices of one memory domain share one memory: the smallest of their caps holds, their workspaces add up.
    ``caps`` (bytes by device name) lower the pool's own. Raises ``PoolError`` for an unknown device.
    """
    limits: dict[str, int] = {}
    for name, cap in (caps or {}).items():
        limits[pool.devices[pool.index(name)].name] = whole("memory_cap_bytes", cap, where=f"device {name}")
    store_memory: list[int] = []
    usable: list[int] = []
    workspace: list[int] = []
    names: list[str] = []
    slowdown: list[float] = []
    domains: dict[str, int] = {}
    for device in pool.devices:
        memory = domains.get(device.memory_domain) if device.memory_domain is not None else None
        if memory is None:
            memory = len(usable)
            usable.append(int(device.memory_size_bytes * pool.memory_fraction))
            workspace.append(0)
            names.append(device.memory_domain if device.memory_domain is not None else device.name)
            slowdown.append(1.0)
            if device.memory_domain is not None:
                domains[device.memory_domain] = memory
                if device.memory_domain in pool.memory_domains:
                    slowdown[memory] = pool.memory_domains[device.memory_domain].slowdown
        given = [cap for cap in (device.memory_cap_bytes, limits.get(device.name)) if cap is not None]
        usable[memory] = min([usable[memory], *given])
        workspace[memory] += device.workspace_bytes
        store_memory.append(memory)
    capacity = [max(0, size - kept) for size, kept in zip(usable, workspace, strict=True)]
    if pool.host == len(pool):
        store_memory.append(len(capacity))
        capacity.append(UNLIMITED_BYTES)
        names.append(pool.store_names[pool.host])
        slowdown.append(1.0)
    return Memories(tuple(store_memory), tuple(capacity), tuple(names), tuple(slowdown))
