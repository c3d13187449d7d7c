"""Topology: what a machine is made of, how its parts hang together, and which links join its devices."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from heteroopt.devices.topology.errors import broken, too_large

NODE_KINDS: tuple[str, ...] = (
    "machine", "package", "numa", "cache_l1", "cache_l2", "cache_l3", "core",
    "pcie_switch", "pcie_device", "gpu", "npu", "nic",
)  # fmt: skip
ACCELERATORS: tuple[str, ...] = ("gpu", "npu")

MAX_NODES = 20_000
MAX_LINKS = 100_000
MAX_PLACES = 256
"""NUMA nodes and accelerators: those that the distance matrix is of."""

MAX_JSON_CHARACTERS = 32_000_000
MAX_CPU = 8_191
"""Linux has 8,192 at most."""

MAX_TEXT = 200

LOCAL_DISTANCE = 10
FAR_DISTANCE = 40
"""Of devices about which nothing is known."""

NEARNESS: Mapping[str, int] = MappingProxyType(
    {"SIO": 11, "NV": 12, "HCCS": 12, "HCCS_SW": 13, "PIX": 14, "PXB": 16, "PHB": 18, "NODE": 20, "SYS": 32}
)
"""Distances of kinds of links on the scale of ACPI's SLIT, on which 10 is local: their order, not a measurement."""

Value = str | int | float


@dataclass(frozen=True, slots=True)
class TopologyNode:
    """One part. ``id`` is unique in its topology, ``parent`` the id of what it sits in (``None``: a machine).

    ``memory_bytes``: of a machine, a NUMA node, an accelerator; size of a cache. ``cpuset``: hardware threads by the
    system's number, ascending. ``attributes``: as known, among them ``pci_address``, ``numa_node``, ``index`` (the
    vendor's), ``pcie_gb_per_s`` (one direction), ``memory_limit_bytes`` (of a control group), ``network``.
    """

    id: str
    kind: str
    name: str
    parent: str | None = None
    memory_bytes: int | None = None
    cpuset: tuple[int, ...] = ()
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TopologyLink:
    """A connection of two nodes, both ways.

    ``kind``: as the tool calls it ("NV4", "PIX", "PXB", "PHB", "NODE", "SYS", "HCCS", "HCCS_SW", "SIO"), ``"NUMA"``
    between memories, ``"NET"`` between machines. ``distance``: 10 is local. ``bandwidth_gb_per_s`` (one direction,
    the wire's) and ``latency_us`` only where the text or the system says them. ``peer``: whether one device may read
    the other's memory, if said.
    """

    source: str
    target: str
    kind: str
    distance: int | None = None
    bandwidth_gb_per_s: float | None = None
    latency_us: float | None = None
    peer: bool | None = None


