"""What differs between two states of a pool, figure by figure, and what of a plan each difference alters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from heteroopt.devices.links import Link
from heteroopt.devices.pool import POOL_FIELDS, DevicePool

ALTERS: Mapping[str, str] = {
    "device_type": "time",
    "peak_gflop_per_s": "time",
    "memory_bandwidth_gb_per_s": "time",
    "launch_overhead_us": "time",
    "segment_launch_us": "time",
    "efficiency": "time",
    "bandwidth_efficiency": "time",
    "energy_pj_per_flop": "energy",
    "energy_pj_per_byte": "energy",
    "idle_power_w": "energy",
    "active_power_w": "energy",
    "memory_size_bytes": "memory",
    "memory_cap_bytes": "memory",
    "workspace_bytes": "memory",
    "memory_domain": "memory",
    "memory_domains": "time",
    "memory_fraction": "memory",
    "supported_ops": "operators",
    "unsupported_ops": "operators",
    "cost_per_hour": "price",
    "default_device": "reference",
    "idle_energy": "energy",
    "blocking_transfers": "transfers",
    "model_io_on_host": "transfers",
}
"""By field; links alter transfers, names and sources alter nothing of a plan."""

_SKIPPED = ("name", "sources")


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. ``kind``: "device_added", "device_removed", "device_changed", "device_moved", "link_added",
    "link_removed", "link_changed", "option_changed". ``where``: the device, "a → b" or "a ↔ b", "" of an option.
    ``field``: "peak_gflop_per_s.fp32". ``before`` and ``after``: JSON-able, ``None`` where it was not. ``alters``:
    "time", "energy", "memory", "operators", "transfers", "price", "reference", or "" (nothing of a plan).
    """

    kind: str
    where: str
    field: str = ""
    before: object = None
    after: object = None
    alters: str = ""


def pool_changes(before: DevicePool, after: DevicePool) -> list[Change]:
    """Every difference: devices by name in the order of the pools, then links, then options.

    A renamed device is one removed and one added. The order of devices decides ties and colours only; where those that
    stay stand otherwise, the first that moved is named.
    """
    return [*_devices(before, after), *_links(before, after), *_options(before, after)]


def _devices(before: DevicePool, after: DevicePool) -> Iterator[Change]:
    old, new = ({device.name: device for device in pool.devices} for pool in (before, after))
    for name, device in old.items():
        if name not in new:
            yield Change("device_removed", name, before=device.display_name, alters="time")
            continue
        first, second = device.to_dict(), new[name].to_dict()
        for field in first:
            if field not in _SKIPPED and first[field] != second[field]:
                for path, value, other in _leaves(field, first[field], second[field]):
                    yield Change("device_changed", name, path, value, other, ALTERS.get(field, ""))
    for name, device in new.items():
        if name not in old:
            yield Change("device_added", name, after=device.display_name, alters="time")
    stays = [[name for name in names if name in old and name in new] for names in (old, new)]
    moved = next((name for name, other in zip(*stays, strict=True) if name != other), None)
    if moved is not None:
        yield Change("device_moved", moved, "position", list(old).index(moved) + 1, list(new).index(moved) + 1)


def _links(before: DevicePool, after: DevicePool) -> Iterator[Change]:
    old, new = ({_key(link): link for link in pool.all_links} for pool in (before, after))
    for key, link in old.items():
        if key not in new:
            yield Change("link_removed", _title(link), before=link.bandwidth_gb_per_s, alters="transfers")
            continue
        first, second = link.to_dict(), new[key].to_dict()
        for field in first:
            if field not in ("source", "target", "directed") and first[field] != second[field]:
                alters = "" if field == "link_class" else "energy" if field == "energy_pj_per_byte" else "transfers"
                yield Change("link_changed", _title(link), field, first[field], second[field], alters)
    for key, link in new.items():
        if key not in old:
            yield Change("link_added", _title(link), after=link.bandwidth_gb_per_s, alters="transfers")


def _options(before: DevicePool, after: DevicePool) -> Iterator[Change]:
    old, new = ({"memory_domains": {}, **pool.to_dict()} for pool in (before, after))
    for field in POOL_FIELDS:
        if field not in ("devices", "links") and old[field] != new[field]:
            for path, first, second in _leaves(field, old[field], new[field]):
                yield Change("option_changed", "", path, first, second, ALTERS.get(field, ""))


def _leaves(field: str, before: object, after: object) -> Iterator[tuple[str, object, object]]:
    """A table entry by entry, anything else as it is."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        yield field, before, after
        return
    for key in [*before, *(key for key in after if key not in before)]:
        if before.get(key) != after.get(key):
            yield f"{field}.{key}", before.get(key), after.get(key)


def _key(link: Link) -> tuple[str, str, bool]:
    if link.directed:
        return link.source, link.target, True
    first, second = sorted((link.source, link.target))
    return first, second, False


def _title(link: Link) -> str:
    return f"{link.source} {'→' if link.directed else '↔'} {link.target}"
