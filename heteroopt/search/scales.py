"""Multiples of the reference plan: what the objectives are divided by, and which do not vary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Bool = NDArray[np.bool_]


def constant_objectives(values: Float64, reference: Sequence[float]) -> Bool:
    """Return bool [3]: objectives whose reference is 0 and that do not vary among the plans [k, 3] either."""
    return np.array([reference[m] == 0 and (len(values) == 0 or np.ptp(values[:, m]) == 0) for m in range(3)])


def multiples(values: Float64, reference: Sequence[float]) -> Float64:
    """Return values [k, 3] as multiples of the reference.

    A reference of 0 (the variance on a pool of one device) is replaced by the range of the values; where that is 0
    too the objective is constant and every plan counts as 1.
    """
    result = np.ones_like(values)
    for column, scale in enumerate(reference):
        if scale == 0 and len(values):
            scale = float(np.ptp(values[:, column]))
        if scale > 0:
            result[:, column] = values[:, column] / scale
    return result


def scaled(costs: Float64, scale: Float64) -> Float64:
    """Return costs [k, m] in multiples of ``scale`` [m]; 1 where that is 0: such objectives do not vary."""
    varies = scale > 0
    return np.where(varies, costs / np.where(varies, scale, 1.0), 1.0)
