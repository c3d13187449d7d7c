"""``heteroopt topology``: what this machine, or the one in pasted text, is made of, and the pool that it makes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from heteroopt.cli.output import figure, print_json, printable, table
from heteroopt.devices.topology.figures import link_figures, pcie_figures
from heteroopt.devices.topology.host import probe_host
from heteroopt.devices.topology.machine import machine_pool
from heteroopt.devices.topology.model import ACCELERATORS, Topology, TopologyNode, format_cpuset
from heteroopt.devices.topology.pool import pool_from_topology
from heteroopt.devices.topology.read import read_topology
from heteroopt.units import BYTES_PER_GB, BYTES_PER_KB, BYTES_PER_MB

MAX_FILE_BYTES = 32_000_000
_UNITS = ((BYTES_PER_GB, "GB"), (BYTES_PER_MB, "MB"), (BYTES_PER_KB, "kB"), (1, "bytes"))


def execute(options: argparse.Namespace) -> int:
    """Print the tree and the links, JSON, or with ``--toml`` or ``--machine`` the pool."""
    topology = probe_host() if options.file is None else read_topology(_text(options.file))
    if options.machine:
        print(machine_pool(topology).to_toml(), end="")
    elif options.toml:
        print(pool_from_topology(topology, templates=dict(options.template)).to_toml(), end="")
    elif options.json:
        print_json(topology.to_dict())
    else:
        for machine in topology.children(None):
            _tree(topology, machine, 0)
        _links(topology)
    return 0


def _text(name: str) -> str:
    if name == "-":
        return sys.stdin.read(MAX_FILE_BYTES)
    with Path(name).open(encoding="utf-8", errors="replace") as file:
        return file.read(MAX_FILE_BYTES)


def _tree(topology: Topology, node: TopologyNode, depth: int) -> None:
    print("  " * depth + printable(_line(node)))
    for child in topology.children(node.id):
        _tree(topology, child, depth + 1)


def _line(node: TopologyNode) -> str:
    said = [node.name]
    if node.memory_bytes:
        scale, unit = next((scale, unit) for scale, unit in _UNITS if node.memory_bytes >= scale)
        said.append(f"{node.memory_bytes / scale:.4g} {unit}")
    if node.cpuset and node.kind in ("machine", "package", "numa", "core"):
        said.append(f"processors {format_cpuset(node.cpuset)}")
    for key in ("pci_address", "interfaces"):
        if node.attributes.get(key) not in (None, node.name):
            said.append(str(node.attributes[key]))
    if node.kind in ACCELERATORS:
        figures = pcie_figures(node)
        said.append(f"to the host {figure(figures.bandwidth_gb_per_s)} GB/s")
    return f"{node.id}: {', '.join(said)}"


def _links(topology: Topology) -> None:
    rows = []
    for link in topology.links:
        ends = topology.node(link.source), topology.node(link.target)
        direct = all(end.kind in ACCELERATORS for end in ends)
        figures = link_figures(link, *ends) if direct else None
        rate = figure(figures.bandwidth_gb_per_s) if figures else "through the host" if direct else "–"
        rows.append((link.source, link.target, link.kind, link.distance or "–", rate))
    if rows:
        print()
        print(table(("From", "To", "Link", "Distance", "GB/s"), rows, right=(3, 4)))
