"""Large graphs the whole way from the file to the explanation: time and peak memory of each stage.

    python -m benchmarks.large_graphs [--sizes 5000 20000] [--devices 16] [--generations 20] [--json FILE]

Each size runs in a process of its own. *s* is wall time and *CPU s* processor time, which other work on the machine
lengthens less. A stage's memory is the process's peak resident size so far (``ru_maxrss``), less what the process had
once all modules were loaded and all kernels compiled. The first front counts from the compiled problem on. The last
row is the command with as many generations in a process of its own: everything from the start of Python to the
written plan file, and its whole peak.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import heteroopt as hopt

TEMPLATES = ("NVIDIA_A100_40G", "NVIDIA_L4", "Ascend_910", "Intel_Xeon_8480")
LANES = 6
WIDTH = 256


def large_model(n: int, seed: int = 0) -> bytes:
    """Return an ONNX model of ``n`` operators in six lanes that often read each other and end in one sum."""
    rng = np.random.default_rng(seed)
    weight = numpy_helper.from_array(np.zeros((WIDTH, WIDTH), np.float32), "w")
    lanes, nodes = ["x"] * LANES, []
    for index in range(n - 1):
        lane, other = (int(value) for value in rng.choice(LANES, 2, replace=False))
        kind = rng.random()
        inputs = [lanes[lane], "w"] if kind < 0.5 else [lanes[lane]]
        op_type = "MatMul" if kind < 0.5 else "Softmax"
        if kind > 0.7:
            op_type, inputs = "Add", [lanes[lane], lanes[other]]
        lanes[lane] = f"t{index}"
        nodes.append(helper.make_node(op_type, inputs, [lanes[lane]], name=f"op{index}"))
    nodes.append(helper.make_node("Sum", lanes, ["y"], name=f"op{n - 1}"))
    shape = [64, WIDTH]
    graph = helper.make_graph(
        nodes,
        "large",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [weight],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return bytes(model.SerializeToString())


def large_pool(n_devices: int) -> hopt.DevicePool:
    """Return so many devices of four kinds in turn, the last kind CPUs."""
    kinds = [TEMPLATES[index % len(TEMPLATES)] for index in range(n_devices)]
    return hopt.DevicePool([hopt.DeviceSpec(template=kind, name=f"d{index}") for index, kind in enumerate(kinds)])


def peak_mb() -> float:
    """Return the process's peak resident size in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def own_process(arguments: list[str]) -> dict[str, Any]:
    """Run the command in a process of its own; its time and its whole peak. Raises if it fails."""
    began = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-m", "heteroopt.cli", *arguments], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"heteroopt {arguments[0]} failed")
    seconds = time.perf_counter() - began
    cpu_s = used.ru_utime + used.ru_stime
    name = f"heteroopt {arguments[0]}, a process of its own"
    return {"stage": name, "seconds": seconds, "cpu_s": cpu_s, "peak_mb": used.ru_maxrss / 1000}


class Stages:
    """Seconds and added peak memory by stage."""

    def __init__(self) -> None:
        self.base = peak_mb()
        self.rows: list[dict[str, Any]] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure a block."""
        began, cpu = time.perf_counter(), time.process_time()
        yield
        self.rows.append(
            {
                "stage": name,
                "seconds": time.perf_counter() - began,
                "cpu_s": time.process_time() - cpu,
                "peak_mb": peak_mb() - self.base,
            }
        )


def measure(n: int, n_devices: int, generations: int) -> list[dict[str, Any]]:
    """Take a model of ``n`` operators through every stage, in this process."""
    from heteroopt.api.scheduler import Scheduler
    from heteroopt.cli import main as command
    from heteroopt.explanation import warm_up as warm_up_explanation
    from heteroopt.front.front import Front
    from heteroopt.search import warm_up
    from heteroopt.search.search import Search
    from heteroopt.simulation.lower_bound import makespan_lower_bound_ps

    warm_up()
    warm_up_explanation()
    hopt.Scheduler(hopt.Graph.from_onnx(large_model(40)), large_pool(2), generations=1).run().select().to_json()
    model, pool = large_model(n), large_pool(n_devices)
    stages = Stages()
    with stages.stage("read the ONNX file"):
        graph = hopt.Graph.from_onnx(model)
    with stages.stage("costs and problem"):
        scheduler = Scheduler(graph, pool, generations=generations, fuse=False)
    with stages.stage("lower bound"):
        makespan_lower_bound_ps(scheduler.problem)
    with stages.stage("first front"):
        search = Search(scheduler.problem, scheduler.settings)
        front = Front.from_snapshot(search.start(), scheduler.problem)
    first = search.snapshot().hypervolume
    with stages.stage("five generations"):
        for _ in range(5):
            search.step()
    improved = search.snapshot().hypervolume
    with stages.stage(f"{generations} generations in all"):
        while not search.finished:
            search.step()
    with stages.stage("front as bytes"):
        front = Front.from_snapshot(search.snapshot(), scheduler.problem)
        front.to_bytes()
    with stages.stage("checkpoint and back"):
        Search.resume(scheduler.problem, None, search.checkpoint())
    result = hopt.Result(scheduler, search.snapshot(), search.settings)
    with tempfile.TemporaryDirectory() as folder:
        source, devices, plan = (Path(folder) / name for name in ("model.onnx", "pool.toml", "plan.json"))
        source.write_bytes(model)
        devices.write_text(pool.to_toml())
        with stages.stage("explained plan as a file"):
            result.select().save(plan)
        size = plan.stat().st_size
        with stages.stage("heteroopt plan, two generations"):
            command(
                ["plan", str(source), "--pool", str(devices), "--generations", "2", "--quiet",
                 "--json", "--out", str(plan)]
            )  # fmt: skip
        with stages.stage("heteroopt explain one operator"):
            command(["explain", str(plan), "--operator", "op7", "--json"])
        arguments = [str(source), "--pool", str(devices), "--generations", str(generations), "--quiet"]
        stages.rows.append(own_process(["plan", *arguments, "--out", str(plan)]))
    stages.rows.append({"stage": "sizes", "operators": n, "plan_mb": size / 1e6, "plans": len(front)})
    stages.rows.append({"stage": "hypervolume", "first": first, "after_5": improved, "end": result.hypervolume})
    return stages.rows


def main() -> None:
    """Print one table per size; write all with ``--json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5_000, 20_000])
    parser.add_argument("--devices", type=int, default=16)
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        rows = measure(options.sizes[0], options.devices, options.generations)
        options.one.write_text(json.dumps(rows))
        return
    results = {}
    for n in options.sizes:
        with tempfile.NamedTemporaryFile(suffix=".json") as answer:
            arguments = [
                "--sizes",
                str(n),
                "--devices",
                str(options.devices),
                "--generations",
                str(options.generations),
            ]
            command = [sys.executable, "-m", "benchmarks.large_graphs", *arguments, "--one", answer.name]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            results[str(n)] = rows = json.loads(Path(answer.name).read_text())
        print(f"\n{n} operators, {options.devices} devices\n\n| stage | s | CPU s | peak MB |")
        print("| --- | --- | --- | --- |")
        for row in rows[:-2]:
            print(f"| {row['stage']} | {row['seconds']:.2f} | {row['cpu_s']:.2f} | {row['peak_mb']:.0f} |")
        print(f"\n{rows[-2]}\n{rows[-1]}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
