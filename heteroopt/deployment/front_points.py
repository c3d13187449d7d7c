"""The plans beside a plan, as a report draws them: objectives, their values, the knee, and which one is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from heteroopt.front.front import Front
from heteroopt.front.measures import Measure
from heteroopt.front.selection import knee_row


@dataclass(frozen=True)
class FrontPoints:
    """``measures`` of k plans by key; ``objectives`` are the keys that span the front; ``knee`` a row or ``None``."""

    objectives: tuple[str, ...]
    measures: Mapping[str, Measure]
    knee: int | None

    def __len__(self) -> int:
        return len(self.measures[self.objectives[0]].values)

    @classmethod
    def of_front(cls, front: Front) -> FrontPoints:
        """Of a search's front."""
        return cls.of_measures(front.objectives, front.measures)

    @classmethod
    def of_measures(cls, objectives: Sequence[str], measures: Mapping[str, Measure]) -> FrontPoints:
        """Of the figures in a plan file."""
        costs = np.column_stack([measures[key].costs for key in objectives])
        return cls(tuple(objectives), measures, knee_row(costs))
