"""Hypervolume relative to the reference plan, and the choice of the plans that carry most of it.

Computed by moocore (C. M. Fonseca, L. Paquete, M. Lopez-Ibanez, CEC 2006, and later work of the same authors).
"""

from __future__ import annotations

import moocore
import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
IntP = NDArray[np.intp]

HYPERVOLUME_POINT = 2.0
"""Every coordinate of the point that bounds the hypervolume, as a multiple of the reference plan."""


def hypervolume(multiples: Float64) -> float:
    """Return the volume that the plans [k, m] dominate within the point (2, ..., 2); 0 without plans."""
    if len(multiples) == 0:
        return 0.0
    return float(moocore.hypervolume(multiples, ref=np.full(multiples.shape[1], HYPERVOLUME_POINT)))


def largest_contributors(multiples: Float64, count: int) -> IntP:
    """Return rows [<= count], ascending: non-dominated plans thinned out by hypervolume contribution.

    Plans are dropped from the least contribution upwards, in shrinking batches with contributions taken anew
    between them; the best plan in each objective always stays while ``count`` allows. Contributions are taken within
    the point (2, ..., 2), moved outwards where plans lie beyond it, so that those count too.
    """
    rows = np.arange(len(multiples))
    if len(rows) <= count:
        return rows
    worst = multiples.max(axis=0)
    point = np.maximum(HYPERVOLUME_POINT, worst + 0.05 * np.maximum(worst - multiples.min(axis=0), 1e-3))
    best = {int(row) for row in multiples.argmin(axis=0)} if count >= multiples.shape[1] else set()
    while len(rows) > count:
        contribution = moocore.hv_contributions(multiples[rows], ref=point)
        contribution[[int(row) in best for row in rows]] = np.inf
        surplus = len(rows) - count
        drop = np.argsort(contribution, kind="stable")[: max(1, surplus // 8)]
        rows = np.delete(rows, drop)
    return rows


def contributions(multiples: Float64) -> tuple[IntP, Float64]:
    """Return the rows [r] of a front [k, m] within the point (2, ..., 2) and the volume that each alone adds.

    Of a single objective every plan adds all of its volume. Where no plan is within the point: all rows, and zeros.
    """
    inside = np.flatnonzero((multiples < HYPERVOLUME_POINT).all(axis=1))
    if len(inside) == 0:
        return np.arange(len(multiples)), np.zeros(len(multiples))
    if multiples.shape[1] == 1:
        return inside, HYPERVOLUME_POINT - multiples[inside, 0]
    point = np.full(multiples.shape[1], HYPERVOLUME_POINT)
    return inside, np.asarray(moocore.hv_contributions(multiples[inside], ref=point), np.float64)
