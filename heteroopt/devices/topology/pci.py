"""What a PCI device is by its class and vendor, and what its connection carries."""

from __future__ import annotations

from dataclasses import dataclass

NVIDIA, AMD, INTEL, HUAWEI = 0x10DE, 0x1002, 0x8086, 0x19E5

_DISPLAY, _NETWORK, _ACCELERATOR = 0x03, 0x02, 0x12

HUAWEI_NPUS = {
    0xD100: "Ascend 310",
    0xD500: "Ascend 310P",
    0xD801: "Ascend 910",
    0xD802: "Ascend 910B",
    0xD803: "Ascend 910C",
}
"""Device numbers as in the PCI ID repository and the driver's tables."""

_GB_PER_S_A_LANE = {2.5: 0.25, 5.0: 0.5, 8.0: 0.985, 16.0: 1.969, 32.0: 3.938, 64.0: 7.563}
"""One direction of one lane by GT/s: 8b/10b up to 5 GT/s, 128b/130b from 8 (PCI Express base specifications 1 to 6)."""


@dataclass(frozen=True, slots=True)
class PciDevice:
    """A device by its numbers; ``name`` is empty where the system does not know it."""

    vendor: int
    device: int
    kind: str
    name: str


def pci_kind(code: int, vendor: int) -> str:
    """Return the kind of node for a class code (16 bits) and a vendor. Display chips of servers are no GPU."""
    base = code >> 8
    if base == _DISPLAY and vendor in (NVIDIA, AMD, INTEL):
        return "gpu"
    if base == _ACCELERATOR:
        return "gpu" if vendor in (NVIDIA, AMD) else "npu"  # AMD's Instinct cards show no display
    return "nic" if base == _NETWORK else "pcie_device"


def npu_name(vendor: int, device: int) -> str:
    """Return the name of an Ascend processor, "" for anything else."""
    return HUAWEI_NPUS.get(device, "") if vendor == HUAWEI else ""


def pcie_gb_per_s(gigatransfers: float, lanes: int) -> float | None:
    """Return GB/s of one direction of a connection, ``None`` for a rate that no generation has."""
    rate = _GB_PER_S_A_LANE.get(gigatransfers)
    return None if rate is None or not 0 < lanes <= 32 else round(rate * lanes, 3)
