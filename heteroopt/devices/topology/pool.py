"""A pool from a topology: each package, GPU and NPU as a device of the template that its name says."""

from __future__ import annotations

import re
from collections.abc import Mapping

from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.devices.topology.errors import no_template, other_type
from heteroopt.devices.topology.links import pool_links
from heteroopt.devices.topology.model import Topology, TopologyNode

_PREFIX = {"package": "cpu", "gpu": "gpu", "npu": "npu"}
_TYPES = {"package": "CPU", "gpu": "GPU", "npu": "NPU"}

_TEMPLATES: tuple[tuple[str, str], ...] = (
    (r"A100.*80\s?GB", "NVIDIA_A100_80G"),
    (r"A100.*40\s?GB", "NVIDIA_A100_40G"),
    (r"A800.*80\s?GB", "NVIDIA_A800_80G"),
    (r"H100 80GB HBM3|H100[- ]SXM", "NVIDIA_H100_SXM"),
    (r"\bH200\b(?!.*NVL)", "NVIDIA_H200"),
    (r"\bH800\b(?!.*PCIe)", "NVIDIA_H800"),
    (r"\bH20\b", "NVIDIA_H20"),
    (r"\bL40S\b", "NVIDIA_L40S"),
    (r"\bL4\b", "NVIDIA_L4"),
    (r"\bA10\b", "NVIDIA_A10"),
    (r"RTX 3090\b(?! Ti)", "NVIDIA_RTX_3090"),
    (r"RTX 4090\b(?! D| Laptop)", "NVIDIA_RTX_4090"),
    (r"\bT4\b", "NVIDIA_T4"),
    (r"V100.*32\s?GB", "NVIDIA_V100_32G"),
    (r"MI300X\b", "AMD_MI300X"),
    (r"MI250X\b", "AMD_MI250X"),
    (r"RX 7900 XTX", "AMD_RX_7900_XTX"),
    (r"Arc.* A770", "Intel_Arc_A770"),
    (r"Ascend ?910B[1-4]?\b", "Ascend_910B"),
    (r"Ascend ?910A?\b", "Ascend_910"),
    (r"Ascend ?310P\d?\b", "Ascend_310P"),
    (r"EPYC 7763\b", "AMD_EPYC_7763"),
    (r"EPYC 9654\b", "AMD_EPYC_9654"),
    (r"Xeon.* 8380\b", "Intel_Xeon_8380"),
    (r"Xeon.* 8480", "Intel_Xeon_8480"),
    (r"Grace|Neoverse-V2", "NVIDIA_Grace_CPU"),
)
"""The vendors' names of a device, and its template. Variants with other figures (PCIe cards, laptops) match none."""


def template_of(name: str) -> str | None:
    """Return the template whose device goes by this name, ``None`` if there is none."""
    return next((template for pattern, template in _TEMPLATES if re.search(pattern, name)), None)


def pool_from_topology(
    topology: Topology, *, templates: Mapping[str, str] | None = None, name: str = "", network: str = "Ethernet"
) -> DevicePool:
    """Return a pool of the topology's packages (``cpu0``, ...), GPUs and NPUs with the links between them.

    ``templates``: names of templates by a device's name in the pool, a node's id, or a kind ("package", "gpu", "npu")
    for all that match none. A device keeps its template's figures apart from the size of its memory, where that is
    known: of a package it is that of its NUMA nodes, capped at its share of a control group's limit. How many of a
    package's cores this process may use changes no figure. Without a package the host is implicit.
    Raises ``PoolError`` ``topology_no_template`` naming every device without one, ``topology_other_type`` for a
    template of another type of device, and what ``DevicePool`` refuses.
    """
    given = templates or {}
    devices: dict[str, str] = {}
    specs: list[DeviceSpec] = []
    missing: list[str] = []
    counts = dict.fromkeys(_PREFIX, 0)
    for node in topology.of_kind("gpu", "npu", "package"):
        title = f"{_PREFIX[node.kind]}{counts[node.kind]}"
        counts[node.kind] += 1
        template = given.get(title) or given.get(node.id) or template_of(node.name) or given.get(node.kind)
        if template is None:
            missing.append(f"{title} ({node.name})")
            continue
        devices[title] = node.id
        spec = _device(topology, node, title, template)
        if spec.device_type != _TYPES[node.kind]:
            raise other_type(title, _TYPES[node.kind], template, spec.device_type)
        specs.append(spec)
    if missing:
        raise no_template(missing)
    return DevicePool(specs, pool_links(topology, devices, network=network), name=name)


def _device(topology: Topology, node: TopologyNode, name: str, template: str) -> DeviceSpec:
    size, cap = node.memory_bytes, None
    if node.kind == "package":
        packages = [other for other in topology.of_kind("package") if same_machine(topology, other, node)]
        own = sum(
            numa.memory_bytes or 0
            for numa in topology.of_kind("numa")
            if set(numa.cpuset) <= set(node.cpuset) and same_machine(topology, numa, node)
        )
        whole = topology.node(topology.machine(node.id))
        limit = whole.attributes.get("memory_limit_bytes")
        size = own or ((whole.memory_bytes or 0) // len(packages)) or None
        cap = int(limit) // len(packages) if isinstance(limit, int) else None
        cap = cap if cap is not None and size is not None and 0 < cap < size else None
    return DeviceSpec(
        name=name, template=template, memory_size_bytes=size, memory_cap_bytes=cap, display_name=node.name or None
    )


def same_machine(topology: Topology, first: TopologyNode, second: TopologyNode) -> bool:
    """Whether two nodes are in one machine."""
    return topology.machine(first.id) == topology.machine(second.id)
