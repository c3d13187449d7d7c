"""Decoding plans fast: many at once for their values, or one for its whole schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.kernel import simulate
from heteroopt.simulation.plan_check import check_plan, check_plans
from heteroopt.simulation.problem import Float64, Int32, Int64, Problem, ProblemArrays
from heteroopt.simulation.schedule import Holding, Schedule, Transfer
from heteroopt.simulation.scratch import (
    BOTTLENECK_PS,
    ENERGY_PJ,
    IDLE_PJ,
    LAUNCH_PS,
    LOAD_VARIANCE,
    N_CUT_EDGES,
    N_RESULTS,
    N_SEGMENTS,
    N_TRANSFERS,
    N_VALUES,
    OPERATOR_PJ,
    OVERFLOW_BYTES,
    SHOWN_FIELDS,
    TIME_PS,
    TRANSFER_PJ,
    TRANSFERRED_BYTES,
    Scratch,
    make_scratch,
)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Values of P plans. Times in picoseconds, energies in picojoules, sizes in bytes."""

    time_ps: Int64
    """[P] makespan."""
    energy_pj: Float64
    """[P]"""
    load_variance: Float64
    """[P]"""
    overflow_bytes: Int64
    """[P] 0 where the plan fits."""
    peak_bytes: Int64
    """[P, M]"""
    busy_ps: Int64
    """[P, D]"""
    transferred_bytes: Int64
    """[P]"""
    n_transfers: Int64
    """[P]"""
    n_cut_edges: Int64
    """[P]"""
    bottleneck_ps: Int64
    """[P] busy time of one item on the busiest device or channel."""

    def __len__(self) -> int:
        return len(self.time_ps)


@kernel
def simulate_batch(
    p: ProblemArrays,
    s: Scratch,
    orders: Int32,
    devices: Int32,
    with_peak: bool,
    result: Int64,
    value: Float64,
    peak: Int64,
    busy: Int64,
) -> None:
    """Decode row after row; ``result`` [P, N_RESULTS], ``value`` [P, N_VALUES], ``peak`` [P, M], ``busy`` [P, D]."""
    for k in range(orders.shape[0]):
        simulate(p, s, orders[k], devices[k], with_peak)
        result[k] = s.result
        value[k] = s.value
        peak[k] = s.peak
        busy[k] = s.busy[: busy.shape[1]]


def decode_batch(
    problem: Problem,
    orders: NDArray[np.integer],
    devices: NDArray[np.integer],
    *,
    exact_peak: bool = True,
    scratch: Scratch | None = None,
    known_legal: bool = False,
) -> Evaluation:
    """Decode P plans (``orders``, ``devices`` [P, n]).

    Without ``exact_peak``, ``peak_bytes`` may be an upper bound where the memory fits (faster; every other value is
    exact). ``known_legal`` leaves out the check of plans that are legal by construction; an illegal one would corrupt
    memory. Raises :class:`PlanError` if a plan is not legal.
    """
    orders32, devices32 = writable(orders), writable(devices)
    if not known_legal:
        check_plans(problem, orders32, devices32)
    count = len(orders32)
    result = np.empty((count, N_RESULTS), np.int64)
    value = np.empty((count, N_VALUES), np.float64)
    peak = np.empty((count, problem.n_memories), np.int64)
    busy = np.empty((count, problem.n_devices), np.int64)
    simulate_batch(
        problem.arrays, scratch or make_scratch(problem), orders32, devices32, exact_peak, result, value, peak, busy
    )
    return Evaluation(
        time_ps=result[:, TIME_PS].copy(),
        energy_pj=value[:, ENERGY_PJ].copy(),
        load_variance=value[:, LOAD_VARIANCE].copy(),
        overflow_bytes=result[:, OVERFLOW_BYTES].copy(),
        peak_bytes=peak,
        busy_ps=busy,
        transferred_bytes=result[:, TRANSFERRED_BYTES].copy(),
        n_transfers=result[:, N_TRANSFERS].copy(),
        n_cut_edges=result[:, N_CUT_EDGES].copy(),
        bottleneck_ps=result[:, BOTTLENECK_PS].copy(),
    )


def count_segments(problem: Problem, orders: NDArray[np.integer], devices: NDArray[np.integer]) -> tuple[Int64, Int64]:
    """``(segments [P], their launches in picoseconds [P])`` of P legal plans (``orders``, ``devices`` [P, n]).

    A decode for values alone does not count segments that cost nothing. Raises :class:`PlanError` as ``decode_batch``.
    """
    orders32, devices32 = writable(orders), writable(devices)
    check_plans(problem, orders32, devices32)
    count = len(orders32)
    result, value = np.empty((count, N_RESULTS), np.int64), np.empty((count, N_VALUES), np.float64)
    peak = np.empty((count, problem.n_memories), np.int64)
    busy = np.empty((count, problem.n_devices), np.int64)
    scratch = make_scratch(problem, with_transfers=True)
    simulate_batch(problem.arrays, scratch, orders32, devices32, False, result, value, peak, busy)
    return result[:, N_SEGMENTS].copy(), result[:, LAUNCH_PS].copy()


def writable(genes: NDArray[np.integer]) -> Int32:
    """int32 and contiguous; a read-only array is copied, as it would have the kernels compiled for it anew."""
    genes32 = np.ascontiguousarray(genes, np.int32)
    return genes32 if genes32.flags.writeable else genes32.copy()


def decode_one(problem: Problem, order: Sequence[int] | Int32, device: Sequence[int] | Int32) -> Schedule:
    """Decode one plan into its full schedule. Raises :class:`PlanError` if it is not legal."""
    check_plan(problem, order, device)
    order32 = np.array(order, np.int32)
    device32 = np.array(device, np.int32)
    s = make_scratch(problem, with_transfers=True)
    result = np.empty((1, N_RESULTS), np.int64)
    value = np.empty((1, N_VALUES), np.float64)
    peak = np.empty((1, problem.n_memories), np.int64)
    busy = np.empty((1, problem.n_devices), np.int64)
    simulate_batch(problem.arrays, s, order32[None], device32[None], True, result, value, peak, busy)
    counts = [int(x) for x in result[0]]
    held = [(t, m) for m, count in enumerate(s.n_held.tolist()) for t in s.held_tensor[m, :count].tolist()]
    return Schedule(
        problem=problem,
        order=order32,
        device=device32,
        start_ps=s.start,
        finish_ps=s.finish,
        transfers=tuple(Transfer(*row) for row in s.transfers[: counts[N_TRANSFERS], :SHOWN_FIELDS].tolist()),
        holdings=tuple(
            sorted(
                Holding(m, int(s.held_start[t, m]), t, int(s.held_end[t, m]), int(problem.tensor_size_bytes[t]))
                for t, m in held
            )
        ),
        weight_bytes=s.weight,
        capacity_bytes=problem.memory_capacity_bytes,
        peak_bytes=peak[0],
        overflow_bytes=counts[OVERFLOW_BYTES],
        makespan_ps=counts[TIME_PS],
        operator_energy_pj=counts[OPERATOR_PJ],
        transfer_energy_pj=counts[TRANSFER_PJ],
        idle_energy_pj=float(value[0, IDLE_PJ]),
        energy_pj=float(value[0, ENERGY_PJ]),
        load_variance=float(value[0, LOAD_VARIANCE]),
        busy_ps=busy[0],
        transferred_bytes=counts[TRANSFERRED_BYTES],
        n_cut_edges=counts[N_CUT_EDGES],
        n_segments=counts[N_SEGMENTS],
        launch_ps=counts[LAUNCH_PS],
    )
