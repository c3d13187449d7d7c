"""Running items through plans fast: throughput, step time and memory in flight of many plans at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heteroopt.simulation.compiled import FALSE, kernel
from heteroopt.simulation.decoder import writable
from heteroopt.simulation.flow import make_flow
from heteroopt.simulation.kernel import simulate, simulate_alone
from heteroopt.simulation.pipeline_kernel import run_flow
from heteroopt.simulation.pipeline_result import DEFAULT_ITEMS, PipelineResult, check_items, throughput_per_s
from heteroopt.simulation.plan_check import check_plans
from heteroopt.simulation.problem import Float64, Int32, Int64, Problem, ProblemArrays
from heteroopt.simulation.scratch import LEAST_BOTTLENECK_PS, Scratch, make_scratch


@dataclass(frozen=True, eq=False)
class PipelineValues:
    """P plans with the same number of items, all there from the start. Times in picoseconds, sizes in bytes."""

    finish_ps: Int64
    """[P, K]"""
    step_time_ps: Int64
    """[P] when all items are finished: the step time with K micro-batches."""
    throughput_per_s: Float64
    """[P] over the second half of the items, at most 1 / bottleneck."""
    peak_bytes: Int64
    """[P, M] weights once and the activations of all items in flight."""
    overflow_bytes: Int64
    """[P]"""


@kernel
def run_batch(
    p: ProblemArrays,
    s: Scratch,
    orders: Int32,
    devices: Int32,
    arrivals: Int64,
    with_memory: bool,
    finish: Int64,
    peak: Int64,
    bottleneck: Int64,
) -> None:
    """Decode row after row and run its pipeline; ``s`` keeps transfers.

    Results: ``finish`` [P, K], ``peak`` [P, M], ``bottleneck`` [P].
    """
    for k in range(orders.shape[0]):
        if p.contends:
            simulate_alone(p, s, orders[k], devices[k])
        else:
            simulate(p, s, orders[k], devices[k], FALSE)
        flow = make_flow(p, s, orders[k], devices[k])
        run_flow(p, flow, arrivals, with_memory, finish[k], peak[k])
        peak[k] += s.weight
        bottleneck[k] = max(1, s.result[LEAST_BOTTLENECK_PS])


def run_plans(
    problem: Problem,
    orders: NDArray[np.integer],
    devices: NDArray[np.integer],
    arrivals_ps: Int64,
    *,
    with_memory: bool = True,
) -> tuple[Int64, Int64, Int64]:
    """``(finish_ps [P, K], peak_bytes [P, M], bottleneck_ps [P])`` of P plans (``orders``, ``devices`` [P, n]) for K
    items that arrive at ``arrivals_ps`` (ascending). Without memory the peaks are those of the weights alone.

    Raises :class:`PlanError` if a plan is not legal.
    """
    orders32, devices32 = writable(orders), writable(devices)
    check_plans(problem, orders32, devices32)
    finish = np.empty((len(orders32), len(arrivals_ps)), np.int64)
    peak = np.empty((len(orders32), problem.n_memories), np.int64)
    bottleneck = np.empty(len(orders32), np.int64)
    scratch = make_scratch(problem, with_transfers=True)
    run_batch(problem.arrays, scratch, orders32, devices32, arrivals_ps, with_memory, finish, peak, bottleneck)
    return finish, peak, bottleneck


def pipeline_batch(
    problem: Problem, orders: NDArray[np.integer], devices: NDArray[np.integer], items: int = DEFAULT_ITEMS
) -> PipelineValues:
    """Run ``items`` items through each of P plans (``orders``, ``devices`` [P, n]).

    Raises :class:`PlanError` if a plan is not legal or ``items`` out of range.
    """
    check_items(items)
    finish, peak, bottleneck = run_plans(problem, orders, devices, np.zeros(items, np.int64))
    over: Int64 = np.maximum(0, peak - problem.memory_capacity_bytes).sum(axis=1)
    return PipelineValues(
        finish_ps=finish,
        step_time_ps=finish.max(axis=1),
        throughput_per_s=np.array([throughput_per_s(*row) for row in zip(finish, bottleneck.tolist(), strict=True)]),
        peak_bytes=peak,
        overflow_bytes=over,
    )


def run_pipeline(
    problem: Problem,
    order: Sequence[int] | Int32,
    device: Sequence[int] | Int32,
    items: int = DEFAULT_ITEMS,
    *,
    arrivals_ps: Int64 | None = None,
) -> PipelineResult:
    """Run one plan, with items that are all there from the start unless ``arrivals_ps`` (ascending) is given."""
    check_items(items)
    arrivals = np.zeros(items, np.int64) if arrivals_ps is None else np.array(arrivals_ps, np.int64)
    finish, peak, bottleneck = run_plans(problem, np.array([order], np.int32), np.array([device], np.int32), arrivals)
    return PipelineResult(arrivals, finish[0], peak[0], problem.memory_capacity_bytes, int(bottleneck[0]))
