"""The topology of this machine, probed when asked: hwloc or the kernel's files, and what the vendors' tools say."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from heteroopt.devices.topology.ascend import from_npu_smi
from heteroopt.devices.topology.hwloc import from_hwloc_xml
from heteroopt.devices.topology.limits import memory_limit_bytes
from heteroopt.devices.topology.model import ACCELERATORS, Topology, TopologyNode
from heteroopt.devices.topology.nvidia import from_nvidia_smi_topo
from heteroopt.devices.topology.processor import with_processor
from heteroopt.devices.topology.sysfs import from_sysfs, pci_speeds
from heteroopt.errors import HeteroOptError

TOOL_SECONDS = 10.0
LSTOPO = ("lstopo-no-graphics", "lstopo")
NVIDIA_COMMANDS = (
    ("nvidia-smi", "--query-gpu=index,name,pci.bus_id,memory.total", "--format=csv"),
    ("nvidia-smi", "topo", "-m"),
    ("nvidia-smi", "nvlink", "--status"),
    ("nvidia-smi", "topo", "-p2p", "r"),
)
ASCEND_COMMANDS = (("npu-smi", "info"), ("npu-smi", "info", "-t", "topo"))

Run = Callable[[Sequence[str]], str]
"""Runs a command and returns what it prints; empty if it is missing, fails or hangs."""


def probe_host(root: Path = Path("/"), run: Run | None = None) -> Topology:
    """Return this machine as it is now: processors and memories that this process may use, PCI devices, links.

    Never raises for a tool that is missing, fails, hangs (10 s each) or prints something unknown: what it would have
    told is left out. ``machine.attributes``: ``source`` ("hwloc" or "sysfs"), and ``memory_limit_bytes`` where a
    control group has a limit, which then also is the machine's ``memory_bytes`` if it is less.
    Packages: see ``with_processor``.
    """
    ask = run or run_tool
    topology = _machine(root, ask)
    topology = _with_limit(topology, memory_limit_bytes(root))
    topology = with_processor(_with_speeds(topology, pci_speeds(root)), root)
    for commands, read in ((NVIDIA_COMMANDS, from_nvidia_smi_topo), (ASCEND_COMMANDS, from_npu_smi)):
        if run is None and shutil.which(commands[0][0]) is None:
            continue
        text = "\n".join(ask(command) for command in commands)
        try:
            topology = merge(topology, read(text)) if text.strip() else topology
        except HeteroOptError:
            continue  # a driver that is not loaded prints a message; the devices remain as the PCI bus lists them
    return topology


def merge(base: Topology, extra: Topology) -> Topology:
    """Add what a vendor's tool says of devices to the machine they sit in.

    A device is recognised by its address on the PCI bus, a network card by its interface; a device that the machine
    does not list is put into its NUMA node. Switches and NUMA nodes stay the machine's.
    """
    nodes = {node.id: node for node in base.nodes}
    names: dict[str, str] = {}
    for node in extra.of_kind(*ACCELERATORS, "nic"):
        known = _same(nodes, node)
        if known is not None:
            nodes[known.id] = replace(
                known,
                name=node.name if node.kind in ACCELERATORS else known.name,
                kind=node.kind,
                memory_bytes=node.memory_bytes or known.memory_bytes,
                cpuset=node.cpuset or known.cpuset,
                attributes={**known.attributes, **node.attributes},
            )
            names[node.id] = known.id
        else:
            name, number = node.id, 0
            while name in nodes:
                number += 1
                name = f"{node.kind}{number}"
            nodes[name] = replace(node, id=name, parent=_place(base, node))
            names[node.id] = name
    links = [
        replace(link, source=names[link.source], target=names[link.target])
        for link in extra.links
        if link.source in names and link.target in names
    ]
    said = {frozenset((link.source, link.target)) for link in links}
    kept = [link for link in base.links if frozenset((link.source, link.target)) not in said]
    return Topology(tuple(nodes.values()), (*kept, *links))


def run_tool(command: Sequence[str]) -> str:
    """Run a tool for at most ``TOOL_SECONDS``; what it prints, or "" if there is no such tool or it fails."""
    path = shutil.which(command[0])
    if path is None:
        return ""
    try:
        done = subprocess.run(
            [path, *command[1:]],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=TOOL_SECONDS,
            check=True,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode(errors="replace")


def _machine(root: Path, ask: Run) -> Topology:
    for tool in LSTOPO:
        text = ask((tool, "--of", "xml"))
        if text:
            try:
                return from_hwloc_xml(text)
            except HeteroOptError:
                continue
    return from_sysfs(root)


def _with_limit(topology: Topology, limit: int | None) -> Topology:
    if limit is None:
        return topology
    first, *rest = topology.nodes
    memory = min(limit, first.memory_bytes) if first.memory_bytes else limit
    attributes = {**first.attributes, "memory_limit_bytes": limit}
    return Topology((replace(first, memory_bytes=memory, attributes=attributes), *rest), topology.links)


def _with_speeds(topology: Topology, speeds: dict[str, float]) -> Topology:
    nodes = []
    for node in topology.nodes:
        speed = speeds.get(str(node.attributes.get("pci_address", "")))
        nodes.append(node if speed is None else replace(node, attributes={**node.attributes, "pcie_gb_per_s": speed}))
    return Topology(tuple(nodes), topology.links)


def _same(nodes: dict[str, TopologyNode], node: TopologyNode) -> TopologyNode | None:
    address, interface = node.attributes.get("pci_address"), node.attributes.get("interfaces")
    for known in nodes.values():
        if address and known.attributes.get("pci_address") == address:
            return known
        if node.kind == "nic" and interface in str(known.attributes.get("interfaces", "")).split(", "):
            return known
    return None


def _place(base: Topology, node: TopologyNode) -> str:
    for numa in base.of_kind("numa"):
        if numa.attributes.get("index") == node.attributes.get("numa_node") is not None:
            return numa.id
        if node.cpuset and set(node.cpuset) <= set(numa.cpuset):
            return numa.id
    return base.nodes[0].id
