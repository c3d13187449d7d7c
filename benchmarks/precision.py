"""False alarms, injected faults, drift of a reduced precision, and the loss of a training: how good the comparison is.

Run: python -m benchmarks.precision [--cases 300] [--models squeezenet,resnet50] [--json FILE]
     python -m benchmarks.precision --envelope FILE   measures the envelope that tolerances come from

A false alarm is a case that is out of tolerance although neither side is out against the float64 reference; an alarm
with a side that is out is a finding, and is listed. Faults are injected into the simulated runtime, one kind at one
operator type a case, and compared with onnxruntime.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from heteroopt.graph.samples import onnx_light_model
from heteroopt.precision.comparison import NOT_RUN, OUT, compare_case, run_operator_regression, worst_distance
from heteroopt.precision.envelope import make_envelope, shipped_envelope
from heteroopt.precision.model_drift import compare_model
from heteroopt.precision.operator_cases import MAKERS, operator_cases
from heteroopt.precision.own_device import OwnDevice
from heteroopt.precision.program_runs import run_program
from heteroopt.precision.training_loss import compare_loss
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.plugins.simulated.faults import KINDS

ENVELOPE_SEEDS = (101, 102, 103)
ENVELOPE_TURNS = 10
FAULT_TURNS = 4


def device(name: str, precision: str = "model", **options: Any) -> OwnDevice:
    """A device of a runtime by name, also where its configuration has it off."""
    found = OwnDevice.named(name, precision=precision)
    return OwnDevice(replace(found.configuration, enabled=True), 0, precision=precision, options=options)


def with_random_weights(model: onnx.ModelProto, seed: int = 0) -> onnx.ModelProto:
    """Give a light model, whose weights are all one constant, weights that make its layers differ (He et al. 2015)."""
    rng = np.random.default_rng(seed)
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    kept = []
    for node in model.graph.node:
        if node.op_type == "ConstantOfShape" and node.input[0] in constants:
            shape = tuple(int(size) for size in constants[node.input[0]])
            fan_in = int(np.prod(shape[1:])) or 1
            many = len(shape) > 1
            weights = rng.normal(0, np.sqrt(2 / fan_in), shape) if many else rng.uniform(0.5, 1.0, shape)
            model.graph.initializer.append(numpy_helper.from_array(weights.astype(np.float32), node.output[0]))
        else:
            kept.append(node)
    del model.graph.node[:]
    model.graph.node.extend(kept)
    return model


def false_alarms(cases: int) -> dict[str, Any]:
    """Compare FP32 operators of two real runtimes."""
    with device("onnxruntime") as left, device("openvino") as right:
        run = run_operator_regression(left, right, cases=cases)
    out = [case for case in run.cases if case.status == OUT]
    findings = [case for case in out if case.suspect]
    return {
        "comparisons": len(run.cases),
        "operators": len({case.op_type for case in run.cases}),
        "not_run": sum(case.status == NOT_RUN for case in run.cases),
        "false_alarms": len(out) - len(findings),
        "findings": [
            f"{case.key}: {case.suspect} off by {max(case.left_error, case.right_error):.3g}" for case in findings
        ],
        "largest_share_of_tolerance": max(
            (case.distance.scaled / case.tolerance for case in run.cases if case.status != NOT_RUN and case not in out),
            default=0.0,
        ),
        "seconds": run.seconds,
    }


def injected(turns: int = FAULT_TURNS) -> dict[str, Any]:
    """Inject every kind of fault into every operator type, ``turns`` sizes each."""
    envelope = shipped_envelope()
    found = {kind: [0, 0] for kind in KINDS}
    missed: list[str] = []
    begin = time.perf_counter()
    with device("onnxruntime") as left, device("simulated") as right:
        cases = operator_cases(len(MAKERS) * turns, seed=7)
        for number, case in enumerate(cases):
            kind = list(KINDS)[number % len(KINDS)]
            right.options = {}
            before = run_program(right, case.model, case.inputs, case.outputs, None, 0)
            right.options = {"faults": [{"kind": kind, "op_type": case.op_type}]}
            after = run_program(right, case.model, case.inputs, case.outputs, None, 0)
            if all(
                np.array_equal(before.results[name], after.results[name], equal_nan=True) for name in before.results
            ):
                continue  # the fault changed nothing
            caught = compare_case(case, left, right, envelope).status == OUT
            found[kind][0] += caught
            found[kind][1] += 1
            if not caught:
                apart = worst_distance(after, before.results)
                missed.append(f"{kind} at {case.key}: {apart.scaled:.3g}")
    total = [sum(column) for column in zip(*found.values(), strict=True)]
    return {
        "injected": total[1],
        "found": total[0],
        "share": total[0] / total[1],
        "by_kind": {kind: {"found": a, "injected": b} for kind, (a, b) in found.items()},
        "missed": missed,
        "seconds": round(time.perf_counter() - begin, 1),
    }


def drift(name: str) -> dict[str, Any]:
    """Compare a light model with random weights on onnxruntime and on OpenVINO's default precision."""
    model = with_random_weights(onnx.load(onnx_light_model(name))).SerializeToString()
    with device("onnxruntime") as left, device("openvino", "default") as right:
        run = compare_model(model, left, right)
    ladder = {rung.name: rung.distance.scaled for rung in run.ladder}
    return {"model": name, **run.summary(), "ladder": ladder, "seconds": run.seconds}


