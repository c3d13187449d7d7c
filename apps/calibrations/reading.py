"""Reads and judges a calibration that anybody may have written. Runs inside the sandbox: no Django, no rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heteroopt.costs.bundle import read_bundle
from heteroopt.costs.database import PerformanceDatabase

MOST_PARITY = 1500
"""Points of a parity plot; of more, an even share is kept."""


def read(payload: Mapping[str, Any], _files: Mapping[str, Path]) -> dict[str, Any]:
    """What ``payload["text"]`` was measured on, and how much. Raises ``CostError``."""
    return described(read_bundle(payload["text"].encode("utf-8")))


def judge(payload: Mapping[str, Any], _files: Mapping[str, Path]) -> dict[str, Any]:
    """:func:`figures` of ``payload["text"]``. Raises ``CostError``."""
    return figures(read_bundle(payload["text"].encode("utf-8")))


def described(database: PerformanceDatabase) -> dict[str, Any]:
    """Device, fingerprint, time, rows and hash."""
    device = database.device
    return {
        "runtime": device.runtime,
        "device": device.name,
        "host": device.host,
        "fingerprint": device.fingerprint,
        "measured_at": database.measured_at,
        "rows": len(database),
        "hash": database.content_hash,
    }


def figures(database: PerformanceDatabase) -> dict[str, Any]:
    """How far what is learned from it is off on operators that it has not seen, and what was flagged or refused."""
    from heteroopt.costs.device_model import DeviceCostModel

    found = DeviceCostModel.train(database).summary()
    found["energy_power_w"] = dict(database.energy.power_w)
    refused: dict[str, str] = {}
    for kind, why in database.refused:
        refused.setdefault(kind, why)
    found["not_run"] = [{"kind": kind, "why": why} for kind, why in sorted(refused.items())][:50]
    found["from_models"] = sum(1 for row in database.rows.values() if row.from_model)
    flags: dict[str, int] = {}
    for row in database.rows.values():
        for flag in row.flags:
            flags[flag] = flags.get(flag, 0) + 1
    found["flag_counts"] = flags
    if found["held_out"] is not None:
        parity = found["held_out"]["parity"]
        step = max(1, -(-len(parity) // MOST_PARITY))
        found["held_out"]["parity"] = [row[1:] for row in parity[::step]]
    plain: dict[str, Any] = json.loads(json.dumps(found, allow_nan=False))
    return plain