@dataclass(frozen=True)
class Topology:
    """Nodes (parents before children) and links. Raises ``PoolError`` ``topology_broken`` or ``topology_too_large``."""

    nodes: tuple[TopologyNode, ...]
    links: tuple[TopologyLink, ...] = ()

    def __post_init__(self) -> None:
        for what, count, limit in (("nodes", len(self.nodes), MAX_NODES), ("links", len(self.links), MAX_LINKS)):
            if count > limit:
                raise too_large(what, count, limit)
        places = sum(node.kind == "numa" or node.kind in ACCELERATORS for node in self.nodes)
        if places > MAX_PLACES:
            raise too_large("NUMA nodes, GPUs and NPUs", places, MAX_PLACES)
        kinds: dict[str, str] = {}
        for node in self.nodes:
            if node.kind not in NODE_KINDS:
                raise broken(f"{node.id} is of the unknown kind {node.kind!r}")
            if node.id in kinds:
                raise broken(f"two nodes are called {node.id}")
            if node.parent is None and node.kind != "machine":
                raise broken(f"{node.id} is in no machine")
            if node.parent is not None and node.parent not in kinds:
                raise broken(f"{node.id} is in {node.parent}, which does not come before it")
            kinds[node.id] = node.kind
        for link in self.links:
            if link.source not in kinds or link.target not in kinds or link.source == link.target:
                raise broken(f"a link joins {link.source} and {link.target}")

    def node(self, name: str) -> TopologyNode:
        """Return the node of an id. Raises ``KeyError``."""
        return self._by_id[name]

    def of_kind(self, *kinds: str) -> tuple[TopologyNode, ...]:
        """Return the nodes of these kinds, in order."""
        return tuple(node for node in self.nodes if node.kind in kinds)

    def children(self, name: str | None) -> tuple[TopologyNode, ...]:
        """Return the nodes directly inside another; of ``None``: the machines."""
        return tuple(node for node in self.nodes if node.parent == name)

    def above(self, name: str) -> tuple[TopologyNode, ...]:
        """Return what a node sits in, nearest first."""
        found = []
        parent = self.node(name).parent
        while parent is not None:
            found.append(self.node(parent))
            parent = found[-1].parent
        return tuple(found)

    def machine(self, name: str) -> str:
        """Return the id of a node's machine."""
        return (self.node(name), *self.above(name))[-1].id

    def numa(self, name: str) -> TopologyNode | None:
        """Return the NUMA node that a node is or sits in, by its place or its ``numa_node``; ``None`` if unknown."""
        node = self.node(name)
        for place in (node, *self.above(name)):
            if place.kind == "numa":
                return place
        number, machine = node.attributes.get("numa_node"), self.machine(name)
        for place in self.of_kind("numa"):
            if number is not None and place.attributes.get("index") == number and self.machine(place.id) == machine:
                return place
        return None

    def link(self, first: str, second: str) -> TopologyLink | None:
        """Return the nearest link of two nodes, in either direction."""
        return self._by_pair.get(frozenset((first, second)))

    def distance(self, first: str, second: str) -> int:
        """Distance of two nodes: of their link, else of their NUMA nodes, else ``FAR_DISTANCE``; 10 to itself."""
        if first == second:
            return LOCAL_DISTANCE
        link = self.link(first, second)
        if link is not None and link.distance is not None:
            return link.distance
        near, far = self.numa(first), self.numa(second)
        if near is None or far is None or self.machine(first) != self.machine(second):
            return FAR_DISTANCE
        if near.id == far.id:
            return NEARNESS["PHB"]
        if {near.id, far.id} == {first, second}:
            return FAR_DISTANCE
        return self.distance(near.id, far.id)

    def distance_matrix(self) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
        """Return the ids of NUMA nodes and accelerators, and the distance of each to each."""
        names = tuple(node.id for node in self.of_kind("numa", *ACCELERATORS))
        return names, tuple(tuple(self.distance(a, b) for b in names) for a in names)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON-able form, with the distance matrix; ``from_dict`` reads it back."""
        names, matrix = self.distance_matrix()
        return {
            "nodes": [
                {
                    "id": node.id,
                    "kind": node.kind,
                    "name": node.name,
                    "parent": node.parent,
                    "memory_bytes": node.memory_bytes,
                    "cpuset": format_cpuset(node.cpuset),
                    "attributes": dict(node.attributes),
                }
                for node in self.nodes
            ],
            "links": [
                {
                    "source": link.source,
                    "target": link.target,
                    "kind": link.kind,
                    "distance": link.distance,
                    "bandwidth_gb_per_s": link.bandwidth_gb_per_s,
                    "latency_us": link.latency_us,
                    "peer": link.peer,
                }
                for link in self.links
            ],
            "distances": {"nodes": list(names), "matrix": [list(row) for row in matrix]},
        }

    @classmethod
    def from_dict(cls, data: object) -> Topology:
        """Read ``to_dict``'s form; the distances follow from nodes and links. Raises ``PoolError``."""
        if not isinstance(data, Mapping):
            raise broken("it is no JSON object")
        entries: dict[str, list[Mapping[str, Any]]] = {}
        for key, limit in (("nodes", MAX_NODES), ("links", MAX_LINKS)):
            found = data.get(key, [])
            if not isinstance(found, list) or not all(isinstance(entry, Mapping) for entry in found):
                raise broken(f"{key} is no list of objects")
            if len(found) > limit:
                raise too_large(key, len(found), limit)
            entries[key] = found
        return cls(tuple(map(_read_node, entries["nodes"])), tuple(map(_read_link, entries["links"])))

    def to_json(self) -> str:
        """Return ``to_dict`` as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Topology:
        """Read ``to_json``'s text. Raises ``PoolError``."""
        if len(text) > MAX_JSON_CHARACTERS:
            raise too_large("characters", len(text), MAX_JSON_CHARACTERS)
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise broken(f"it is no JSON: {str(error)[:MAX_TEXT]}", line=getattr(error, "lineno", 1)) from None
        return cls.from_dict(data)

    @cached_property
    def _by_id(self) -> Mapping[str, TopologyNode]:
        return {node.id: node for node in self.nodes}

    @cached_property
    def _by_pair(self) -> Mapping[frozenset[str], TopologyLink]:
        return _nearest(self.links)


