"""Whether an old calibration still holds: by its fingerprint, its age, and by timing twenty of its operators again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heteroopt.calibration.portable.timing import Rule, measure
from heteroopt.costs.database import PerformanceDatabase
from heteroopt.errors import CostError

MAX_AGE_DAYS = 90.0
CHECKED = 20
TOLERANCE = 0.15
"""Of a time that may differ without anything having changed, or twice the row's own spread where that is more."""

ENOUGH = 0.9
"""Share of the operators that have to agree."""

_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Stale:
    """Why a calibration is not current. ``code``: "fingerprint_changed" or "too_old"."""

    code: str
    params: Mapping[str, object]


def staleness(
    database: PerformanceDatabase, fingerprint: str | None, now_s: float, max_age_days: float = MAX_AGE_DAYS
) -> list[Stale]:
    """Reasons against a calibration; none if it is current. ``fingerprint``: the runtime's now, if it is known."""
    found = []
    before = database.device.fingerprint
    if fingerprint is not None and fingerprint != before:
        found.append(Stale("fingerprint_changed", {"before": before, "after": fingerprint}))
    age = (now_s - database.measured_at) / _DAY_S
    if age > max_age_days:
        found.append(Stale("too_old", {"days": int(age), "limit_days": max_age_days}))
    return found


@dataclass(frozen=True)
class Recheck:
    """What timing some operators again says of the others.

    ``verdict``: "holds"; "shifted" (all by about ``factor``, so the rest may be scaled); "changed" (by unlike factors:
    calibrate again). ``rows``: structure, kind, seconds then, seconds now.
    """

    verdict: str
    factor: float
    agreeing: int
    rows: tuple[tuple[str, str, float, float], ...]


def recheck(
    device: Any,
    database: PerformanceDatabase,
    cases: Sequence[dict[str, Any]],
    *,
    count: int = CHECKED,
    rule: Rule | None = None,
) -> Recheck:
    """Time ``count`` operators again, spread evenly over how long they take.

    ``device``: as a session takes it. ``cases``: those that the calibration was made with, or any that hold some of
    its operators. Raises ``CostError`` ``recheck_no_cases`` where they hold fewer than two.
    """
    rows = {row.facts.structure: row for row in database.trusted()}
    known = sorted(
        (case for case in cases if case["key"] in rows), key=lambda case: (rows[case["key"]].median_s, case["key"])
    )
    if len(known) < 2:
        raise CostError(
            "recheck_no_cases",
            "None of the calibration's operators can be made again from these models.",
            hint="Calibrate the device again.",
        )
    places = np.unique(np.linspace(0, len(known) - 1, min(count, len(known))).round().astype(int))
    found = []
    for place in places:
        case = known[int(place)]
        program = device.open(case)
        try:
            timing = measure(program.run, rule or Rule())
        finally:
            program.close()
        row = rows[case["key"]]
        found.append((case["key"], row.facts.kind, row.median_s, timing.median_s))
    ratios = np.array([after / before for _, _, before, after in found])
    allowed = np.array([max(TOLERANCE, 2 * rows[key].spread_s / rows[key].median_s) for key, *_ in found])
    agreeing = int((np.abs(ratios - 1) <= allowed).sum())
    factor = float(np.median(ratios))
    verdict = "changed"
    if agreeing >= ENOUGH * len(found):
        verdict = "holds"
    elif (np.abs(ratios / factor - 1) <= allowed).sum() >= ENOUGH * len(found):
        verdict = "shifted"
    return Recheck(verdict, factor, agreeing, tuple(found))
