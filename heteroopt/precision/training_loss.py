"""The loss over the steps of a small training on two devices: errors that single operators hide add up here.

``LossRun.to_json``::

    {"kind": "loss", "made_at": "", "seed": 0, "seconds": 3.1, "stopped": false, "left": {...}, "right": {...},
     "cases": [{"key": "conv/0", "network": "conv", "step": 0, "left": 1.41, "right": 1.41, "difference": 0.0}, ...],
     "summary": {"status": "within", "tolerance": 1e-5,
                 "networks": [{"network": "conv", "status": "within", "steps": 100, "largest_difference": 3e-7,
                               "first_step_out": null, "left_first": 1.41, "left_last": 0.12, "right_last": 0.12}]}}

``difference``: of the losses, over the first loss of the left side.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heteroopt.precision.comparison import OUT, WITHIN
from heteroopt.precision.own_device import OwnDevice
from heteroopt.precision.program_runs import LoadedProgram
from heteroopt.precision.training_graph import LOSS, TrainingStep, training_step
from heteroopt.progress import Progress, ProgressCallback

TOLERANCE = 1e-5
"""Of the losses' difference over the first loss. Float32 on two runtimes stays below 1e-6 over 100 steps; what computes
in bfloat16 is beyond it in one of the first two steps (``python -m benchmarks.precision``)."""

NETWORKS = ("conv", "mlp")


@dataclass(frozen=True, slots=True)
class LossCurve:
    """The losses of one network on both sides, step by step."""

    network: str
    left: tuple[float, ...]
    right: tuple[float, ...]

    def differences(self) -> list[float]:
        """Return the difference of every step over the first loss; infinite where either is no number."""
        first = abs(self.left[0]) if self.left and math.isfinite(self.left[0]) and self.left[0] else 1.0
        return [
            abs(a - b) / first if math.isfinite(a) and math.isfinite(b) else math.inf
            for a, b in zip(self.left, self.right, strict=True)
        ]

    def summary(self, tolerance: float) -> dict[str, Any]:
        """Return the row of ``summary.networks``."""
        differences = self.differences()
        first_out = next((step for step, value in enumerate(differences) if value > tolerance), None)
        return {
            "network": self.network,
            "status": WITHIN if first_out is None else OUT,
            "steps": len(self.left),
            "largest_difference": _number(max(differences, default=0.0)),
            "first_step_out": first_out,
            "left_first": _number(self.left[0]) if self.left else None,
            "left_last": _number(self.left[-1]) if self.left else None,
            "right_last": _number(self.right[-1]) if self.right else None,
        }


@dataclass(frozen=True, slots=True)
class LossRun:
    """A comparison of training; ``left`` and ``right`` are ``OwnDevice.identity``."""

    left: Mapping[str, Any]
    right: Mapping[str, Any]
    curves: tuple[LossCurve, ...]
    seed: int
    seconds: float
    tolerance: float = TOLERANCE
    made_at: str = ""
    stopped: bool = False
    kind: str = "loss"

    def summary(self) -> dict[str, Any]:
        """Return whether all networks are within tolerance, and a row for each."""
        rows = [curve.summary(self.tolerance) for curve in self.curves]
        status = OUT if any(row["status"] == OUT for row in rows) else WITHIN
        return {"status": status, "tolerance": self.tolerance, "networks": rows}

    def to_json(self) -> dict[str, Any]:
        """Return the form that the module's docstring shows."""
        return {
            "kind": self.kind,
            "made_at": self.made_at,
            "seed": self.seed,
            "seconds": self.seconds,
            "stopped": self.stopped,
            "left": dict(self.left),
            "right": dict(self.right),
            "cases": [
                {
                    "key": f"{curve.network}/{step}",
                    "network": curve.network,
                    "step": step,
                    "left": _number(a),
                    "right": _number(b),
                    "difference": _number(difference),
                }
                for curve in self.curves
                for step, (a, b, difference) in enumerate(
                    zip(curve.left, curve.right, curve.differences(), strict=True)
                )
            ],
            "summary": self.summary(),
        }


def compare_loss(
    left: OwnDevice,
    right: OwnDevice,
    *,
    steps: int = 100,
    seed: int = 0,
    networks: Sequence[str] = NETWORKS,
    made_at: str = "",
    progress: ProgressCallback | None = None,
) -> LossRun:
    """Train small networks with the same data on both devices and compare their losses.

    ``progress`` (unit: networks) may ask to stop. Raises ``RuntimeFault`` where a device cannot run the step.
    """
    begin = time.perf_counter()
    identities = left.identity(), right.identity()
    curves: list[LossCurve] = []
    stopped = False
    for number, network in enumerate(networks):
        step = training_step(network, steps=steps, seed=seed)
        curves.append(LossCurve(network, *(tuple(train(device, step)) for device in (left, right))))
        told = None if progress is None else progress(Progress(number + 1, len(networks), "networks"))
        if told is False and number + 1 < len(networks):
            stopped = True
            break
    seconds = round(time.perf_counter() - begin, 3)
    return LossRun(*identities, tuple(curves), seed, seconds, made_at=made_at, stopped=stopped)


def train(device: OwnDevice, step: TrainingStep) -> list[float]:
    """Return the loss of every step on a device. Raises ``RuntimeFault``."""
    handle = device.handle()
    program = device.load(step.model)
    weights = dict(step.weights)
    x, onehot = step.batches[0]
    losses = []
    with LoadedProgram(handle, program, {"x": x, "onehot": onehot, **weights}, step.outputs) as loaded:
        for x, onehot in step.batches:
            results = loaded.run({"x": x, "onehot": onehot, **weights})
            losses.append(float(results[LOSS]))
            weights = {name: results[f"new_{name}"] for name in weights}
    return losses


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
