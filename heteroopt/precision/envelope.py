"""How far a right result may be off: per operator, precision and reduction length, from a measured envelope.

``envelope.json`` holds, for every operator and precision, the largest error that real runtimes showed against a
float64 reference, in roundings: scaled error over the precision's epsilon, at several reduction lengths. Its
``provenance`` says on what; ``python -m benchmarks.precision --envelope FILE`` measures it again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

EPSILON: Mapping[str, float] = {"fp64": 2.0**-52, "fp32": 2.0**-23, "tf32": 2.0**-10, "fp16": 2.0**-10, "bf16": 2.0**-7}
"""Distance from 1 to the next number, by precision."""

MARGIN = 4.0
"""Two sides may each be off by the envelope; and other inputs may be worse than those that were measured."""

LEAST_ROUNDINGS = 2.0
"""Nothing is expected to be nearer than this, also where the measured runtimes agreed to the last bit."""

ANY = "*"
"""Stands for operators that were not measured: the worst of those that were."""

Points = list[tuple[int, float]]
"""(reduction length, roundings), both rising."""


class Envelope:
    """Measured roundings by operator type and precision."""

    def __init__(self, operators: Mapping[str, Mapping[str, Points]], provenance: Mapping[str, Any]) -> None:
        self._operators = operators
        self.provenance = provenance

    def roundings(self, op_type: str, precision: str, reduction_length: int) -> float:
        """Return the envelope at a length: that of the next measured one, and beyond the longest growing as its root.

        The root is how independent roundings add up (Higham and Mary, SIAM J. Sci. Comput. 41(5), 2019).
        """
        points = self._points(op_type, precision)
        if not points:
            return LEAST_ROUNDINGS * math.sqrt(max(1, reduction_length))
        for length, value in points:
            if length >= reduction_length:
                return max(LEAST_ROUNDINGS, value)
        length, value = points[-1]
        return max(LEAST_ROUNDINGS, value) * math.sqrt(reduction_length / length)

    def tolerance(self, op_type: str, precision: str, reduction_length: int) -> float:
        """Return the largest scaled error between two right results."""
        return MARGIN * EPSILON[precision] * self.roundings(op_type, precision, reduction_length)

    def _points(self, op_type: str, precision: str) -> Points:
        for name in (op_type, ANY):
            for measured in (precision, "fp32"):
                points = self._operators.get(name, {}).get(measured)
                if points:
                    return points
        return []


@cache
def shipped_envelope() -> Envelope:
    """Return the envelope that ships with the package."""
    return read_envelope(json.loads(files("heteroopt.precision").joinpath("envelope.json").read_text("utf-8")))


def read_envelope(data: Mapping[str, Any]) -> Envelope:
    """Read the form of ``envelope.json``."""
    operators = {
        name: {precision: [(int(k), float(v)) for k, v in points] for precision, points in by_precision.items()}
        for name, by_precision in data["operators"].items()
    }
    return Envelope(operators, data["provenance"])


def make_envelope(measured: Iterable[tuple[str, str, int, float]], provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON form from single measurements ``(op_type, precision, reduction length, scaled error)``.

    Per operator, the largest of each length, made to rise with the length: a longer sum is never trusted more.
    """
    largest: dict[str, dict[str, dict[int, float]]] = {}
    for op_type, precision, length, error in measured:
        for name in (op_type, ANY):
            by_length = largest.setdefault(name, {}).setdefault(precision, {})
            by_length[length] = max(by_length.get(length, 0.0), error / EPSILON[precision])
    return {
        "provenance": dict(provenance),
        "operators": {
            name: {precision: _rising(points) for precision, points in sorted(by_precision.items())}
            for name, by_precision in sorted(largest.items())
        },
    }


def _rising(points: Mapping[int, float]) -> list[list[float]]:
    rising: list[list[float]] = []
    highest = 0.0
    for length in sorted(points):
        if points[length] > highest or not rising:
            highest = max(highest, points[length])
            rising.append([length, float(f"{highest:.4g}")])
        else:
            rising[-1][0] = length  # no worse than shorter ones
    return rising
