"""What a calibration of this machine's CPU is worth, through each runtime: time, repeatability, errors, whole models.

    python -m benchmarks.calibration [--runtimes onnxruntime openvino] [--threads 1] [--cases 1300] [--budget-s 120]
                                     [--ocr DETECTOR.onnx] [--json FILE] [--rows FOLDER]
    python -m benchmarks.calibration --from-rows ONE.json [OTHER.json]
    python -m benchmarks.calibration --compare ONE.json OTHER.json

For a quiet machine; about four minutes a runtime. ``--quick`` takes 60 cases and says nothing but that it runs.
``--compare`` tells from two files of one runtime each how often the faster runtime is chosen.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.calibration_models import whole_models
from heteroopt.calibration.cases import make_cases
from heteroopt.calibration.contention import measure_contention
from heteroopt.calibration.handle_device import HandleDevice, HandleProgram
from heteroopt.calibration.local import calibrate_device, open_local
from heteroopt.calibration.portable.session import Session
from heteroopt.calibration.portable.timing import Rule, measure
from heteroopt.calibration.profiled import profile_model
from heteroopt.calibration.transfers import measure_transfers
from heteroopt.costs.accuracy import accuracy
from heteroopt.costs.bundle import read_bundle, write_bundle
from heteroopt.costs.database import PerformanceDatabase
from heteroopt.costs.device_model import DeviceCostModel, program_seconds, without_start
from heteroopt.costs.facts import graph_facts
from heteroopt.costs.features import work as work_of
from heteroopt.costs.neighbours import neighbours
from heteroopt.errors import HeteroOptError
from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph

REPEATED = 200
BATCH = 2_000
FASTER = 1.3
ESTIMATES = ("minimum_s", "median_s")
"""The first is the one that costs are taken from."""


def tensors(graph: Graph, indices: tuple[int, ...]) -> list[dict[str, Any]]:
    """Inputs or outputs as programs take them."""
    chosen = [graph.tensors[index] for index in indices]
    return [{"name": t.name, "dtype": t.dtype, "shape": list(t.shape or ())} for t in chosen]


def predicted_sum(model: DeviceCostModel, graph: Graph) -> float:
    """Seconds of all operators of a graph."""
    work = [op.index for op in graph.operators if not op.is_view]
    facts, beside = graph_facts(graph), neighbours(graph)
    return (
        float(np.nansum(model.predict([facts[i] for i in work], beside.of(work)).seconds))
        + model.database.launch_overhead_s
    )


def without_models(database: PerformanceDatabase) -> PerformanceDatabase:
    """Only the designed spread: what a model that was never seen is predicted from."""
    rows = {key: row for key, row in database.rows.items() if not row.from_model}
    return dataclasses.replace(database, rows=rows)


def device_figures(device: HandleDevice, models: dict[str, bytes], options: argparse.Namespace) -> dict[str, Any]:
    """Everything about one device."""
    graphs = {name: fuse(Graph.from_onnx(data, dims=DIMS.get(name))) for name, data in models.items()}
    begin = time.perf_counter()
    database, bundle = calibrate_device(device, graphs.values(), count=options.cases, budget_s=options.budget_s)
    found: dict[str, Any] = {
        "calibration_s": time.perf_counter() - begin,
        "rows": len(database),
        "cases": bundle["cases"],
        "stopped": bundle["stopped"],
        "refused": len(bundle["failed"]),
        "not_rebuilt": len(bundle["not_rebuilt"]),
        "flagged": sum(1 for row in database.rows.values() if row.flags),
        "device_flags": list(database.flags),
        "launch_overhead_us": database.launch_overhead_s * 1e6,
        "layout_s_per_byte": database.layout_s_per_byte,
        "weight_s_per_byte": database.weight_s_per_byte,
        "energy_source": database.energy.source or "estimated",
    }
    cases = {case["key"]: case for case in make_cases(graphs.values(), count=options.cases)[0]}
    keys = [key for key in database.rows if key in cases]
    chosen = [keys[i] for i in np.linspace(0, len(keys) - 1, min(REPEATED, len(keys))).round().astype(int)]
    again = Session(device, [cases[key] for key in chosen], budget_s=options.budget_s).run()
    found["again"] = {row["facts"]["structure"]: row[ESTIMATES[0]] for row in again["rows"]}
    found["first"] = {key: getattr(database.rows[key], ESTIMATES[0]) for key in found["again"]}
    for estimate in ESTIMATES:
        ratios = [
            abs(row[estimate] / getattr(database.rows[row["facts"]["structure"]], estimate) - 1)
            for row in again["rows"]
        ]
        found[f"repeat_p90_{estimate}"] = float(np.quantile(ratios, 0.9))
    known = {estimate: DeviceCostModel.train(database, estimate=estimate) for estimate in ESTIMATES}
    unseen = {estimate: DeviceCostModel.train(without_models(database), estimate=estimate) for estimate in ESTIMATES}
    for estimate in ESTIMATES:
        found[estimate] = model_figures(database, known[estimate])
    found["models"] = {name: whole_model(device, models[name], graph, known, unseen) for name, graph in graphs.items()}
    found["transfers"] = {name: fit.to_dict() for name, fit in measure_transfers(device.handle).items()}
    found["database"] = database
    return found


def model_figures(database: PerformanceDatabase, model: DeviceCostModel) -> dict[str, Any]:
    """Held-out errors of the model trained on one figure of the rows, and how fast it predicts."""
    estimate = model.estimate
    begin = time.perf_counter()
    DeviceCostModel.train(database, estimate=estimate)
    train_s = time.perf_counter() - begin
    judged = model.held_out
    if judged is None:
        return {"too_few": True}
    rows = sorted(database.trusted(), key=lambda row: row.facts.structure)
    facts, seconds, start_s = [row.facts for row in rows], program_seconds(rows, estimate), database.launch_overhead_s
    flops, moved = work_of(facts)
    peak, bandwidth = np.quantile(flops / seconds, 0.995), np.quantile(moved / seconds, 0.995)
    plain = accuracy(np.maximum(flops / peak, moved / bandwidth), seconds)
    parity = np.array([row[2:] for row in judged.parity])
    inside = accuracy(without_start(parity[:, 1], start_s), without_start(parity[:, 0], start_s))
    many = [
        dataclasses.replace(facts[i % len(facts)], structure=f"new {i}", flops=facts[i % len(facts)].flops + i)
        for i in range(BATCH)
    ]
    model.predict(many[:1])
    begin = time.perf_counter()
    model.predict(many)
    return {
        "train_s": train_s,
        "predict_2000_ms": (time.perf_counter() - begin) * 1e3,
        "plain_roofline": plain.to_dict(),
        "used": judged.used.to_dict(),
        "used, without the start": inside.to_dict(),
        "by_level": {name: value.to_dict() for name, value in judged.by_level.items()},
        "largest": {name: value.to_dict() for name, value in judged.largest.items()},
        "by_group": {g: {n: a.to_dict() for n, a in row.items()} for g, row in judged.by_group.items()},
        "refusals": [refusal.to_dict() for refusal in judged.refusals],
        "predicted": {structure: predicted for structure, _, _, predicted in judged.parity},
        "measured": {structure: measured for structure, _, measured, _ in judged.parity},
    }


def whole_model(
    device: HandleDevice,
    data: bytes,
    graph: Graph,
    known: dict[str, DeviceCostModel],
    unseen: dict[str, DeviceCostModel],
) -> dict[str, Any]:
    """The model's own time, the sum of its operators (measured alone; predicted from the spread), and its profile."""
    program = HandleProgram(
        device.handle, data, tensors(graph, graph.inputs), tensors(graph, graph.outputs), device.options
    )
    try:
        total = measure(program.run, Rule())
    finally:
        program.close()
    found: dict[str, Any] = {"operators": len(graph.operators), "measured_ms": total.median_s * 1e3}
    for estimate in ESTIMATES:
        base = getattr(total, estimate)
        found[f"sum_{estimate}"] = predicted_sum(known[estimate], graph) / base - 1
        found[f"unseen_{estimate}"] = predicted_sum(unseen[estimate], graph) / base - 1
    try:
        profile = profile_model(device, data, graph)
        found |= {"profile_scale": profile.scale, "profile_matched": profile.matched}
    except HeteroOptError as error:
        found["profile_error"] = error.code
    return found


