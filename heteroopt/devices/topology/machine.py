"""A pool of one machine as it was probed: its core sets as devices in one memory, and the accelerators in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heteroopt.devices.links import Link
from heteroopt.devices.pool import MAX_DEVICES, DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.devices.topology.core_sets import core_sets
from heteroopt.devices.topology.estimates import core_set, stand_in
from heteroopt.devices.topology.links import pool_links
from heteroopt.devices.topology.model import ACCELERATORS, Topology, TopologyNode
from heteroopt.devices.topology.pool import template_of
from heteroopt.units import BYTES_PER_GB

ASSUMED_MEMORY_BYTES = int(8 * BYTES_PER_GB)
"""Where nothing says how much there is."""

PLACE_SOURCE = "measured_through"
"""Under this name a device's sources keep the runtime's device that it is."""


@dataclass(frozen=True, slots=True)
class FoundDevice:
    """A device that a runtime of the machine lists. ``place``: "onnxruntime:1"; ``cores``: of a core set, else empty.

    ``shares_memory``: its memory is the machine's.
    """

    place: str
    name: str
    device_type: str
    memory_size_bytes: int = 0
    cores: tuple[int, ...] = ()
    pci_address: str = ""
    shares_memory: bool = False


def machine_pool(topology: Topology, found: Sequence[FoundDevice] = (), *, name: str = "") -> DevicePool:
    """Return the pool of a machine: ``cpu0``, ``cpu1``, ... for sets of its cores, ``gpu0``, ``npu0``, ...

    The sets are those that a runtime lists, else ``core_sets``; a machine with one core is one device. Sets that lie
    in one NUMA node share its memory (a memory domain). Accelerators have their template's figures by name, else those
    of a small one of their type; one that only a runtime lists is added, and counts as integrated if it shares the
    machine's memory. Each piece of hardware is one device, of the first runtime that lists it; ``sources`` says which
    ("measured_through"), and of each estimated figure that it is one. Raises ``PoolError``.
    """
    places: dict[str, str] = {}
    specs: list[DeviceSpec] = []
    for cpus, place in _sets(topology, found):
        title = f"cpu{len(specs)}"
        node, numa = _node_of(topology, cpus), _numa_of(topology, cpus)
        domain = numa.id if numa is not None and len(topology.of_kind("numa")) > 1 else "memory"
        package = _package_of(topology, cpus)
        spec = core_set(topology, package, cpus, title, _memory_bytes(topology, numa), domain)
        specs.append(_through(spec, place))
        places[title] = node.id
    host_domain, memory = specs[0].memory_domain, specs[0].memory_size_bytes
    links: list[Link] = []
    free = [one for one in found if one.device_type in ("GPU", "NPU")]
    for node in topology.of_kind(*ACCELERATORS):
        title = _next(specs, node.kind)
        one = _taken(free, node.kind.upper(), str(node.attributes.get("pci_address", "")))
        template = template_of(node.name)
        known = node.memory_bytes or (one.memory_size_bytes if one is not None else 0) or None
        spec = (
            DeviceSpec(name=title, template=template, memory_size_bytes=known, display_name=node.name)
            if template is not None
            else stand_in(title, node.kind.upper(), node.name, known, None)
        )
        specs.append(_through(spec, "" if one is None else one.place))
        places[title] = node.id
    for one in free:
        title = _next(specs, one.device_type.lower())
        shared = one.shares_memory
        size = memory if shared else one.memory_size_bytes or None
        spec = stand_in(title, one.device_type, one.name, size, host_domain if shared else None)
        specs.append(_through(spec, one.place))
        if shared:
            links.append(Link(title, specs[0].name, link_class="on-chip"))
    whole = topology.nodes[0].name if topology.nodes else ""
    pool = pool_links(topology, places)
    kept = {spec.name for spec in specs[:MAX_DEVICES]}
    links = [link for link in (*pool, *links) if {link.source, link.target} <= kept]
    return DevicePool(specs[:MAX_DEVICES], links, name=name or whole)


def found_on(device: DeviceSpec) -> str:
    """The runtime's device that a pool's device is ("onnxruntime:1"), "" where none is known."""
    return device.sources.get(PLACE_SOURCE, "")


def _sets(topology: Topology, found: Sequence[FoundDevice]) -> list[tuple[tuple[int, ...], str]]:
    """Hardware threads of each device, and where a runtime lists it."""
    listed = [one for one in found if one.device_type == "CPU" and one.cores]
    runtime = listed[0].place.partition(":")[0] if listed else ""
    mine = [one for one in listed if one.place.partition(":")[0] == runtime]
    if len(mine) > 1:
        return [(tuple(sorted(one.cores)), one.place) for one in mine]
    sets = core_sets(topology)
    if sets:
        return [(cpus, "") for cpus in sets]
    whole = next((one.place for one in found if one.device_type == "CPU" and not one.cores), "")
    return [(topology.nodes[0].cpuset if topology.nodes else (), whole)]


def _node_of(topology: Topology, cpus: Sequence[int]) -> TopologyNode:
    """The smallest of NUMA node, package and machine that holds these threads."""
    return _numa_of(topology, cpus) or _package_of(topology, cpus) or topology.nodes[0]


def _numa_of(topology: Topology, cpus: Sequence[int]) -> TopologyNode | None:
    return next((node for node in topology.of_kind("numa") if cpus and set(cpus) <= set(node.cpuset)), None)


def _package_of(topology: Topology, cpus: Sequence[int]) -> TopologyNode | None:
    packages = topology.of_kind("package")
    return next(
        (node for node in packages if cpus and set(cpus) <= set(node.cpuset)), packages[0] if packages else None
    )


def _memory_bytes(topology: Topology, numa: TopologyNode | None) -> int:
    """Of the NUMA node where there are several, else of the machine within its control group's limit."""
    whole = topology.nodes[0].memory_bytes or 0
    several = len(topology.of_kind("numa")) > 1
    size = (numa.memory_bytes or 0) if numa is not None and several else whole
    return min(size or whole, whole or size) or ASSUMED_MEMORY_BYTES


def _taken(free: list[FoundDevice], device_type: str, address: str) -> FoundDevice | None:
    """Take what runtimes list of one accelerator: all that sit at its address, else the next of its type."""
    same = [one for one in free if address and one.pci_address == address and one.device_type == device_type]
    if not same:
        same = [one for one in free if one.device_type == device_type and not one.pci_address and not one.shares_memory]
        same = same[:1]
    for one in same:
        free.remove(one)
    return same[0] if same else None


def _through(spec: DeviceSpec, place: str) -> DeviceSpec:
    if not place:
        return spec
    return DeviceSpec.from_dict({**spec.to_dict(), "sources": {**spec.sources, PLACE_SOURCE: place}})


def _next(specs: Sequence[DeviceSpec], stem: str) -> str:
    return f"{stem}{sum(1 for spec in specs if spec.device_type == stem.upper())}"
