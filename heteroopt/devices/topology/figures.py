"""What each kind of link carries: the wire's rate by generation and lanes, and the share of it that a copy reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from heteroopt.devices.links import LINK_CLASSES, LinkClass
from heteroopt.devices.topology.model import TopologyLink, TopologyNode
from heteroopt.devices.topology.pci import pcie_gb_per_s


@dataclass(frozen=True, slots=True)
class LinkFigures:
    """What a copy reaches in one direction, and where that figure is from."""

    link_class: str
    bandwidth_gb_per_s: float
    latency_us: float
    source: str


WIRE_GB_PER_S: Mapping[str, float] = MappingProxyType(
    {"NVLink": 300.0, "HCCS": 30.0, "PCIe3": 15.75, "PCIe": 31.5, "PCIe5": 63.0}
)
"""The wire's rate in one direction for which ``LINK_CLASSES`` says what is reached."""

NVLINK_LANE_GB_PER_S: tuple[tuple[str, float, str], ...] = (
    ("P100", 20.0, "Tesla P100 white paper: 4 links, 160 GB/s both ways"),
    ("3090", 14.0625, "GA102 white paper: 4 links, 112.5 GB/s both ways"),
    ("A6000", 14.0625, "RTX A6000 data sheet: 4 links, 112.5 GB/s both ways"),
    ("A40", 14.0625, "A40 data sheet: 4 links, 112.5 GB/s both ways"),
    ("B100", 50.0, "Blackwell architecture brief: 18 links, 1,800 GB/s both ways"),
    ("B200", 50.0, "Blackwell architecture brief: 18 links, 1,800 GB/s both ways"),
    ("B300", 50.0, "Blackwell architecture brief: 18 links, 1,800 GB/s both ways"),
)
"""By what the device's name holds."""

NVLINK_LANE = (25.0, "V100, A100 and H100 white papers: 25 GB/s a link and direction (300, 600, 900 GB/s both ways)")

PCIE_GENERATIONS: tuple[tuple[str, int], ...] = (
    ("V100", 3), ("P100", 3), ("T4", 3), ("RTX 2080", 3), ("TITAN", 3),
    ("H100", 5), ("H200", 5), ("H800", 5), ("H20", 5), ("B100", 5), ("B200", 5), ("B300", 6), ("RTX 5", 5),
    ("MI300", 5), ("MI325", 5), ("Ascend 310", 3),
)  # fmt: skip
"""By the start of a word of the device's name, from its data sheet; others count as generation 4. Width: 16."""

HCCS_SWITCHED = (196.0, "Zuo et al., CloudMatrix384, 2025: 392 GB/s a 910C and direction, two dies")
SIO = (270.0, "Zuo et al., CloudMatrix384, 2025: 540 GB/s both ways between the two dies of a 910C")

MOST_NVLINKS_OF_A_PAIR = 36
"""Twice what any GPU has so far, for those to come; text that says more is no output of the tool."""

MOST_NVLINK_GB_PER_S = 200.0
"""Of one link and direction: twice the fastest so far, and twice that for figures of both directions."""

MAX_NVLINKS = 18
"""Of any GPU so far (Hopper, Blackwell): one that reaches its peers with more of them in all does so by a switch."""

_RATES = {3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}


def pcie_figures(node: TopologyNode) -> LinkFigures:
    """A device's connection to its host: the rate that the system says, else that of its generation by 16 lanes."""
    said = node.attributes.get("pcie_gb_per_s")
    if isinstance(said, int | float) and said > 0:
        return _pcie(float(said), "the system: link speed by width")
    generation = next((number for word, number in PCIE_GENERATIONS if f" {word}" in f" {node.name}"), 4)
    wire = pcie_gb_per_s(_RATES[generation], 16) or WIRE_GB_PER_S["PCIe"]
    return _pcie(wire, f"PCIe {generation}.0 x16 by the device's name")


def link_figures(link: TopologyLink, first: TopologyNode, second: TopologyNode) -> LinkFigures | None:
    """A direct link of two devices: NVLink by lanes and generation (or as the text says), HCCS, SIO, or their PCIe
    connection under a switch. ``None`` where a copy goes through the host.
    """
    if link.kind[:2] == "NV":
        lane, source = _lane(first)
        lanes = int(link.kind[2:]) if link.kind[2:].isdigit() else 0
        wire = link.bandwidth_gb_per_s or lane * lanes
        said = "the text" if link.bandwidth_gb_per_s else f"{lanes} links; {source}"
        return _reached("NVLink", wire, said) if wire else None
    if link.kind == "HCCS":
        return _reached("HCCS", link.bandwidth_gb_per_s or WIRE_GB_PER_S["HCCS"], LINK_CLASSES["HCCS"].source)
    if link.kind in ("HCCS_SW", "SIO"):
        wire, source = HCCS_SWITCHED if link.kind == "HCCS_SW" else SIO
        return _reached("HCCS", link.bandwidth_gb_per_s or wire, source)
    through_switch = link.kind in ("PIX", "PXB") and link.peer is not False
    if through_switch or (link.kind in ("PHB", "NODE", "SYS") and link.peer is True):
        return min(pcie_figures(first), pcie_figures(second), key=lambda figures: figures.bandwidth_gb_per_s)
    return None


def _lane(node: TopologyNode) -> tuple[float, str]:
    said = node.attributes.get("nvlink_gb_per_s")
    if isinstance(said, int | float) and said > 0:
        return float(said), "nvidia-smi nvlink --status"
    return next(((rate, source) for word, rate, source in NVLINK_LANE_GB_PER_S if word in node.name), NVLINK_LANE)


def _pcie(wire: float, source: str) -> LinkFigures:
    link_class = "PCIe3" if wire < 16 else "PCIe" if wire < 32 else "PCIe5"
    return _reached(link_class, wire, source)


def _reached(link_class: str, wire: float, source: str) -> LinkFigures:
    figures: LinkClass = LINK_CLASSES[link_class]
    peak = WIRE_GB_PER_S[link_class]
    reached = figures.bandwidth_gb_per_s * (1.0 if abs(wire / peak - 1) < 0.01 else wire / peak)
    share = round(100 * figures.bandwidth_gb_per_s / peak)
    return LinkFigures(
        link_class, round(reached, 3), figures.latency_us, f"{wire:g} GB/s ({source}); {share} % reached"
    )
