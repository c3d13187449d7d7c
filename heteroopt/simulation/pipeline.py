"""The reference pipeline: plain Python that defines what several items in flight do with a plan.

An item is a copy of what the plan's schedule holds: its operators and its transfers (*tasks*), in the order in which
the decoder placed them. A task of an item may start when its data are there (as in the decoder) and when the item's
task before it on the same device or channel has ended: within an item, devices and channels keep the plan's order.
So one item alone runs exactly as the decoder says. Between items:

- A device that is free takes the oldest item whose next operator is ready.
- A channel serves in the order of requests (a transfer is requested when it may start); requests of one instant go
  by item, the oldest first.
- With blocking transfers a transfer needs its channel and both devices free at once, and reserves nothing while it
  waits. At one instant transfers go before operators; of several that compete for a device the one requested first
  goes first (then by item, then by the plan's order). Moves inside a memory, which have no channel, then queue on the
  device that they lead to (on the one they come from, if they lead to an implicit host).
- Views, and moves inside a memory without blocking, occupy nothing and start at once.
- At one instant everything that ends is done with, and what arrives has arrived, before anything is started. What
  takes no time ends in that instant, after which the choice is made again.
- Operators of all items that overlap on devices of one memory slow each other as those of a single item do
  (:mod:`heteroopt.simulation.contention`).

An item's model inputs lie where they start from its arrival on; its model outputs leave when the item is finished.
Weights count once. Time is in integer picoseconds.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from heteroopt.simulation.contention import Overlap
from heteroopt.simulation.measures import least_bottleneck_of
from heteroopt.simulation.pipeline_result import PipelineResult
from heteroopt.simulation.plan_check import check_plan
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.reference import decode_alone
from heteroopt.simulation.tasks import Buffer, Item, Task


@dataclass(frozen=True)
class LogEntry:
    """One task that ran: operator ``index``, or transfer ``index`` of the plan's schedule."""

    item: int
    kind: str
    index: int
    start_ps: int
    finish_ps: int


@dataclass(frozen=True, eq=False)
class PipelineRun:
    """What ran when, and what lay where meanwhile."""

    result: PipelineResult
    log: list[LogEntry]
    """In order of starts."""
    tasks: list[Task]
    """Of one item, in the order in which the decoder placed them."""
    held: list[tuple[int, tuple[int, ...]]]
    """(time in ps, bytes of activations in each memory from then on), once an instant in which something happened."""
    weight_bytes: tuple[int, ...]
    """[M] beside them during the whole run."""


def run_pipeline_reference(
    problem: Problem, order: Sequence[int], device: Sequence[int], arrivals_ps: Sequence[int]
) -> tuple[PipelineResult, list[LogEntry]]:
    """Run items that arrive at ``arrivals_ps`` (ascending) through one plan; the log is in order of starts.

    Raises :class:`PlanError` if the plan is not legal.
    """
    run = run_items(problem, order, device, arrivals_ps)
    return run.result, run.log


def run_items(problem: Problem, order: Sequence[int], device: Sequence[int], arrivals_ps: Sequence[int]) -> PipelineRun:
    """As ``run_pipeline_reference``, with the tasks of an item and the course of every memory."""
    check_plan(problem, order, device)
    run = decode_alone(problem, order, device)
    schedule = run.schedule([int(i) for i in order])
    pipeline = _Pipeline(Item(problem, run), [int(t) for t in arrivals_ps])
    pipeline.go()
    peak = schedule.weight_bytes + np.array(pipeline.peak, np.int64)
    finish = np.array(pipeline.finish, np.int64)
    arrivals = np.array(arrivals_ps, np.int64)
    least = least_bottleneck_of(schedule)
    result = PipelineResult(arrivals, finish, peak, problem.memory_capacity_bytes, least)
    weights = tuple(schedule.weight_bytes.tolist())
    return PipelineRun(result, pipeline.log, pipeline.item.tasks, pipeline.held, weights)


