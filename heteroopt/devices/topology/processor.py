"""What a processor's instructions and clock say of its peak: an estimate that stands until it is calibrated."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from heteroopt.devices.topology.model import Topology, Value

ASSUMED_CLOCK_GHZ = 2.5
"""Where neither cpufreq nor /proc/cpuinfo says one."""

MAX_CLOCK_GHZ = 10.0
MAX_FILE_BYTES = 1 << 20
"""Of /proc/cpuinfo, which repeats itself for every hardware thread."""

AMD_ZEN5_FAMILY = 26
"""The first AMD family whose AVX-512 units are 512 bits wide."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """A vector extension, and how many FP32 operations (2 for a fused multiply-add) a core does with it in a cycle."""

    name: str
    flop_per_cycle: int


def instructions(flags: frozenset[str], vendor: str, family: int) -> Instructions:
    """The widest extension among a processor's flags.

    Two units of fused multiply-add each, as in the cores of Intel's and AMD's server processors: 2 x 2 x lanes. AMD
    before Zen 5 does AVX-512 in halves. Arm: two (Neoverse N1) to four units of 128 bits, counted as two.
    """
    if "avx512f" in flags:
        halved = vendor == "AuthenticAMD" and family < AMD_ZEN5_FAMILY
        return Instructions("AVX-512", 32 if halved else 64)
    if "avx2" in flags:
        return Instructions("AVX2", 32)
    if "avx" in flags:
        return Instructions("AVX", 16)
    if "asimd" in flags or "neon" in flags:
        return Instructions("NEON", 16)
    return Instructions("SSE" if "sse" in flags else "scalar", 8 if "sse" in flags else 2)


def with_processor(topology: Topology, root: Path = Path("/")) -> Topology:
    """The topology with ``instructions``, ``flop_per_cycle`` and ``clock_ghz`` (where it is known), ``bf16`` and
    ``int8`` (1 where the processor has instructions for them) in the attributes of every package.
    """
    try:
        with (root / "proc/cpuinfo").open(encoding="utf-8", errors="replace") as file:
            text = file.read(MAX_FILE_BYTES)
    except OSError:
        return topology
    flags = frozenset(_first(text, r"(?:flags|Features)").split())
    if not flags:
        return topology
    family = _first(text, "cpu family")
    found = instructions(flags, _first(text, "vendor_id"), int(family) if family.isdigit() else 0)
    said: dict[str, Value] = {"instructions": found.name, "flop_per_cycle": found.flop_per_cycle}
    clock = _clock_ghz(text, root)
    if clock:
        said["clock_ghz"] = clock
    for precision, names in (("bf16", ("avx512_bf16", "bf16")), ("int8", ("avx512_vnni", "avx_vnni", "asimddp"))):
        if flags & set(names):
            said[precision] = 1
    nodes = (
        replace(node, attributes={**node.attributes, **said}) if node.kind == "package" else node
        for node in topology.nodes
    )
    return Topology(tuple(nodes), topology.links)


def _first(text: str, name: str) -> str:
    found = re.search(rf"^{name}[ \t]*:[ \t]*(.*)$", text, re.MULTILINE)
    return found[1].strip() if found else ""


def _clock_ghz(text: str, root: Path) -> float:
    """The base clock where the system says it, else the fastest that it may have, else what it has now; 0 unknown."""
    for name in ("base_frequency", "cpuinfo_max_freq"):
        try:
            clock = int((root / "sys/devices/system/cpu/cpu0/cpufreq" / name).read_text()) / 1e6
        except (OSError, ValueError):
            continue
        if 0 < clock <= MAX_CLOCK_GHZ:
            return round(clock, 3)
    now = [float(value) / 1e3 for value in re.findall(r"^cpu MHz\s*:\s*([0-9]+(?:\.[0-9]+)?)", text, re.MULTILINE)]
    fastest = max(now, default=0.0)
    return round(fastest, 3) if 0 < fastest <= MAX_CLOCK_GHZ else 0.0
