"""A cluster for training: groups of like GPUs in nodes, and a network of levels with shared links.

Inside a node GPUs reach each other over fast links, one in and one out each. Between nodes each GPU has a network card;
each level above (rack, pod) joins nodes into groups, and all that enters or leaves a group shares its uplink.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from heteroopt.training.errors import TrainingError

GPU_LIMIT = 4096
"""More GPUs than this are refused."""
LARGEST = 1e300
"""Numbers beyond it are as infinity is, which no unit of this file can have."""


@dataclass(frozen=True, slots=True)
class GpuType:
    """Peak rate in 16-bit floating point, memory, and the bandwidth of its fast links, each direction."""

    name: str
    bf16_tflop_per_s: float
    memory_bytes: int
    fast_link_gb_per_s: float


@dataclass(frozen=True, slots=True)
class Node:
    """A machine: its GPUs by number, all of one type, and its group on each network level by name."""

    name: str
    gpu: str
    gpus: tuple[int, ...]
    groups: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Level:
    """A level of the network above the nodes; each of its groups has an uplink of this bandwidth in each direction."""

    name: str
    uplink_gb_per_s: float


@dataclass(frozen=True, slots=True)
class Link:
    """One direction of a link. ``share``: what background traffic leaves of it."""

    level: str
    name: str
    outward: bool
    bandwidth_gb_per_s: float


FAST = "fast_link"
NETWORK_CARD = "network_card"
TAKEN = frozenset((FAST, NETWORK_CARD, "name", "gpu", "gpus", "count"))
"""What no level may be called: other links, and the other keys of a node."""


@dataclass(frozen=True)
class Cluster:
    """GPUs numbered from 0 node by node. ``background``: share of a group's uplink (level, group) that others use.

    ``lost``: GPUs that are gone; their numbers stay, so that plans before and after can be compared.
    """

    name: str
    types: Mapping[str, GpuType]
    nodes: tuple[Node, ...]
    network_card_gb_per_s: float
    levels: tuple[Level, ...] = ()
    background: Mapping[tuple[str, str], float] = field(default_factory=dict)
    lost: frozenset[int] = frozenset()

    @property
    def gpus(self) -> tuple[int, ...]:
        """The numbers of the GPUs that are there."""
        return tuple(gpu for node in self.nodes for gpu in node.gpus if gpu not in self.lost)

    def free(self, node: int) -> tuple[int, ...]:
        """The GPUs of node number ``node`` that are there."""
        return tuple(gpu for gpu in self.nodes[node].gpus if gpu not in self.lost)

    @cached_property
    def node_of(self) -> Mapping[int, int]:
        """The number of the node of each GPU."""
        return {gpu: number for number, node in enumerate(self.nodes) for gpu in node.gpus}

    def type_of(self, gpu: int) -> GpuType:
        """The type of a GPU."""
        return self.types[self.nodes[self.node_of[gpu]].gpu]

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """All links, both directions; paths are indices into this."""
        found: list[Link] = []
        for gpu, number in self.node_of.items():
            fast = self.types[self.nodes[number].gpu].fast_link_gb_per_s
            for outward in (True, False):
                found.append(Link(FAST, f"GPU {gpu}", outward, fast))
                found.append(Link(NETWORK_CARD, f"GPU {gpu}", outward, self.network_card_gb_per_s))
        for level in self.levels:
            for group in dict.fromkeys(node.groups[level.name] for node in self.nodes):
                free = level.uplink_gb_per_s * (1 - self.background.get((level.name, group), 0.0))
                found += [Link(level.name, group, outward, free) for outward in (True, False)]
        return tuple(found)

    @cached_property
    def _index(self) -> Mapping[tuple[str, str, bool], int]:
        return {(link.level, link.name, link.outward): number for number, link in enumerate(self.links)}

    def path(self, sender: int, receiver: int) -> tuple[int, ...]:
        """Return the links that bytes from ``sender`` to ``receiver`` cross; empty if they are one."""
        if sender == receiver:
            return ()
        source, target = self.nodes[self.node_of[sender]], self.nodes[self.node_of[receiver]]
        ends = ((f"GPU {sender}", True), (f"GPU {receiver}", False))
        if source is target:
            return tuple(self._index[FAST, name, outward] for name, outward in ends)
        found = [self._index[NETWORK_CARD, name, outward] for name, outward in ends]
        for level in self.levels:
            out, into = source.groups[level.name], target.groups[level.name]
            if out != into:
                found += [self._index[level.name, out, True], self._index[level.name, into, False]]
        return tuple(found)

    def without(self, *gpus: int) -> Cluster:
        """Return the cluster after these GPUs are gone."""
        unknown = [gpu for gpu in gpus if gpu not in self.node_of]
        if unknown:
            raise TrainingError(
                "gpu_unknown",
                f"The cluster has no GPU {unknown[0]}.",
                hint=f"They are numbered 0 to {len(self.node_of) - 1}.",
                gpu=unknown[0],
                last=len(self.node_of) - 1,
            )
        return replace(self, lost=self.lost | set(gpus))

    def without_node(self, name: str) -> Cluster:
        """Return the cluster after the node of that name is gone."""
        for node in self.nodes:
            if node.name == name:
                return self.without(*node.gpus)
        raise TrainingError(
            "node_unknown",
            f"The cluster has no node {name}.",
            hint=f"It has {', '.join(node.name for node in self.nodes)}.",
            node=name,
            known=", ".join(node.name for node in self.nodes),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, which has the keys of the TOML file and one entry a node."""
        return {
            "name": self.name,
            "gpu": {
                one.name: {
                    "bf16_tflop_per_s": one.bf16_tflop_per_s,
                    "memory_gib": one.memory_bytes / 2**30,
                    "fast_link_gb_per_s": one.fast_link_gb_per_s,
                }
                for one in self.types.values()
            },
            "node": [
                {"name": node.name, "gpu": node.gpu, "gpus": len(node.gpus), **node.groups} for node in self.nodes
            ],
            "network": {
                "network_card_gb_per_s": self.network_card_gb_per_s,
                "level": [{"name": one.name, "uplink_gb_per_s": one.uplink_gb_per_s} for one in self.levels],
                "background": [
                    {"level": level, "group": group, "share": share}
                    for (level, group), share in self.background.items()
                ],
            },
        }


