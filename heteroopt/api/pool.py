"""DevicePool as the Python interface offers it: the engine's pool and what acts on the devices themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from heteroopt.devices import pool as engine
from heteroopt.devices.templates import sample_pool_toml
from heteroopt.devices.topology.model import Topology
from heteroopt.devices.topology.pool import pool_from_topology as engine_pool
from heteroopt.errors import HeteroOptError


class DevicePool(engine.DevicePool):
    """The devices that a plan may use: ``DevicePool([DeviceSpec(template="NVIDIA_A100_40G", name="gpu0"), ...])``."""

    def calibrate(self) -> NoReturn:
        """Measuring the devices is not possible in this version: ``HeteroOptError`` with what to use instead."""
        raise HeteroOptError(
            "calibration_unavailable",
            "Devices cannot be calibrated by this version of HeteroOpt.",
            hint="Plan with the templates' figures, correct single figures with DeviceSpec(template=..., "
            "efficiency=...), or give costs measured elsewhere as Scheduler(costs=CostTable...) or in plain tables.",
        )


def load_sample_pool(name: str) -> DevicePool:
    """A pool that ships with the product: data_center, edge, mixed_training or workstation."""
    return DevicePool.from_toml(sample_pool_toml(name))


def pool_from_topology(
    topology: Topology, *, templates: Mapping[str, str] | None = None, name: str = "", network: str = "Ethernet"
) -> DevicePool:
    """A pool of a topology's packages, GPUs and NPUs with their links; ``templates``: for devices (``"gpu0"``) or
    kinds (``"package"``) that no template matches. Raises ``PoolError`` ``topology_no_template``.
    """
    pool = engine_pool(topology, templates=templates, name=name, network=network)
    return DevicePool(pool.devices, pool.links, name=name)
