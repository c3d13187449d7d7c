"""Bounds of the sections between gates: operators that every other one comes before or after.

Whatever lies between two gates runs after the one ends and before the other starts. So the least time of a section, for
each pair of the gates' devices, may be found by itself, and the shortest path over the gates' devices bounds the whole.
Each section is a few operators, for which CP-SAT is quick, where on the whole graph its bound hardly moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.proof_model import Part, Sections, step_of
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.schedule import Schedule
from heteroopt.simulation.topology import canonical_order

SECTION_S = 5.0
SECTION_WORK = 2.0
"""Limits for one section and pair of devices, in seconds and in CP-SAT's own count of work."""

_NONE = -1
"""The device before the first gate and after the last."""


def find_gates(problem: Problem) -> list[int]:
    """Operators that every other one is an ancestor or a descendant of, in their order."""
    order = canonical_order(problem).tolist()
    before, after = [0] * problem.n_operators, [0] * problem.n_operators
    for i in order:
        for p in problem.pred_idx[problem.pred_ptr[i] : problem.pred_ptr[i + 1]].tolist():
            before[i] |= before[p] | 1 << p
    for i in reversed(order):
        for s in problem.succ_idx[problem.succ_ptr[i] : problem.succ_ptr[i + 1]].tolist():
            after[i] |= after[s] | 1 << s
    return [i for i in order if (before[i] | after[i]).bit_count() == problem.n_operators - 1]


class SectionChain:
    """The sections of a problem, bounded one pair of devices after the other by ``step``."""

    def __init__(self, cp_model: Any, problem: Problem, hint: Schedule, distance: NDArray[np.int64], seed: int) -> None:
        self._cp_model, self._problem, self._distance, self._seed = cp_model, problem, distance, seed
        self._step_ps = step_of(hint.makespan_ps)
        self._horizon = hint.makespan_ps // self._step_ps
        gates = find_gates(problem)
        order = canonical_order(problem).tolist()
        place = {operator: position for position, operator in enumerate(order)}
        ends = [-1, *(place[gate] for gate in gates), len(order)]
        self._gates: list[int | None] = [None, *gates, None]
        self._inside = [order[a + 1 : b] for a, b in pairwise(ends)]
        self._least: list[dict[tuple[int, int], int]] = [{} for _ in self._inside]
        self._waiting = [
            (section, source, target)
            for section in range(len(self._inside) if gates else 0)
            for source in self._devices(section)
            for target in self._devices(section + 1)
        ]
        self._waiting.reverse()

    def step(self, left_s: float, left_work: float | None) -> bool:
        """Bound one more pair; ``False`` when there is none, or no time for it."""
        if not self._waiting or left_s <= 0:
            return False
        section, source, target = self._waiting.pop()
        work = SECTION_WORK if left_work is None else min(SECTION_WORK, left_work)
        self._least[section][source, target] = self._bound(section, source, target, min(left_s, SECTION_S), work)
        return True

    @property
    def sections(self) -> Sections:
        """What is known between two gates, as :func:`~heteroopt.search.proof_model.build` takes it."""
        return [
            (gate, following, least)
            for (gate, following), least in zip(pairwise(self._gates), self._least, strict=True)
            if gate is not None and following is not None
        ]

    @property
    def bound_ps(self) -> int:
        """The shortest path over the gates' devices; pairs that were not bounded count as 0."""
        reached: Mapping[int, int] = {_NONE: 0}
        for section, least in enumerate(self._least):
            reached = {
                target: min(steps + least.get((source, target), 0) for source, steps in reached.items())
                for target in self._devices(section + 1)
            }
        return min(reached.values()) * self._step_ps

    def _devices(self, index: int) -> list[int]:
        gate = self._gates[index]
        return [_NONE] if gate is None else np.flatnonzero(self._problem.legal[gate]).tolist()

    def _bound(self, section: int, source: int, target: int, limit_s: float, limit_work: float) -> int:
        """Least steps from the end of one gate on ``source`` to the end of the next on ``target``."""
        gate, following = self._gates[section], self._gates[section + 1]
        model = self._cp_model.CpModel()
        part = Part(
            model,
            self._problem,
            self._distance,
            self._step_ps,
            self._horizon * 4,
            self._inside[section] + ([] if following is None else [following]),
            None if gate is None else (gate, source),
            None if following is None else (following, target),
        )
        end = model.new_int_var(0, self._horizon * 4, "end")
        if gate is None:
            part.read_inputs()
        part.end(end, outputs=following is None)
        model.minimize(end)
        solver = self._cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = self._seed
        solver.parameters.catch_sigint_signal = False
        solver.parameters.max_time_in_seconds = limit_s
        solver.parameters.max_deterministic_time = limit_work
        status = solver.solve(model)
        if status == self._cp_model.INFEASIBLE:
            # No end within the horizon: this pair of devices takes longer than the plan given.
            return self._horizon
        bound = solver.best_objective_bound
        return max(0, int(np.ceil(bound - 1e-6))) if np.isfinite(bound) else 0
