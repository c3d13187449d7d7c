"""What the runner of ``ort-segments`` adds to its segments, and what two core sets bring: in pairs, on one machine.

Run: python -m benchmarks.runner [--segment-ms 10] [--segments 2,4] [--rounds 20] [--items 32] [--json FILE]

Each segment is a run of matrix products of ``--segment-ms`` on one thread. Overhead: one item through the runner, over
the sum of the same segments, each called alone in a plain session of the same settings; rounds of both in turn, and the
median of their ratios. Throughput: two devices of one core each, over the same segments on one of these cores; beside
it what two cores bring without a runner. On a machine with other work: ``chrt -r 5 python -m benchmarks.runner``.
Exits with 1 where the overhead is above ``OVERHEAD`` or the throughput below ``SPEEDUP``.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import ModelProto, TensorProto, helper, numpy_helper

from benchmarks.split import export_split, load_runner

OVERHEAD = 0.05
SPEEDUP = 1.6
ROWS, WIDTH = 256, 512
REST_S = 0.02


def chain(products: int) -> ModelProto:
    """A model of ``products`` matrix products, each of a weight of its own, with what keeps their scale between."""
    rng = np.random.default_rng(0)
    nodes, weights, value = [], [], "x"
    for i in range(products):
        drawn = rng.standard_normal((WIDTH, WIDTH)).astype(np.float32) * np.float32(WIDTH**-0.5)
        weights.append(numpy_helper.from_array(drawn, f"w{i}"))
        nodes.append(helper.make_node("MatMul", [value, f"w{i}"], [f"m{i}"]))
        value = f"m{i}"
    shape = [ROWS, WIDTH]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", value)]
    graph = helper.make_graph(nodes, "chain", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def session_of(path: Path) -> onnxruntime.InferenceSession:
    """A plain session with one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def products_for(milliseconds: float) -> int:
    """How many products of a chain take that long on one thread here."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "probe.onnx"
        onnx.save(chain(8), str(path))
        session, inputs = session_of(path), {"x": np.ones((ROWS, WIDTH), np.float32)}
        spent = [timed(lambda: session.run(None, inputs)) for _ in range(12)]
    return max(1, round(milliseconds / (1e3 * statistics.median(spent[2:]) / 8)))


def timed(call: Any) -> float:
    """Seconds of one call, after a rest: the kernel stops threads of real-time priority that take none."""
    time.sleep(REST_S)
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def on_cores(cores: Sequence[int]) -> dict[str, Any]:
    """Settings of the two devices of an export: one thread each, on these cores in turn."""
    return {
        name: {"threads": 1, "cpus": [cores[i % len(cores)]], "runtime": "onnxruntime",
               "provider": "CPUExecutionProvider"}
        for i, name in enumerate(("ort", "ov"))
    }  # fmt: skip


def pinned(core: int, call: Callable[[], Any]) -> Any:
    """What a call returns on one core; the thread goes where it was afterwards."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, [core])
    try:
        return call()
    finally:
        os.sched_setaffinity(0, before)


def overhead(folder: Path, cores: Sequence[int], rounds: int) -> dict[str, float]:
    """One item through the runner, beside its segments one after the other without it."""
    runner = load_runner(folder)
    with runner.Plan(str(folder), 1, on_cores(cores)) as plan:
        values = runner.made_up(plan.plan)
        inputs, calls = dict(values), []
        for segment in plan.segments:
            session, feeds = session_of(folder / segment["file"]), {name: values[name] for name in segment["inputs"]}
            values.update(zip(segment["outputs"], session.run(segment["outputs"], feeds), strict=True))
            calls.append(lambda session=session, feeds=feeds: session.run(None, feeds))
        pairs = [
            (sum(pinned(cores[0], lambda: [timed(call) for call in calls])), timed(lambda: plan.run(inputs)))
            for _ in range(rounds)
        ][2:]
    return {
        "segments_sum_ms": 1e3 * statistics.median(a for a, _ in pairs),
        "item_ms": 1e3 * statistics.median(b for _, b in pairs),
        "overhead": statistics.median(b / a for a, b in pairs) - 1,
    }


def throughput(folder: Path, cores: Sequence[int], items: int, in_flight: int, rounds: int) -> dict[str, float]:
    """Items per second on one core and on two, in turn."""
    runner = load_runner(folder)
    one = runner.Plan(str(folder), in_flight, on_cores(cores[:1]))
    two = runner.Plan(str(folder), in_flight, on_cores(cores[:2]))
    with one, two:
        inputs = runner.made_up(one.plan)
        rates = [
            [items / timed(lambda p=p: list(p.stream(inputs for _ in range(items)))) for p in (one, two)]
            for _ in range(rounds + 1)
        ][1:]
    return {
        "one_per_s": statistics.median(rate[0] for rate in rates),
        "two_per_s": statistics.median(rate[1] for rate in rates),
        "speedup": statistics.median(rate[1] / rate[0] for rate in rates),
    }


def machine(path: Path, cores: Sequence[int], items: int, rounds: int) -> float:
    """What two cores bring without a runner: two sessions of the whole model, each with half the items, over one."""
    sessions = [session_of(path) for _ in cores[:2]]
    inputs = {"x": np.ones((ROWS, WIDTH), np.float32)}

    def work(core: int, count: int) -> None:
        pinned(core, lambda: [sessions[core % 2].run(None, inputs) for _ in range(count)])

    def both() -> None:
        threads = [threading.Thread(target=work, args=(core, items // 2)) for core in cores[:2]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    found = [timed(lambda: work(cores[0], items)) / timed(both) for _ in range(rounds + 1)][1:]
    return statistics.median(found)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--segment-ms", type=float, default=10.0)
    parser.add_argument("--segments", default="2,4")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--items", type=int, default=32)
    parser.add_argument("--in-flight", type=int, default=4)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        sys.exit("Two cores are needed.")
    rows = []
    each = products_for(arguments.segment_ms)
    for pieces in (int(word) for word in arguments.segments.split(",")):
        with tempfile.TemporaryDirectory() as scratch:
            path, folder = Path(scratch) / "chain.onnx", Path(scratch) / "out"
            onnx.save(chain(each * pieces), str(path))
            export_split(path, pieces, folder)
            found = overhead(folder, cores, arguments.rounds)
            items = max(8, arguments.items // pieces)
            found |= throughput(folder, cores, items, arguments.in_flight, arguments.rounds // 4)
            found["machine_speedup"] = machine(path, cores, items, arguments.rounds // 4)
        rows.append({"segments": pieces, "products": each} | found)
        print(json.dumps({key: round(value, 4) for key, value in rows[-1].items()}), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    return 0 if all(row["overhead"] <= OVERHEAD and row["speedup"] >= SPEEDUP for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
