"""What this machine says of itself at each start."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from django.conf import settings

from apps.hosts.reporting import HostFacts
from heteroopt.devices.topology import probe_host
from heteroopt.devices.topology.limits import memory_limit_bytes


def facts() -> HostFacts:
    """Return name and queue, cores that this process may use, memory, and versions."""
    return HostFacts(
        name=settings.HOST_NAME,
        queue=settings.HOST_QUEUE,
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_size_bytes=_memory_bytes(),
        versions={
            "heteroopt": _own_version(),
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.release()}",
            "machine": platform.machine(),
        },
    )


def _memory_bytes() -> int:
    """The machine's, or what a control group leaves of it."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(whole, memory_limit_bytes(Path("/")) or whole)


def topology() -> Mapping[str, Any]:
    """Return how this machine is built now, as ``Topology.to_dict`` gives it."""
    return probe_host().to_dict()


def _own_version() -> str:
    try:
        return version("heteroopt")
    except PackageNotFoundError:
        return ""


def is_running(owner: str, here: str) -> bool:
    """Whether the process that a heartbeat's name stands for may still run; those of other machines always may."""
    machine, _, pid = owner.rpartition(":")
    if machine != here.rpartition(":")[0] or not pid.isdigit():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
