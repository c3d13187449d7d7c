"""What handing an item from one core set to another takes: a chain of equal programs, run by the exported runner."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from heteroopt.calibration.handle_device import HandleDevice
from heteroopt.calibration.portable.case_model import fill, insert_weights
from heteroopt.costs.database import SLOWEST_HANDOVER_S, MeasuredHandover
from heteroopt.deployment.exporters.ort_segments import exporter
from heteroopt.graph.sketch import Sketch

PROVIDERS = {"onnxruntime": "CPUExecutionProvider", "openvino": "CPU"}
"""Runtimes of core sets that the runner knows."""
SEGMENTS, ITEMS = 8, 32
ROWS, WIDTH = 384, 384
"""A product of a millisecond or two: the thread that waits for it sleeps meanwhile, as in a plan."""
RUN_SECONDS = 60.0

Runner = Callable[[Path], Mapping[str, Any]]


def measure_handover(
    first: HandleDevice, second: HandleDevice, *, run: Runner | None = None
) -> MeasuredHandover | None:
    """Seconds that each segment takes beside its program, in plans that go to and fro between two core sets.

    ``SEGMENTS`` products of matrices in a row, on the two devices in turn, each on its own cores: the time of an item
    less the times of its programs, over the number of segments. ``run`` executes such a folder and returns the runner's
    report; by default in a process of its own. ``None`` for devices that are no core sets of a runtime that the runner
    knows, and where it cannot run here.
    """
    places = [_place(name, device) for name, device in (("first", first), ("second", second))]
    if None in places or first.description.name == second.description.name:
        return None
    with tempfile.TemporaryDirectory(prefix="heteroopt-handover-") as scratch:
        folder = Path(scratch)
        _write(folder, [place for place in places if place is not None])
        try:
            report = (run or _run)(folder)
            alone_ms = sum(float(value) for value in report["segments_ms"])
            seconds = (float(report["latency_ms"]) - alone_ms) * 1e-3 / SEGMENTS
        except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
            return None
    return MeasuredHandover(second.description.name, min(SLOWEST_HANDOVER_S, max(0.0, seconds)))


def _place(name: str, device: HandleDevice) -> dict[str, Any] | None:
    """The device as ``plan.json`` names it."""
    cores = list(device.description.position.get("cores", ()))
    if device.description.device_type != "CPU" or device.runtime not in PROVIDERS or not cores:
        return None
    return {
        "name": name,
        "runtime": device.runtime,
        "provider": PROVIDERS[device.runtime],
        "options": {},
        "cpus": cores,
        "threads": len(cores),
    }


def _write(folder: Path, places: list[dict[str, Any]]) -> None:
    weights = [("w", fill({"name": "w", "dtype": "float32", "shape": [WIDTH, WIDTH]}))]
    segments = []
    for number in range(SEGMENTS):
        name, made = f"t{number}", f"t{number + 1}"
        sketch = Sketch([("MatMul", f"{name} w", made, {})], {name: (ROWS, WIDTH)}, {"w": (WIDTH, WIDTH)})
        file = f"segment_{number}.onnx"
        (folder / file).write_bytes(insert_weights(sketch.model("handover", declared=False), weights))
        device = places[number % len(places)]["name"]
        segments.append({"index": number, "device": device, "file": file, "inputs": [name], "outputs": [made]})
    document = {
        "format": exporter.FORMAT,
        "format_version": 1,
        "inputs": ["t0"],
        "outputs": [f"t{SEGMENTS}"],
        "tensors": {"t0": {"shape": [ROWS, WIDTH], "dtype": "float32"}},
        "devices": places,
        "segments": segments,
    }
    (folder / exporter.PLAN).write_text(json.dumps(document), "utf-8")


def _run(folder: Path) -> Mapping[str, Any]:
    runner = Path(exporter.__file__).with_name(exporter.RUNNER)
    command = [
        sys.executable,
        str(runner),
        "--folder",
        str(folder),
        "--items",
        str(ITEMS),
        "--in-flight",
        "1",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS, check=True, cwd=folder)
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found
