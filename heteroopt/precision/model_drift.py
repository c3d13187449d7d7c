"""A whole model on two devices: how far its results are apart, where that begins, and what mends it.

``ModelDrift.to_json``::

    {"kind": "model", "made_at": "", "seed": 0, "seconds": 4.2, "stopped": false, "left": {...}, "right": {...},
     "cases": [{"key": "conv1", "operator": "conv1", "op_type": "Conv", "tensor": "conv1_out", "status": "out",
                "reduction_length": 147, "scaled_error": 3e-3, "max_abs": 0.02, "ulp": 20000.0, "nan_mismatch": 0,
                "inf_mismatch": 0, "tolerance": 4e-6, "before": 0.0}, ...],
     "ladder": [{"rung": "as_asked", "scaled_error": 4e-3, ..., "tolerance": 1e-5, "within": false, "reason": null},
                {"rung": "unfused", ...}, {"rung": "fp32", ..., "within": true}],
     "fusion": {"same": [{"operators": ["conv1", "relu1"], "into": "Conv"}], "left": [...], "right": [...]} or null,
     "summary": {"status": "out", "verdict": "fp32", "first": "conv1", "first_op_type": "Conv", "operators": 176,
                 "out": 170, "scaled_error": 4e-3, "tolerance": 1e-5, "left_ms": 20.1, "right_ms": 15.2}}

``cases`` are the operators in their order, each with the distance of its result when every result can be seen (which
keeps a runtime from fusing across them); ``before``: the largest distance among its inputs, so what is above that
arose here. The tolerance of a result is that of all operators on the way to it: independent roundings, which add up as
squares. ``first`` names the first operator out of its tolerance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from heteroopt.precision.comparison import OUT, WITHIN, beyond, judged_precision, worst_distance
from heteroopt.precision.distance import Distance, distance
from heteroopt.precision.envelope import Envelope, shipped_envelope
from heteroopt.precision.fusion import compare_fusion, fused_groups
from heteroopt.precision.ladder import Rung, climb, verdict
from heteroopt.precision.model_program import ModelProgram, prepare_model, reduction_length
from heteroopt.precision.own_device import OwnDevice
from heteroopt.precision.program_runs import ProgramRun, run_program
from heteroopt.progress import Progress, ProgressCallback


@dataclass(frozen=True, slots=True)
class OperatorDrift:
    """The result of one operator on both sides; the fields are those of the module's docstring."""

    operator: str
    op_type: str
    tensor: str
    reduction_length: int
    distance: Distance
    tolerance: float
    before: float

    @property
    def status(self) -> str:
        """Whether it is within its tolerance."""
        return OUT if beyond(self.distance, self.tolerance) else WITHIN

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON-able data."""
        return {
            "key": self.operator,
            "operator": self.operator,
            "op_type": self.op_type,
            "tensor": self.tensor,
            "status": self.status,
            "reduction_length": self.reduction_length,
            **self.distance.to_dict(),
            "tolerance": self.tolerance,
            "before": self.before,
        }


@dataclass(frozen=True, slots=True)
class ModelDrift:
    """A comparison of one model; ``left`` and ``right`` are ``OwnDevice.identity``."""

    left: Mapping[str, Any]
    right: Mapping[str, Any]
    operators: tuple[OperatorDrift, ...]
    ladder: tuple[Rung, ...]
    fusion: Mapping[str, Any] | None
    left_ms: float | None
    right_ms: float | None
    seed: int
    seconds: float
    made_at: str = ""
    stopped: bool = False
    kind: str = field(default="model")

    @property
    def first(self) -> OperatorDrift | None:
        """The first operator out of its tolerance."""
        return next((row for row in self.operators if row.status == OUT), None)

    def summary(self) -> dict[str, Any]:
        """Return what one line needs."""
        first, asked = self.first, self.ladder[0]
        return {
            "status": WITHIN if asked.within else OUT,
            "verdict": "" if asked.within else verdict(self.ladder),
            "first": first.operator if first else "",
            "first_op_type": first.op_type if first else "",
            "operators": len(self.operators),
            "out": sum(row.status == OUT for row in self.operators),
            "scaled_error": asked.distance.scaled,
            "tolerance": asked.tolerance,
            "left_ms": self.left_ms,
            "right_ms": self.right_ms,
        }

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
            "cases": [row.to_dict() for row in self.operators],
            "ladder": [rung.to_dict() for rung in self.ladder],
            "fusion": None if self.fusion is None else dict(self.fusion),
            "summary": self.summary(),
        }


def compare_model(
    model_bytes: bytes,
    left: OwnDevice,
    right: OwnDevice,
    *,
    seed: int = 0,
    made_at: str = "",
    progress: ProgressCallback | None = None,
    envelope: Envelope | None = None,
) -> ModelDrift:
    """Run a model with the same inputs on both devices and compare its results, and those of every operator.

    ``progress`` (unit: steps) may ask to stop; the comparison of operators then ends early. Raises ``ModelError`` for
    a model that cannot be read or compared, ``RuntimeFault`` where a device cannot run it as asked.
    """
    begin = time.perf_counter()
    envelope = envelope or shipped_envelope()
    identities = left.identity(), right.identity()
    program = prepare_model(model_bytes, seed)
    asked_precision = judged_precision(left, right)
    tolerances = result_tolerances(program, envelope, asked_precision)
    strict = result_tolerances(program, envelope, "fp32")
    chunks = program.chunks()
    steps = _Steps(progress, 4 + 2 * len(chunks))

    runs = [_whole(program, model_bytes, device, {"optimised": True}, steps) for device in (left, right)]
    apart = worst_distance(runs[0], runs[1].results)

    def step(options: Mapping[str, Any]) -> Distance:
        other = _whole(program, model_bytes, right, options, None).results
        return worst_distance(_whole(program, model_bytes, left, options, None), other)

    ladder = climb(apart, _largest(tolerances, program), _largest(strict, program), step)
    steps.tell(2)
    rows: list[OperatorDrift] = []
    shown: dict[str, Distance] = {}
    for chunk in chunks:
        if steps.stopped:
            break
        model = program.bytes_showing(chunk)
        outputs = {name: program.shown[name] for name in chunk}
        sides = [run_program(device, model, program.inputs, outputs, None, 0).results for device in (left, right)]
        shown |= {name: distance(sides[0][name], sides[1][name]) for name in chunk}
        steps.tell(2)
    rows = _rows(program, shown, tolerances)
    by_result = {program.graph.tensors[t].name: one.name for one in program.graph.operators for t in one.outputs}
    return ModelDrift(
        *identities,
        operators=tuple(rows),
        ladder=ladder,
        fusion=compare_fusion(*(fused_groups(program.model, run.details, by_result) for run in runs)),
        left_ms=_milliseconds(runs[0]),
        right_ms=_milliseconds(runs[1]),
        seed=seed,
        seconds=round(time.perf_counter() - begin, 3),
        made_at=made_at,
        stopped=steps.stopped,
    )


def result_tolerances(program: ModelProgram, envelope: Envelope, precision: str) -> dict[str, float]:
    """Return the tolerance of every tensor of a model: squares add up along the way with the most of them."""
    graph = program.graph
    squares: dict[int, float] = dict.fromkeys(graph.inputs, 0.0)
    for operator in graph.operators:
        before = max((squares.get(tensor, 0.0) for tensor in operator.inputs), default=0.0)
        own = 0.0
        if not operator.is_view:
            own = envelope.tolerance(operator.op_type, precision, reduction_length(graph, operator)) ** 2
        for tensor in operator.outputs:
            squares[tensor] = before + own
    return {graph.tensors[tensor].name: math.sqrt(square) for tensor, square in squares.items()}


def _rows(program: ModelProgram, shown: Mapping[str, Distance], tolerances: Mapping[str, float]) -> list[OperatorDrift]:
    graph = program.graph
    rows = []
    for operator in graph.operators:
        inputs = [graph.tensors[tensor].name for tensor in operator.inputs]
        for tensor in operator.outputs:
            name = graph.tensors[tensor].name
            if name in shown:
                before = max((shown[one].scaled for one in inputs if one in shown), default=0.0)
                length = reduction_length(graph, operator)
                rows.append(
                    OperatorDrift(operator.name, operator.op_type, name, length, shown[name], tolerances[name], before)
                )
    return rows


class _Steps:
    """Counts steps for a progress callback and remembers when it asked to stop."""

    def __init__(self, progress: ProgressCallback | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0
        self.stopped = False

    def tell(self, steps: int) -> None:
        self._done += steps
        if self._progress is not None and not self.stopped:
            going = self._progress(Progress(min(self._done, self._total), self._total, "steps"))
            self.stopped = going is False and self._done < self._total


def _whole(
    program: ModelProgram, model: bytes, device: OwnDevice, options: Mapping[str, Any], steps: _Steps | None
) -> ProgramRun:
    run = run_program(device, model, program.inputs, program.outputs, options, 0 if steps is None else 3)
    if steps is not None:
        steps.tell(1)
    return run


def _largest(tolerances: Mapping[str, float], program: ModelProgram) -> float:
    return max(tolerances[name] for name in program.outputs)


def _milliseconds(run: ProgramRun) -> float | None:
    return None if run.seconds is None else round(run.seconds * 1e3, 6)