class _Pipeline:
    """Items in flight."""

    def __init__(self, item: Item, arrivals: list[int]) -> None:
        self.item = item
        self.arrivals = arrivals
        self.finish = [0] * len(arrivals)
        self.log: list[LogEntry] = []
        self.events: list[tuple[int, int, int]] = [(time, k, -1) for k, time in enumerate(arrivals)]
        """(time, item, task that ends then; -1: the item arrives)."""
        self.done: list[set[int]] = [set() for _ in arrivals]
        self.queued: list[set[int]] = [set() for _ in arrivals]
        """Tasks per item that were requested, whether or not they ran since."""
        self.waiting: dict[tuple[str, int], list[tuple[int, int, int]]] = {}
        """Per queue: (requested at, item, task)."""
        self.busy: set[tuple[str, int]] = set()
        self.overlap = Overlap(item.problem)
        self.slowed: dict[int, LogEntry] = {}
        """By device what runs on it and can be slowed, with the end that it would have alone."""
        self.users: dict[tuple[int, Buffer], set[int]] = {}
        """(item, buffer) -> tasks still to end; -1 for the item itself."""
        self.usage = [0] * item.problem.n_memories
        self.peak = [0] * item.problem.n_memories
        self.held: list[tuple[int, tuple[int, ...]]] = []

    def go(self) -> None:
        """Until the last item is finished."""
        heapq.heapify(self.events)
        while (now := self._next()) is not None:
            for device in self.overlap.advance(now):
                self._end_slowed(self.slowed.pop(device), now)
            while self.events and self.events[0][0] == now:
                _, item, task = heapq.heappop(self.events)
                if task < 0:
                    self._arrive(item)
                else:
                    self._end(item, task, now)
                self._request(item, now)
            self._start_transfers(now)
            self._start_operators(now)
            if self._next() != now:
                self.peak = [max(pair) for pair in zip(self.peak, self.usage, strict=True)]
                self.held.append((now, tuple(self.usage)))

    def _next(self) -> int | None:
        """When something ends or arrives next."""
        times = [self.overlap.next_end(), self.events[0][0] if self.events else None]
        return min((time for time in times if time is not None), default=None)

    def _arrive(self, item: int) -> None:
        for place in self.item.outputs:
            self.users[item, place] = {-1}
        for index, task in enumerate(self.item.tasks):
            for place in task.keeps:
                self.users.setdefault((item, place), set()).add(index)
        for place in self.item.brought:
            self._allocate(place)

    def _allocate(self, place: Buffer) -> None:
        self.usage[place[1]] += int(self.item.problem.tensor_size_bytes[place[0]])

    def _let_go(self, item: int, place: Buffer, user: int) -> None:
        users = self.users[item, place]
        users.remove(user)
        if not users:
            self.usage[place[1]] -= int(self.item.problem.tensor_size_bytes[place[0]])

    def _end(self, item: int, index: int, now: int) -> None:
        task = self.item.tasks[index]
        self.busy.difference_update(task.occupies)
        self.done[item].add(index)
        for place in task.keeps:
            self._let_go(item, place, index)
        if len(self.done[item]) == len(self.item.tasks):
            self.finish[item] = now
            for place in self.item.outputs:
                self._let_go(item, place, -1)

    def _end_slowed(self, entry: LogEntry, now: int) -> None:
        task = next(k for k, t in enumerate(self.item.tasks) if (t.kind, t.index) == (entry.kind, entry.index))
        self.log[self.log.index(entry)] = replace(entry, finish_ps=now)
        heapq.heappush(self.events, (now, entry.item, task))

    def _request(self, item: int, now: int) -> None:
        """Queue what has just become ready; start at once what occupies nothing."""
        for index, task in enumerate(self.item.tasks):
            if index not in self.queued[item] and task.after <= self.done[item]:
                self.queued[item].add(index)
                if task.queue is None:
                    self._start(item, index, now)
                else:
                    self.waiting.setdefault(task.queue, []).append((now, item, index))

    def _start(self, item: int, index: int, now: int) -> None:
        task = self.item.tasks[index]
        self.busy.update(task.occupies)
        for place in task.allocates:
            self._allocate(place)
        entry = LogEntry(item, task.kind, task.index, now, now + task.duration_ps)
        self.log.append(entry)
        if task.kind == "operator" and task.queue is not None:
            device = task.queue[1]
            if self.overlap.takes(device, task.index, task.duration_ps):
                self.slowed[device] = entry
                return
        heapq.heappush(self.events, (now + task.duration_ps, item, index))

    def _start_transfers(self, now: int) -> None:
        while True:
            heads = [
                (min(requests), queue)
                for queue, requests in self.waiting.items()
                if queue[0] != "device" and requests and queue not in self.busy
            ]
            able = [head for head in heads if self.busy.isdisjoint(self.item.tasks[head[0][2]].occupies)]
            if not able:
                return
            request, queue = min(able)
            self.waiting[queue].remove(request)
            self._start(request[1], request[2], now)

    def _start_operators(self, now: int) -> None:
        for queue, requests in self.waiting.items():
            if queue[0] == "device" and requests and queue not in self.busy:
                request = min(requests, key=lambda entry: entry[1:])
                requests.remove(request)
                self._start(request[1], request[2], now)
