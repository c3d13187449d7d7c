"""Configurations of the plugins for absent hardware, on stand-ins for the vendors' packages."""

from __future__ import annotations

import os
from pathlib import Path

from heteroopt.runtimes.configuration import PluginConfiguration, read_configuration
from heteroopt.runtimes.registry import SHIPPED

VENDORS = Path(__file__).parents[1] / "fixtures/vendors"
SITES = {"cuda": VENDORS / "nvidia", "cann": VENDORS / "ascend"}
PRESENT = {"device_nodes": ["/dev/null"], "libraries": []}
"""Stand-ins need neither a device node nor a driver's library."""


def stand_in(name: str, **environment: str) -> PluginConfiguration:
    """Return the plugin's configuration with the vendor's packages replaced; ``environment`` makes them misbehave."""
    path = os.pathsep.join([str(SITES[name]), str(VENDORS / "shared")])
    plugin = read_configuration(SHIPPED / name).plugin
    return PluginConfiguration(
        name,
        plugin,
        probe_timeout_s=30.0,
        settings=PRESENT,
        environment={"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", **environment},
    )
