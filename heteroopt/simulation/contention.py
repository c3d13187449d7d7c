"""The reference for devices that slow each other: plain Python that defines what contention does to a plan's times.

Without contention a plan is decoded by :mod:`heteroopt.simulation.reference`: that says which hops it needs, from where
each comes, and in which order each device and channel serves. All of this is the plan's and stays. With contention the
same operators and hops run in time: each starts when its data are there and what goes before it on its device or
channel has ended; an operator that the memory limits advances at the speed that :mod:`.sharing` gives for what overlaps
just then. Hops keep their time and slow nothing. Where nothing overlaps, or nothing is slowed, this is that decode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heteroopt.simulation.problem import Problem
from heteroopt.simulation.schedule import STAYS
from heteroopt.simulation.sharing import SPEED_UNIT, speed
from heteroopt.simulation.tasks import Buffer, Item

if TYPE_CHECKING:
    from heteroopt.simulation.reference import Run


class Overlap:
    """The operators that run now and can be slowed, by device, and what each has left to do."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.now = 0
        self.left: dict[int, int] = {}
        """device -> work left of the operator on it, ``SPEED_UNIT`` per picosecond of its own time."""
        self.share: dict[int, int] = {}

    def takes(self, device: int, operator: int, duration_ps: int) -> bool:
        """Whether the operator can be slowed there; then it starts now."""
        share = int(self.problem.op_memory_share[operator, device])
        if share == 0 or duration_ps == 0:
            return False
        self.left[device] = duration_ps * SPEED_UNIT
        self.share[device] = share
        return True

    def _speed(self, device: int) -> int:
        memory = self.problem.store_memory
        others = sum(s for d, s in self.share.items() if d != device and memory[d] == memory[device])
        return speed(self.share[device], others, int(self.problem.memory_excess[memory[device]]))

    def next_end(self) -> int | None:
        """When the first of them ends if nothing starts before."""
        return min((self.now - -left // self._speed(device) for device, left in self.left.items()), default=None)

    def advance(self, now: int) -> list[int]:
        """Let time pass, no further than ``next_end``; return the devices whose operators end now."""
        done = {device: (now - self.now) * self._speed(device) for device in self.left}
        self.now = now
        for device, work in done.items():
            self.left[device] -= work
        ended = [device for device, left in self.left.items() if left <= 0]
        for device in ended:
            del self.left[device], self.share[device]
        return ended


def slow_down(run: Run) -> None:
    """Give a decoded run the times that contention makes of it: starts, ends, hops, busy times and holdings."""
    item = Item(run.problem, run)
    start, finish = _times(run, item)
    for index, task in enumerate(item.tasks):
        if task.kind == "operator":
            operator = task.index
            if task.occupies:
                run.busy[run.device[operator]] += finish[index] - start[index] - task.duration_ps
            run.start[operator], run.finish[operator] = start[index], finish[index]
        else:
            sent = run.transfers[task.index]
            run.transfers[task.index] = sent._replace(start_ps=start[index], finish_ps=finish[index])
    _hold(run, item, start, finish)


def _times(run: Run, item: Item) -> tuple[dict[int, int], dict[int, int]]:
    """Start and finish of every task of one item that is there from the start."""
    overlap = Overlap(run.problem)
    on_device: dict[int, int] = {}
    start: dict[int, int] = {}
    finish: dict[int, int] = {}
    """Of tasks that are not slowed it is known as soon as they start."""
    now = 0
    while True:
        ended = {index for index, end in finish.items() if end <= now}
        for index, task in enumerate(item.tasks):
            if index in start or not task.after <= ended:
                continue
            start[index] = now
            home = run.device[task.index] if task.kind == "operator" else -1
            if task.kind == "operator" and overlap.takes(home, task.index, task.duration_ps):
                on_device[home] = index
            else:
                finish[index] = now + task.duration_ps
                if task.duration_ps == 0:
                    break
        else:
            later = [end for end in finish.values() if end > now]
            first = overlap.next_end()
            if first is not None:
                later.append(first)
            if not later:
                return start, finish
            now = min(later)
            for home in overlap.advance(now):
                finish[on_device[home]] = now


def _hold(run: Run, item: Item, start: dict[int, int], finish: dict[int, int]) -> None:
    """Each buffer is held from the start of the task that brought it until the last task that keeps it has ended."""
    begin: dict[Buffer, int] = {}
    end: dict[Buffer, int] = {}
    for index, task in enumerate(item.tasks):
        for place in task.allocates:
            begin[place] = start[index]
        for place in task.keeps:
            end[place] = max(end.get(place, 0), finish[index])
    for place, span in run.held.items():
        since = begin.get(place, 0)
        span[:] = [since, STAYS if span[1] == STAYS else max(since, end.get(place, 0))]
