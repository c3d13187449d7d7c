"""Reads pasted text of any of the tools: which one it is from shows in the text."""

from __future__ import annotations

import re

from heteroopt.devices.topology.ascend import from_npu_smi
from heteroopt.devices.topology.errors import unreadable
from heteroopt.devices.topology.hwloc import from_hwloc_xml
from heteroopt.devices.topology.model import Topology
from heteroopt.devices.topology.nvidia import from_nvidia_smi_topo

_ASCEND = re.compile(r"\bnpu-smi\b|\bNPU\d|\bPhy-ID\d|\| NPU +Name")
_NVIDIA = re.compile(r"\bGPU\d")
_LOOKED_AT = 200_000


def read_topology(text: str) -> Topology:
    """Read hwloc's XML, our own JSON, ``npu-smi`` or ``nvidia-smi topo -m``. Raises ``PoolError``."""
    start, head = text.lstrip("\ufeff \t\r\n"), text[:_LOOKED_AT]
    if start.startswith("<"):
        return from_hwloc_xml(text.lstrip("\ufeff \t\r\n") if text[:1] == "\ufeff" else text.lstrip())
    if start.startswith("{"):
        return Topology.from_json(start)
    if _NVIDIA.search(head):
        return from_nvidia_smi_topo(text)
    if _ASCEND.search(head):
        return from_npu_smi(text)
    raise unreadable("lstopo, nvidia-smi topo -m or npu-smi", 1, "it is of none of them")
