"""How a trial run is done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrialSettings:
    """``items``: runs that are timed, alone and in flight; ``in_flight``: at once; ``seconds``: before it is given up;
    ``seed``: of the made-up inputs; ``precision``: in which the devices compute, for the tolerance.
    """

    items: int = 16
    in_flight: int = 4
    seconds: float = 600.0
    seed: int = 0
    precision: str = "fp32"
