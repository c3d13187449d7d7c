"""Pools of machines: what a topology lists, as the pool that the Python interface offers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from heteroopt.api.pool import DevicePool
from heteroopt.devices.topology.host import probe_host
from heteroopt.devices.topology.machine import FoundDevice, machine_pool
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


def this_machine(*, name: str = "", runtimes: bool = True, host_folder: str | Path | None = None) -> DevicePool:
    """This machine as a pool: sets of its cores as devices in one memory, its GPUs and NPUs, and the links between.

    Figures that no template has are estimated, and ``sources`` says so; ``pool.calibrate()`` measures them. runtimes:
    ask this machine's runtimes too (seconds), so that each device knows through which it can be measured. host_folder:
    configurations of runtimes that this host keeps.
    """
    found = _listed(None if host_folder is None else Path(host_folder)) if runtimes else []
    pool = machine_pool(probe_host(), found, name=name)
    return DevicePool(pool.devices, pool.links, name=pool.name)


def _listed(folder: Path | None) -> list[FoundDevice]:
    from heteroopt.calibration.local import local_devices
    from heteroopt.runtimes.description import Capability

    return [
        FoundDevice(
            place=f"{runtime}:{device.index}",
            name=device.name,
            device_type=device.device_type,
            memory_size_bytes=device.memory_size_bytes,
            cores=tuple(device.position.get("cores", ())),
            pci_address=str(device.position.get("pci_address", "")),
            shares_memory=device.can(Capability.HOST_MEMORY),
        )
        for runtime, device in local_devices(folder)
    ]
