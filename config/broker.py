"""The embedded broker's folders and options; kept apart from its transport, as kombu takes a while to import."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDERS = {
    "data_folder_in": "messages",
    "data_folder_out": "messages",
    "control_folder": "control",
    "partial_folder": "partial",
    "processed_folder": "processed",
}


def transport_options(folder: Path) -> dict[str, Any]:
    """Make the broker's folders, all in one file system, and return the transport's options."""
    for name in FOLDERS.values():
        (folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
    return {**{option: str(folder / name) for option, name in FOLDERS.items()}, "polling_interval": 0.05}


def register() -> None:
    """Let ``filesystem://`` mean the transport in ``config.file_transport``; before a connection is made."""
    from kombu.transport import TRANSPORT_ALIASES

    TRANSPORT_ALIASES["filesystem"] = "config.file_transport:Transport"