def loss() -> dict[str, Any]:
    """Train on both runtimes, in float32 and with OpenVINO's default precision."""
    rows = {}
    for precision in ("model", "default"):
        with device("onnxruntime") as left, device("openvino", precision) as right:
            run = compare_loss(left, right)
            rows[precision] = {**run.summary(), "seconds": run.seconds}
    return rows


def measure_envelope() -> dict[str, Any]:
    """Errors of the real runtimes here against the float64 reference."""
    measured: list[tuple[str, str, int, float]] = []
    sides = [
        ("fp32", device("onnxruntime")), ("fp32", device("openvino", "fp32")), ("bf16", device("openvino", "bf16")),
    ]  # fmt: skip
    skipped: list[str] = []
    for seed in ENVELOPE_SEEDS:
        for case in operator_cases(len(MAKERS) * ENVELOPE_TURNS, seed):
            for precision, side in sides:
                try:
                    run = run_program(side, case.model, case.inputs, case.outputs, None, 0)
                except RuntimeFault as error:
                    skipped.append(f"{case.key} on {side.runtime}: {error.code}")
                    continue
                apart = worst_distance(run, case.reference)
                if apart.finite and apart.scaled < 0.1:  # more is no rounding but another result
                    measured.append((case.op_type, precision, case.reduction_length, apart.scaled))
                else:
                    skipped.append(f"{case.key} on {side.runtime} {precision}: off by {apart.scaled:.3g}")
    provenance = {
        "made_by": "python -m benchmarks.precision --envelope FILE",
        "reference": f"onnx.reference of onnx {onnx.__version__} in float64",
        "runtimes": [
            {key: side.identity()[key] for key in ("runtime", "version", "precision", "fingerprint")}
            for _, side in sides
        ],
        "machine": platform.machine(),
        "measurements": len(measured),
        "seeds": list(ENVELOPE_SEEDS),
        "left_out": sorted(set(skipped)),
    }
    for _, side in sides:
        side.close()
    return make_envelope(measured, provenance)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--envelope", type=Path, metavar="FILE")
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--models", default="squeezenet,shufflenet,inception_v1")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    if arguments.envelope:
        arguments.envelope.write_text(json.dumps(measure_envelope(), indent=1) + "\n")
        return
    figures: dict[str, Any] = {"false_alarms": false_alarms(arguments.cases)}
    print(json.dumps(figures["false_alarms"], indent=1))
    figures["faults"] = injected()
    print(json.dumps(figures["faults"], indent=1))
    figures["drift"] = [drift(name) for name in arguments.models.split(",") if name]
    for row in figures["drift"]:
        steps = ", ".join(f"{rung} {error:.2g}" for rung, error in row["ladder"].items())
        print(
            f"{row['model']:14} first {row['first']} ({row['first_op_type']}), "
            f"{row['out']} of {row['operators']} out; {steps}"
        )
    figures["loss"] = loss()
    print(json.dumps(figures["loss"], indent=1))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
