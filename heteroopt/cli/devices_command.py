"""``heteroopt devices``: templates, sample pools, and what is in a pool."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from heteroopt.api.pool import DevicePool as ApiPool
from heteroopt.cli.output import figure, print_json, table
from heteroopt.devices.memories import UNLIMITED_BYTES, find_memories
from heteroopt.devices.plausible import check_plausible
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.devices.templates import list_sample_pools, list_templates, load_sample_pool, load_template
from heteroopt.units import BYTES_PER_GB


def execute(options: argparse.Namespace) -> int:
    """Print a list, a template or a pool."""
    if options.pool is not None:
        return _show_pool(load_pool(options.pool), options)
    if options.name is not None:
        return _show_template(load_template(options.name), as_json=options.json)
    templates = [load_template(name) for name in list_templates()]
    if options.json:
        print_json({"templates": [device.to_dict() for device in templates], "sample_pools": list(list_sample_pools())})
        return 0
    print(table(_HEADINGS, [_row(device.template, device) for device in templates], right=(2, 3, 4, 5, 6)))
    print(f"\nSample pools: {', '.join(list_sample_pools())}")
    return 0


def load_pool(name: str) -> DevicePool:
    """A pool from a file, or a sample pool of that name. Raises ``PoolError``."""
    if name in list_sample_pools() and not Path(name).exists():
        return load_sample_pool(name)
    if name.endswith(".toml") or Path(name).exists():
        pool = DevicePool.from_toml(Path(name))
        check_plausible(pool.devices, pool.links)
        return pool
    return load_sample_pool(name)


def calibrated_pool(
    pool: DevicePool, calibrations: Sequence[tuple[str, str]], profiles: Sequence[tuple[str, str]] = ()
) -> DevicePool:
    """The pool with calibrations and profiles by device. Raises ``PoolError`` and ``CostError``."""
    if not calibrations and not profiles:
        return pool
    calibrated = ApiPool.from_dict(pool.to_dict())
    if calibrations:
        calibrated.calibrate(on={device: Path(path) for device, path in calibrations})
    calibrated.use_profiles({device: Path(path) for device, path in profiles})
    return calibrated


_HEADINGS = ("Name", "Type", "FP32 TFLOP/s", "FP16 TFLOP/s", "Memory GB", "GB/s", "Idle / active W")


def _row(name: str, device: DeviceSpec) -> tuple[str, ...]:
    peaks = device.peak_gflop_per_s
    return (
        name,
        device.device_type,
        figure(peaks["fp32"] / 1000) if "fp32" in peaks else "–",
        figure(peaks["fp16"] / 1000) if "fp16" in peaks else "–",
        figure(device.memory_size_bytes / BYTES_PER_GB),
        figure(device.memory_bandwidth_gb_per_s),
        f"{device.idle_power_w:g} / {device.active_power_w:g}",
    )


def _show_template(device: DeviceSpec, *, as_json: bool) -> int:
    values: dict[str, Any] = device.to_dict()
    if as_json:
        print_json(values)
        return 0
    sources = values.pop("sources")
    for key, value in values.items():
        if value in (None, [], {}, ""):
            continue
        shown = ", ".join(f"{name} {entry:g}" for name, entry in value.items()) if isinstance(value, dict) else value
        print(f"{key}: {', '.join(shown) if isinstance(shown, list) else shown}")
        if key in sources:
            print(f"    {sources[key]}")
    return 0


def _show_pool(pool: DevicePool, options: argparse.Namespace) -> int:
    if options.toml:
        print(pool.to_toml(), end="")
        return 0
    if options.json:
        print_json(
            {
                **pool.to_dict(),
                "tags": list(pool.tags()),
                "implied_links": [link.to_dict() for link in pool.implied_links],
                "pool_hash": pool.content_hash,
            }
        )
        return 0
    rows = [(tag, *_row(device.name, device)) for tag, device in zip(pool.tags(), pool.devices, strict=True)]
    print(table(("Tag", *_HEADINGS), rows, right=(3, 4, 5, 6, 7)))
    print()
    links = [
        (link.source, link.target, link.link_class, figure(link.bandwidth_gb_per_s), figure(link.latency_us))
        for link in pool.all_links
    ]
    print(table(("From", "To", "Link", "GB/s", "Latency us"), links, right=(3, 4)))
    memories = find_memories(pool)
    limits = zip(memories.names, memories.capacity_bytes, strict=True)
    shown = [f"{name} {size / BYTES_PER_GB:.4g} GB" for name, size in limits if size < UNLIMITED_BYTES]
    print(f"\nUsable memory: {', '.join(shown)}")
    return 0
