"""Reasons of a placement in English, for files and terminals; pages translate the codes themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TEXTS: dict[str, str] = {
    "pinned": "pinned to {device} by a person",
    "view_follows": "a view, so it lies where {operator} leaves its output",
    "only_supported_here": "no device but {device} supports it",
    "others_forbidden": "the other devices that support it are forbidden: {devices}",
    "colocated": "must share a device with {operator} ({members} operators)",
    "memory_full_elsewhere": "on {device} memory would be short by {overflow_bytes}",
    "fastest_here": "fastest here: {time_ms} against {other_time_ms} on {device}",
    "avoids_transfer": "on {device} the plan would move {transfer_bytes} more and take {delta_ms} longer",
    "parallel_branch": "runs beside {operator} on {device}; there the plan would take {delta_ms} longer",
    "slower_elsewhere": "on {device} the plan would take {delta_ms} longer, and more elsewhere",
    "saves_energy": "saves {saved_j} against {device}",
    "balance": "balances the devices: on {device} the variance would be {delta_load_balance} higher",
    "trade_off": "saves {saved_j} and {delta_load_balance} of variance against {device}, which is {faster_ms} faster",
    "equal_elsewhere": "{device} would do as well",
    "better_elsewhere": "{device} would be better: time {delta_ms}, energy {delta_j}",
}
_SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    "_ms": ((1e3, "s"), (1.0, "ms"), (1e-3, "us"), (1e-6, "ns")),
    "_j": ((1.0, "J"), (1e-3, "mJ"), (1e-6, "uJ"), (1e-9, "nJ")),
    "_bytes": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "bytes")),
}


def reason_text(reason: Mapping[str, Any]) -> str:
    """One sentence of a reason ``{"code", "params"}``; a code that is not known here is shown with its parameters."""
    code = str(reason.get("code", ""))
    given = reason.get("params")
    params = {key: _shown(key, value) for key, value in given.items()} if isinstance(given, Mapping) else {}
    sources = params.pop("energy_sources", "")
    params = {key: f"{value} ({sources})" if sources and key.endswith("_j") else value for key, value in params.items()}
    try:
        return _TEXTS[code].format(**params)
    except KeyError:
        details = ", ".join(f"{key} {value}" for key, value in params.items())
        return f"{code.replace('_', ' ')} ({details})" if details else code.replace("_", " ")


def _shown(key: str, value: object) -> str:
    """A parameter with the unit that its name says, in the largest unit that keeps it above 1."""
    if isinstance(value, (list, tuple)):
        return ", ".join(str(entry) for entry in value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    for suffix, scale in _SCALES.items():
        if key.endswith(suffix):
            factor, unit = next((entry for entry in scale if abs(value) >= entry[0]), scale[-1])
            return f"{value / factor:.4g} {unit}"
    return f"{value:.4g}"
