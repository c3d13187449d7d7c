"""The plans beside a plan, as a report draws them: objectives, their values, their numbers, the knee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from heteroopt.front.front import Front
from heteroopt.front.measures import Measure
from heteroopt.front.selection import knee_row


@dataclass(frozen=True)
class FrontPoints:
    """``measures`` of k plans by key; ``objectives`` are the keys that span the front; ``knee`` a row or ``None``.

    ``numbers``: of the plans, in their order; they count from 1 where nothing is given.
    """

    objectives: tuple[str, ...]
    measures: Mapping[str, Measure]
    knee: int | None
    numbers: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.measures[self.objectives[0]].values)

    def row_of(self, number: int | None) -> int | None:
        """Row of the plan with that number; ``None`` where it is not among them."""
        if number in self.numbers:
            return self.numbers.index(number)
        return number - 1 if number is not None and not self.numbers and 1 <= number <= len(self) else None

    @classmethod
    def of_front(cls, front: Front, numbers: Sequence[int] = ()) -> FrontPoints:
        """Of a search's front, whose plans have these numbers."""
        return replace(cls.of_measures(front.objectives, front.measures), numbers=tuple(numbers))

    def with_plan(self, one: Front, number: int) -> FrontPoints:
        """The same with a plan behind them that did not join the front (``one``: a front of it alone)."""
        own = one.measures
        measures = {
            key: replace(entry, values=np.concatenate((entry.values, own[key].values)), violation=None)
            for key, entry in self.measures.items()
            if key in own
        }
        numbers = self.numbers or tuple(range(1, len(self) + 1))
        return replace(self, measures=measures, numbers=(*numbers, number))

    @classmethod
    def of_measures(cls, objectives: Sequence[str], measures: Mapping[str, Measure]) -> FrontPoints:
        """Of the figures in a plan file."""
        costs = np.column_stack([measures[key].costs for key in objectives])
        return cls(tuple(objectives), measures, knee_row(costs))
