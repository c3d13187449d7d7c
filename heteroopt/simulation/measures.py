"""What one decode says about a plan beyond time, energy and balance: bottleneck, memory, traffic and price."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heteroopt.simulation.decoder import Evaluation, decode_batch
from heteroopt.simulation.problem import Bool, Float64, Int64, Problem
from heteroopt.simulation.reference import decode_alone
from heteroopt.simulation.schedule import Schedule
from heteroopt.simulation.scratch import Scratch
from heteroopt.simulation.sharing import steady_busy_ps
from heteroopt.units import PS_PER_S

S_PER_HOUR = 3600.0


@dataclass(frozen=True, eq=False)
class Measures:
    """Measures of P plans.

    The throughput is the steady state's upper bound, 1 / bottleneck: weights stay where they are, every item moves
    its own activations, and nothing ever waits. ``simulation/pipeline`` says what really follows from the order.
    Where devices slow each other it is an estimate on the careful side: a device is busy per item for the longer of its
    busy time in the run of one item and what it would be in a steady state in which the work of different items
    overlaps by chance: t + W_d (S - 1) sum W_e / T, with t its busy time alone, W the time that the memory takes of
    operators, the sum over the other devices of its memory, and T the longest busy time alone; never longer than the
    makespan, which items one after another reach.
    """

    evaluation: Evaluation
    """The decode that everything here follows from."""
    bottleneck_ps: Int64
    """[P] busy time of one item on the busiest device or channel, at least 1: with blocking transfers devices are
    busy during their transfers too; moves inside a memory occupy no channel."""
    throughput_per_s: Float64
    """[P] items per second."""
    peak_memory_bytes: Int64
    """[P] the highest peak among the memories of the pool's devices (an implicit host is none)."""
    cost_per_hour: Float64
    """[P] of the devices with an operator on them; unknown costs count as 0."""
    cost_per_item: Float64
    """[P] cost of those devices during one bottleneck."""
    cost_known: Bool
    """[P] whether the costs of all those devices are known."""


def measure_plans(
    problem: Problem,
    orders: NDArray[np.integer],
    devices: NDArray[np.integer],
    *,
    exact_peak: bool = True,
    scratch: Scratch | None = None,
) -> Measures:
    """Decode P plans (``orders``, ``devices`` [P, n]) once and measure them.

    Without ``exact_peak`` peaks may be upper bounds where the memory fits. Raises :class:`PlanError` if a plan is
    not legal.
    """
    evaluation = decode_batch(problem, orders, devices, exact_peak=exact_peak, scratch=scratch)
    return measures_of(problem, evaluation, devices)


def measures_of(problem: Problem, evaluation: Evaluation, devices: NDArray[np.integer]) -> Measures:
    """The measures of plans that are decoded already; ``devices`` [P, n] are theirs."""
    bottleneck = np.maximum(evaluation.bottleneck_ps, 1)
    throughput = PS_PER_S / bottleneck
    used = used_devices(problem, devices)
    cost = used @ problem.device_cost_per_hour
    return Measures(
        evaluation=evaluation,
        bottleneck_ps=bottleneck,
        throughput_per_s=throughput,
        peak_memory_bytes=evaluation.peak_bytes[:, device_memories(problem)].max(axis=1),
        cost_per_hour=cost,
        cost_per_item=cost * bottleneck / (PS_PER_S * S_PER_HOUR),
        cost_known=np.asarray((problem.device_cost_known | ~used).all(axis=1)),
    )


def used_devices(problem: Problem, devices: NDArray[np.integer]) -> Bool:
    """[P, D] whether a plan has an operator there."""
    used = np.zeros((len(devices), problem.n_devices), np.bool_)
    used[np.arange(len(devices))[:, None], devices] = True
    return used


def device_memories(problem: Problem) -> Int64:
    """Memories that belong to at least one device of the pool, ascending."""
    return np.unique(problem.store_memory[: problem.n_devices]).astype(np.int64)


def bottleneck_of(schedule: Schedule) -> int:
    """The bottleneck in picoseconds by its definition (see :class:`Measures`), from a schedule."""
    problem = schedule.problem
    if not problem.contends:
        return least_bottleneck_of(schedule)
    alone = decode_alone(problem, schedule.order.tolist(), schedule.device.tolist()).schedule(schedule.order.tolist())
    least = least_bottleneck_of(alone)
    busiest = max(least, *(int(busy) for busy in schedule.busy_ps))
    work = [0] * problem.n_devices
    for operator, home in enumerate(schedule.device.tolist()):
        duration_ps = int(alone.finish_ps[operator] - alone.start_ps[operator])
        work[home] += int(problem.op_memory_share[operator, home]) * duration_ps
    for d in range(problem.n_devices):
        memory = problem.store_memory[d]
        others = sum(work[e] for e in range(problem.n_devices) if e != d and problem.store_memory[e] == memory)
        excess = int(problem.memory_excess[memory])
        steady = steady_busy_ps(int(alone.busy_ps[d]), work[d], others, excess, least)
        busiest = max(busiest, min(steady, schedule.makespan_ps))
    return busiest


def least_bottleneck_of(alone: Schedule) -> int:
    """Busy time of the busiest device or channel of a run that nothing slows: no run of many items is faster."""
    channels: dict[int, int] = {}
    for sent in alone.transfers:
        if sent.channel >= 0:
            channels[sent.channel] = channels.get(sent.channel, 0) + sent.finish_ps - sent.start_ps
    return max(1, *(int(busy) for busy in alone.busy_ps), *channels.values())
