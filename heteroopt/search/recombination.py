"""The best combination of the sections of many plans: one child of all of them at once.

Between gates a plan's figures add up section by section (:mod:`.gates`), and a section fits between any others that
agree with it on the devices of its gates. So dynamic programming over sections and devices finds the best plan that
can be put together from the sections of a whole set, for costs that are linear in the figures; load balance and
bottleneck are made linear around one plan of the set. Each child weighs the objectives by chance, starts from another
plan and sees a random part of the others, so that the children differ.
Source of the idea, for tours: D. Whitley, D. Hains, A. Howe, "Tunneling between optima: partition crossover for the
traveling salesman problem", GECCO 2009.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heteroopt.search import figures
from heteroopt.search.archive import Archive
from heteroopt.search.columns import Columns
from heteroopt.search.gates import Sections, make_sections
from heteroopt.search.section_choice import combine, rows_of_plans
from heteroopt.search.section_figures import sums_of
from heteroopt.search.space import Space
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.scratch import Scratch

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

EVERY = 3
"""One generation in so many has recombined children."""
PLANS = 48
CHILDREN = 32
FEWEST_SECTIONS = 3
SHORTEST = 2
"""Operators of a section, at least; a hundredth of a larger graph, since each section costs some work by itself."""
_SEEN = 0.5
"""Chance that a child may take sections of a plan."""
_SAME_DEVICES = 0.7
"""Chance that it takes those only that use no other device than the plan it starts from: each costs idle power."""


@dataclass(frozen=True, eq=False, slots=True)
class Recombination:
    """What all children of a search that are put together have in common."""

    problem: Problem
    scratch: Scratch
    sections: Sections
    columns: Columns

    @classmethod
    def of(cls, problem: Problem, space: Space, scratch: Scratch, columns: Columns) -> Recombination:
        """Prepare for a problem."""
        sections = make_sections(problem, space, max(SHORTEST, problem.n_operators // 100))
        return cls(problem, scratch, sections, columns)

    def in_generation(
        self, generation: int, seed: int, archive: Archive, scale: Float64, most: int
    ) -> tuple[Int32, Int32]:
        """Return the children [<= most, n] of a generation (from 1); most generations have none."""
        count = 0 if generation % EVERY else min(CHILDREN, most)
        return self.children(archive, scale, count, np.random.default_rng([seed, 4, generation]))

    def children(
        self, archive: Archive, scale: Float64, count: int, generator: np.random.Generator
    ) -> tuple[Int32, Int32]:
        """Return orders and devices [<= count, n] made of sections of the archive's plans; some may equal one of them.

        None where there are less than two plans or three sections.
        """
        problem, sections = self.problem, self.sections
        n = problem.n_operators
        chosen = generator.permutation(len(archive))[:PLANS]
        if count < 1 or len(chosen) < 2 or len(sections.first) <= FEWEST_SECTIONS:
            return np.empty((0, n), np.int32), np.empty((0, n), np.int32)
        orders, devices = archive.take(chosen).stacked()
        rows = rows_of_plans(problem.arrays, self.scratch, sections, orders, devices)
        totals = rows.sum(axis=1)
        base = generator.integers(len(chosen), size=count)
        weights = generator.dirichlet(np.full(len(scale), 0.5), count)
        slope = _slopes(problem, self.columns, weights, scale, totals[base])
        seen = generator.random((count, len(chosen))) < _SEEN
        seen[np.arange(count), base] = True
        used = sums_of(totals, problem.n_stores)[1][:, : problem.n_devices] > 0
        further = (used[None, :, :] & ~used[base][:, None, :]).any(axis=2)
        seen &= ~further | (generator.random(count) >= _SAME_DEVICES)[:, None]
        matters = np.flatnonzero(slope.any(axis=0))
        new_orders, new_devices = np.empty((count, n), np.int32), np.empty((count, n), np.int32)
        rows, slope = np.ascontiguousarray(rows[:, :, matters]), np.ascontiguousarray(slope[:, matters])
        combine(sections, orders, devices, rows, slope, seen, problem.n_devices, new_orders, new_devices)
        return new_orders, new_devices


def _slopes(problem: Problem, columns: Columns, weights: Float64, scale: Float64, totals: Int64) -> Float64:
    """Return float64 [c, W]: what a unit of each column adds to the objectives, weighted [c, m], near plans [c, W]."""
    stores, n_devices, slope = problem.n_stores, problem.n_devices, np.zeros(totals.shape)
    busy, placed, rest = sums_of(totals, stores)
    channel = rest[:, : problem.n_channels]
    busy_at, channel_at = np.arange(4, 4 + 2 * stores, 2), 4 + 2 * stores
    time, row = np.maximum(totals[:, 0], 1).astype(np.float64), np.arange(len(totals))
    for objective, unit in enumerate(np.eye(len(scale))):
        aim = columns.aim(unit.tolist(), scale)
        if aim is None:
            continue
        code, weight = int(aim.code[0]), weights[:, objective] * float(aim.scale[0])
        if code in (figures.TIME, figures.STEP, figures.LATENCY):
            slope[:, 0] += weight
        if code == figures.ENERGY:
            slope[:, 1:3] += weight[:, None]
            runs = (placed[:, :n_devices] > 0) | problem.idle_energy_pool
            slope[:, 0] += weight * (runs * problem.idle_power_w).sum(axis=1)
        elif code == figures.BALANCE:
            use = busy[:, :n_devices] / time[:, None]
            spread = use - use.mean(axis=1, keepdims=True)
            slope[:, busy_at[:n_devices]] += (weight * 2.0 / n_devices / time)[:, None] * spread
            slope[:, 0] -= weight * 2.0 / time * use.var(axis=1)
        elif code == figures.TRANSFERRED:
            slope[:, 3] += weight
        elif code in (figures.BOTTLENECK, figures.STEP, figures.LATENCY):
            both = np.concatenate((busy, channel), axis=1)
            busiest = both.argmax(axis=1)
            if code == figures.STEP:
                weight = weight * (aim.items - 1.0)
            elif code == figures.LATENCY:
                entry = np.minimum(len(aim.wait) - 2, (both.max(axis=1) / aim.wait_step).astype(np.int64))
                weight = weight * (aim.wait[entry + 1] - aim.wait[entry]) / aim.wait_step
            slope[row, np.concatenate((busy_at, channel_at + np.arange(channel.shape[1])))[busiest]] += weight
    return slope
