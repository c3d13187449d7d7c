"""Identical devices that differ: found by comparing their calibrations, never averaged."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from heteroopt.costs.database import Measurement, PerformanceDatabase

DIFFERENT = 0.1
"""Devices of one kind agree within this share, operator by operator."""

SAME_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class TwinDifference:
    """Two devices of one kind: ``ratio`` is the median of the second's times over the first's.

    ``differing``: structures of the operators that are more than 10 % apart, which are to be timed again on both;
    ``apart``: whether so many are that the devices themselves differ (one throttles, or is set up otherwise).
    """

    ratio: float
    compared: int
    differing: tuple[str, ...]
    apart: bool


def compare_twins(first: PerformanceDatabase, second: PerformanceDatabase) -> TwinDifference:
    """Compare what both have; two calibrations without a common operator are not apart."""
    common = [key for key in first.rows if key in second.rows]
    if not common:
        return TwinDifference(1.0, 0, (), False)
    ratios = np.array([second.rows[key].median_s / first.rows[key].median_s for key in common])
    off = np.maximum(ratios, 1 / ratios) > 1 + DIFFERENT
    differing = tuple(key for key, differs in zip(common, off, strict=True) if differs)
    return TwinDifference(float(np.median(ratios)), len(common), differing, bool((~off).mean() < SAME_SHARE))


def mark_differing(database: PerformanceDatabase, difference: TwinDifference) -> PerformanceDatabase:
    """The same database with the flag "differs" on those rows, and on the device where the devices are apart."""
    marked = set(difference.differing)
    rows = {key: _marked(row) if key in marked else row for key, row in database.rows.items()}
    flags = (*database.flags, "differs") if difference.apart and "differs" not in database.flags else database.flags
    return replace(database, rows=rows, flags=flags)


def _marked(row: Measurement) -> Measurement:
    return row if "differs" in row.flags else replace(row, flags=(*row.flags, "differs"))
