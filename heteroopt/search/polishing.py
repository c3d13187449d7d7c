"""Which plans a search anneals in which generation, towards what.

A search from nothing has to find its extremes: in its first generations it anneals the best plan for a few weights,
one a generation. A search that inherited a front has them; what a change of the pool took from it lies between them:
there the plans that carry the front are annealed, each from where it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import moocore
import numpy as np
from numpy.typing import NDArray

from heteroopt.search.archive import Archive
from heteroopt.search.columns import Columns
from heteroopt.search.hypervolume import HYPERVOLUME_POINT
from heteroopt.search.links import Costs
from heteroopt.search.plan_set import PlanSet
from heteroopt.search.polish import START_TEMPERATURE, anneal, bursts, weights_of_burst
from heteroopt.search.random_bits import draw_state
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.scratch import Scratch

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
IntP = NDArray[np.intp]
Annealed = tuple[Int32, Int32, int]
"""Order and device [n] of a plan, and the decodes that it took."""

REFINED_GENERATIONS = 20
"""A warm search's budget is spread over so many generations."""
REFINED_PLANS = 8
"""So many plans are annealed in each of them."""
REFINED_TEMPERATURE = 0.00001
"""As ``START_TEMPERATURE``: these walks are short, so they take next to no step back."""


@dataclass(frozen=True, eq=False, slots=True)
class Polishing:
    """What all annealing of a search has in common; settings are resolved."""

    problem: Problem
    costs: Costs
    scratch: Scratch
    columns: Columns
    settings: SearchSettings
    capacity_bytes: float

    def extremes(
        self, generation: int, archive: Archive, least: PlanSet | None, scale: Float64, cap_ps: float
    ) -> Iterator[Annealed]:
        """Anneal the best plan for the weights of this generation (from 1), if it has any, or the least violating."""
        generations = self.settings.generations or 0
        weights = weights_of_burst(generation, generations, [objective.key for objective in self.columns.objectives])
        if weights is None:
            return
        if least is not None:
            plan = least.orders[0].copy(), least.devices[0].copy()
        else:
            factors = np.where(scale > 0, weights / np.where(scale > 0, scale, 1.0), 0.0)
            plan = _held(archive, (archive.objectives * factors).sum(axis=1).argmin())
        budget = (self.settings.polish_decodes or 0) // max(1, bursts(generations))
        generator = np.random.default_rng([self.settings.seed, 2, generation])
        yield from self._annealed(plan, weights, scale, cap_ps, budget, START_TEMPERATURE, generator)

    def front(
        self, generation: int, archive: Archive, multiples: Float64, scale: Float64, cap_ps: float, most: int
    ) -> Iterator[Annealed]:
        """In an early generation (from 1), anneal at most ``most`` plans that carry the front."""
        last = min(REFINED_GENERATIONS, self.settings.generations or 0)
        if generation > last:
            return
        rows, weights = promising(multiples, min(REFINED_PLANS, most))
        budget = (self.settings.polish_decodes or 0) // last // len(rows)
        generator = np.random.default_rng([self.settings.seed, 3, generation])
        for row, towards in zip(rows, weights, strict=True):
            plan = _held(archive, row)
            yield from self._annealed(plan, towards, scale, cap_ps, budget, REFINED_TEMPERATURE, generator)

    def _annealed(
        self,
        plan: tuple[Int32, Int32],
        weights: Float64,
        scale: Float64,
        cap_ps: float,
        budget: int,
        temperature: float,
        generator: np.random.Generator,
    ) -> Iterator[Annealed]:
        """Anneal a plan in place; nothing where the objectives cannot be aimed at."""
        aim = self.columns.aim(weights.tolist(), scale)
        if aim is None or budget == 0:
            return
        order, device = plan
        anneal(
            self.problem.arrays, self.scratch, self.costs, order, device, aim, cap_ps, self.capacity_bytes, budget,
            temperature, draw_state(generator),
        )  # fmt: skip
        yield order, device, budget


def promising(multiples: Float64, count: int) -> tuple[IntP, Float64]:
    """Return rows [<= count] of the plans that carry a front, and the weights [<= count, m] to anneal each towards.

    The rows contribute most to the hypervolume of ``multiples`` [k, m] within the point (2, ..., 2). The weights are
    the direction in which a plan's own box within that point grows fastest: of each objective 1 / (2 - multiple).
    """
    inside = np.flatnonzero((multiples < HYPERVOLUME_POINT).all(axis=1))
    if len(inside) == 0:
        inside = np.arange(len(multiples))
    room = np.maximum(HYPERVOLUME_POINT - multiples[inside], 0.05)
    contribution = room[:, 0]
    if multiples.shape[1] > 1:
        contribution = moocore.hv_contributions(multiples[inside], ref=np.full(multiples.shape[1], HYPERVOLUME_POINT))
    largest = np.argsort(-contribution, kind="stable")[:count]
    weights = 1.0 / room[largest]
    return inside[largest], weights / weights.sum(axis=1, keepdims=True)


def _held(archive: Archive, row: np.intp) -> tuple[Int32, Int32]:
    """Return order and device of a plan of the archive."""
    orders, devices = archive.take(np.array([row])).stacked()
    return orders[0], devices[0]
