"""The chain of operators and transfers, each starting the moment the one before ends, that makes the makespan."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from heteroopt.simulation.problem import Problem

if TYPE_CHECKING:
    from heteroopt.simulation.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Step:
    """One link of the chain: an operator, or a transfer by its index in ``Schedule.transfers``."""

    kind: str
    """``"operator"`` or ``"transfer"``."""
    index: int
    start_ps: int
    finish_ps: int


def critical_path(problem: Problem, schedule: Schedule) -> tuple[Step, ...]:
    """The chain in time order, from time 0 to the makespan.

    It is followed backwards from what ends last. Of all that ends just when a step starts, what the step's data
    came from goes before what freed its device or channel; operators go before transfers, lower indices first.
    """
    sent = schedule.transfers
    start = schedule.start_ps.tolist() + [hop.start_ps for hop in sent]
    finish = schedule.finish_ps.tolist() + [hop.finish_ps for hop in sent]
    by_finish: dict[int, list[int]] = defaultdict(list)
    for at, time in enumerate(finish):
        by_finish[time].append(at)
    waits = _Waits(problem, schedule)
    chain: list[int] = []
    seen: set[int] = set()
    current = next(iter(by_finish[schedule.makespan_ps]), None)
    while current is not None:
        chain.append(current)
        seen.add(current)
        candidates = [at for at in by_finish[start[current]] if at not in seen]
        current = waits.cause(current, candidates) if candidates else None
    n = problem.n_operators
    return tuple(
        Step("operator", at, start[at], finish[at]) if at < n else Step("transfer", at - n, start[at], finish[at])
        for at in reversed(chain)
    )


class _Waits:
    """What a step may have waited for. A step is a number: an operator's index, or n and on, a transfer's.

    The chain of a large plan has thousands of steps, each with a few candidates: plain lists answer them fastest.
    """

    def __init__(self, problem: Problem, schedule: Schedule) -> None:
        self.n = problem.n_operators
        self.n_devices = problem.n_devices
        self.blocking = problem.blocking_transfers
        self.sent = schedule.transfers
        self.device: list[int] = schedule.device.tolist()
        self.is_view: list[bool] = problem.is_view.tolist()
        self.pred_ptr: list[int] = problem.pred_ptr.tolist()
        self.pred_idx: list[int] = problem.pred_idx.tolist()
        roots = problem.tensor_root
        self.reads = (problem.in_ptr.tolist(), roots[problem.in_tensor].tolist())
        self.makes = (problem.out_ptr.tolist(), roots[problem.out_tensor].tolist())

    def cause(self, step: int, candidates: Sequence[int]) -> int | None:
        """The first that the step may have waited for: for its data, or else for its devices and channel."""
        for other in candidates:
            if self._gives_data(other, step):
                return other
        occupied = self._occupied(step)
        for other in candidates:
            if not occupied.isdisjoint(self._occupied(other)) or self._shares_channel(other, step):
                return other
        return None

    def _gives_data(self, earlier: int, step: int) -> bool:
        n = self.n
        if step < n:
            if earlier < n:
                return earlier in self.pred_idx[self.pred_ptr[step] : self.pred_ptr[step + 1]]
            hop = self.sent[earlier - n]
            return hop.target == self.device[step] and hop.tensor in _of(self.reads, step)
        needed = self.sent[step - n]
        if earlier < n:
            return needed.tensor in _of(self.makes, earlier)
        hop = self.sent[earlier - n]
        return hop.tensor == needed.tensor and hop.target == needed.source

    def _shares_channel(self, earlier: int, step: int) -> bool:
        if earlier < self.n or step < self.n:
            return False
        channel = self.sent[earlier - self.n].channel
        return channel >= 0 and channel == self.sent[step - self.n].channel

    def _occupied(self, step: int) -> set[int]:
        """Devices that a step keeps busy."""
        if step < self.n:
            return set() if self.is_view[step] else {self.device[step]}
        if not self.blocking:
            return set()
        hop = self.sent[step - self.n]
        return {store for store in (hop.source, hop.target) if store < self.n_devices}


def _of(rows: tuple[list[int], list[int]], at: int) -> list[int]:
    """Row ``at`` of values that lie one row after another, each beginning where the first list says."""
    begins, values = rows
    return values[begins[at] : begins[at + 1]]
