"""Reasons of a placement in English, for files and terminals; pages translate the codes themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heteroopt.units import BYTES_PER_MB

_TEXTS: dict[str, str] = {
    "fastest_here": "fastest here",
    "avoids_transfer": "avoids a transfer",
    "saves_energy": "saves energy",
    "memory_full_elsewhere": "memory is full elsewhere",
    "only_supported_here": "not supported elsewhere",
    "pinned": "pinned by a person",
    "colocated": "must share a device with its group",
    "parallel_branch": "runs beside another branch",
    "equal_elsewhere": "as good here as elsewhere",
    "balance": "balances the load",
    "trade_off": "part of a trade-off of the whole plan",
    "view_follows": "a view of its input; costs nothing",
}


def reason_text(reason: Mapping[str, Any]) -> str:
    """``code`` as a phrase, then its figures: ``avoids a transfer (12.8 MB, from gpu0)``."""
    code = str(reason.get("code", ""))
    params = reason.get("params")
    details = [_detail(key, value) for key, value in params.items()] if isinstance(params, Mapping) else []
    shown = ", ".join(detail for detail in details if detail)
    phrase = _TEXTS.get(code, code.replace("_", " "))
    return f"{phrase} ({shown})" if shown else phrase


def _detail(key: str, value: object) -> str:
    """One parameter, its unit taken from its name."""
    name = key
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, (int, float)):
        for suffix, unit, factor in (("_bytes", "MB", BYTES_PER_MB), ("_ms", "ms", 1), ("_j", "J", 1), ("_x", "x", 1)):
            if key.endswith(suffix):
                name = key.removesuffix(suffix)
                return f"{name.replace('_', ' ')} {value / factor:.4g} {unit}".strip()
        return f"{name.replace('_', ' ')} {value:.4g}"
    if isinstance(value, (list, tuple)):
        return f"{name.replace('_', ' ')} {', '.join(str(entry) for entry in value[:4])}" if value else ""
    return f"{name.replace('_', ' ')} {value}"
