"""Figures that are possible for some device, but not for this one: a power of ten or a unit gone wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from heteroopt.devices.links import LINK_CLASSES, Link
from heteroopt.devices.spec import DeviceSpec
from heteroopt.devices.templates import list_templates
from heteroopt.errors import PoolError

FACTOR = 1e4
"""A figure may differ from its template's by this factor."""

MARGIN = 1e2
"""A figure without a template may leave the range of the templates of its type by this factor."""

CHECKED = (
    "peak_gflop_per_s", "memory_size_bytes", "memory_bandwidth_gb_per_s", "energy_pj_per_flop", "energy_pj_per_byte",
    "idle_power_w", "active_power_w", "launch_overhead_us",
)  # fmt: skip


def implausible(device: DeviceSpec) -> PoolError | None:
    """The first figure of a device that must be wrong, as an error that says what it is compared with; else ``None``.

    Zeros say that a figure is not known, and are not looked at.
    """
    base = DeviceSpec(template=device.template, name=device.name) if device.template in list_templates() else None
    for field, value in _figures(device):
        if base is not None:
            usual = dict(_figures(base)).get(field)
            if usual and not usual / FACTOR < value < usual * FACTOR:
                return _error(device, field, value, usual / FACTOR, usual * FACTOR, f"the template has {usual:.4g}")
        else:
            low, high = _range(device.device_type).get(field.partition("[")[0], (0.0, 0.0))
            if low and not low / MARGIN <= value <= high * MARGIN:
                why = f"templates of the type {device.device_type} have {low:.4g} to {high:.4g}"
                return _error(device, field, value, low / MARGIN, high * MARGIN, why)
    return None


def implausible_link(link: Link) -> PoolError | None:
    """The same of a link, compared with its class; no latency is plausible, no energy too."""
    usual = LINK_CLASSES[link.link_class]
    for field in ("bandwidth_gb_per_s", "latency_us", "energy_pj_per_byte"):
        value, base = float(getattr(link, field)), float(getattr(usual, field))
        if value and not base / FACTOR < value < base * FACTOR:
            return _refused(
                f"link {link.source} - {link.target}", field, value, base / FACTOR, base * FACTOR,
                f"{link.link_class} has {base:.4g}",
            )  # fmt: skip
    return None


def check_plausible(devices: Iterable[DeviceSpec], links: Iterable[Link]) -> None:
    """Raise ``PoolError`` ``implausible`` for the first device or link with a figure that must be wrong."""
    found = next(filter(None, (*map(implausible, devices), *map(implausible_link, links))), None)
    if found is not None:
        raise found


def _figures(device: DeviceSpec) -> Iterator[tuple[str, float]]:
    for field in CHECKED:
        value = getattr(device, field)
        if isinstance(value, Mapping):
            yield from ((f"{field}[{key}]", float(entry)) for key, entry in value.items() if entry)
        elif value:
            yield field, float(value)


@cache
def _range(device_type: str) -> dict[str, tuple[float, float]]:
    """Least and greatest of each figure among the templates of a type, over all precisions."""
    found: dict[str, list[float]] = {}
    for name in list_templates():
        device = DeviceSpec(template=name, name="device")
        if device.device_type == device_type:
            for field, value in _figures(device):
                found.setdefault(field.partition("[")[0], []).append(value)
    return {field: (min(values), max(values)) for field, values in found.items()}


def _error(device: DeviceSpec, field: str, value: float, low: float, high: float, why: str) -> PoolError:
    return _refused(f"device {device.name}", field, value, low, high, why)


def _refused(where: str, field: str, value: float, low: float, high: float, why: str) -> PoolError:
    return PoolError(
        "implausible",
        f"{where}: {field} = {value:.4g} cannot be right: {why}, so {low:.4g} to {high:.4g} is taken.",
        hint="Check the unit; the usual mistake is a power of ten.",
        where=where,
        field=field,
        value=value,
        low=low,
        high=high,
        why=why,
    )