def faster_in_use(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """The same by the costs that are used for operators that were measured, judged by measuring them again."""
    keys = [key for key in first["again"] if key in second["again"]]
    right = [
        (first["first"][key] < second["first"][key]) == (first["again"][key] < second["again"][key])
        for key in keys
        if max(first["again"][key] / second["again"][key], second["again"][key] / first["again"][key]) >= FASTER
    ]
    return {"operators": len(right), "right": float(np.mean(right)) if right else 0.0}


def compare(paths: list[Path]) -> None:
    """Print how often the faster of two runtimes is chosen."""
    a, b = (next(iter(json.loads(path.read_text("utf-8"))["devices"].values())) for path in paths)
    for estimate in ESTIMATES:
        print(f"never measured, by {estimate}: {faster_of_two(a[estimate], b[estimate])}")
    print(f"measured, judged by a repetition: {faster_in_use(a, b)}")


def faster_of_two(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Of operators that one runtime runs 1.3 x as fast as the other: how often held-out predictions say which."""
    common = [key for key in first["measured"] if key in second["measured"]]
    right = [
        (first["predicted"][key] < second["predicted"][key]) == (first["measured"][key] < second["measured"][key])
        for key in common
        if max(first["measured"][key] / second["measured"][key], second["measured"][key] / first["measured"][key])
        >= FASTER
    ]
    return {"operators": len(right), "right": float(np.mean(right)) if right else 0.0}


DIMS: dict[str, dict[str, int]] = {}


def main() -> None:
    """Measure, print a table, and write all with ``--json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runtimes", nargs="+", default=["onnxruntime", "openvino"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1300)
    parser.add_argument("--budget-s", type=float, default=120.0)
    parser.add_argument("--ocr", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rows", type=Path, help="a folder to keep the measured rows in, a bundle a runtime")
    parser.add_argument("--from-rows", type=Path, nargs="+", help="bundles: learn from them again, without a device")
    parser.add_argument("--compare", nargs=2, type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.compare:
        compare(options.compare)
        return
    if options.from_rows:
        learn_again(options.from_rows)
        return
    if options.quick:
        options.cases, options.budget_s = 60, 30.0
    models = whole_models(options.ocr)
    result: dict[str, Any] = {"load_before": os.getloadavg(), "devices": {}}
    for runtime in options.runtimes:
        with open_local(runtime, options={"threads": options.threads}) as device:
            result["devices"][runtime] = device_figures(device, models, options)
        if options.rows:
            options.rows.mkdir(parents=True, exist_ok=True)
            write_bundle(result["devices"][runtime]["database"], options.rows / f"{runtime}.json")
        print_device(runtime, result["devices"][runtime])
    if len(options.runtimes) == 2:
        a, b = (result["devices"][name] for name in options.runtimes)
        result["faster_of_two"] = {
            estimate: faster_of_two(a[estimate], b[estimate]) for estimate in ESTIMATES if "measured" in a[estimate]
        }
        result["faster_in_use"] = faster_in_use(a, b)
        print(f"faster of two where they differ by {FASTER} x: {result['faster_of_two']}")
    result["contention"] = contention(options)
    print(f"contention of two cores: {result['contention']}")
    result["load_after"] = os.getloadavg()
    if options.json:
        for figures in result["devices"].values():
            figures.pop("database")
        options.json.write_text(json.dumps(result, indent=1), "utf-8")


def learn_again(paths: list[Path]) -> None:
    """Print the held-out errors of what is learned from kept rows, and of two how often the faster is chosen."""
    found = []
    for path in paths:
        database = read_bundle(path)
        found.append(model_figures(database, DeviceCostModel.train(database)))
        print(f"## {path}: {len(database)} operators, {len(database.trusted())} to learn from")
        print_errors(found[-1])
    if len(found) == 2:
        print(f"faster of two where they differ by {FASTER} x: {faster_of_two(*found)}")


def contention(options: argparse.Namespace) -> dict[str, Any]:
    """Two core sets of the CPU through ONNX Runtime, each with an operator of a kind, alone and together."""
    import tempfile

    from heteroopt.calibration.local import started

    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2 or "onnxruntime" not in options.runtimes:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "onnxruntime"
        place.mkdir()
        (place / "device_config.yaml").write_text(
            "plugin: heteroopt.runtimes.plugins.onnxruntime.runtime:OnnxRuntime\n"
            f"settings: {{core_sets: [[{cores[0]}], [{cores[1]}]]}}\n"
        )
        with started(("onnxruntime",), Path(folder)) as manager:
            described = manager.status("onnxruntime").devices()[:2]
            pair = [
                HandleDevice(manager.open("onnxruntime", device.index), "onnxruntime", device) for device in described
            ]
            return measure_contention(pair[0], pair[1]).to_dict()


def print_device(runtime: str, found: dict[str, Any]) -> None:
    """A few lines a device."""
    print(f"## {runtime}")
    print(
        f"{found['rows']} of {found['cases']} operators in {found['calibration_s']:.0f} s, {found['flagged']} flagged, "
        f"{found['refused']} refused, {found['not_rebuilt']} not rebuilt; start {found['launch_overhead_us']:.1f} us, "
        f"layout {found['layout_s_per_byte'] * 1e9:.3f} and weights {found['weight_s_per_byte'] * 1e9:.3f} ns a byte"
    )
    for estimate in ESTIMATES:
        figures = found[estimate]
        print(f"- by {estimate}: repeat run p90 {found[f'repeat_p90_{estimate}']:.1%}")
        print_errors(figures)
    for name, row in found["models"].items():
        print(
            f"- {name}: {row['measured_ms']:.1f} ms; sum of measured {row['sum_median_s']:+.1%} "
            f"(least {row['sum_minimum_s']:+.1%}), of predicted unseen {row['unseen_median_s']:+.1%} "
            f"(least {row['unseen_minimum_s']:+.1%}); profile x {row.get('profile_scale', 0):.3f}, "
            f"matched {row.get('profile_matched', 0):.1%} {row.get('profile_error', '')}"
        )
    for name, row in found["transfers"].items():
        print(
            f"- {name}: {row['latency_s'] * 1e6:.1f} us + bytes / {row['bytes_per_s'] / 1e9:.1f} GB/s, "
            f"off {row['residual']:.0%}"
        )


def print_errors(figures: dict[str, Any]) -> None:
    """Held-out errors of what was learned."""
    if "used" not in figures:
        return
    for name in ("plain_roofline", "used", "used, without the start"):
        row = figures[name]
        print(f"    {name}: MAPE {row['mape']:.1%}, within 30 % {row['within_30']:.1%}, Spearman {row['spearman']:.4f}")
    for name, row in {**figures["by_level"], **{f"largest, {k}": v for k, v in figures["largest"].items()}}.items():
        print(f"    {name}: MAPE {row['mape']:.1%}, within 30 % {row['within_30']:.1%} (n {row['n']})")
    print(f"    training {figures['train_s']:.1f} s, 2,000 predictions {figures['predict_2000_ms']:.1f} ms")


if __name__ == "__main__":
    main()
