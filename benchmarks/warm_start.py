"""How soon a warm search reaches what a cold one finds, after a device became slower or went away.

    python -m benchmarks.warm_start [--models NAME ...] [--pools NAME ...] [--generations 200] [--seed 1] [--json FILE]

Per model and sample pool: a cold search on the whole pool; then, for every device, the pool with that device at 70 %
of its compute and bandwidth, and the pool without it. On each changed pool a cold search of the same settings sets the
bar, its hypervolume after the last generation; a warm search of the same settings starts from the first front. Shown:
the warm generation that reached the bar (0 = its first front), and the warm hypervolume after 20 generations as a
share of the bar. Hypervolumes are relative to the default plan of the changed pool within (2, 2, 2).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import heteroopt as hopt
from heteroopt.graph.samples import LIGHT_MODELS, bert_encoder_onnx, onnx_light_model
from heteroopt.search import warm_up
from heteroopt.search.inheritance import EarlierPlans
from heteroopt.search.search import Search
from heteroopt.search.snapshot import FrontSnapshot

SPEED_LEFT = 0.7
TARGET_GENERATIONS = 20
BERT = "bert12"


def changed_pools(pool: hopt.DevicePool) -> Iterator[tuple[str, str, hopt.DevicePool]]:
    """Yield ``(device, change, pool)`` for every device slowed and, where others are left, removed."""
    for device in pool.devices:
        spec = pool.to_dict()
        for entry in spec["devices"]:
            if entry["name"] == device.name:
                entry["memory_bandwidth_gb_per_s"] *= SPEED_LEFT
                peaks = entry["peak_gflop_per_s"]
                entry["peak_gflop_per_s"] = {precision: peak * SPEED_LEFT for precision, peak in peaks.items()}
        yield device.name, "slowed", hopt.DevicePool.from_dict(spec)
        if len(pool.devices) > 1:
            spec = pool.to_dict()
            spec["devices"] = [entry for entry in spec["devices"] if entry["name"] != device.name]
            spec["links"] = [link for link in spec["links"] if device.name not in (link["source"], link["target"])]
            if spec.get("default_device") == device.name:
                spec["default_device"] = None
            yield device.name, "removed", hopt.DevicePool.from_dict(spec)


def finished(search: Search, bar: float | None = None) -> tuple[FrontSnapshot, int | None]:
    """Run a search to its end, or, with a bar, until it is reached after the target; and when it was reached."""
    snapshot, reached = search.start(), None
    while True:
        if bar is not None and reached is None and snapshot.hypervolume >= bar:
            reached = snapshot.generation
        if search.finished or (reached is not None and snapshot.generation >= TARGET_GENERATIONS):
            return snapshot, reached
        snapshot = search.step()


def measure(name: str, graph: hopt.Graph, pool_name: str, generations: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield one row per device and change."""
    pool = hopt.load_sample_pool(pool_name)
    size = {"population_size": 128, "generations": generations}
    first = hopt.Scheduler(graph, pool, **size).run(seed=seed)
    plans = first.front.plans
    earlier = EarlierPlans.of(first.graph, pool, plans.orders, plans.devices)
    for device, change, changed in changed_pools(pool):
        row: dict[str, Any] = {"model": name, "pool": pool_name, "device": device, "change": change}
        try:
            scheduler = hopt.Scheduler(first.graph, changed, fuse=False, **size)
        except hopt.HeteroOptError as error:
            yield {**row, "skipped": error.code}
            continue
        settings = hopt_settings(scheduler, seed)
        cold, _ = finished(Search(scheduler.problem, settings))
        warm = Search(scheduler.problem, settings, warm_start=earlier.on(scheduler.graph, changed))
        end, reached = finished(warm, cold.hypervolume)
        at_target = end.history[min(TARGET_GENERATIONS, len(end.history) - 1)][1]
        yield {
            **row,
            "operators": len(scheduler.graph.operators),
            "cold_hypervolume": cold.hypervolume,
            "cold_first_hypervolume": cold.history[0][1],
            "warm_first_hypervolume": end.history[0][1],
            "warm_hypervolume": at_target,
            "share": at_target / cold.hypervolume if cold.hypervolume else 1.0,
            "reached": reached,
        }


def hopt_settings(scheduler: hopt.Scheduler, seed: int) -> Any:
    """The scheduler's search settings with a seed."""
    return type(scheduler.settings).from_dict({**scheduler.settings.to_dict(), "seed": seed})


def show(row: dict[str, Any]) -> None:
    """Print one row of the table."""
    place = f"| {row['model']} | {row['pool']} | {row['device']} {row['change']} "
    if "skipped" in row:
        print(f"{place}| | | {row['skipped']} |", flush=True)
        return
    reached = "no" if row["reached"] is None else row["reached"]
    print(f"{place}| {row['cold_hypervolume']:.4f} | {row['share']:.4f} | {reached} |", flush=True)


def main() -> None:
    """Print the table and how often the target is met; write all rows with ``--json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", default=[*LIGHT_MODELS, BERT], choices=[*LIGHT_MODELS, BERT])
    parser.add_argument("--pools", nargs="+", default=hopt.list_sample_pools())
    parser.add_argument("--generations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warm_up()
    rows = []
    print("| model | pool | change | cold hypervolume | warm after 20 | reached in generation |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in options.models:
        graph = hopt.Graph.from_onnx(bert_encoder_onnx() if name == BERT else onnx_light_model(name))
        for pool in options.pools:
            for row in measure(name, graph, pool, options.generations, options.seed):
                rows.append(row)
                show(row)
    measured = [row for row in rows if "skipped" not in row]
    met = [row for row in measured if row["reached"] is not None and row["reached"] <= TARGET_GENERATIONS]
    least = min((row["share"] for row in measured), default=1.0)
    print(f"\n{len(met)} of {len(measured)} within {TARGET_GENERATIONS} generations; least share {least:.4f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
