"""Runs one node test on a device and says how it went: passed, wrong, failed (with the runtime's reason) or skipped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from heteroopt.precision.node_cases import NodeCase
from heteroopt.precision.own_device import OwnDevice
from heteroopt.runtimes.errors import RuntimeFault

LOAD_SECONDS = 20.0
RUN_SECONDS = 10.0
REASON_CHARACTERS = 240

ROUNDINGS = 8
"""Results may be off by so many roundings of their type, where that is more than the test's own tolerance."""


class Outcome(StrEnum):
    """How one case ended."""

    PASSED = "passed"
    WRONG = "wrong"
    """It ran and gave other results than the standard says."""
    FAILED = "failed"
    """It could not be loaded or run, or it ended or hung the process."""
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """``code``, ``says``: why it did not pass ("" if it did). ``composed``: the runtime took the operator apart into
    others. ``fell_back``: it ran on another device than the one that was asked.
    """

    case: str
    op_type: str
    outcome: Outcome
    code: str = ""
    says: str = ""
    composed: bool = False
    fell_back: bool = False


def run_case(
    device: OwnDevice, case: NodeCase, *, may_be_taken_apart: bool = False, details: bool = True
) -> CaseResult:
    """Run one case; whatever the device does, this returns, and the next call finds a working process.

    ``details``: ask the runtime what it made of the case. ``may_be_taken_apart``: ask for its graph too, to see
    whether the operator is still in it.
    Raises ``RuntimeFault`` only where the plugin cannot be started (again).
    """
    if case.skip:
        return CaseResult(case.name, case.op_type, Outcome.SKIPPED, "not_carried", case.skip)
    handle = device.handle()
    try:
        asked = {"optimise": "none", "optimised": True} if may_be_taken_apart else {}
        program = device.load(case.model, asked, LOAD_SECONDS)
        outputs = {name: (str(array.dtype), array.shape) for name, array in case.expected.items()}
        found = handle.run_once(program, case.inputs, outputs, RUN_SECONDS)
        told = handle.details(program) if details or may_be_taken_apart else {}
        handle.unload(program)
    except RuntimeFault as error:
        if error.code == "runtime_timeout":
            device.kill(error)
        return CaseResult(case.name, case.op_type, Outcome.FAILED, error.code, short_reason(error))
    wrong = difference(case, found)
    return CaseResult(
        case.name,
        case.op_type,
        Outcome.WRONG if wrong else Outcome.PASSED,
        "wrong_results" if wrong else "",
        wrong,
        composed=may_be_taken_apart and _taken_apart(told, case.op_type),
        fell_back=bool(told.get("fallbacks")),
    )


def difference(case: NodeCase, found: Mapping[str, NDArray[Any]]) -> str:
    """Return what is wrong with the results, "" if nothing is."""
    for name, expected in case.expected.items():
        result = found[name]
        if result.shape != expected.shape or not case.exact or result.size == 0:
            continue
        if not _is_float(expected):
            different = int(np.count_nonzero(result != expected))
            if different:
                return f"{different} of {expected.size} values differ"
            continue
        largest = _beyond_tolerance(case, result, expected)
        if largest:
            return largest
    return ""


def short_reason(error: RuntimeFault) -> str:
    """Return what a runtime says, on one line, without the paths and addresses of the machine that built it."""
    text = str(error.params.get("says") or error.params.get("detail") or error.message)
    text = re.sub(r"[\w.+-]*(?:/[\w.+-]+)*/([\w.+-]+)", r"\1", text)
    text = re.sub(r"Exception from [\w.]+:\d+:|Check '.*?' failed at [\w.]+:\d+:", " ", text)
    text = re.sub(r"FrontEnd API failed with \w+:|Model wasn't fully converted\.|(?:Summary|detailed log):", " ", text)
    text = re.sub(r"0x[0-9a-fA-F]{6,}", "0x…", text)
    text = text.partition(" To facilitate the conversion")[0]
    text = " ".join("".join(c if c.isprintable() or c.isspace() else " " for c in text).split()).removeprefix("-- ")
    return text if len(text) <= REASON_CHARACTERS else f"{text[: REASON_CHARACTERS - 1]}…"


def _is_float(array: NDArray[Any]) -> bool:
    return array.dtype.kind in "fc" or "float" in array.dtype.name


def _beyond_tolerance(case: NodeCase, result: NDArray[Any], expected: NDArray[Any]) -> str:
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    a, b = result.astype(wide), expected.astype(wide)
    if np.any(np.isnan(a) != np.isnan(b)) or np.any((np.isinf(a) | np.isinf(b)) & (a != b) & ~np.isnan(b)):
        return "NaN or infinity in other places"
    finite = np.isfinite(b)
    if not finite.any():
        return ""
    rounding = ROUNDINGS * _epsilon(expected.dtype)
    largest = float(np.abs(b[finite]).max())
    allowed = case.absolute_tolerance + max(case.relative_tolerance, rounding) * np.abs(b[finite]) + rounding * largest
    off = np.abs(a[finite] - b[finite])
    if np.all(off <= allowed):
        return ""
    return f"off by {off.max():.3g} where the largest value is {largest:.3g}"


def _epsilon(dtype: np.dtype[Any]) -> float:
    try:
        return float(np.finfo(dtype).eps)
    except ValueError:
        import ml_dtypes

        return float(ml_dtypes.finfo(dtype).eps)  # type: ignore[no-untyped-call]


def _taken_apart(told: Mapping[str, Any], op_type: str) -> bool:
    """Whether the graph that the runtime made holds operators, but not this one."""
    optimised = told.get("optimised")
    if not isinstance(optimised, bytes):
        return False
    try:
        kinds = {node.op_type for node in onnx.load_from_string(optimised).graph.node}
    except Exception:  # a runtime may keep its graph in a form of its own
        return False
    return bool(kinds) and op_type not in kinds
