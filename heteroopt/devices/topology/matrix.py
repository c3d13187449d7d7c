"""Reads the matrices of ``nvidia-smi topo`` and ``npu-smi info -t topo``: devices, kinds of links, affinities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from heteroopt.devices.topology.errors import too_large, unreadable
from heteroopt.devices.topology.figures import MOST_NVLINKS_OF_A_PAIR
from heteroopt.devices.topology.model import NEARNESS, TopologyLink, parse_cpuset

MAX_CHARACTERS = 2_000_000
MAX_LINE = 8_000
MAX_DEVICES = 512

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_DEVICE = re.compile(r"(?:GPU|NPU|Phy-ID)\d{1,4}")
_LABEL = re.compile(r"[A-Za-z][\w.:-]{0,62}")
_KIND = re.compile(r"X|NV\d{1,3}|SYS|SOC|NODE|PHB|PXB|PIB|PIX|HCCS_SW|HCCS|SIO|NA|N/A")
_PEER = re.compile(r"X|OK|CNS|GNS|TNS|NS|DR|U")
_SAME = {"SOC": "SYS", "PIB": "PXB"}
"""Names of older versions and what newer ones say."""


@dataclass(slots=True)
class Matrix:
    """``cells[a][b]``: kind of link of two labels; ``None`` where it is unknown. ``peers``: a table of peer access."""

    labels: list[str]
    line: int
    cells: dict[str, dict[str, str | None]] = field(default_factory=dict)
    cpus: dict[str, tuple[int, ...]] = field(default_factory=dict)
    numa: dict[str, int] = field(default_factory=dict)
    peers: bool = False

    def links(self, names: dict[str, str], source: str) -> list[TopologyLink]:
        """Return a link for each pair of labels, with the ids that ``names`` gives them."""
        found = []
        for i, a in enumerate(self.labels):
            for b in self.labels[i + 1 :]:
                kind, back = self.cells[a][b], self.cells[b][a]
                if kind != back:
                    raise unreadable(source, self.line, f"{a} reaches {b} by {kind}, but {b} reaches {a} by {back}")
                if kind is not None:
                    found.append(TopologyLink(names[a], names[b], kind, NEARNESS["NV" if kind[:2] == "NV" else kind]))
        return found


def split_lines(text: str, source: str) -> list[str]:
    """Lines without colours of terminals. Raises ``PoolError`` for too much text or too long a line."""
    if len(text) > MAX_CHARACTERS:
        raise too_large("characters", len(text), MAX_CHARACTERS)
    lines = _ANSI.sub("", text).splitlines()
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE:
            raise unreadable(source, number, f"it has {len(line)} characters")
    return lines


def read_matrices(lines: Sequence[str], source: str) -> list[Matrix]:
    """Return the matrices in the lines, in order. Raises ``PoolError`` ``topology_unreadable`` with the line."""
    found: list[Matrix] = []
    current: Matrix | None = None
    for number, line in enumerate(lines, 1):
        words = line.split()
        labels = _header(words)
        if labels:
            _complete(current, source)
            if len(labels) > MAX_DEVICES:
                raise too_large("devices", len(labels), MAX_DEVICES)
            if len(set(labels)) != len(labels):
                raise unreadable(source, number, "a device stands twice in the heading")
            current = Matrix(labels, number)
            found.append(current)
        elif current is not None and words and words[0] in current.labels:
            _row(current, line, words, number, source)
    _complete(current, source)
    return found


def _header(words: Sequence[str]) -> list[str]:
    """Labels of a heading such as ``GPU0 GPU1 NIC0 CPU Affinity NUMA Affinity``; none if it is no heading."""
    labels: list[str] = []
    for word in words:
        if word == "CPU":
            break
        labels.append(word)
    if not labels or not _DEVICE.fullmatch(labels[0]):
        return []
    if len(labels) == len(words) == 1:
        return []
    return labels if all(_LABEL.fullmatch(label) and not _is_cell(label) for label in labels) else []


def _is_cell(word: str) -> bool:
    return bool(_KIND.fullmatch(word) or _PEER.fullmatch(word))


def _row(matrix: Matrix, line: str, words: Sequence[str], number: int, source: str) -> None:
    label, size = words[0], len(matrix.labels)
    cells, rest = list(words[1 : size + 1]), list(words[size + 1 :])
    if label in matrix.cells:
        raise unreadable(source, number, f"{label} has a second row")
    if len(cells) < size:
        raise unreadable(source, number, f"{label} has {len(cells)} of {size} columns")
    kinds: dict[str, str | None] = {}
    for other, cell in zip(matrix.labels, cells, strict=True):
        if (cell == "X") != (other == label) or not _is_cell(cell):
            raise unreadable(source, number, f"{label} reaches {other} by {cell[:40]!r}")
        if cell[:2] == "NV" and not 0 < int(cell[2:]) <= MOST_NVLINKS_OF_A_PAIR:
            most = MOST_NVLINKS_OF_A_PAIR
            raise unreadable(
                source, number, f"{label} reaches {other} by {cell}; a GPU has 1 to {most} links of NVLink"
            )
        matrix.peers = matrix.peers or (cell != "X" and not _KIND.fullmatch(cell))
        kinds[other] = None if cell in ("NA", "N/A") else _SAME.get(cell, cell)
    matrix.cells[label] = kinds
    if "\t" in line:  # an empty cell is seen only here; a row may have more tabs than the heading
        parts = [part.strip() for part in line.strip(" ").split("\t")]
        rest = parts[size + 1 : size + 3] if len(parts) > size + 1 else []
    try:
        if rest and rest[0] not in ("", "N/A"):
            matrix.cpus[label] = parse_cpuset(rest[0])
    except ValueError as error:
        raise unreadable(source, number, str(error)) from None
    if len(rest) > 1 and rest[1].isascii() and rest[1].isdigit() and len(rest[1]) < 6:
        matrix.numa[label] = int(rest[1])


def _complete(matrix: Matrix | None, source: str) -> None:
    if matrix is None:
        return
    missing = [label for label in matrix.labels if label not in matrix.cells]
    if missing:
        raise unreadable(source, matrix.line, f"{missing[0]} stands in the heading but has no row")
