"""Pools of machines: what a topology lists, as the pool that the Python interface offers."""

from __future__ import annotations

from collections.abc import Mapping

from heteroopt.api.pool import DevicePool
from heteroopt.devices.topology.model import Topology
from heteroopt.devices.topology.pool import pool_from_topology as engine_pool


def pool_from_topology(
    topology: Topology, *, templates: Mapping[str, str] | None = None, name: str = "", network: str = "Ethernet"
) -> DevicePool:
    """A pool of a topology's packages, GPUs and NPUs with their links; ``templates``: for devices (``"gpu0"``) or
    kinds (``"package"``) that no template matches. Raises ``PoolError`` ``topology_no_template``.
    """
    pool = engine_pool(topology, templates=templates, name=name, network=network)
    return DevicePool(pool.devices, pool.links, name=name)
