"""How far predictions are from measurements: mean error, share within a bound, rank correlation."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Of ``n`` predictions. ``mape``: mean |predicted / measured - 1|; ``within_30``: share with at most 30 %.

    ``spearman``: rank correlation, 0 where there are fewer than three.
    """

    n: int
    mape: float
    median: float
    within_30: float
    spearman: float

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return asdict(self)


def accuracy(predicted: FloatArray, measured: FloatArray) -> Accuracy:
    """Compare seconds with seconds, both [n]; n may be 0."""
    if not len(measured):
        return Accuracy(0, 0.0, 0.0, 0.0, 0.0)
    errors = np.abs(predicted / measured - 1.0)
    return Accuracy(
        len(measured),
        float(errors.mean()),
        float(np.median(errors)),
        float((errors <= 0.3).mean()),
        spearman(predicted, measured),
    )


def spearman(first: FloatArray, second: FloatArray) -> float:
    """Spearman's rank correlation; equal values share their mean rank."""
    if len(first) < 3:
        return 0.0
    a, b = _ranks(first), _ranks(second)
    a, b = a - a.mean(), b - b.mean()
    norm = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum() / norm) if norm else 0.0


def _ranks(values: FloatArray) -> FloatArray:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: FloatArray = (last - (counts - 1) / 2.0)[inverse]
    return ranks