def parse_cpuset(text: str) -> tuple[int, ...]:
    """Read ``0-3,8,10-11`` as hardware threads, ascending. Raises ``ValueError``."""
    found: set[int] = set()
    count = 0
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        first, dash, last = part.partition("-")
        if not (first.isascii() and first.isdigit() and (not dash or (last.isascii() and last.isdigit()))):
            raise ValueError(f"{part[:40]!r} is no range of processors")
        low, high = int(first[:9]), int((last or first)[:9])
        if not low <= high <= MAX_CPU:
            raise ValueError(f"{part[:40]!r} is no range of processors")
        count += high - low + 1
        if count > MAX_CPU + 1:
            raise ValueError("it names processors more than once")
        found.update(range(low, high + 1))
    return tuple(sorted(found))


def format_cpuset(cpus: Iterable[int]) -> str:
    """Inverse of ``parse_cpuset``."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


def shown(text: str) -> str:
    """Text from outside as a name: printable, without surrounding blanks, at most 200 characters."""
    return "".join(character for character in text if character.isprintable()).strip()[:MAX_TEXT]


def _nearest(links: Iterable[TopologyLink]) -> dict[frozenset[str], TopologyLink]:
    found: dict[frozenset[str], TopologyLink] = {}
    for link in links:
        pair = frozenset((link.source, link.target))
        other = found.get(pair)
        if other is None or (link.distance or FAR_DISTANCE) < (other.distance or FAR_DISTANCE):
            found[pair] = link
    return found


def _read_node(entry: Mapping[str, Any]) -> TopologyNode:
    memory, attributes = entry.get("memory_bytes"), entry.get("attributes", {})
    if not isinstance(attributes, Mapping) or not all(
        isinstance(key, str) and isinstance(value, str | int | float) for key, value in attributes.items()
    ):
        raise broken("the attributes of a node are no table of texts and numbers")
    if memory is not None and (not isinstance(memory, int) or isinstance(memory, bool) or memory < 0):
        raise broken(f"memory_bytes cannot be {str(memory)[:MAX_TEXT]!r}")
    try:
        cpuset = parse_cpuset(_text(entry, "cpuset", ""))
    except ValueError as error:
        raise broken(str(error)) from None
    return TopologyNode(
        _text(entry, "id"),
        _text(entry, "kind"),
        _text(entry, "name", ""),
        None if entry.get("parent") is None else _text(entry, "parent"),
        memory,
        cpuset,
        dict(attributes),
    )


def _read_link(entry: Mapping[str, Any]) -> TopologyLink:
    figures: dict[str, float | None] = {}
    for key in ("distance", "bandwidth_gb_per_s", "latency_us"):
        value = entry.get(key)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (number and 0 <= value < 1e9):
            raise broken(f"{key} of a link cannot be {str(value)[:MAX_TEXT]!r}")
        figures[key] = value
    distance, peer = figures["distance"], entry.get("peer")
    return TopologyLink(
        _text(entry, "source"),
        _text(entry, "target"),
        _text(entry, "kind"),
        None if distance is None else int(distance),
        figures["bandwidth_gb_per_s"],
        figures["latency_us"],
        peer if isinstance(peer, bool) else None,
    )


def _text(entry: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = entry.get(key, default)
    if not isinstance(value, str):
        raise broken(f"{key} is missing or no text")
    return value
