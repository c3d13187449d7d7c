"""Reads hwloc's XML (``lstopo --of xml``, versions 1.11 to 2.x) without entities, external files or deep trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from heteroopt.devices.topology.errors import too_large, unreadable, unsafe
from heteroopt.devices.topology.model import MAX_CPU, MAX_NODES, Topology, TopologyLink, TopologyNode, shown
from heteroopt.devices.topology.pci import PciDevice, npu_name, pci_kind

SOURCE = "lstopo --of xml"
MAX_CHARACTERS = 16_000_000
MAX_DEPTH = 64
_CACHES = {"L1Cache": "cache_l1", "L2Cache": "cache_l2", "L3Cache": "cache_l3"}
_CACHE_DEPTHS = {"1": "cache_l1", "2": "cache_l2", "3": "cache_l3"}
_PLAIN = {"Machine": "machine", "Package": "package", "Socket": "package", "NUMANode": "numa", "Core": "core"}
_NOT_CPU = frozenset({"Bridge", "PCIDev", "OSDev", "Misc"})


@dataclass(slots=True)
class _Object:
    tag: str
    attributes: dict[str, str]
    line: int
    children: list[_Object] = field(default_factory=list)
    text: str = ""

    def of_tag(self, tag: str) -> list[_Object]:
        return [child for child in self.children if child.tag == tag]

    @property
    def type(self) -> str:
        return self.attributes.get("type", "")

    @property
    def info(self) -> dict[str, str]:
        return {child.attributes.get("name", ""): child.attributes.get("value", "") for child in self.of_tag("info")}


def from_hwloc_xml(text: str) -> Topology:
    """Read a topology of one machine. Raises ``PoolError``: ``topology_unreadable`` with the line,
    ``topology_too_large``, ``topology_xml_unsafe`` for declared entities.

    PCI bridges with one branch only are left out: what remains as ``pcie_switch`` is where devices meet, be it a
    switch or a host bridge (``role``).
    """
    root = _parse(text)
    machines = [child for child in root.of_tag("object") if child.type in ("Machine", "System")]
    if root.tag != "topology" or len(machines) != 1:
        raise unreadable(SOURCE, root.line, "it holds no topology of one machine")
    return _Reader().read(root, machines[0])


class _Reader:
    def __init__(self) -> None:
        self._nodes: list[TopologyNode] = []
        self._links: list[TopologyLink] = []
        self._counts: dict[str, int] = {}
        self._numa_by_os: dict[int, str] = {}
        self._by_gp: dict[str, str] = {}

    def read(self, root: _Object, machine: _Object) -> Topology:
        info = machine.info
        name = shown(info.get("HostName", "")) or "machine"
        self._add(machine, "machine", name, None, {"source": "hwloc"})
        self._walk(machine, self._nodes[0].id)
        total = sum(node.memory_bytes or 0 for node in self._nodes if node.kind == "numa")
        first = self._nodes[0]
        memory = total or _whole(machine, "local_memory")
        self._nodes[0] = TopologyNode(
            first.id, first.kind, first.name, None, memory or None, first.cpuset, first.attributes
        )
        for entry in (*root.of_tag("distances2"), *root.of_tag("distances2hetero")):
            self._distances(entry)
        return Topology(tuple(self._nodes), tuple(self._links))

    def _walk(self, parent: _Object, place: str) -> None:
        """Add what is inside ``parent``. What shares its only memory is put inside that memory."""
        inside = parent.of_tag("object")
        memories = [child for child in inside if child.type == "NUMANode"]
        for child in memories:
            self._add(child, "numa", f"NUMA {child.attributes.get('os_index', '?')}", place, {})
        if len(memories) == 1:
            place = self._nodes[-1].id
        for child in memories:
            self._walk(child, self._by_gp.get(child.attributes.get("gp_index", ""), place))
        for child in inside:
            if child.type != "NUMANode":
                self._one(child, place)

    def _one(self, child: _Object, place: str) -> None:
        kind = _CACHES.get(child.type) or _PLAIN.get(child.type)
        if child.type == "Cache":
            kind = _CACHE_DEPTHS.get(child.attributes.get("depth", ""))
        if child.type in _NOT_CPU:
            self._device(child, place)
        elif kind is None:
            self._walk(child, place)  # groups, dies, instruction caches, hardware threads
        else:
            number = child.attributes.get("os_index", "")
            info = child.info
            name = shown(info.get("CPUModel", "")) if kind == "package" else ""
            extra: dict[str, str | int | float] = {"vendor": shown(info["CPUVendor"])} if "CPUVendor" in info else {}
            label = {"package": "Package", "core": "Core"}.get(kind, f"L{kind[-1]}")
            self._add(child, kind, name or f"{label} {number}".strip(), place, extra)
            self._walk(child, self._nodes[-1].id)

    def _device(self, child: _Object, place: str) -> None:
        if child.type == "Bridge":
            branches = [below for below in child.of_tag("object") if below.type in ("Bridge", "PCIDev")]
            if len(branches) > 1:
                role = "host_bridge" if child.attributes.get("bridge_type", "").startswith("0") else "switch"
                number = self._counts.get("pcie_switch", 0)
                title = "Host bridge" if role == "host_bridge" else "PCIe switch"
                self._add(child, "pcie_switch", f"{title} {number}", place, {"role": role})
                place = self._nodes[-1].id
            for below in branches:
                self._device(below, place)
            return
        if child.type != "PCIDev":
            return
        attributes = child.attributes
        address = shown(attributes.get("pci_busid", ""))
        osdevs = [below for below in child.of_tag("object") if below.type == "OSDev"]
        device = _pci_device(child, osdevs)
        extra: dict[str, str | int | float] = {"pci_address": address}
        if device.vendor:
            extra["pci_id"] = f"{device.vendor:04x}:{device.device:04x}"
        speed = _real(child, "pci_link_speed")
        if speed:
            extra["pcie_gb_per_s"] = round(speed, 3)
        memory = None
        for below in osdevs:
            info = below.info
            size = info.get("CUDAGlobalMemorySize") or info.get("ROCmMemorySize") or ""
            if size.isascii() and size.isdigit() and len(size) < 15:
                memory = max(memory or 0, int(size) * 1024)
        networks = [shown(below.attributes.get("name", "")) for below in osdevs]
        if device.kind == "nic" and any(networks):
            extra["interfaces"] = ", ".join(filter(None, networks))[:200]
        self._add(child, device.kind, device.name or address, place, extra, memory)
        for below in osdevs:
            self._by_gp[below.attributes.get("gp_index", "")] = self._nodes[-1].id

    def _add(
        self,
        source: _Object,
        kind: str,
        name: str,
        parent: str | None,
        extra: dict[str, str | int | float],
        memory: int | None = None,
    ) -> None:
        count = self._counts.get(kind, 0)
        self._counts[kind] = count + 1
        attributes = dict(extra)
        number = source.attributes.get("os_index", "")
        if number.isascii() and number.isdigit() and len(number) < 9:
            attributes["index"] = int(number)
        if memory is None:
            memory = _whole(source, "cache_size" if kind.startswith("cache") else "local_memory") or None
        identity = f"{kind[6:]}-{count}" if kind.startswith("cache") else f"{kind}{count}"
        node = TopologyNode(identity, kind, name, parent, memory, _cpuset(source), attributes)
        self._nodes.append(node)
        self._by_gp[source.attributes.get("gp_index", "")] = node.id
        if kind == "numa" and isinstance(attributes.get("index"), int):
            self._numa_by_os[int(attributes["index"])] = node.id

    def _distances(self, entry: _Object) -> None:
        indexes = _numbers(entry, "indexes")
        values = _numbers(entry, "u64values")
        if not indexes or len(values) != len(indexes) ** 2:
            raise unreadable(SOURCE, entry.line, "a matrix of distances is not square")
        name, by_os = entry.attributes.get("name", ""), entry.attributes.get("indexing", "os") == "os"
        for i, a in enumerate(indexes):
            for j, b in enumerate(indexes[:i]):
                ends = [self._end(entry, number, by_os) for number in (b, a)]
                value = int(values[j * len(indexes) + i])
                if None in ends or ends[0] == ends[1] or not value:
                    continue
                first, second = str(ends[0]), str(ends[1])
                if name == "NUMALatency":
                    self._links.append(TopologyLink(first, second, "NUMA", value))
                elif name == "NVLinkBandwidth":  # MB/s, one direction
                    self._links.append(TopologyLink(first, second, "NV", 12, value / 1000))

    def _end(self, entry: _Object, number: str, by_os: bool) -> str | None:
        number = number.rpartition(":")[2]
        if by_os and entry.attributes.get("type") == "NUMANode" and number.isdigit():
            return self._numa_by_os.get(int(number))
        return self._by_gp.get(number)


def _pci_device(child: _Object, osdevs: list[_Object]) -> PciDevice:
    """Kind and name from ``0302 [10de:20b0] [10de:134f] a1`` and what the system calls it."""
    words = child.attributes.get("pci_type", "").replace("[", " ").replace("]", " ").split()
    try:
        code = int(words[0], 16)
        vendor, device = (int(part, 16) for part in words[1].split(":"))
    except (ValueError, IndexError):
        code = vendor = device = 0
    names = [below.info.get("GPUModel", "") for below in osdevs]
    name = next((shown(found) for found in names if found), "") or npu_name(vendor, device)
    name = name or shown(child.info.get("PCIDevice", ""))
    return PciDevice(vendor, device, pci_kind(code, vendor), name)


def _cpuset(source: _Object) -> tuple[int, ...]:
    """``0x0000000f,0xffffffff``: words of 32 bits, the highest first; an empty word may be left out."""
    text = source.attributes.get("cpuset", "")
    if not text:
        return ()
    bits = 0
    try:
        for word in text.split(","):
            value = int(word, 16) if word else 0
            if not 0 <= value < 1 << 32 or bits.bit_length() > MAX_CPU:
                raise ValueError
            bits = bits << 32 | value
    except ValueError:
        raise unreadable(SOURCE, source.line, f"{text[:40]!r} is no set of processors") from None
    return tuple(cpu for cpu in range(bits.bit_length()) if bits >> cpu & 1)


def _whole(source: _Object, key: str) -> int:
    text = source.attributes.get(key, "0")
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise unreadable(SOURCE, source.line, f"{key} is {text[:40]!r}")
    return int(text)


def _real(source: _Object, key: str) -> float:
    try:
        value = float(source.attributes.get(key, "0"))
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e6:
        raise unreadable(SOURCE, source.line, f"{key} is {source.attributes[key][:40]!r}")
    return value


def _numbers(entry: _Object, tag: str) -> list[str]:
    found = [word for child in entry.of_tag(tag) for word in child.text.split()]
    if not all(word.rpartition(":")[2].isdigit() and len(word) < 40 for word in found):
        raise unreadable(SOURCE, entry.line, "a distance is no whole number")
    return found


def _parse(text: str) -> _Object:
    if len(text) > MAX_CHARACTERS:
        raise too_large("characters", len(text), MAX_CHARACTERS)
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    stack = [_Object("", {}, 1)]
    count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MAX_NODES * 10:
            raise too_large("elements", count, MAX_NODES * 10)
        if len(stack) > MAX_DEPTH:
            raise too_large("nested elements", len(stack), MAX_DEPTH)
        stack.append(_Object(tag, attributes, parser.CurrentLineNumber))
        stack[-2].children.append(stack[-1])

    def end(tag: str) -> None:
        stack.pop()

    def characters(data: str) -> None:
        if stack[-1].tag in ("indexes", "u64values"):
            stack[-1].text += data

    def entity(*_: object) -> None:
        raise unsafe(parser.CurrentLineNumber)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.EntityDeclHandler = entity
    parser.buffer_text = True
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        says = expat.errors.messages.get(error.code, "it is no XML")
        raise unreadable(SOURCE, error.lineno, str(says)) from None
    return stack[0].children[0]
