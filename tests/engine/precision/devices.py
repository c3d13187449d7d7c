"""Simulated devices for the tests of comparisons: what each one does wrong is said where it is made."""

from __future__ import annotations

from typing import Any

from heteroopt.precision.own_device import OwnDevice
from heteroopt.runtimes.configuration import PluginConfiguration

SIMULATED = "heteroopt.runtimes.plugins.simulated.runtime:SimulatedRuntime"


def simulated(version: str = "1.0", **behaviour: Any) -> OwnDevice:
    """A device of a process of its own; nothing is started before it is used."""
    settings = {"devices": [behaviour], "version": version}
    return OwnDevice(PluginConfiguration("simulated", SIMULATED, settings=settings))
