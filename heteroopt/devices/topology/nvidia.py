"""Reads ``nvidia-smi topo -m``, and what else of nvidia-smi is pasted with it: names, memory, NVLink rates, peers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from heteroopt.devices.topology.assemble import Part, assemble
from heteroopt.devices.topology.errors import unreadable
from heteroopt.devices.topology.figures import MOST_NVLINK_GB_PER_S
from heteroopt.devices.topology.matrix import Matrix, read_matrices, split_lines
from heteroopt.devices.topology.model import Topology, TopologyLink, shown

SOURCE = "nvidia-smi topo -m"
BYTES_PER_MIB = 1 << 20

_NAME = re.compile(r"GPU (\d{1,4}): (.{1,120}?)(?: \(UUID: \S{1,80}\))?$")
_LANE = re.compile(r"\s+Link \d{1,3}: ([\d.]{1,12}) GB/s$")
_NIC = re.compile(r"\s*(NIC\d{1,4}): (\S{1,63})$")
_ADDRESS = re.compile(r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]")
_MEMORY = re.compile(r"/\s{0,9}(\d{1,9})MiB")


@dataclass(slots=True)
class _Card:
    name: str = ""
    pci_address: str = ""
    memory_bytes: int | None = None
    lanes: int = 0
    lane_gb_per_s: float = 0.0
    parts: int = 0


def from_nvidia_smi_topo(text: str) -> Topology:
    """Read the matrix of one machine, in all its variants: with network cards and their legend, with CPU and NUMA
    affinities or without, colours of a terminal, tabs turned into blanks, names of older versions (SOC).

    Optional, in the same text: ``nvidia-smi``, ``nvidia-smi -L``, ``nvidia-smi --query-gpu=index,name,pci.bus_id,
    memory.total --format=csv``, ``nvidia-smi nvlink --status``, ``nvidia-smi topo -p2p r``.
    Raises ``PoolError``: ``topology_unreadable`` with the line, ``topology_too_large``.
    """
    lines = split_lines(text, SOURCE)
    matrices = read_matrices(lines, SOURCE)
    found = [matrix for matrix in matrices if not matrix.peers]
    if len(found) != 1:
        says = "it holds no matrix of links" if not found else "it holds more than one matrix of links"
        raise unreadable(SOURCE, found[1].line if found else 1, says)
    matrix = found[0]
    cards = _cards(lines)
    nics = {match[1]: match[2] for line in lines if (match := _NIC.fullmatch(line))}
    parts = [_part(label, matrix, cards, nics) for label in matrix.labels]
    names = {label: part.id for label, part in zip(matrix.labels, parts, strict=True)}
    links = matrix.links(names, SOURCE)
    for other in (item for item in matrices if item.peers):
        links = [_with_peer(link, other, names) for link in links]
    return assemble(parts, links, "nvidia-smi")


def normal_address(text: str) -> str:
    """``00000000:07:00.0`` as the system writes it: ``0000:07:00.0``."""
    domain, _, rest = text.lower().partition(":")
    return f"{domain[-4:]}:{rest}"


def _part(label: str, matrix: Matrix, cards: Mapping[int, _Card], nics: Mapping[str, str]) -> Part:
    cpus, numa = matrix.cpus.get(label, ()), matrix.numa.get(label)
    if not label.startswith("GPU"):
        return Part(f"nic:{label}", "nic", nics.get(label, label), {"interfaces": nics.get(label, label)}, cpus, numa)
    index = int(label[3:])
    card = cards.get(index, _Card())
    attributes: dict[str, str | int | float] = {"index": index, "vendor": "NVIDIA"}
    if card.pci_address:
        attributes["pci_address"] = card.pci_address
    if card.lanes:
        attributes["nvlink_lanes"] = card.lanes
        attributes["nvlink_gb_per_s"] = card.lane_gb_per_s
    if card.parts:
        attributes["mig_devices"] = card.parts
    return Part(f"gpu{index}", "gpu", card.name or f"GPU {index}", attributes, cpus, numa, card.memory_bytes)


def _with_peer(link: TopologyLink, matrix: Matrix, names: Mapping[str, str]) -> TopologyLink:
    labels = {name: label for label, name in names.items()}
    a, b = labels[link.source], labels[link.target]
    said = matrix.cells.get(a, {}).get(b)
    return link if said is None or said == "U" else replace(link, peer=said == "OK")


def _cards(lines: Sequence[str]) -> dict[int, _Card]:
    cards: dict[int, _Card] = {}
    current: int | None = None
    columns: list[str] = []
    for number, line in enumerate(lines, 1):
        name = _NAME.fullmatch(line.rstrip())
        cells = [cell.strip() for cell in line.split(",")]
        if name:
            current = int(name[1])
            cards.setdefault(current, _Card()).name = shown(name[2])
        elif (lane := _LANE.fullmatch(line)) and current is not None:
            card = cards[current]
            card.lanes += 1
            card.lane_gb_per_s = _number(lane[1])
            if card.lane_gb_per_s > MOST_NVLINK_GB_PER_S:
                most = f"{MOST_NVLINK_GB_PER_S:g} GB/s are the most"
                raise unreadable(SOURCE, number, f"a link of NVLink has {lane[1]} GB/s; {most}")
        elif line.lstrip().startswith("MIG ") and current is not None:
            cards[current].parts += 1
        elif line.startswith("|"):
            current = _table(line, cards, current)
        elif "index" in cells and "name" in cells:
            columns = [cell.partition(" ")[0] for cell in cells]
        elif len(cells) == len(columns) > 1:
            _queried(dict(zip(columns, cells, strict=True)), cards)
    return cards


def _table(line: str, cards: dict[int, _Card], current: int | None) -> int | None:
    """A line of the table that plain ``nvidia-smi`` prints: name and address, or below them the memory."""
    cells = line.split("|")
    words = cells[1].split()
    address = _ADDRESS.search(cells[2]) if len(cells) > 2 else None
    if address and len(words) > 1 and words[0].isascii() and words[0].isdigit() and len(words[0]) < 5:
        card = cards.setdefault(int(words[0]), _Card())
        name = " ".join(words[1:-1] or words[1:])
        card.name = card.name or shown(name.removesuffix("..."))
        card.pci_address = normal_address(address[0])
        return int(words[0])
    memory = _MEMORY.search(cells[2]) if len(cells) > 2 else None
    if memory and current is not None and current in cards:
        cards[current].memory_bytes = int(memory[1]) * BYTES_PER_MIB
        return None
    return current


def _queried(row: Mapping[str, str], cards: dict[int, _Card]) -> None:
    index = row.get("index", "")
    if not (index.isascii() and index.isdigit() and len(index) < 5):
        return
    card = cards.setdefault(int(index), _Card())
    card.name = shown(row.get("name", "")) or card.name
    address = _ADDRESS.fullmatch(row.get("pci.bus_id", ""))
    if address:
        card.pci_address = normal_address(address[0])
    size = row.get("memory.total", "").partition(" ")[0]
    if size.isascii() and size.isdigit() and len(size) < 10:
        card.memory_bytes = int(size) * BYTES_PER_MIB


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
