"""Two branches of a graph on two core sets of this machine at once: predicted with and without contention, measured.

    python -m benchmarks.contention [--cases 80] [--budget-s 40] [--repeats 9] [--length 10] [--json FILE]

Calibrates both core sets through ONNX Runtime as ``pool.calibrate()`` does (which also measures how much they slow each
other), plans one branch on each, and runs each branch's model on its core set, alone and beside the other. For a quiet
machine with two cores or more; about two minutes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from benchmarks.calibration import tensors
from heteroopt.api.pool import DevicePool
from heteroopt.calibration.handle_device import HandleDevice, HandleProgram
from heteroopt.calibration.local import open_locals
from heteroopt.costs.calibrated import calibrated_cost_table
from heteroopt.devices.domains import MemoryDomain
from heteroopt.devices.spec import DeviceSpec
from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph
from heteroopt.graph.sketch import Sketch
from heteroopt.runtimes.protocol import Command
from heteroopt.runtimes.streams import Event
from heteroopt.simulation.compile import compile_problem
from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.topology import canonical_order
from heteroopt.units import PS_PER_S

ELEMENTS, WIDTH = 4_000_000, 384
WAIT_SECONDS = 120.0
PAIRS = (("memory", "memory", 1.0), ("memory", "memory", 0.5), ("memory", "compute", 1.0), ("compute", "compute", 1.0))
"""What bounds the branch on each core set, and the length of the second one in multiples of the first's."""


def branch(kind: str, length: int, mark: str = "") -> tuple[list[Any], dict[str, Any], dict[str, Any]]:
    """Nodes, inputs and weights of a chain: sums of arrays that no cache holds, or products of small matrices."""
    ends = [f"{mark}x", *(f"{mark}{kind}{i}" for i in range(length))]
    if kind == "memory":
        nodes = [("Add", f"{a} {mark}b", b, {}) for a, b in itertools.pairwise(ends)]
        return nodes, {f"{mark}x": (1, ELEMENTS), f"{mark}b": (1, ELEMENTS)}, {}
    # As many products as take about as long as that many sums.
    nodes = [("MatMul", f"{a} {mark}w", b, {}) for a, b in itertools.pairwise(ends)]
    return nodes, {f"{mark}x": (1, 4 * WIDTH, WIDTH), f"{mark}w": (1, WIDTH, WIDTH)}, {}


def both(first: str, second: str, lengths: Sequence[int]) -> Graph:
    """One graph with both branches."""
    parts = [branch(first, lengths[0], "p_"), branch(second, lengths[1], "q_")]
    nodes = [node for part in parts for node in part[0]]
    inputs = {name: shape for part in parts for name, shape in part[1].items()}
    weights = {name: shape for part in parts for name, shape in part[2].items()}
    model = onnx.load_model_from_string(Sketch(nodes, inputs, weights).model())
    model.graph.output.append(onnx.ValueInfoProto(name=parts[0][0][-1][2]))
    return fuse(Graph.from_onnx(model.SerializeToString()))


def core_sets() -> DevicePool:
    """Two core sets of this machine's CPU that share its memory."""
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return DevicePool(
        [DeviceSpec(name=f"cores{i}", device_type="CPU", memory_size_bytes=size, memory_domain="ram") for i in range(2)]
    )


def predicted_s(graph: Graph, pool: DevicePool) -> tuple[float, float, float]:
    """Seconds until both branches, and each of them, are done: the first on core set 0, the second on core set 1."""
    costs = calibrated_cost_table(graph, pool, pool.cost_models)
    problem = compile_problem(graph, pool, costs, model_inputs_on_host=False, model_outputs_on_host=False)
    second = [any(graph.tensors[t].name.startswith("q_") for t in op.inputs) for op in graph.operators]
    device = np.array(second, np.int32)
    schedule = decode_one(problem, canonical_order(problem), device)
    ends = [float(schedule.finish_ps[device == d].max()) / PS_PER_S for d in (0, 1)]
    return schedule.makespan_ps / PS_PER_S, ends[0], ends[1]


def opened(device: HandleDevice, sketch: Sketch) -> HandleProgram:
    """A whole branch as a program of the device."""
    graph = sketch.graph()
    reads, writes = tensors(graph, graph.inputs), tensors(graph, graph.outputs)
    return HandleProgram(device.handle, sketch.model(), reads, writes, device.options)


