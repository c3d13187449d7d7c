"""Where every operator and transfer of the first items in flight runs: what a timeline of a pipelined plan draws.

The reference pipeline (:mod:`heteroopt.simulation.pipeline`) runs as many items as are asked for, or fewer where
they would be more tasks than a drawing can hold; it says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from heteroopt.simulation.latency import poisson_arrivals_ps
from heteroopt.simulation.pipeline import LogEntry, PipelineRun, run_items
from heteroopt.simulation.pipeline_critical import critical_entries
from heteroopt.simulation.pipeline_result import PipelineResult, check_items
from heteroopt.simulation.problem import Int64, Problem
from heteroopt.simulation.reference import decode_alone
from heteroopt.simulation.schedule import Transfer

MOST_TASKS = 20_000
"""Operators and transfers of all items together."""
LEAST_ITEMS = 2
"""Run in any case: with one there is nothing in flight."""


@dataclass(frozen=True, eq=False)
class InFlight:
    """``items`` of ``asked`` in flight. ``log``: every task in the order of starts; ``transfers``: what a transfer's
    ``index`` there means. ``arrivals_per_s``: of Poisson arrivals; ``None`` where all are there from the start.
    ``held``: (time in ps, bytes in each memory from then on, weights included). ``critical``: places in the log, in
    time order, of the chain that the last item's finish hangs on.
    """

    items: int
    asked: int
    arrivals_per_s: float | None
    result: PipelineResult
    log: tuple[LogEntry, ...]
    transfers: tuple[Transfer, ...]
    held: tuple[tuple[int, tuple[int, ...]], ...]
    critical: tuple[int, ...]

    def memory_points(self, memory: int) -> list[tuple[int, int]]:
        """``(time_ps, bytes held from then on)`` at every change, starting at 0 and ending with the last item."""
        points: list[tuple[int, int]] = []
        for time, sizes in self.held:
            if not points or points[-1][1] != sizes[memory]:
                points.append((time, sizes[memory]))
        end = self.result.step_time_ps
        if points[-1][0] < end:
            points.append((end, points[-1][1]))
        return points

    def critical_operators(self) -> list[tuple[int, int]]:
        """``(item, operator)`` of the operators on the critical chain, in time order."""
        entries = (self.log[at] for at in self.critical)
        return [(entry.item, entry.index) for entry in entries if entry.kind == "operator"]

    def operator_times_ps(self, n_operators: int) -> tuple[Int64, Int64]:
        """int64 [items, n]: start and finish of every operator in every item."""
        start, finish = (np.zeros((self.items, n_operators), np.int64) for _ in range(2))
        for entry in self.log:
            if entry.kind == "operator":
                start[entry.item, entry.index] = entry.start_ps
                finish[entry.item, entry.index] = entry.finish_ps
        return start, finish


def items_in_flight(
    problem: Problem,
    order: Sequence[int],
    device: Sequence[int],
    items: int,
    arrivals_per_s: float | None = None,
) -> InFlight:
    """Run ``items`` items through a plan (``order`` and ``device`` of length n), all there from the start or at a rate.

    Raises :class:`PlanError` if the plan is not legal, ``items_out_of_range``, ``arrival_rate_out_of_range``.
    """
    check_items(items)
    schedule = decode_alone(problem, order, device).schedule([int(i) for i in order])
    tasks = problem.n_operators + len(schedule.transfers)
    shown = min(items, max(LEAST_ITEMS, MOST_TASKS // max(1, tasks)))
    arrivals = np.zeros(shown, np.int64) if arrivals_per_s is None else poisson_arrivals_ps(arrivals_per_s)[:shown]
    run = run_items(problem, order, device, arrivals.tolist())
    return InFlight(
        items=len(arrivals),
        asked=items,
        arrivals_per_s=arrivals_per_s,
        result=run.result,
        log=tuple(run.log),
        transfers=tuple(schedule.transfers),
        held=_with_weights(run),
        critical=critical_entries(run),
    )


def _with_weights(run: PipelineRun) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """The course of the memories from time 0 on, where nothing but weights may lie before the first item arrives."""
    course = run.held if run.held and run.held[0][0] == 0 else [(0, (0,) * len(run.weight_bytes)), *run.held]
    return tuple((time, tuple(map(sum, zip(sizes, run.weight_bytes, strict=True)))) for time, sizes in course)
