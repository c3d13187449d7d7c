"""From an operator map to what the planner may place on a device, with a reason for everything it may not."""

from __future__ import annotations

from collections.abc import Mapping

from heteroopt.precision.operator_map import OperatorMap, OperatorSupport, Status

REASON_CHARACTERS = 160


def not_supported_by(found: OperatorMap, *, strict: bool = False) -> Mapping[str, str]:
    """Return the operator types of ai.onnx that a device does not support, each with the reason in a sentence.

    Not supported is what no case of runs, and what is wrong in at least as many cases as it is right (with
    ``strict``, in any). What falls back is not supported either: it would run on another device than the plan says.
    What was not tested is left to the device's own figures.
    """
    return {
        row.op_type: _reason(found, row)
        for row in found.operators
        if row.domain in ("", "ai.onnx") and not _supported(row, strict)
    }


def _supported(row: OperatorSupport, strict: bool) -> bool:
    if row.status == Status.WRONG:
        return not strict and row.passed > row.wrong
    return row.status not in (Status.UNSUPPORTED, Status.FALLS_BACK)


def _reason(found: OperatorMap, row: OperatorSupport) -> str:
    if row.status == Status.FALLS_BACK:
        return f"{found.label} does not run it on this device itself"
    if row.status == Status.WRONG:
        return f"wrong results by {found.label}: {_short(row.reason.says)} ({row.reason.case})"
    return f"not supported by {found.label}: {_short(row.reason.says)}".removesuffix(": ")


def _short(text: str) -> str:
    return text if len(text) <= REASON_CHARACTERS else f"{text[: REASON_CHARACTERS - 1]}…"
