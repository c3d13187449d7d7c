"""A roofline with an overhead, fitted to the measurements of each kind of operator on one device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from heteroopt.costs.facts import OperatorFacts
from heteroopt.costs.features import work

FloatArray = npt.NDArray[np.float64]
Parameters = tuple[float, float, float]
"""FLOP/s, bytes/s, seconds of overhead."""

FEWEST_ROWS = 8
ALL = "*"
_STEPS = 9
_ROUNDS = 9
_FREE = 1e-4
"""What leaving a rate one e-fold below the ceiling has to gain, in mean |log error|."""


@dataclass(frozen=True)
class FittedRoofline:
    """time = max(FLOP / reached FLOP/s, bytes / reached bytes/s) + overhead, by group, by class, else for all."""

    parameters: Mapping[str, Parameters]

    @classmethod
    def fit(cls, rows: Sequence[OperatorFacts], seconds: FloatArray) -> FittedRoofline:
        """Fit each group and class of at least ``FEWEST_ROWS`` rows, and all together. No randomness."""
        flops, moved = work(rows)
        ceilings = float(np.max(flops / seconds)) * 2.0, float(np.max(moved / seconds)) * 2.0
        names = [(facts.group, f"class {facts.op_class}", ALL) for facts in rows]
        members: dict[str, list[int]] = {}
        for index, keys in enumerate(names):
            for key in dict.fromkeys(keys):
                members.setdefault(key, []).append(index)
        return cls(
            {
                key: _fit(flops[indices], moved[indices], seconds[indices], ceilings)
                for key, indices in sorted(members.items())
                if len(indices) >= FEWEST_ROWS or key == ALL
            }
        )

    def predict(self, rows: Sequence[OperatorFacts]) -> FloatArray:
        """Seconds, [n]."""
        flops, moved = work(rows)
        chosen = np.array([self._of(facts) for facts in rows], np.float64).reshape(len(rows), 3)
        seconds: FloatArray = np.maximum(flops / chosen[:, 0], moved / chosen[:, 1]) + chosen[:, 2]
        return seconds

    def _of(self, facts: OperatorFacts) -> Parameters:
        for key in (facts.group, f"class {facts.op_class}"):
            if key in self.parameters:
                return self.parameters[key]
        return self.parameters[ALL]


def _fit(flops: FloatArray, moved: FloatArray, seconds: FloatArray, ceilings: tuple[float, float]) -> Parameters:
    """Least mean |log error| on a grid of the three logarithms that is refined around its best point.

    A rate that the rows say nothing of (operators that only move data do no FLOP) is left at the ceiling, the highest
    that any operator reached: otherwise it would be taken for a limit where another operator of the class computes.
    """
    logs = np.log(seconds)
    low = np.log([np.min(flops / seconds), np.min(moved / seconds), float(seconds.min()) / 100.0])
    high = np.log([*ceilings, float(seconds.min())])
    high = np.maximum(high, low + 1e-6)
    best = (low + high) / 2.0
    span = high - low
    for _ in range(_ROUNDS):
        axes = [
            np.clip(np.linspace(best[i] - span[i] / 2.0, best[i] + span[i] / 2.0, _STEPS), low[i], high[i])
            for i in range(3)
        ]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        rates = np.exp(grid)
        predicted = np.maximum(flops / rates[:, :1], moved / rates[:, 1:2]) + rates[:, 2:]
        slack = (high[:2] - grid[:, :2]).sum(axis=1)
        best = grid[int(np.argmin(np.abs(np.log(predicted) - logs).mean(axis=1) + _FREE * slack))]
        span = span * (2.5 / (_STEPS - 1))
    found = np.exp(best)
    return float(found[0]), float(found[1]), float(found[2])
