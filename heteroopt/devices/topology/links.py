"""Links of a pool from a topology: direct ones where they exist, the host's connection shared behind a switch, and the
network only where nothing inside a machine leads there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heteroopt.devices.links import LINK_CLASSES, Link
from heteroopt.devices.links_default import HOST
from heteroopt.devices.topology.assemble import BEHIND_SWITCHES, joined
from heteroopt.devices.topology.figures import MAX_NVLINKS, LinkFigures, link_figures, pcie_figures
from heteroopt.devices.topology.model import ACCELERATORS, Topology, TopologyLink, TopologyNode


def pool_links(topology: Topology, devices: Mapping[str, str], *, network: str = "Ethernet") -> tuple[Link, ...]:
    """Return the links of a pool whose devices, in their order, are these nodes (name -> id of a node).

    Accelerators are ``gpu`` and ``npu`` nodes, anything else counts as a processor (a package, a NUMA node, a machine);
    the first processor is the host, without one it is the implicit ``"host"``.

    - Every accelerator reaches the host's processor and its own one over its PCIe connection. Those behind one switch
      share a channel for each direction.
    - Two accelerators have a direct link over NVLink, HCCS or SIO, under one PCIe switch (PIX, PXB) unless the text
      says that they may not read each other's memory, and across host bridges only if it says that they may. Otherwise
      copies go through the host.
    - Links of a GPU that reaches its peers through a switch (NVSwitch, HCCS switch) share a channel a direction.
    - Processors of one machine have a link each to each.
    - The class ``network`` joins machines. Two devices of a machine never use it: without a direct link they get one
      that stands for the way through their own machine's memory.

    Raises ``KeyError`` for a node that there is not.
    """
    return _Linker(topology, devices, network).links()


class _Linker:
    def __init__(self, topology: Topology, devices: Mapping[str, str], network: str) -> None:
        self._topology = topology
        self._network = network
        self._nodes = {name: topology.node(node) for name, node in devices.items()}
        self._accelerators = [name for name, node in self._nodes.items() if node.kind in ACCELERATORS]
        self._cpus = [name for name in self._nodes if name not in self._accelerators]
        self._machines = {name: topology.machine(node.id) for name, node in self._nodes.items()}
        self._host = self._cpus[0] if self._cpus else HOST
        first = self._cpus[0] if self._cpus else next(iter(self._nodes), "")
        self._host_machine = self._machines.get(first, "")
        self._between = {
            (a, b): link
            for i, a in enumerate(self._accelerators)
            for b in self._accelerators[i + 1 :]
            if self._machines[a] == self._machines[b] and (link := self._link(a, b)) is not None
        }
        self._groups = self._uplinks()
        self._switched = self._behind_fabric()

    def links(self) -> tuple[Link, ...]:
        found: list[Link] = []
        for name in self._accelerators:
            found += self._to_processors(name)
        found += self._among_processors()
        for i, a in enumerate(self._accelerators):
            for b in self._accelerators[i + 1 :]:
                if self._machines[a] == self._machines[b]:
                    found += self._direct(a, b)
        return tuple(found)

    # accelerators and processors

    def _to_processors(self, name: str) -> list[Link]:
        figures = pcie_figures(self._nodes[name])
        group = self._groups[name]
        local = self._own_processor(name)
        found: list[Link] = []
        away = self._machines[name] != self._host_machine
        shared = group is not None or away or (local is not None and local != self._host)
        channel = (group or f"{name} PCIe") if shared else None
        if local is not None:
            found += _pair(name, local, figures, channel)
        if local != self._host:
            if away:
                found += self._over_network(name, self._host, self._machines[name])
            else:
                extra = LINK_CLASSES["UPI"].latency_us if local is not None else 0.0
                found += _pair(name, self._host, figures, channel, extra)
        return found

    def _own_processor(self, name: str) -> str | None:
        """The processor of the same machine that shares most hardware threads with the accelerator's NUMA node."""
        node = self._nodes[name]
        numa = self._topology.numa(node.id)
        near = set(node.cpuset or (numa.cpuset if numa else ()))
        here = [cpu for cpu in self._cpus if self._machines[cpu] == self._machines[name]]
        return max(here, key=lambda cpu: len(near & set(self._nodes[cpu].cpuset)), default=None)

    def _among_processors(self) -> list[Link]:
        found: list[Link] = []
        for i, a in enumerate(self._cpus):
            for b in self._cpus[i + 1 :]:
                if self._machines[a] == self._machines[b]:
                    found.append(Link(a, b, link_class="UPI" if self._packages_differ(a, b) else "on-chip"))
                elif a == self._host:
                    found += self._over_network(b, a, self._machines[b])
        return found

    def _packages_differ(self, a: str, b: str) -> bool:
        first, second = (self._package(self._nodes[name]) for name in (a, b))
        return first is None or first != second

    def _package(self, node: TopologyNode) -> str | None:
        places = (node, *self._topology.above(node.id))
        return next((place.id for place in places if place.kind == "package"), None)

    def _over_network(self, name: str, host: str, machine: str) -> list[Link]:
        figures = LINK_CLASSES[self._network]
        wire = LinkFigures(self._network, figures.bandwidth_gb_per_s, figures.latency_us, figures.source)
        return _pair(name, host, wire, f"{machine} network")

    # accelerators among themselves

    def _link(self, a: str, b: str) -> TopologyLink | None:
        """What joins two accelerators: as a tool says, else by the switches that both are behind."""
        first, second = self._nodes[a], self._nodes[b]
        said = self._topology.link(first.id, second.id)
        if said is not None:
            return said
        ways = [[place.id for place in self._switches(node)] for node in (first, second)]
        common = [place for place in ways[0] if place in ways[1]]
        if not common:
            return None
        return TopologyLink(first.id, second.id, "PIX" if ways[0][0] == ways[1][0] else "PXB")

    def _switches(self, node: TopologyNode) -> list[TopologyNode]:
        places = self._topology.above(node.id)
        return [place for place in places if place.kind == "pcie_switch" and place.attributes.get("role") == "switch"]

    def _uplinks(self) -> dict[str, str | None]:
        """Name of the connection to the host that each accelerator shares with others; ``None`` if with none."""
        near = [TopologyLink(a, b, link.kind) for (a, b), link in self._between.items()]
        # the tree holds switches also where NVLink hides them from the matrix
        for i, a in enumerate(self._accelerators):
            for b in self._accelerators[i + 1 :]:
                ways = [{place.id for place in self._switches(self._nodes[name])} for name in (a, b)]
                if ways[0] & ways[1]:
                    near.append(TopologyLink(a, b, "PXB"))
        groups = [group for group in joined(self._accelerators, near, BEHIND_SWITCHES) if len(group) > 1]
        names = {name: f"PCIe switch {number}" for number, group in enumerate(groups) for name in group}
        return {name: names.get(name) for name in self._accelerators}

    def _behind_fabric(self) -> set[str]:
        """Accelerators whose links to their peers are more than they have: they share them, through a switch."""
        lanes = dict.fromkeys(self._accelerators, 0)
        found: set[str] = set()
        for pair, link in self._between.items():
            if link.kind == "HCCS_SW":
                found.update(pair)
            elif link.kind[:2] == "NV" and link.kind[2:].isdigit():
                for name in pair:
                    lanes[name] += int(link.kind[2:])
        return found | {name for name, count in lanes.items() if count > MAX_NVLINKS}

    def _direct(self, a: str, b: str) -> list[Link]:
        link = self._between.get((a, b))
        figures = None if link is None else link_figures(link, self._nodes[a], self._nodes[b])
        if figures is not None and link is not None:
            fabric = link.kind[:2] == "NV" or link.kind == "HCCS_SW"
            if fabric and {a, b} <= self._switched:
                return [
                    _one(a, b, figures, f"{a} {figures.link_class} out"),
                    _one(b, a, figures, f"{b} {figures.link_class} out"),
                ]
            return [_one(a, b, figures, None, directed=False)]
        if self._machines[a] == self._host_machine:
            return []  # through the host, store and forward
        slower = min((pcie_figures(self._nodes[name]) for name in (a, b)), key=lambda item: item.bandwidth_gb_per_s)
        twice = LinkFigures(slower.link_class, slower.bandwidth_gb_per_s / 2, 2 * slower.latency_us, slower.source)
        return [
            _one(name, other, twice, f"{self._groups[name] or f'{name} PCIe'} up") for name, other in ((a, b), (b, a))
        ]


