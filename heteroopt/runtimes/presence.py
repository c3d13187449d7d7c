"""Whether what a vendor's runtime needs is on this host: a device node, the driver's library, Python packages."""

from __future__ import annotations

import ctypes
import glob
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from heteroopt.runtimes.errors import absent


def require(runtime: str, nodes: Sequence[str], libraries: Sequence[str], packages: Sequence[str]) -> None:
    """Raise ``RuntimeFault`` ``runtime_absent`` with the names of all that is missing, which no language changes.

    ``nodes``: patterns of device files, of which any will do. ``libraries``: by SONAME; they are loaded, so call this
    in the plugin's process only. ``packages``: as they are imported, with the name to install after a blank.
    """
    missing: list[str] = []
    if nodes and not any(glob.glob(pattern) for pattern in nodes):
        missing.append(nodes[0].replace("[0-9]*", "0"))
    for library in libraries:
        try:
            ctypes.CDLL(library)
        except OSError:
            missing.append(library)
    for package in packages:
        name, _, install = package.partition(" ")
        if not _found(name):
            missing.append(install or name)
    if missing:
        raise absent(runtime, missing)


def pci_numa_node(address: str) -> int | None:
    """Return the NUMA node of a PCI device, ``None`` where the kernel does not say."""
    try:
        number = int((Path("/sys/bus/pci/devices") / Path(address).name / "numa_node").read_text())
    except (OSError, ValueError):
        return None
    return number if number >= 0 else None


def _found(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):  # a parent that is missing, or broken
        return False
