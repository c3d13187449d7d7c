"""What npu-smi tells of each chip: health, temperature, power, address; and the versions that the driver leaves."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from heteroopt.devices.topology.ascend import NpuCard, read_npu_table
from heteroopt.devices.topology.host import run_tool
from heteroopt.errors import HeteroOptError

VISIBLE = "ASCEND_RT_VISIBLE_DEVICES"
UNUSABLE = frozenset({"Alarm", "Critical"})
"""Words of npu-smi for faults that stop work; "Warning" does not."""

DRIVER_INFO = Path("/usr/local/Ascend/driver/version.info")
TOOLKIT_INFO = "version.cfg"


def read_cards(run: Callable[[Sequence[str]], str] = run_tool) -> list[NpuCard]:
    """Return the chips in the order of their numbers; none where the tool is missing, fails or prints otherwise."""
    try:
        return read_npu_table(run(("npu-smi", "info")).splitlines())
    except HeteroOptError:
        return []


def card_of(index: int, cards: Sequence[NpuCard]) -> NpuCard | None:
    """Return the chip that the runtime calls ``index``, by the environment's list of visible devices."""
    visible = [word.strip() for word in os.environ.get(VISIBLE, "").split(",") if word.strip()]
    if visible:
        place = int(visible[index]) if index < len(visible) and visible[index].isdigit() else len(cards)
    else:
        place = index
    return cards[place] if place < len(cards) else None


def installed_versions() -> dict[str, str]:
    """Return versions of driver and toolkit from the files that their installers leave."""
    found = {"ascend_driver": _value(DRIVER_INFO, "Version")}
    home = os.environ.get("ASCEND_TOOLKIT_HOME") or os.environ.get("ASCEND_HOME_PATH")
    if home:
        found["cann_toolkit"] = _value(Path(home) / TOOLKIT_INFO, "toolkit_installed_version")
    return {name: text for name, text in found.items() if text}


def _value(path: Path, key: str) -> str:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace")[:65536].splitlines()
    except OSError:
        return ""
    return next((line.partition("=")[2].strip()[:200] for line in lines if line.strip().startswith(f"{key}=")), "")
