"""What to try on a miss, in order: without fusion, then with FP32 intermediates; and which of them mends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heteroopt.precision.distance import Distance
from heteroopt.runtimes.errors import RuntimeFault

AS_ASKED = "as_asked"
STEPS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("unfused", {"optimise": "none"}),
    ("fp32", {"optimise": "none", "precision": "fp32"}),
)
"""Name of a rung and what both sides are loaded with."""

UNEXPLAINED = "unexplained"
"""Verdict where no rung mends it: neither fusion nor precision is the cause."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One try: its name, the distance, whether it is within its tolerance, and the ``reason`` why it did not run."""

    name: str
    distance: Distance
    tolerance: float
    within: bool
    reason: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the rung as JSON-able data."""
        return {
            "rung": self.name,
            **self.distance.to_dict(),
            "tolerance": self.tolerance,
            "within": self.within,
            "reason": None if self.reason is None else dict(self.reason),
        }


def climb(
    asked: Distance, tolerance: float, strict: float, step: Callable[[Mapping[str, Any]], Distance]
) -> tuple[Rung, ...]:
    """Return the rungs from ``as_asked`` to the first that is within tolerance, or all.

    ``step`` runs both sides with a rung's options and returns their distance; ``strict`` is the tolerance with FP32
    intermediates.
    """
    rungs = [Rung(AS_ASKED, asked, tolerance, asked.finite and asked.scaled <= tolerance)]
    for name, options in STEPS:
        if rungs[-1].within:
            break
        allowed = strict if options.get("precision") == "fp32" else tolerance
        try:
            apart = step(options)
        except RuntimeFault as error:
            rungs.append(Rung(name, Distance(), allowed, False, error.to_dict()))
            continue
        rungs.append(Rung(name, apart, allowed, apart.finite and apart.scaled <= allowed))
    return tuple(rungs)


def verdict(rungs: Sequence[Rung]) -> str:
    """Return the name of the rung that is within tolerance: what mends it; "" without a ladder."""
    if not rungs:
        return ""
    return next((rung.name for rung in rungs if rung.within), UNEXPLAINED)