def measured_s(programs: Sequence[HandleProgram], devices: Sequence[HandleDevice], repeats: int) -> list[float]:
    """Median seconds of each program, all launched at once."""
    found = []
    for _ in range(repeats + 2):
        events = []
        for device, program in zip(devices, programs, strict=True):
            launch = (Command.LAUNCH, [device.handle.number, program.number, program.reads, program.writes, 0])
            events.append(Event(*device.handle.process.batch([launch])[0]))
        for device, event in zip(devices, events, strict=True):
            device.handle.synchronize(event, WAIT_SECONDS)
        times = [device.handle.elapsed_s(event) for device, event in zip(devices, events, strict=True)]
        found.append([float("nan") if seconds is None else seconds for seconds in times])
    return [float(value) for value in np.median(np.array(found[2:]), axis=0)]


def compare(pool: DevicePool, devices: Sequence[HandleDevice], options: argparse.Namespace) -> list[dict[str, Any]]:
    """A row for each pair of branches."""
    free = DevicePool.from_dict({**pool.to_dict(), "memory_domains": {}})
    free._cost_models = dict(pool.cost_models)
    rows = []
    for first, second, part in PAIRS:
        lengths = (options.length, max(1, round(options.length * part)))
        graph = both(first, second, lengths)
        singles = [Sketch(*branch(kind, n)) for kind, n in zip((first, second), lengths, strict=True)]
        programs = [opened(device, single) for device, single in zip(devices, singles, strict=True)]
        try:
            alone = [measured_s([programs[i]], [devices[i]], options.repeats)[0] for i in (0, 1)]
            together = measured_s(programs, devices, options.repeats)
        finally:
            for program in programs:
                program.close()
        with_it, without = predicted_s(graph, pool), predicted_s(graph, free)
        rows.append(
            {
                "branches": f"{lengths[0]} {first}-bound beside {lengths[1]} {second}-bound",
                "alone_ms": [seconds * 1e3 for seconds in alone],
                "together_ms": [seconds * 1e3 for seconds in together],
                "measured_ms": max(together) * 1e3,
                "predicted_ms": with_it[0] * 1e3,
                "predicted_ends_ms": [seconds * 1e3 for seconds in with_it[1:]],
                "without_contention_ms": without[0] * 1e3,
            }
        )
    return rows


def main() -> None:
    """Calibrate, predict, measure, print a table, and write all with ``--json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=80)
    parser.add_argument("--budget-s", type=float, default=40.0)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--length", type=int, default=10)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        parser.exit(1, "This takes two cores.\n")
    begin = time.perf_counter()
    sizes = {(kind, max(1, round(options.length * part))) for a, b, part in PAIRS for kind in (a, b)}
    sizes |= {(kind, options.length) for a, b, _ in PAIRS for kind in (a, b)}
    models = [Sketch(*branch(kind, n)).graph(kind) for kind, n in sorted(sizes)]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "onnxruntime"
        place.mkdir()
        (place / "device_config.yaml").write_text(
            "plugin: heteroopt.runtimes.plugins.onnxruntime.runtime:OnnxRuntime\n"
            f"settings: {{core_sets: [[{cores[0]}], [{cores[1]}]]}}\n"
        )
        pool = core_sets()
        on = {f"cores{i}": f"onnxruntime:{i}" for i in range(2)}
        pool.calibrate(models, on=on, count=options.cases, budget_s=options.budget_s, host_folder=folder)
        with open_locals("onnxruntime", (0, 1), host_folder=Path(folder)) as devices:
            rows = compare(pool, devices, options)
    domain: MemoryDomain = pool.memory_domains["ram"]
    print(f"slowdown of two memory-bound operators: {domain.slowdown:.2f} ({domain.source}); "
          f"{time.perf_counter() - begin:.0f} s in all")  # fmt: skip
    print(f"{'branches':<46} {'alone':>15} {'measured':>9} {'predicted':>16} {'without':>16}")
    for row in rows:
        errors = [row[key] / row["measured_ms"] - 1 for key in ("predicted_ms", "without_contention_ms")]
        print(
            f"{row['branches']:<46} {row['alone_ms'][0]:7.1f} {row['alone_ms'][1]:7.1f} {row['measured_ms']:9.1f} "
            f"{row['predicted_ms']:8.1f} {errors[0]:+7.1%} {row['without_contention_ms']:8.1f} {errors[1]:+7.1%}"
        )
    if options.json:
        options.json.write_text(json.dumps({"slowdown": domain.slowdown, "rows": rows}, indent=1), "utf-8")


if __name__ == "__main__":
    main()