def _pair(name: str, host: str, figures: LinkFigures, channel: str | None, extra_us: float = 0.0) -> list[Link]:
    if channel is None:
        return [_one(name, host, figures, None, directed=False)]
    return [
        _one(name, host, figures, f"{channel} up", extra_us),
        _one(host, name, figures, f"{channel} down", extra_us),
    ]


def _one(
    source: str, target: str, figures: LinkFigures, channel: str | None, extra_us: float = 0.0, directed: bool = True
) -> Link:
    return Link(
        source,
        target,
        figures.bandwidth_gb_per_s,
        figures.latency_us + extra_us,
        link_class=figures.link_class,
        channel=channel,
        directed=directed,
    )


def join(machines: Sequence[Topology]) -> Topology:
    """One topology of several machines; ids begin with the machine's number (``m0.gpu0``)."""
    nodes: list[TopologyNode] = []
    links: list[TopologyLink] = []
    for number, machine in enumerate(machines):
        prefix = f"m{number}."
        for node in machine.nodes:
            parent = None if node.parent is None else prefix + node.parent
            nodes.append(
                TopologyNode(
                    prefix + node.id, node.kind, node.name, parent, node.memory_bytes, node.cpuset, node.attributes
                )
            )
        for link in machine.links:
            links.append(
                TopologyLink(
                    prefix + link.source,
                    prefix + link.target,
                    link.kind,
                    link.distance,
                    link.bandwidth_gb_per_s,
                    link.latency_us,
                    link.peer,
                )
            )
    return Topology(tuple(nodes), tuple(links))