def cluster_from(data: Mapping[str, Any]) -> Cluster:
    """Make a cluster of what a TOML file or :meth:`Cluster.to_json` gives.

    Raises :class:`TrainingError` ``cluster_format`` that names the key and what is wrong with it.
    """
    known = {"name", "gpu", "node", "network"}
    _only(data, known, "the cluster")
    name = data.get("name", "")
    if not isinstance(name, str) or len(name) > 200:
        raise _bad("name is not a text of at most 200 characters")
    for kind, one in _table(data, "gpu", "the cluster").items():
        if isinstance(one, Mapping):
            _only(one, {"bf16_tflop_per_s", "memory_gib", "fast_link_gb_per_s"}, f"gpu.{kind}")
    types = {
        kind: GpuType(
            str(kind),
            _number(one, "bf16_tflop_per_s", f"gpu.{kind}", 0.1, 1e5),
            int(_number(one, "memory_gib", f"gpu.{kind}", 0.1, 1e5) * 2**30),
            _number(one, "fast_link_gb_per_s", f"gpu.{kind}", 0.01, 1e5),
        )
        for kind, one in _table(data, "gpu", "the cluster").items()
    }
    network = _table(data, "network", "the cluster")
    _only(network, {"network_card_gb_per_s", "level", "background"}, "network")
    for one in _list(network, "level"):
        _only(one, {"name", "uplink_gb_per_s"}, "network.level")
    levels = tuple(
        Level(_text(one, "name", "network.level"), _number(one, "uplink_gb_per_s", "network.level", 0.01, 1e6))
        for one in _list(network, "level")
    )
    for place, level in enumerate(levels):
        if level.name in TAKEN:
            raise _bad(f"network.level.name is {level.name!r}, which means something else; choose another")
        if level.name in {one.name for one in levels[:place]}:
            raise _bad(f"network.level.name: two levels are called {level.name!r}")
    nodes: list[Node] = []
    first = 0
    for one in _list(data, "node"):
        gpu = _text(one, "gpu", "node")
        if gpu not in types:
            raise _bad(f"node.gpu: there is no gpu {gpu!r}")
        _only(one, {"name", "gpu", "gpus", "count", *(level.name for level in levels)}, "node")
        count = _whole(one, "gpus", "node", 64)
        for copy in range(_whole({"count": 1, **one}, "count", "node", GPU_LIMIT)):
            own = _text(one, "name", "node") if "name" in one else f"node {len(nodes)}"
            called = f"{own} {copy}" if copy and "name" in one else own
            groups = {level.name: _text(one, level.name, "node") for level in levels}
            nodes.append(Node(called, gpu, tuple(range(first, first + count)), groups))
            first += count
            if first > GPU_LIMIT:
                raise _bad(f"node: there are more than {GPU_LIMIT} GPUs")
    if not nodes:
        raise _bad("node: there is none")
    named: set[str] = set()
    for node in nodes:
        if node.name in named:
            raise _bad(f"node.name: two nodes are called {node.name!r}")
        named.add(node.name)
    background: dict[tuple[str, str], float] = {}
    for one in _list(network, "background"):
        _only(one, {"level", "group", "share"}, "network.background")
        key = _text(one, "level", "network.background"), _text(one, "group", "network.background")
        if key[0] not in {level.name for level in levels} or key[1] not in {node.groups.get(key[0]) for node in nodes}:
            raise _bad(f"network.background: there is no group {key[1]!r} on a level {key[0]!r}")
        if key in background:
            raise _bad(f"network.background: group {key[1]!r} on level {key[0]!r} is there twice")
        background[key] = _number(one, "share", "network.background", 0, 0.99)
    card = _number(network, "network_card_gb_per_s", "network", 0.001, 1e5)
    return Cluster(name, types, tuple(nodes), card, levels, background)


def _bad(says: str) -> TrainingError:
    return TrainingError(
        "cluster_format",
        f"This is not a cluster: {says}.",
        hint="Compare it with the example in the documentation.",
        says=says,
    )


def _only(data: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(data) - known)
    if unknown:
        raise _bad(f"{where} has an unknown key {unknown[0]!r}")


def _table(data: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    value = data.get(key)
    if not isinstance(value, Mapping) or not value:
        raise _bad(f"{where} has no table {key!r}")
    return value


def _list(data: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
        raise _bad(f"{key} is not a list of tables")
    return value


def _text(data: Mapping[str, Any], key: str, where: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value or len(value) > 200:
        raise _bad(f"{where}.{key} is not a name")
    return value


def _number(data: Any, key: str, where: str, low: float, high: float) -> float:
    value = data.get(key) if isinstance(data, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise _bad(f"{where}.{key} is not a number")
    if not low <= value <= high:
        raise _bad(f"{where}.{key} is {value}, not within {low} to {high}")
    return value


def _whole(data: Mapping[str, Any], key: str, where: str, most: int) -> int:
    value = _number(data, key, where, 1, most)
    if value != int(value):
        raise _bad(f"{where}.{key} is {value}, not a whole number")
    return int(value)
