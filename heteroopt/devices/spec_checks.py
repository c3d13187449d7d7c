"""Checks of a device description's fields that are more than a range: names, texts, operator lists, consistency."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from heteroopt.devices.checks import POWER_CONSISTENCY
from heteroopt.errors import PoolError
from heteroopt.units import FLOP_PER_GFLOP, PJ_PER_J


def check_power(precision: str, peak: float, energy: float | None, active: float, where: str) -> None:
    """Refuse an energy per FLOP that contradicts peak and active power by more than ``POWER_CONSISTENCY``."""
    if not energy or not active:
        return
    implied = peak * FLOP_PER_GFLOP * energy / PJ_PER_J
    if not active / POWER_CONSISTENCY <= implied <= active * POWER_CONSISTENCY:
        expected = active * PJ_PER_J / (peak * FLOP_PER_GFLOP)
        raise PoolError(
            "energy_contradicts_power",
            f"{where}: energy_pj_per_flop[{precision}] = {energy:g} at {peak:g} GFLOP/s means {implied:.3g} W, "
            f"but the device is said to draw {active:g} W.",
            hint=f"Active power over peak gives about {expected:.3g} pJ/FLOP.",
            where=where,
            field=f"energy_pj_per_flop[{precision}]",
            value=energy,
            expected=expected,
            implied_w=implied,
            active_power_w=active,
        )


def known(field: str, values: Mapping[str, float], known: tuple[str, ...], where: str) -> None:
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise PoolError(
            "unknown_key",
            f"{where}: {field} has the unknown entries {', '.join(unknown)}.",
            hint=f"Known: {', '.join(known)}.",
            where=where,
            field=field,
            unknown=unknown,
            known=list(known),
        )


def text(field: str, value: object, where: str) -> str:
    if isinstance(value, str) and len(value) <= 200 and (value.isprintable() or not value):
        return value
    raise PoolError("wrong_type", f"{where}: {field} must be a short text.", where=where, field=field)


def mapping(field: str, value: object, where: str) -> Iterable[tuple[object, object]]:
    if isinstance(value, Mapping):
        return value.items()
    raise PoolError("wrong_type", f"{where}: {field} must be a table.", where=where, field=field)


def operators(field: str, value: object, where: str) -> frozenset[str] | None:
    if value is None or value == "all":
        return None
    if isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(entry, str) for entry in value):
        return frozenset(value)
    raise PoolError(
        "wrong_type", f'{where}: {field} must be "all" or a list of operator types.', where=where, field=field
    )
