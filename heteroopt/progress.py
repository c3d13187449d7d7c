"""How long work tells its caller how far it is: a callable that may ask the work to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of a long task: ``done`` of ``total`` units, and what the unit is."""

    done: int
    total: int
    phase: str


class ProgressCallback(Protocol):
    """Called after each step; a return value of ``False`` asks the work to stop and keep what it has."""

    def __call__(self, progress: Progress, /) -> bool | None: ...
