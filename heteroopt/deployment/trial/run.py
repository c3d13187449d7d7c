"""Runs a plan's segments in a child process and reports measured beside predicted."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heteroopt.deployment.export_plan import export_plan
from heteroopt.deployment.exporting import ExportRequest
from heteroopt.deployment.trial.report import OutputTrial, SegmentTrial, TrialReport
from heteroopt.errors import HeteroOptError
from heteroopt.graph.graph import Graph
from heteroopt.graph.names import display_name
from heteroopt.precision.distance import distance
from heteroopt.precision.envelope import shipped_envelope
from heteroopt.precision.model_program import reduction_length
from heteroopt.simulation.pipeline_decoder import run_pipeline
from heteroopt.units import ps_to_ms

CHILD = Path(__file__).with_name("child.py")


@dataclass(frozen=True, slots=True)
class TrialSettings:
    """``items``: runs that are timed, alone and in flight; ``in_flight``: at once; ``seconds``: before it is given up;
    ``seed``: of the made-up inputs; ``precision``: in which the devices compute, for the tolerance.
    """

    items: int = 16
    in_flight: int = 4
    seconds: float = 600.0
    seed: int = 0
    precision: str = "fp32"


def run_trial(request: ExportRequest, settings: TrialSettings | None = None) -> TrialReport:
    """Export as ``ort-segments``, run it in a process of its own, and compare results and times.

    The model is the caller's own: an untrusted one belongs into a sandbox around this. Raises ``Refusal`` where the
    plan cannot be exported, and ``HeteroOptError`` ``trial_failed`` with what the child said, or ``trial_time``.
    """
    chosen = settings or TrialSettings()
    model = request.model_path
    with tempfile.TemporaryDirectory(prefix="heteroopt-trial-") as scratch:
        folder, results = Path(scratch) / "export", Path(scratch) / "results.npz"
        export_plan("ort-segments", request, folder)
        arguments = [
            sys.executable, "-I", str(CHILD), str(folder), str(model), str(results), str(max(1, chosen.items)),
            str(max(1, chosen.in_flight)), str(chosen.seed),
        ]  # fmt: skip
        measured = _run(arguments, scratch, chosen.seconds)
        with np.load(results, allow_pickle=False) as stored:
            values = {name: stored[name] for name in stored.files}
    return _report(request, chosen, measured, values)


def _run(arguments: list[str], folder: str, seconds: float) -> Mapping[str, Any]:
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": folder, "TMPDIR": folder}
    try:
        done = subprocess.run(
            arguments, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise HeteroOptError(
            "trial_time",
            f"The trial run took more than {seconds:g} s and was stopped.",
            hint="Give it more time, or fewer items.",
            seconds=seconds,
        ) from error
    if done.returncode != 0:
        says = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1][:500]
        raise HeteroOptError(
            "trial_failed",
            f"The segments could not be run here: {says}",
            hint="Give each device a runtime of this machine: --option device.NAME=onnxruntime:CPUExecutionProvider.",
            says=says,
        )
    found: Mapping[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _report(
    request: ExportRequest, settings: TrialSettings, measured: Mapping[str, Any], values: Mapping[str, Any]
) -> TrialReport:
    plan, schedule = request.plan, request.plan.schedule
    spent = schedule.finish_ps - schedule.start_ps
    segments = tuple(
        SegmentTrial(
            segment.index,
            plan.pool.devices[segment.device].name,
            len(segment.members),
            ps_to_ms(int(spent[list(segment.operators)].sum())),
            1e3 * measured["segments_s"][segment.index],
            int(measured["memory_bytes"][segment.index]),
        )
        for segment in request.partition.segments
    )
    tolerances = output_tolerances(plan.original, settings.precision)
    largest = max(tolerances.values(), default=0.0)  # for outputs that the planner knows by another name
    outputs = []
    for name in (key.removeprefix("whole:") for key in values if key.startswith("whole:")):
        whole, found = values[f"whole:{name}"], values[f"plan:{name}"]
        apart = distance(found, whole)
        wrong = apart.nan_mismatch or apart.inf_mismatch or found.shape != whole.shape
        flat = np.ravel(whole)
        outputs.append(
            OutputTrial(
                display_name(name),
                math.inf if wrong else apart.scaled,
                tolerances.get(display_name(name), largest),
                bool(flat.size > 1 and (flat == flat[0]).all()),
            )
        )
    pipeline = run_pipeline(plan.problem, schedule.order, schedule.device, max(2, settings.items))
    return TrialReport(
        plan=plan.content_hash,
        items=settings.items,
        latency_ms=1e3 * measured["latency_s"],
        predicted_latency_ms=ps_to_ms(schedule.makespan_ps),
        throughput_per_s=measured["throughput_per_s"],
        predicted_throughput_per_s=pipeline.throughput_per_s,
        whole_ms=1e3 * measured["whole_s"],
        segments=segments,
        outputs=tuple(outputs),
    )


def output_tolerances(graph: Graph, precision: str) -> dict[str, float]:
    """Largest scaled distance of right results by output: operators' squared tolerances add up along the way to it."""
    envelope = shipped_envelope()
    squares: dict[int, float] = dict.fromkeys(graph.inputs, 0.0)
    for operator in graph.operators:
        own = 0.0
        if not operator.is_view:
            own = envelope.tolerance(operator.op_type, precision, reduction_length(graph, operator)) ** 2
        before = max((squares.get(tensor, 0.0) for tensor in operator.inputs), default=0.0)
        squares.update(dict.fromkeys(operator.outputs, before + own))
    return {graph.tensors[t].name: math.sqrt(squares[t]) for t in graph.outputs}
