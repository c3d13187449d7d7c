"""Which plan a search anneals in which generation, towards what.

A search has to find its extremes: in its first generations it anneals the best plan for a few weights, one a
generation. One that inherited a front has them, and searches around its plans instead (:mod:`.local_search`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.archive import Archive
from heteroopt.search.columns import Columns
from heteroopt.search.gates import SHORTEST, Sections, make_sections
from heteroopt.search.links import Costs
from heteroopt.search.plan_set import PlanSet
from heteroopt.search.polish import START_TEMPERATURE, anneal, bursts, weights_of_burst
from heteroopt.search.random_bits import draw_state
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.scratch import Scratch

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Annealed = tuple[Int32, Int32, int]
"""Order and device [n] of a plan, and the decodes that it took."""


@dataclass(frozen=True, eq=False, slots=True)
class Polishing:
    """What all annealing of a search has in common; settings are resolved."""

    problem: Problem
    costs: Costs
    sections: Sections
    scratch: Scratch
    columns: Columns
    settings: SearchSettings
    capacity_bytes: float

    @classmethod
    def of(
        cls, problem: Problem, costs: Costs, scratch: Scratch, columns: Columns, settings: SearchSettings,
        capacity_bytes: float,
    ) -> Polishing:  # fmt: skip
        """Prepare for a problem."""
        sections = make_sections(problem, costs.space, SHORTEST)
        return cls(problem, costs, sections, scratch, columns, settings, capacity_bytes)

    def extreme(
        self, generation: int, archive: Archive, least: PlanSet | None, scale: Float64, cap_ps: float
    ) -> Annealed | None:
        """Anneal the best plan for the weights of this generation (from 1), or the least violating one.

        ``None`` where the generation has no weights or the objectives cannot be aimed at.
        """
        generations = self.settings.generations or 0
        weights = weights_of_burst(generation, generations, [objective.key for objective in self.columns.objectives])
        budget = (self.settings.polish_decodes or 0) // max(1, bursts(generations))
        if weights is None or budget == 0:
            return None
        aim = self.columns.aim(weights.tolist(), scale)
        if aim is None:
            return None
        if least is not None:
            order, device = least.orders[0].copy(), least.devices[0].copy()
        else:
            factors = np.where(scale > 0, weights / np.where(scale > 0, scale, 1.0), 0.0)
            order, device = _held(archive, (archive.objectives * factors).sum(axis=1).argmin())
        generator = np.random.default_rng([self.settings.seed, 2, generation])
        anneal(
            self.problem.arrays, self.scratch, self.costs, self.sections, order, device, aim, cap_ps,
            self.capacity_bytes, budget, START_TEMPERATURE, draw_state(generator),
        )  # fmt: skip
        return order, device, budget


def _held(archive: Archive, row: np.intp) -> tuple[Int32, Int32]:
    """Return order and device of a plan of the archive."""
    orders, devices = archive.take(np.array([row])).stacked()
    return orders[0], devices[0]
