"""Exported plans of this machine run for real: predicted beside measured, and plans of calibrated costs beside those of
templates.

    python -m benchmarks.deployment --calibrations FOLDER [--models resnet50,bert] [--rounds 7] [--json FILE]

Two core sets of ONNX Runtime, as ``heteroopt.api.topology.this_machine()`` finds them. Where FOLDER has no calibration
yet both are calibrated with the operators of all models, at the length of ``--budget-s`` each. Then, per model: the
fastest plan and the one of highest throughput, searched with calibrated costs and with those of the templates. All are
exported as ``ort-segments`` and take turns in one process, round by round; figures are medians over rounds, spreads
quartiles. The calibrated plan runs twice in each round: what its two runs differ by is noise. Exit code 1 where a
target is missed. For a machine that is otherwise quiet.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx

import heteroopt as hopt
from benchmarks.calibration_models import mobilenet_v2, random_weights
from benchmarks.deployment_models import text_line_reader
from heteroopt.api.exporting import plan_request
from heteroopt.api.pool import DevicePool
from heteroopt.api.topology import this_machine
from heteroopt.deployment.export_plan import export_plan
from heteroopt.deployment.plan import Plan
from heteroopt.deployment.trial.places import options_here
from heteroopt.devices.topology.machine import found_on
from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph
from heteroopt.graph.samples import bert_encoder_onnx, onnx_light_model
from heteroopt.simulation.compile import compile_problem
from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.pipeline_decoder import run_pipeline
from heteroopt.units import ps_to_ms

WITHIN = 0.20
"""Largest share by which a prediction may miss."""
ITEMS, IN_FLIGHT = 8, 4


def light(name: str) -> bytes:
    """A light model with random weights."""
    return random_weights(onnx.load(onnx_light_model(name)))


MODELS: dict[str, Callable[[], bytes]] = {
    "resnet50": lambda: light("resnet50"),
    "mobilenet": mobilenet_v2,
    "bert": lambda: random_weights(onnx.load_from_string(bert_encoder_onnx(layers=4))),
    "inception": lambda: light("inception_v1"),
    "text_line": text_line_reader,
}


def calibrated(pool: DevicePool, graphs: list[Graph], options: argparse.Namespace) -> DevicePool:
    """The pool with calibrations of the folder, or with new ones, which are kept there."""
    folder: Path = options.calibrations
    folder.mkdir(parents=True, exist_ok=True)
    files = {device.name: folder / f"{device.name}.json" for device in pool.devices}
    if all(path.is_file() for path in files.values()):
        pool.calibrate(on=files)
        return pool
    places = {device.name: found_on(device) for device in pool.devices}
    found = pool.calibrate(graphs, on=places, budget_s=options.budget_s, count=options.cases)
    for name, made in found.items():
        made.save(files[name])
    return pool


def chosen(graph: Graph, pool: DevicePool, options: argparse.Namespace) -> dict[str, Plan]:
    """The fastest plan and the one of highest throughput that a search finds; one of them where they are the same."""
    goals = [hopt.Objective("exec_time_ms"), hopt.Objective("throughput_per_s")]
    scheduler = hopt.Scheduler(
        graph, pool, goals, population_size=64, generations=options.generations, makespan_cap=4.0
    )
    result = scheduler.run(seed=1)
    plans = [solution for solution in result.pareto_front if solution.feasible]
    fastest = min(plans, key=lambda solution: solution.exec_time)
    steady = max(plans, key=lambda solution: solution.values["throughput_per_s"])
    return {"latency": fastest.plan, "throughput": steady.plan}


def predicted(plan: Plan, pool: DevicePool) -> dict[str, float]:
    """Latency and throughput of a plan's placement and order with the costs of ``pool``."""
    from heteroopt.api.placing import cost_table

    problem = compile_problem(plan.graph, pool, cost_table(plan.graph, pool, None))
    schedule = decode_one(problem, plan.schedule.order, plan.schedule.device)
    run = run_pipeline(problem, schedule.order, schedule.device, 4 * ITEMS)
    return {"latency_ms": ps_to_ms(schedule.makespan_ps), "throughput_per_s": run.throughput_per_s}


