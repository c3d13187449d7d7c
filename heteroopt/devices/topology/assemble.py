"""Puts devices that a matrix lists into a machine: NUMA nodes from affinities, switches from kinds of links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from heteroopt.devices.topology.model import Topology, TopologyLink, TopologyNode, Value

BEHIND_ONE_SWITCH = ("PIX",)
BEHIND_SWITCHES = ("PIX", "PXB")


@dataclass(frozen=True, slots=True)
class Part:
    """A device of a matrix before it has a place."""

    id: str
    kind: str
    name: str
    attributes: Mapping[str, Value] = field(default_factory=dict)
    cpus: tuple[int, ...] = ()
    numa: int | None = None
    memory_bytes: int | None = None


def assemble(parts: Sequence[Part], links: Iterable[TopologyLink], source: str) -> Topology:
    """Return a topology of one machine of unknown name with these devices."""
    links = tuple(links)
    nodes = [TopologyNode("machine0", "machine", "machine", attributes={"source": source})]
    cpus: dict[int, set[int]] = {}
    for part in parts:
        if part.numa is not None:
            cpus.setdefault(part.numa, set()).update(part.cpus)
    for number in sorted(cpus):
        nodes.append(
            TopologyNode(
                f"numa{number}", "numa", f"NUMA {number}", "machine0", None, tuple(sorted(cpus[number])),
                {"index": number},
            )
        )  # fmt: skip
    above = {part.id: "machine0" if part.numa is None else f"numa{part.numa}" for part in parts}
    count = 0
    for kinds in (BEHIND_SWITCHES, BEHIND_ONE_SWITCH):
        groups = joined((part.id for part in parts), links, kinds)
        for group in groups:
            if len(group) < 2 or (kinds == BEHIND_ONE_SWITCH and group in joined(above, links, BEHIND_SWITCHES)):
                continue
            name = f"pcie_switch{count}"
            title, role = f"PCIe switch {count}", {"role": "switch"}
            nodes.append(TopologyNode(name, "pcie_switch", title, above[group[0]], attributes=role))
            above |= dict.fromkeys(group, name)
            count += 1
    for part in parts:
        attributes = dict(part.attributes)
        if part.numa is not None:
            attributes["numa_node"] = part.numa
        nodes.append(
            TopologyNode(part.id, part.kind, part.name, above[part.id], part.memory_bytes, part.cpus, attributes)
        )
    return Topology(tuple(nodes), links)


def joined(names: Iterable[str], links: Iterable[TopologyLink], kinds: Sequence[str]) -> list[list[str]]:
    """Groups of names that links of these kinds connect, in the order of the names."""
    leader = {name: name for name in names}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for link in links:
        if link.kind in kinds and link.source in leader and link.target in leader:
            leader[find(link.target)] = find(link.source)
    groups: dict[str, list[str]] = {}
    for name in leader:
        groups.setdefault(find(name), []).append(name)
    return list(groups.values())
