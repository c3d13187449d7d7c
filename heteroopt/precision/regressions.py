"""What got worse between two comparisons of the same kind, as one makes them again after a driver or plugin changed.

``regressions`` returns::

    {"fingerprints": [{"side": "right", "before": "…", "after": "…"}],
     "findings": [{"kind": "out_of_tolerance", "key": "Conv/3", "op_type": "Conv", "side": "right",
                   "before": 2e-7, "after": 3e-3, "tolerance": 4e-6},
                  {"kind": "slower", "key": "Gemm", "op_type": "Gemm", "side": "right", "before": 0.1, "after": 0.31,
                   "tolerance": 1.5}],
     "mended": [...], "compared": 300}

Kinds: ``out_of_tolerance``, ``not_run`` (it ran before), ``slower`` (milliseconds; ``tolerance`` is the factor),
``unsupported`` and ``wrong`` (of operator maps; ``before`` and ``after`` are statuses). ``mended``: what was out or did
not run, and does now.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from typing import Any

from heteroopt.precision.comparison import NOT_RUN, OUT, WITHIN

SLOWER = 1.5
"""Times as long as before, over all sizes of an operator: single small programs scatter more than that."""

LEAST_MS = 0.005
"""What is faster than this is not judged by its time."""

_WORKS = ("native", "composed", "falls_back")


def regressions(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Compare two runs (``to_json`` of the same kind, or two operator maps), cases matched by key.

    Raises ``ValueError`` for runs of different kinds.
    """
    if before.get("kind") != after.get("kind"):
        raise ValueError(f"a run of kind {before.get('kind')!r} and one of kind {after.get('kind')!r}")
    if "operators" in before and before.get("kind") == "operator_map":
        return _of_maps(before, after)
    old = {case["key"]: case for case in _cases(before)}
    pairs = [(old[case["key"]], case) for case in _cases(after) if case["key"] in old]
    findings, mended = [], []
    for one, other in pairs:
        was, now = one.get("status", WITHIN), other.get("status", WITHIN)
        if was == WITHIN and now != WITHIN:
            kind = "out_of_tolerance" if now == OUT else "not_run"
            findings.append(
                _finding(kind, other, _worse_side(other), one.get("scaled_error"), other.get("scaled_error"))
            )
        elif was in (OUT, NOT_RUN) and now == WITHIN:
            mended.append(_finding(was, other, _worse_side(one), one.get("scaled_error"), other.get("scaled_error")))
    return {
        "fingerprints": _fingerprints(before, after),
        "findings": findings + _slower(pairs) + _slower_whole(before, after),
        "mended": mended,
        "compared": len(pairs),
    }


def _cases(run: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    """A training is judged by its networks: that it left tolerance at an earlier step is no news."""
    if run.get("kind") != "loss":
        cases: list[Mapping[str, Any]] = run["cases"]
        return cases
    tolerance = run["summary"]["tolerance"]
    return [
        {**row, "key": row["network"], "scaled_error": row["largest_difference"], "tolerance": tolerance}
        for row in run["summary"]["networks"]
    ]


def _finding(kind: str, case: Mapping[str, Any], side: str, before: Any, after: Any) -> dict[str, Any]:
    return {
        "kind": kind,
        "key": case["key"],
        "op_type": case.get("op_type", ""),
        "side": side,
        "before": before,
        "after": after,
        "tolerance": case.get("tolerance"),
    }


def _worse_side(case: Mapping[str, Any]) -> str:
    reason = case.get("reason") or {}
    return str(case.get("suspect") or reason.get("side", ""))


def _fingerprints(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, str]]:
    changed = []
    for side in ("left", "right"):
        one, other = (run.get(side, {}).get("fingerprint", "") for run in (before, after))
        if one != other:
            changed.append({"side": side, "before": one, "after": other})
    return changed


def _slower(pairs: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Median over an operator's cases of how many times as long each takes: one disturbed case does not count."""
    found = []
    by_type: dict[str, list[tuple[Mapping[str, Any], Mapping[str, Any]]]] = {}
    for one, other in pairs:
        by_type.setdefault(str(other.get("op_type", "")), []).append((one, other))
    for op_type, cases in sorted(by_type.items()):
        for side in ("left", "right"):
            times = [(one.get(f"{side}_ms"), other.get(f"{side}_ms")) for one, other in cases]
            known = [(a, b) for a, b in times if a and b and max(a, b) >= LEAST_MS]
            if known and statistics.median(b / a for a, b in known) > SLOWER:
                totals = [sum(column) for column in zip(*known, strict=True)]
                case = {"key": op_type, "op_type": op_type, "tolerance": SLOWER}
                found.append(_finding("slower", case, side, totals[0], totals[1]))
    return found


def _slower_whole(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = []
    for side in ("left", "right"):
        one, other = (run.get("summary", {}).get(f"{side}_ms") for run in (before, after))
        if one and other and other > SLOWER * one:
            found.append(_finding("slower", {"key": "", "tolerance": SLOWER}, side, one, other))
    return found


def _of_maps(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    old = {(row["domain"], row["op_type"]): row for row in before["operators"]}
    findings, mended, compared = [], [], 0
    for row in after["operators"]:
        one = old.get((row["domain"], row["op_type"]))
        if one is None:
            continue
        compared += 1
        was, now = one["status"], row["status"]
        case = {"key": row["op_type"], "op_type": row["op_type"]}
        if was in _WORKS and now in ("unsupported", "wrong"):
            findings.append(_finding(now, case, "", was, now))
        elif was in ("unsupported", "wrong") and now in _WORKS:
            mended.append(_finding(was, case, "", was, now))
    changed = []
    if before.get("fingerprint") != after.get("fingerprint"):
        changed.append({"side": "", "before": before.get("fingerprint", ""), "after": after.get("fingerprint", "")})
    return {"fingerprints": changed, "findings": findings, "mended": mended, "compared": compared}