def load_runner(folder: Path) -> Any:
    """The exported runner as a module of its own."""
    spec = importlib.util.spec_from_file_location(f"runner_{folder.name}", folder / "runner.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def once(plan: Any, inputs: Any) -> tuple[float, float]:
    """Milliseconds of an item alone (median), items per second with several in flight, without filling and emptying."""
    alone = []
    for _ in range(ITEMS):
        begin = time.perf_counter()
        plan.run(inputs)
        alone.append(time.perf_counter() - begin)
    ends = []
    for _ in plan.stream(inputs for _ in range(2 * ITEMS)):
        ends.append(time.perf_counter())
    half = len(ends) // 2
    return 1e3 * float(np.median(alone)), (len(ends) - half) / max(1e-9, ends[-1] - ends[half - 1])


def run_model(name: str, data: bytes, plain: DevicePool, measured: DevicePool, options: argparse.Namespace) -> Any:
    """A row of the report."""
    with tempfile.TemporaryDirectory(prefix="heteroopt-deployment-") as scratch:
        path = Path(scratch) / "model.onnx"
        path.write_bytes(data)
        graph = Graph.from_onnx(path)
        plans = {f"calibrated {k}": plan for k, plan in chosen(graph, measured, options).items()}
        plans |= {f"template {k}": plan for k, plan in chosen(graph, plain, options).items()}
        loaded, rows = {}, {}
        try:
            for number, (key, plan) in enumerate(plans.items()):
                folder = Path(scratch) / f"plan{number}"
                export_plan("ort-segments", plan_request(plan, model=path, options=options_here(plan.pool)), folder)
                runner = load_runner(folder)
                loaded[key] = runner.Plan(str(folder), IN_FLIGHT)
                inputs = runner.made_up(loaded[key].plan)
                loaded[key].run(inputs)
                rows[key] = {"segments": len(loaded[key].segments), "predicted": predicted(plan, measured), "runs": []}
            again: dict[str, list[tuple[float, float]]] = {key: [] for key in plans if key.startswith("calibrated")}
            for turn in range(options.rounds):
                order = [*loaded, *again] if turn % 2 == 0 else [*again, *reversed(loaded)]
                seen: set[str] = set()
                for key in order:
                    (again[key] if key in seen else rows[key]["runs"]).append(once(loaded[key], inputs))
                    seen.add(key)
        finally:
            for one in loaded.values():
                one.close()
    return report(name, rows, again)


def report(name: str, rows: dict[str, Any], again: dict[str, list[tuple[float, float]]]) -> dict[str, Any]:
    """Medians, how far predictions miss, and plans of calibrated costs over those of templates, with the noise."""
    found: dict[str, Any] = {"model": name, "plans": {}}
    for key, row in rows.items():
        runs = np.array(row["runs"])
        entry = {"segments": row["segments"]}
        for column, figure in enumerate(("latency_ms", "throughput_per_s")):
            low, middle, high = (float(v) for v in np.percentile(runs[:, column], (25, 50, 75)))
            told = row["predicted"][figure]
            entry[figure] = {"predicted": told, "measured": middle, "quartiles": [low, high], "miss": told / middle - 1}
        found["plans"][key] = entry
    found["against"] = {}
    for kind, column in (("latency", 0), ("throughput", 1)):
        ours, theirs = (np.array(rows[f"{who} {kind}"]["runs"])[:, column] for who in ("calibrated", "template"))
        twin = np.array(again[f"calibrated {kind}"])[:, column]
        better = theirs / ours if column == 0 else ours / theirs
        noise = np.abs(twin / ours - 1)
        found["against"][kind] = {
            "better_x": float(np.median(better)),
            "quartiles": [float(v) for v in np.percentile(better, (25, 75))],
            "noise": float(np.median(noise)),
            "not_worse": bool(np.median(better) >= 1 - max(0.02, float(np.median(noise)))),
        }
    ours = found["plans"]
    found["within"] = {
        "latency": abs(ours["calibrated latency"]["latency_ms"]["miss"]) <= WITHIN,
        "throughput": abs(ours["calibrated throughput"]["throughput_per_s"]["miss"]) <= WITHIN,
    }
    return found


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument(
        "--calibrations", type=Path, required=True, help="folder of calibrations, made where it is empty"
    )
    parser.add_argument("--calibrate-only", action="store_true")
    parser.add_argument("--budget-s", type=float, default=60.0, help="of calibrating a core set")
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--generations", type=int, default=60)
    parser.add_argument("--launch-us", type=float, help="of a segment, in place of what was measured or estimated")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    names = options.models.split(",")
    models = {name: MODELS[name]() for name in (MODELS if options.calibrate_only else names)}
    plain, measured = this_machine(), this_machine()
    if options.launch_us is not None:
        for pool in (plain, measured):
            pool.devices = tuple(replace(device, segment_launch_us=options.launch_us) for device in pool.devices)
    graphs = [fuse(Graph.from_onnx(data)) for data in models.values()]
    calibrated(measured, graphs, options)
    if options.calibrate_only:
        return 0
    rows = []
    for name in names:
        rows.append(run_model(name, models[name], plain, measured, options))
        print(json.dumps(rows[-1], indent=1), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    good = all(all(row["within"].values()) and all(a["not_worse"] for a in row["against"].values()) for row in rows)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
