"""The same single operators on two devices: which results are apart by more than rounding explains, and why.

``PrecisionRun.to_json``::

    {"kind": "operators", "made_at": "", "seed": 0, "seconds": 12.3, "stopped": false,
     "left": {"runtime": "onnxruntime", "version": "1.32.0", "device": "CPU", "index": 0, "precision": "model",
              "versions": {...}, "fingerprint": "0123456789abcdef"},
     "right": {...},
     "cases": [{"key": "Conv/3", "op_type": "Conv", "reduction_length": 144, "status": "within",
                "scaled_error": 2e-7, "max_abs": 1e-6, "ulp": 3.0, "nan_mismatch": 0, "inf_mismatch": 0,
                "tolerance": 4e-6, "left_error": 1e-7, "right_error": 2e-7, "suspect": "",
                "left_ms": 0.02, "right_ms": 0.03, "ladder": [], "verdict": "", "reason": null}, ...],
     "summary": {"cases": 300, "within": 298, "out": 1, "not_run": 1, "worst": "Conv/3",
                 "operators": [{"op_type": "Conv", "cases": 4, "within": 4, "out": 0, "not_run": 0,
                                "scaled_error": 2e-7, "share_of_tolerance": 0.05}, ...]}}

``status``: ``within`` tolerance, ``out`` of it, or ``not_run`` with the ``reason`` (code, message, hint, params, and
the ``side``). ``left_error`` and ``right_error``: scaled errors against the float64 reference; ``suspect``: the side
that is out against that, "" if neither or both. Numbers that are infinite are ``null``.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heteroopt.precision.distance import Distance, distance
from heteroopt.precision.envelope import Envelope, shipped_envelope
from heteroopt.precision.ladder import Rung, climb, verdict
from heteroopt.precision.operator_cases import OperatorCase, operator_cases
from heteroopt.precision.own_device import OwnDevice
from heteroopt.precision.program_runs import ProgramRun, run_program
from heteroopt.progress import Progress, ProgressCallback
from heteroopt.runtimes.errors import RuntimeFault

WITHIN, OUT, NOT_RUN = "within", "out", "not_run"


@dataclass(frozen=True, slots=True)
class CaseComparison:
    """One operator on both sides; the fields are those of the module's docstring."""

    key: str
    op_type: str
    reduction_length: int
    status: str
    tolerance: float
    distance: Distance = field(default_factory=Distance)
    left_error: float = 0.0
    right_error: float = 0.0
    suspect: str = ""
    left_ms: float | None = None
    right_ms: float | None = None
    ladder: tuple[Rung, ...] = ()
    reason: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the case as JSON-able data."""
        return {
            "key": self.key,
            "op_type": self.op_type,
            "reduction_length": self.reduction_length,
            "status": self.status,
            **self.distance.to_dict(),
            "tolerance": self.tolerance,
            "left_error": self.left_error,
            "right_error": self.right_error,
            "suspect": self.suspect,
            "left_ms": self.left_ms,
            "right_ms": self.right_ms,
            "ladder": [rung.to_dict() for rung in self.ladder],
            "verdict": verdict(self.ladder),
            "reason": None if self.reason is None else dict(self.reason),
        }


@dataclass(frozen=True, slots=True)
class PrecisionRun:
    """A comparison of single operators; ``left`` and ``right`` are ``OwnDevice.identity``."""

    left: Mapping[str, Any]
    right: Mapping[str, Any]
    cases: tuple[CaseComparison, ...]
    seed: int
    seconds: float
    made_at: str = ""
    stopped: bool = False
    kind: str = "operators"

    def summary(self) -> dict[str, Any]:
        """Return counts, the case that uses most of its tolerance, and a row per operator."""
        rows: dict[str, list[CaseComparison]] = {}
        for case in self.cases:
            rows.setdefault(case.op_type, []).append(case)
        ran = [case for case in self.cases if case.status != NOT_RUN]
        worst = max(ran, key=lambda case: (case.status == OUT, case.distance.scaled / case.tolerance), default=None)
        return {
            "cases": len(self.cases),
            **_counts(self.cases),
            "worst": worst.key if worst else "",
            "operators": [_row(op_type, cases) for op_type, cases in sorted(rows.items())],
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
            "cases": [case.to_dict() for case in self.cases],
            "summary": self.summary(),
        }


def run_operator_regression(
    left: OwnDevice,
    right: OwnDevice,
    *,
    cases: int = 300,
    seed: int = 0,
    made_at: str = "",
    progress: ProgressCallback | None = None,
    envelope: Envelope | None = None,
) -> PrecisionRun:
    """Run the same operators with the same inputs on two devices and judge their distance by the envelope.

    A case that is out goes down the ladder (``ladder``). ``progress`` (unit: cases) may ask to stop; the cases so far
    are kept. Raises ``RuntimeFault`` where one of the devices cannot be used at all.
    """
    begin = time.perf_counter()
    envelope = envelope or shipped_envelope()
    identities = left.identity(), right.identity()
    found: list[CaseComparison] = []
    stopped = False
    for number, case in enumerate(operator_cases(cases, seed)):
        found.append(compare_case(case, left, right, envelope))
        if progress is not None and progress(Progress(number + 1, cases, "cases")) is False and number + 1 < cases:
            stopped = True
            break
    return PrecisionRun(
        *identities, tuple(found), seed, round(time.perf_counter() - begin, 3), made_at=made_at, stopped=stopped
    )


def compare_case(case: OperatorCase, left: OwnDevice, right: OwnDevice, envelope: Envelope) -> CaseComparison:
    """Run one case on both sides. Raises ``RuntimeFault`` only where a plugin cannot be started."""
    precision = judged_precision(left, right)
    tolerance = envelope.tolerance(case.op_type, precision, case.reduction_length)
    runs: list[ProgramRun] = []
    for side, device in (("left", left), ("right", right)):
        try:
            runs.append(_run(case, device, {}))
        except RuntimeFault as error:
            reason = {**error.to_dict(), "side": side}
            return CaseComparison(case.key, case.op_type, case.reduction_length, NOT_RUN, tolerance, reason=reason)
    apart = worst_distance(runs[0], runs[1].results)
    errors = [worst_distance(run, case.reference) for run in runs]
    out = beyond(apart, tolerance)
    suspects = [side for side, error in zip(("left", "right"), errors, strict=True) if beyond(error, tolerance)]
    return CaseComparison(
        key=case.key,
        op_type=case.op_type,
        reduction_length=case.reduction_length,
        status=OUT if out else WITHIN,
        tolerance=tolerance,
        distance=apart,
        left_error=errors[0].scaled,
        right_error=errors[1].scaled,
        suspect=suspects[0] if out and len(suspects) == 1 else "",
        left_ms=_milliseconds(runs[0]),
        right_ms=_milliseconds(runs[1]),
        ladder=_ladder(case, left, right, apart, tolerance, envelope) if out else (),
    )


def judged_precision(left: OwnDevice, right: OwnDevice) -> str:
    """Return the precision whose rounding is expected: the coarser of the named ones, that of float32 programs else."""
    named = [device.precision for device in (left, right) if device.precision in ("fp16", "bf16")]
    return "bf16" if "bf16" in named else "fp16" if named else "fp32"


def beyond(apart: Distance, tolerance: float) -> bool:
    """Whether a distance is more than the tolerance allows."""
    return not apart.finite or apart.scaled > tolerance


def worst_distance(run: ProgramRun, reference: Mapping[str, Any]) -> Distance:
    """Return the largest distance of all results; NaN and infinity add up."""
    found = [distance(run.results[name], array) for name, array in reference.items()]
    return Distance(
        scaled=max(one.scaled for one in found),
        max_abs=max(one.max_abs for one in found),
        ulp=max(one.ulp for one in found),
        nan_mismatch=sum(one.nan_mismatch for one in found),
        inf_mismatch=sum(one.inf_mismatch for one in found),
    )


def _run(case: OperatorCase, device: OwnDevice, options: Mapping[str, Any], timed_runs: int = 3) -> ProgramRun:
    return run_program(device, case.model, case.inputs, case.outputs, options, timed_runs)


def _ladder(
    case: OperatorCase, left: OwnDevice, right: OwnDevice, apart: Distance, tolerance: float, envelope: Envelope
) -> tuple[Rung, ...]:
    def step(options: Mapping[str, Any]) -> Distance:
        results = _run(case, right, options, 0).results
        return worst_distance(_run(case, left, options, 0), results)

    strict = envelope.tolerance(case.op_type, "fp32", case.reduction_length)
    return climb(apart, tolerance, strict, step)


def _milliseconds(run: ProgramRun) -> float | None:
    return None if run.seconds is None else round(run.seconds * 1e3, 6)


def _counts(cases: Sequence[CaseComparison]) -> dict[str, int]:
    return {status: sum(case.status == status for case in cases) for status in (WITHIN, OUT, NOT_RUN)}


def _row(op_type: str, cases: Sequence[CaseComparison]) -> dict[str, Any]:
    ran = [case for case in cases if case.status != NOT_RUN]
    return {
        "op_type": op_type,
        "cases": len(cases),
        **_counts(cases),
        "scaled_error": max((case.distance.scaled for case in ran), default=0.0),
        "share_of_tolerance": max((case.distance.scaled / case.tolerance for case in ran), default=0.0),
    }
