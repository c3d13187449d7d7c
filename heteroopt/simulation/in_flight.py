"""Where every operator and transfer of the first items in flight runs: what a timeline of a pipelined plan draws.

The reference pipeline (:mod:`heteroopt.simulation.pipeline`) runs as many items as are asked for, or fewer where
they would be more tasks than a drawing can hold; it says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from heteroopt.simulation.latency import poisson_arrivals_ps
from heteroopt.simulation.pipeline import LogEntry, run_pipeline_reference
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
    """

    items: int
    asked: int
    arrivals_per_s: float | None
    result: PipelineResult
    log: tuple[LogEntry, ...]
    transfers: tuple[Transfer, ...]

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
    result, log = run_pipeline_reference(problem, order, device, arrivals.tolist())
    return InFlight(len(arrivals), items, arrivals_per_s, result, tuple(log), tuple(schedule.transfers))
