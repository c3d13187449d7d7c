"""Reads ``npu-smi info -t topo`` and ``npu-smi info``: the links of Ascend processors, their names, memory, health."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from heteroopt.devices.topology.assemble import Part, assemble
from heteroopt.devices.topology.errors import unreadable
from heteroopt.devices.topology.matrix import Matrix, read_matrices, split_lines
from heteroopt.devices.topology.model import Topology, shown

SOURCE = "npu-smi info"
BYTES_PER_MIB = 1 << 20

_ADDRESS = re.compile(r"[0-9A-Fa-f]{4}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]")
_USAGE = re.compile(r"(\d{1,9})\s{0,9}/\s{0,9}(\d{1,9})")


@dataclass(slots=True)
class NpuCard:
    """A chip as ``npu-smi info`` lists it. ``memory_bytes``: of HBM where there is any. ``physical``: its number
    among all chips, where it is said (chips of 910C and 310P cards)."""

    npu: int
    chip: int
    name: str
    health: str
    pci_address: str
    memory_bytes: int | None
    power_w: float | None
    temperature_c: float | None
    physical: int | None


def from_npu_smi(text: str) -> Topology:
    """Read one machine's processors from either command's output, or from both in one text.

    Raises ``PoolError``: ``topology_unreadable`` with the line, ``topology_too_large``.
    """
    lines = split_lines(text, SOURCE)
    matrices = read_matrices(lines, "npu-smi info -t topo")
    cards = read_npu_table(lines)
    if len(matrices) > 1 or not (matrices or cards):
        says = "it holds more than one matrix of links" if matrices else "it lists no processor"
        raise unreadable(SOURCE, matrices[1].line if matrices else 1, says)
    if not matrices:
        return assemble([_part(f"npu{place}", None, card) for place, card in enumerate(cards)], [], "npu-smi")
    matrix = matrices[0]
    parts = [_part(_name(label), (label, matrix), _card(label, cards)) for label in matrix.labels]
    names = {label: part.id for label, part in zip(matrix.labels, parts, strict=True)}
    return assemble(parts, matrix.links(names, "npu-smi info -t topo"), "npu-smi")


def read_npu_table(lines: Sequence[str]) -> list[NpuCard]:
    """Return the chips of ``npu-smi info``; a chip takes two lines. Nothing else in the lines matters."""
    found: list[NpuCard] = []
    first: list[str] | None = None
    for number, line in enumerate(lines, 1):
        if "Process id" in line:
            break
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not line.lstrip().startswith("|") or len(cells) < 3:
            continue
        words = cells[0].split()
        if not words or not all(word.isascii() for word in words) or not words[0].isdigit():
            continue
        if first is None:
            if len(words) < 2:
                raise unreadable(SOURCE, number, "a processor has no name")
            first = cells
            continue
        if not _ADDRESS.fullmatch(cells[1]):
            raise unreadable(SOURCE, number, f"{cells[1][:40]!r} is no address on the PCI bus")
        found.append(_chip(first, cells))
        first = None
    return found


def _chip(upper: Sequence[str], lower: Sequence[str]) -> NpuCard:
    number, *name = upper[0].split()
    places = lower[0].split()
    sizes = [int(size) for _, size in _USAGE.findall(lower[2]) if int(size)]
    power, temperature = [*upper[2].split(), "", ""][:2]
    label = shown(" ".join(name))
    return NpuCard(
        int(number[:9]),
        int(places[0][:9]),
        label if label.startswith("Ascend") else f"Ascend {label}",
        shown(upper[1]),
        lower[1].lower(),
        sizes[-1] * BYTES_PER_MIB if sizes else None,
        _figure(power),
        _figure(temperature),
        int(places[1][:9]) if len(places) > 1 and places[1].isascii() and places[1].isdigit() else None,
    )


def _name(label: str) -> str:
    return f"npu{int(label.removeprefix('NPU').removeprefix('Phy-ID'))}" if label[-1].isdigit() else label


def _card(label: str, cards: Sequence[NpuCard]) -> NpuCard | None:
    number = int(label.removeprefix("NPU").removeprefix("Phy-ID"))
    for card in cards:
        if label.startswith("Phy-ID") and card.physical is not None:
            if card.physical == number:
                return card
        elif card.npu == number and card.chip == 0:
            return card
    return None


def _part(name: str, place: tuple[str, Matrix] | None, card: NpuCard | None) -> Part:
    label, matrix = place if place else ("", None)
    index = int(name.removeprefix("npu"))
    attributes: dict[str, str | int | float] = {"index": index, "vendor": "Huawei"}
    if card is not None:
        attributes |= {"card": card.npu, "chip": card.chip, "pci_address": card.pci_address, "health": card.health}
    cpus = matrix.cpus.get(label, ()) if matrix else ()
    numa = matrix.numa.get(label) if matrix else None
    title = card.name if card else f"NPU {index}"
    return Part(name, "npu", title, attributes, cpus, numa, card.memory_bytes if card else None)


def _figure(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e6 else None
