"""How far two results of the same computation are apart, in measures that stay meaningful around zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

NOT_SMALL = 2.0**-8
"""Units in the last place are counted for elements of at least this share of the largest; around zero they count the
rounding of sums that cancel, which says nothing."""


@dataclass(frozen=True, slots=True)
class Distance:
    """Between a result and a reference of one shape.

    ``scaled``: largest absolute difference over the largest magnitude of the reference (over its own, where the
    reference is 0 everywhere): unlike a mean of relative errors it does not explode behind a Relu. ``ulp``: largest
    difference in units in the last place of the reference's type, over elements that are not small. ``nan_mismatch``,
    ``inf_mismatch``: how many elements are NaN, or infinite, on one side only (or infinite with another sign).
    """

    scaled: float = 0.0
    max_abs: float = 0.0
    ulp: float = 0.0
    nan_mismatch: int = 0
    inf_mismatch: int = 0

    @property
    def finite(self) -> bool:
        """Whether NaN and infinity are in the same places."""
        return self.nan_mismatch == 0 and self.inf_mismatch == 0

    def to_dict(self) -> dict[str, float | int]:
        """Return the fields by name."""
        return {
            "scaled_error": self.scaled,
            "max_abs": self.max_abs,
            "ulp": self.ulp,
            "nan_mismatch": self.nan_mismatch,
            "inf_mismatch": self.inf_mismatch,
        }


def distance(found: NDArray[Any], reference: NDArray[Any]) -> Distance:
    """Compare two arrays of one shape; integers and booleans count as numbers. ``ulp`` is that of ``found``'s type."""
    if found.shape != reference.shape:
        raise ValueError(f"shapes {found.shape} and {reference.shape}")
    if found.size == 0:
        return Distance()
    a, b = found.astype(np.float64), reference.astype(np.float64)
    nan_mismatch = int(np.count_nonzero(np.isnan(a) != np.isnan(b)))
    infinite = np.isinf(a) | np.isinf(b)
    both_nan_free = ~(np.isnan(a) | np.isnan(b))
    inf_mismatch = int(np.count_nonzero(infinite & both_nan_free & (a != b)))
    usable = np.isfinite(a) & np.isfinite(b)
    if not usable.any():
        return Distance(nan_mismatch=nan_mismatch, inf_mismatch=inf_mismatch)
    difference = np.abs(a[usable] - b[usable])
    max_abs = float(difference.max())
    largest = float(np.abs(b[usable]).max()) or float(np.abs(a[usable]).max())
    return Distance(
        scaled=max_abs / largest if largest else 0.0,
        max_abs=max_abs,
        ulp=_ulp(difference, np.abs(b[usable]), largest, found.dtype),
        nan_mismatch=nan_mismatch,
        inf_mismatch=inf_mismatch,
    )


def _ulp(difference: NDArray[Any], magnitude: NDArray[Any], largest: float, dtype: np.dtype[Any]) -> float:
    if dtype.kind != "f" or largest == 0.0:
        return 0.0
    counted = magnitude >= largest * NOT_SMALL
    if not counted.any():
        return 0.0
    unit = np.finfo(dtype).eps * 2.0 ** np.floor(np.log2(magnitude[counted]))
    return float((difference[counted] / unit).max())
