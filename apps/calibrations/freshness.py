"""Whether a calibration is still current: its age, its runtime's fingerprint now, and a re-check that held."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone

from apps.calibrations.models import Calibration
from apps.hosts.models import Fingerprint
from apps.hosts.reporting import fingerprint_value
from heteroopt.calibration.drift import MAX_AGE_DAYS

SHOWN = 200


@dataclass(frozen=True, slots=True)
class Freshness:
    """``state``: "fresh", "stale", or "" of one without measurements; ``reasons``: code and figures."""

    state: str
    reasons: list[dict[str, Any]] = field(default_factory=list)


def freshness(row: Calibration, now: datetime | None = None) -> Freshness:
    """A calibration away from here ages only; one of a host also goes stale with its runtime's fingerprint."""
    if row.measured_at is None:
        return Freshness("")
    known, since = row.fingerprint, row.measured_at
    check = row.check_result
    if check is not None and check["verdict"] == "holds":
        known, since = check["fingerprint"], datetime.fromtimestamp(check["at"], UTC)
    reasons: list[dict[str, Any]] = []
    current = _current(row)
    if current and current != known:
        reasons.append({"code": "fingerprint_changed", "params": {"before": known, "after": current}})
    days = ((now or timezone.now()) - since).total_seconds() / 86_400
    if days > MAX_AGE_DAYS:
        reasons.append({"code": "too_old", "params": {"days": int(days), "limit_days": int(MAX_AGE_DAYS)}})
    if check is not None and check["verdict"] == "shifted":
        reasons.append({"code": "recheck_shifted", "params": {"factor": round(check["factor"], 3)}})
    if check is not None and check["verdict"] == "changed":
        reasons.append({"code": "recheck_changed", "params": {"agreeing": check["agreeing"], "count": check["n"]}})
    return Freshness("stale" if reasons else "fresh", reasons)


def changes(row: Calibration) -> list[dict[str, str]]:
    """What differs between the runtime that measured and the runtime as it is now; at most 200."""
    current = _current(row)
    if not current or current == row.fingerprint:
        return []
    kept = {one.digest: one for one in Fingerprint.objects.filter(digest__in=(row.fingerprint, current))}
    if len(kept) < 2:
        return []
    return fingerprint_value(kept[row.fingerprint]).changes_to(fingerprint_value(kept[current]))[:SHOWN]


def _current(row: Calibration) -> str:
    return (row.device.runtime.fingerprint_id or "") if row.device is not None else ""
