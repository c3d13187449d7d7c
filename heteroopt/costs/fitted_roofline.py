"""A roofline with overheads, fitted to the measurements of each kind of operator on one device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from heteroopt.costs.facts import OperatorFacts
from heteroopt.costs.work_terms import work_terms

FloatArray = npt.NDArray[np.float64]

FEWEST_ROWS = 8
ALL = "*"
START_SHARE = 0.9
"""Of what starting a program takes that every prediction has at least; operators' own overheads are fitted."""

_ROUNDS = 12
_STEADY = 0.02
"""Relative errors below this weigh alike: noise is not fitted."""


@dataclass(frozen=True)
class FittedRoofline:
    """time = start + sum of (work / reached rate) over the kinds of work, by group, by class, else for all.

    Arithmetic and traffic add up, unlike in the textbook's roofline, of which one hides the other: on processors that
    is closer to what is measured. ``parameters``: seconds for each unit of ``work_terms``, none negative.
    """

    parameters: Mapping[str, tuple[float, ...]]
    floor_s: float = 0.0

    @classmethod
    def fit(cls, rows: Sequence[OperatorFacts], seconds: FloatArray, start_s: float = 0.0) -> FittedRoofline:
        """Fit each group and class of at least ``FEWEST_ROWS`` rows, and all together. No randomness.

        ``seconds``: of programs of one operator each, [n], of which ``start_s`` is the start.
        """
        terms, floor_s = work_terms(rows), START_SHARE * start_s
        members: dict[str, list[int]] = {}
        for index, facts in enumerate(rows):
            for key in dict.fromkeys((facts.group, f"class {facts.op_class}", ALL)):
                members.setdefault(key, []).append(index)
        return cls(
            {
                key: _fit(terms[indices], seconds[indices], min(floor_s, 0.99 * float(seconds[indices].min())))
                for key, indices in sorted(members.items())
                if len(indices) >= FEWEST_ROWS or key == ALL
            },
            floor_s,
        )

    def predict(self, rows: Sequence[OperatorFacts], terms: FloatArray | None = None) -> FloatArray:
        """Seconds of programs of one operator each, [n]. ``terms``: ``work_terms(rows)``, where they are known."""
        known = work_terms(rows) if terms is None else terms
        chosen = np.array([self._of(facts) for facts in rows], np.float64).reshape(known.shape)
        seconds: FloatArray = np.maximum(self.floor_s + (known * chosen).sum(axis=1), 1e-9)
        return seconds

    def _of(self, facts: OperatorFacts) -> tuple[float, ...]:
        return (
            self.parameters.get(facts.group) or self.parameters.get(f"class {facts.op_class}") or self.parameters[ALL]
        )


def _fit(terms: FloatArray, seconds: FloatArray, floor_s: float) -> tuple[float, ...]:
    """Least relative error with coefficients that are not negative: least squares, reweighted towards |log error|."""
    from scipy.optimize import nnls

    relative = terms / seconds[:, None]
    scale = relative.max(axis=0)
    scale[scale == 0.0] = 1.0
    relative, floor = relative / scale, floor_s / seconds
    weights = np.ones(len(seconds))
    found = np.zeros(terms.shape[1])
    for _ in range(_ROUNDS):
        found, _ = nnls(relative * weights[:, None], (1.0 - floor) * weights)
        errors = np.abs(np.log(np.maximum(relative @ found + floor, 1e-9)))
        weights = 1.0 / np.sqrt(np.maximum(errors, _STEADY))
    return tuple(float(value) for value in found / scale)
