"""Reads a machine from the kernel's own files: NUMA nodes, caches, cores, PCI devices. Needs nothing installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from heteroopt.devices.topology.model import Topology, TopologyLink, TopologyNode, Value, parse_cpuset, shown
from heteroopt.devices.topology.pci import AMD, HUAWEI, INTEL, NVIDIA, npu_name, pci_kind, pcie_gb_per_s

MAX_CPUS = 4_096
MAX_PCI_DEVICES = 4_096
_VENDORS = {NVIDIA: "NVIDIA", AMD: "AMD", INTEL: "Intel", HUAWEI: "Huawei"}


def from_sysfs(root: Path = Path("/")) -> Topology:
    """Read this machine (or a copy of its files below ``root``). Parts that cannot be read are left out.

    Processors and memories that this process may not use (a control group's cpuset) are left out.
    """
    return _Reader(root).read()


def pci_speeds(root: Path = Path("/")) -> dict[str, float]:
    """GB/s of one direction of each PCI device by its address: the fastest rate of device and slot at the width in use
    (rates fall while a device rests, widths do not)."""
    return {path.name: speed for path in _pci_paths(root) if (speed := _speed(path)) is not None}


class _Reader:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._nodes: list[TopologyNode] = []
        status = _read(root / "proc/self/status")
        self._cpus = set(_allowed(status, "Cpus_allowed_list"))
        self._memories = set(_allowed(status, "Mems_allowed_list"))
        self._numa: dict[int, str] = {}

    def read(self) -> Topology:
        system = self._root / "sys/devices/system"
        online = _ranges(_read(system / "cpu/online"))[:MAX_CPUS]
        cpus = [cpu for cpu in online if not self._cpus or cpu in self._cpus]
        places = {cpu: system / f"cpu/cpu{cpu}" for cpu in cpus}
        packages: dict[int, list[int]] = {}
        for cpu, path in places.items():
            packages.setdefault(_whole(_read(path / "topology/physical_package_id"), 0), []).append(cpu)
        numbers = [
            number
            for number in _ranges(_read(system / "node/online"))
            if not self._memories or number in self._memories
        ]
        memories = {number: system / f"node/node{number}" for number in numbers}
        sizes = {number: _memory_bytes(_read(path / "meminfo")) for number, path in memories.items()}
        whole = sum(size or 0 for size in sizes.values()) or _memory_bytes(_read(self._root / "proc/meminfo"))
        name = shown(_read(self._root / "proc/sys/kernel/hostname")) or "machine"
        self._nodes.append(
            TopologyNode("machine0", "machine", name, None, whole or None, tuple(cpus), {"source": "sysfs"})
        )
        for place, (number, members) in enumerate(sorted(packages.items())):
            title, vendor = _model(_read(self._root / "proc/cpuinfo"), members)
            extra: dict[str, Value] = {"index": number, **({"vendor": vendor} if vendor else {})}
            self._add("package", f"package{place}", title or f"Package {number}", "machine0", members, extra)
        for number, path in memories.items():
            members = [cpu for cpu in _ranges(_read(path / "cpulist")) if cpu in places]
            self._numa[number] = f"numa{number}"
            parent = self._inside(("package",), members) or "machine0"
            self._add("numa", f"numa{number}", f"NUMA {number}", parent, members, {"index": number}, sizes[number])
        self._caches(places)
        self._cores(places)
        self._pci()
        return Topology(tuple(self._nodes), tuple(self._distances(memories)))

    def _add(
        self,
        kind: str,
        name: str,
        title: str,
        parent: str,
        cpus: list[int],
        attributes: dict[str, Value],
        memory: int | None = None,
    ) -> None:
        self._nodes.append(TopologyNode(name, kind, title, parent, memory, tuple(sorted(cpus)), attributes))

    def _inside(self, kinds: tuple[str, ...], cpus: list[int]) -> str | None:
        """Return the smallest node of these kinds that holds all the processors."""
        wanted = set(cpus)
        fits = [node for node in self._nodes if node.kind in kinds and wanted and wanted <= set(node.cpuset)]
        return min(reversed(fits), key=lambda node: len(node.cpuset)).id if fits else None

    def _caches(self, places: dict[int, Path]) -> None:
        found: dict[tuple[int, tuple[int, ...]], int] = {}
        for path in places.values():
            for index in sorted(path.glob("cache/index[0-9]*")):
                level = _whole(_read(index / "level"), 0)
                shared = tuple(cpu for cpu in _ranges(_read(index / "shared_cpu_list")) if cpu in places)
                if level in (1, 2, 3) and shared and _read(index / "type") != "Instruction":
                    found[level, shared] = _cache_bytes(_read(index / "size"))
        counts = dict.fromkeys((1, 2, 3), 0)
        for (level, shared), size in sorted(found.items(), key=lambda item: (-item[0][0], item[0][1])):
            kinds = ("package", "numa", *(f"cache_l{above}" for above in (3, 2) if above > level))
            parent = self._inside(kinds, list(shared)) or "machine0"
            name = f"l{level}-{counts[level]}"
            self._add(f"cache_l{level}", name, f"L{level} {counts[level]}", parent, list(shared), {}, size or None)
            counts[level] += 1

    def _cores(self, places: dict[int, Path]) -> None:
        threads: dict[tuple[int, ...], int] = {}
        for cpu, path in places.items():
            siblings = _ranges(_read(path / "topology/thread_siblings_list")) or [cpu]
            members = tuple(sibling for sibling in siblings if sibling in places)
            threads.setdefault(members, _whole(_read(path / "topology/core_id"), cpu))
        kinds = ("package", "numa", "cache_l3", "cache_l2", "cache_l1")
        for place, (members, number) in enumerate(sorted(threads.items())):
            parent = self._inside(kinds, list(members)) or "machine0"
            self._add("core", f"core{place}", f"Core {number}", parent, list(members), {"index": number})

    def _pci(self) -> None:
        counts: dict[str, int] = {}
        paths = [path for path in _pci_paths(self._root) if _code(path) >> 8 != 0x06]
        switches = _branches(paths)
        made: dict[Path, str] = {}
        for path in paths:
            vendor, device = (_hex(_read(path / key)) for key in ("vendor", "device"))
            kind = pci_kind(_code(path), vendor)
            number = _whole(_read(path / "numa_node"), -1)
            place = self._numa.get(number, "machine0")
            for bridge in switches[path]:
                if bridge not in made:
                    made[bridge] = f"pcie_switch{len(made)}"
                    title = f"PCIe switch {len(made) - 1}"
                    self._nodes.append(
                        TopologyNode(made[bridge], "pcie_switch", title, place, attributes={"role": "switch"})
                    )
                place = made[bridge]
            extra: dict[str, Value] = {"pci_address": path.name, "pci_id": f"{vendor:04x}:{device:04x}"}
            if number >= 0:
                extra["numa_node"] = number
            speed = _speed(path)
            if speed is not None:
                extra["pcie_gb_per_s"] = speed
            networks = sorted(entry.name for folder in _interfaces(path) for entry in _list(folder))
            if networks:
                extra["interfaces"] = ", ".join(networks)[:200]
            name = npu_name(vendor, device) or shown(
                f"{_VENDORS.get(vendor, '')} {kind.upper() if kind != 'pcie_device' else ''}"
            )
            count = counts.get(kind, 0)
            counts[kind] = count + 1
            self._nodes.append(
                TopologyNode(f"{kind}{count}", kind, ", ".join(networks) or name or path.name, place, attributes=extra)
            )

    def _distances(self, memories: dict[int, Path]) -> Iterator[TopologyLink]:
        everyone = _ranges(_read(self._root / "sys/devices/system/node/online"))
        for number, path in memories.items():
            row = _read(path / "distance").split()
            for other, value in zip(everyone, row, strict=False):
                if other > number and other in memories and value.isdigit():
                    yield TopologyLink(f"numa{number}", f"numa{other}", "NUMA", int(value))


def _branches(paths: list[Path]) -> dict[Path, list[Path]]:
    """For each device the bridges above it, outermost first, under which more than one device hangs."""
    chains = {}
    for path in paths:
        above = [folder for folder in path.resolve().parents if folder.name.count(":") == 2]
        chains[path] = above[::-1]
    counts: dict[Path, set[Path]] = {}
    for path, chain in chains.items():
        slot = path.resolve().parent
        for bridge in chain:
            below = chain[chain.index(bridge) + 1 :]
            counts.setdefault(bridge, set()).add(below[0] if below else slot / path.name.partition(".")[0])
    return {path: [bridge for bridge in chain if len(counts[bridge]) > 1] for path, chain in chains.items()}


def _interfaces(path: Path) -> list[Path]:
    """Folders that name a device's network interfaces; a virtual card has its own one level down."""
    virtual = [folder / "net" for folder in _list(path) if folder.name.startswith("virtio")]
    return [path / "net", path / "infiniband", *virtual]


def _pci_paths(root: Path) -> list[Path]:
    return _list(root / "sys/bus/pci/devices")[:MAX_PCI_DEVICES]


def _speed(path: Path) -> float | None:
    rates = [_read(path / "max_link_speed"), _read(path.resolve().parent / "max_link_speed")]
    lanes = _whole(_read(path / "current_link_width"), 0)
    known = [float(rate.split()[0]) for rate in rates if rate.split() and rate[0].isdigit()]
    return pcie_gb_per_s(min(known), lanes) if known else None


def _code(path: Path) -> int:
    return _hex(_read(path / "class")) >> 8


def _list(path: Path) -> list[Path]:
    try:
        return sorted(path.iterdir())
    except OSError:
        return []


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(1 << 22).strip()
    except OSError:
        return ""


def _allowed(status: str, key: str) -> list[int]:
    return next((_ranges(line.partition(":")[2]) for line in status.splitlines() if line.startswith(f"{key}:")), [])


def _ranges(text: str) -> list[int]:
    try:
        return list(parse_cpuset(text))
    except ValueError:
        return []


def _whole(text: str, default: int) -> int:
    try:
        return int(text)
    except ValueError:
        return default


def _hex(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        return 0


def _cache_bytes(text: str) -> int:
    unit = {"K": 1 << 10, "M": 1 << 20}.get(text[-1:], 1)
    return _whole(text.rstrip("KM"), 0) * unit


def _memory_bytes(text: str) -> int | None:
    """``MemTotal`` of a file in the form of ``/proc/meminfo``, in which a kB is 1,024 bytes."""
    for line in text.splitlines():
        words = line.replace(":", " ").split()
        if "MemTotal" in words and words[-1] == "kB":
            return _whole(words[-2], 0) * 1024
    return None


def _model(cpuinfo: str, cpus: list[int]) -> tuple[str, str]:
    """Name and vendor of a processor, from the entry of one of its hardware threads."""
    values: dict[str, str] = {}
    for line in cpuinfo.splitlines():
        key, _, value = line.partition(":")
        values[key.strip()] = value.strip()
        if key.strip() == "processor":
            values = {"processor": value.strip()}
        if values.get("processor") == str(cpus[0]) and "model name" in values:
            return shown(values["model name"]), shown(values.get("vendor_id", ""))
    return "", ""
