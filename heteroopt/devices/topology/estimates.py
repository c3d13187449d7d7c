"""Figures of a device that no data sheet of ours describes: estimated, marked so, and replaced by a calibration."""

from __future__ import annotations

from collections.abc import Sequence

from heteroopt.devices.spec import DeviceSpec
from heteroopt.devices.topology.model import Topology, TopologyNode, format_cpuset
from heteroopt.devices.topology.processor import ASSUMED_CLOCK_GHZ
from heteroopt.units import BYTES_PER_GB

ESTIMATED = "estimated"
"""How the source of such a figure begins."""

CORE_BANDWIDTH_GB_PER_S = 12.0
"""What one core's outstanding misses let it read: 10 to 16 GB/s in servers."""

NODE_BANDWIDTH_GB_PER_S = 150.0
"""Of a NUMA node, however many cores ask: half of eight channels of DDR5-4800."""

CORE_IDLE_W, CORE_ACTIVE_W = 1.5, 5.0
"""Server processors draw 4 to 6 W a core at their limit (EPYC 7763: 280 W for 64)."""

DRAM_PJ_PER_BYTE = 220.0
LAUNCH_US = 2.0
WORKSPACE_BYTES = 64 << 20

STAND_INS = {"GPU": "NVIDIA_T4", "NPU": "Ascend_310P"}
"""Whose figures stand for an accelerator that matches no template: the smallest of its type."""


def core_set(
    topology: Topology, package: TopologyNode | None, cpus: Sequence[int], name: str, memory_bytes: int, domain: str
) -> DeviceSpec:
    """Some cores of a processor: cores x clock x operations a cycle, and 12 GB/s a core.

    ``memory_bytes``: of the whole domain, which all devices in it state. Raises ``PoolError``.
    """
    said = {} if package is None else package.attributes
    cores = sum(1 for node in topology.of_kind("core") if set(node.cpuset) <= set(cpus)) or max(1, len(cpus))
    clock, per_cycle = _number(said.get("clock_ghz")), int(_number(said.get("flop_per_cycle")) or 8)
    ghz = clock or ASSUMED_CLOCK_GHZ
    fp32 = round(cores * ghz * per_cycle, 3)
    peaks = {"fp64": fp32 / 2, "fp32": fp32}
    if said.get("bf16"):
        peaks["bf16"] = fp32 * 2
    if said.get("int8"):
        peaks["int8"] = fp32 * 4
    many = f"{cores} cores" if cores > 1 else "1 core"
    model = package.name if package is not None else "CPU"
    what = str(said.get("instructions", "unknown instructions"))
    sources = {
        "peak_gflop_per_s": f"{many} x {ghz:g} GHz{'' if clock else ' (assumed)'} x {per_cycle} FLOP a cycle ({what})",
        "memory_bandwidth_gb_per_s": f"{CORE_BANDWIDTH_GB_PER_S:g} GB/s a core, at most {NODE_BANDWIDTH_GB_PER_S:g}",
        "idle_power_w": f"{CORE_IDLE_W:g} W a core",
        "active_power_w": f"{CORE_ACTIVE_W:g} W a core",
        "energy_pj_per_flop": "active power over peak",
        "energy_pj_per_byte": "DDR5",
        "launch_overhead_us": "fork and join of a thread pool",
        "workspace_bytes": "scratch memory of the runtime",
    }
    return DeviceSpec(
        name=name,
        display_name=f"{model} cores {format_cpuset(cpus)}" if cpus else model,
        device_type="CPU",
        peak_gflop_per_s=peaks,
        memory_size_bytes=memory_bytes,
        memory_bandwidth_gb_per_s=min(cores * CORE_BANDWIDTH_GB_PER_S, NODE_BANDWIDTH_GB_PER_S),
        energy_pj_per_byte=DRAM_PJ_PER_BYTE,
        idle_power_w=cores * CORE_IDLE_W,
        active_power_w=cores * CORE_ACTIVE_W,
        launch_overhead_us=LAUNCH_US,
        workspace_bytes=WORKSPACE_BYTES,
        memory_domain=domain,
        sources={field: f"{ESTIMATED}: {text}" for field, text in sources.items()}
        | {"memory_size_bytes": f"probed: {memory_bytes / BYTES_PER_GB:.4g} GB of the machine"},
    )


def stand_in(name: str, device_type: str, title: str, memory_bytes: int | None, domain: str | None) -> DeviceSpec:
    """An accelerator that matches no template: the figures of a small one of its type, each marked. ``PoolError``."""
    template = STAND_INS[device_type]
    base = DeviceSpec(name=name, template=template)
    why = f"{ESTIMATED}: no template is of {title}; figure of {base.display_name}"
    return DeviceSpec(
        name=name,
        template=template,
        display_name=title,
        memory_size_bytes=memory_bytes,
        memory_domain=domain,
        sources={field: why for field in base.sources}
        | ({"memory_size_bytes": "probed"} if memory_bytes is not None else {}),
    )


def is_estimated(device: DeviceSpec) -> bool:
    """Whether any of a device's figures is such an estimate."""
    return any(source.startswith(f"{ESTIMATED}:") for source in device.sources.values())


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
