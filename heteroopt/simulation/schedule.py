"""What decoding a plan gives: when everything runs, what lies where, and the objectives' values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from heteroopt.simulation.critical_path import Step, critical_path
from heteroopt.simulation.problem import Int32, Int64, Problem

STAYS = (1 << 63) - 1
"""End of a holding that is never freed: a model output at its last place."""


class Transfer(NamedTuple):
    """One hop of a tensor. Inside a memory domain ``size_bytes`` is 0 and ``channel`` -1: nothing is moved."""

    tensor: int
    """The buffer that is sent: the root of the tensor that was read."""
    source: int
    target: int
    channel: int
    start_ps: int
    finish_ps: int
    size_bytes: int


class Holding(NamedTuple):
    """A buffer lies in a memory from ``start_ps`` until just before ``end_ps`` (``STAYS``: to the end)."""

    memory: int
    start_ps: int
    tensor: int
    end_ps: int
    size_bytes: int


@dataclass(frozen=True, eq=False)
class Schedule:
    """The one schedule of a plan. Times in picoseconds, energies in picojoules, sizes in bytes."""

    problem: Problem
    order: Int32
    device: Int32
    start_ps: Int64
    """[n]"""
    finish_ps: Int64
    """[n]"""
    transfers: tuple[Transfer, ...]
    """In the order in which they were placed."""
    holdings: tuple[Holding, ...]
    """Activations only, sorted."""
    weight_bytes: Int64
    """[M] initializers that lie in each memory during the whole run."""
    capacity_bytes: Int64
    """[M]"""
    peak_bytes: Int64
    """[M] highest sum of weights and activations."""
    overflow_bytes: int
    """Sum over the memories of what their peak exceeds their capacity by; 0 for a plan that fits."""
    makespan_ps: int
    operator_energy_pj: int
    transfer_energy_pj: int
    idle_energy_pj: float
    energy_pj: float
    load_variance: float
    """Population variance over the pool's devices of busy time / makespan."""
    busy_ps: Int64
    """[D] time in operators, and with blocking transfers in hops."""
    transferred_bytes: int
    n_cut_edges: int
    """Tensors read by an operator on another device than their producer's, each reader counted."""
    n_segments: int
    """Runs of operators that each device is handed as one program, by the rule of :mod:`heteroopt.partition`."""
    launch_ps: int
    """What their launches take, all devices together; it is part of their first operators' times and of ``busy_ps``."""

    @property
    def n_transfers(self) -> int:
        return len(self.transfers)

    @property
    def feasible(self) -> bool:
        return self.overflow_bytes == 0

    @property
    def overflow_by_memory(self) -> Int64:
        """[M] what each memory's peak exceeds its capacity by, 0 where it fits."""
        excess: Int64 = np.maximum(0, self.peak_bytes - self.capacity_bytes)
        return excess

    @cached_property
    def critical_steps(self) -> tuple[Step, ...]:
        """Operators and transfers, without a gap from time 0 to the makespan, that no shortening elsewhere helps."""
        return critical_path(self.problem, self)

    @property
    def critical_path(self) -> tuple[int, ...]:
        """The operators of the critical chain, in time order."""
        return tuple(step.index for step in self.critical_steps if step.kind == "operator")

    @property
    def transfer_share(self) -> float:
        """Share of the makespan that the critical chain spends in transfers, 0 to 1."""
        moving = sum(step.finish_ps - step.start_ps for step in self.critical_steps if step.kind == "transfer")
        return moving / self.makespan_ps if self.makespan_ps else 0.0

    def memory_points(self, memory: int) -> list[tuple[int, int]]:
        """``(time_ps, bytes held from then on)`` at every change, starting at 0 and ending at the makespan."""
        return memory_points(self.holdings, memory, int(self.weight_bytes[memory]), self.makespan_ps)

    def held_at_peak(self, memory: int) -> list[Holding]:
        """The activations that lie in a memory at the first instant of its peak, largest first."""
        points = self.memory_points(memory)
        instant = next(time for time, size in points if size == max(size for _, size in points))
        held = [h for h in self.holdings if h.memory == memory and h.start_ps <= instant < h.end_ps]
        return sorted(held, key=lambda h: (-h.size_bytes, h.tensor))


def memory_points(
    holdings: Sequence[Holding], memory: int, weight_bytes: int, makespan_ps: int
) -> list[tuple[int, int]]:
    """The course of one memory; at one instant what is freed goes before what is allocated."""
    change: dict[int, int] = {0: 0}
    for held in holdings:
        if held.memory == memory and held.start_ps < held.end_ps:
            change[held.start_ps] = change.get(held.start_ps, 0) + held.size_bytes
            if held.end_ps != STAYS:
                change[held.end_ps] = change.get(held.end_ps, 0) - held.size_bytes
    points: list[tuple[int, int]] = []
    size = weight_bytes
    for time in sorted(change):
        size += change[time]
        if not points or points[-1][1] != size:
            points.append((time, size))
    if points[-1][0] < makespan_ps:
        points.append((makespan_ps, size))
    return points


def differences(left: Schedule, right: Schedule) -> list[str]:
    """Names of the fields in which two schedules are not exactly equal (floats bit for bit)."""
    names = []
    for name in left.__dataclass_fields__:
        a, b = getattr(left, name), getattr(right, name)
        same = np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b
        if not same:
            names.append(name)
    return names
