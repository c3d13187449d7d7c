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

An item's model inputs lie where they start from its arrival on; its model outputs leave when the item is finished.
Weights count once. Time is in integer picoseconds.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from heteroopt.simulation.measures import bottleneck_of
from heteroopt.simulation.pipeline_result import PipelineResult
from heteroopt.simulation.plan_check import check_plan
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.reference import Run

Buffer = tuple[int, int]
"""(tensor, memory) that something lies in."""


@dataclass
class Task:
    """One operator or transfer of an item."""

    kind: str
    index: int
    """Operator, or index in the schedule's transfers."""
    duration_ps: int
    queue: tuple[str, int] | None
    """Where it waits for its turn: ``("device", d)``, ``("channel", c)``, ``("move", d)``; ``None`` if nowhere."""
    occupies: tuple[tuple[str, int], ...]
    after: set[int]
    allocates: list[Buffer] = field(default_factory=list)
    keeps: set[Buffer] = field(default_factory=set)


@dataclass(frozen=True)
class LogEntry:
    """One task that ran: operator ``index``, or transfer ``index`` of the plan's schedule."""

    item: int
    kind: str
    index: int
    start_ps: int
    finish_ps: int


def run_pipeline_reference(
    problem: Problem, order: Sequence[int], device: Sequence[int], arrivals_ps: Sequence[int]
) -> tuple[PipelineResult, list[LogEntry]]:
    """Run items that arrive at ``arrivals_ps`` (ascending) through one plan; the log is in order of starts.

    Raises :class:`PlanError` if the plan is not legal.
    """
    check_plan(problem, order, device)
    run = Run(problem, [int(d) for d in device])
    for operator in order:
        run.place(int(operator))
    schedule = run.schedule([int(i) for i in order])
    pipeline = _Pipeline(_Item(problem, run), [int(t) for t in arrivals_ps])
    pipeline.go()
    peak = schedule.weight_bytes + np.array(pipeline.peak, np.int64)
    finish = np.array(pipeline.finish, np.int64)
    arrivals = np.array(arrivals_ps, np.int64)
    return (
        PipelineResult(arrivals, finish, peak, problem.memory_capacity_bytes, bottleneck_of(schedule)),
        pipeline.log,
    )


class _Item:
    """The tasks of one item, from one decoding pass."""

    def __init__(self, problem: Problem, run: Run) -> None:
        self.problem = problem
        self.run = run
        self.tasks: list[Task] = []
        self.brought: list[Buffer] = []
        """What an item holds from its arrival on."""
        self.outputs: set[Buffer] = set()
        """What it holds until it is finished."""
        self._operator_task: dict[int, int] = {}
        self._came_by: dict[tuple[int, int], int] = {}
        """(buffer, store) -> the task that put it there; absent for what was there from the start."""
        self._last: dict[tuple[str, int], int] = {}
        self._held: set[Buffer] = set()
        for tensor in range(problem.n_tensors):
            if problem.tensor_producer[tensor] < 0 and (
                problem.inputs_on_host or (problem.tensor_is_output[tensor] and problem.outputs_on_host)
            ):
                self._bring(tensor, problem.host)
                if problem.tensor_is_output[tensor]:
                    self.outputs.add(self._place(tensor, problem.host))
        for kind, index in run.steps:
            if kind == "operator":
                self._add_operator(index)
            else:
                self._add_transfer(index)
        kept = self.outputs.union(*(task.keeps for task in self.tasks))
        self.brought = [place for place in self.brought if place in kept]

    def _place(self, buffer: int, store: int) -> Buffer:
        return buffer, int(self.problem.store_memory[store])

    def _bring(self, buffer: int, store: int) -> None:
        place = self._place(buffer, store)
        if place not in self._held:
            self._held.add(place)
            self.brought.append(place)

    def _add(self, task: Task) -> None:
        for resource in task.occupies:
            if resource in self._last:
                task.after.add(self._last[resource])
            self._last[resource] = len(self.tasks)
        self.tasks.append(task)

    def _appear(self, task: Task, buffer: int, store: int) -> None:
        self._came_by[buffer, store] = len(self.tasks)
        place = self._place(buffer, store)
        task.keeps.add(place)
        if place not in self._held:
            self._held.add(place)
            task.allocates.append(place)

    def _needs(self, task: Task, tensor: int, store: int) -> None:
        buffer, producer = int(self.problem.tensor_root[tensor]), int(self.problem.tensor_producer[tensor])
        if (buffer, store) in self._came_by:
            task.after.add(self._came_by[buffer, store])
        else:
            self._bring(buffer, store)
        if producer >= 0:
            task.after.add(self._operator_task[producer])
        task.keeps.add(self._place(buffer, store))

    def _add_operator(self, operator: int) -> None:
        problem, home = self.problem, self.run.device[operator]
        device = ("device", home)
        duration = self.run.finish[operator] - self.run.start[operator]
        task = Task("operator", operator, duration, device, (device,), set())
        if problem.is_view[operator]:
            task = Task("operator", operator, 0, None, (), set())
        for tensor in problem.in_tensor[problem.in_ptr[operator] : problem.in_ptr[operator + 1]].tolist():
            self._needs(task, tensor, home)
        self._operator_task[operator] = len(self.tasks)
        for tensor in problem.out_tensor[problem.out_ptr[operator] : problem.out_ptr[operator + 1]].tolist():
            root = int(problem.tensor_root[tensor])
            if root == tensor:
                self._appear(task, tensor, home)
            if problem.tensor_is_output[tensor]:
                place = problem.host if problem.outputs_on_host else home
                self.outputs.add(self._place(root, place))
                if problem.tensor_producer[root] < 0 and not problem.inputs_on_host:
                    self._bring(root, place)
        self._add(task)

    def _add_transfer(self, index: int) -> None:
        problem, sent = self.problem, self.run.transfers[index]
        ends = [s for s in (sent.target, sent.source) if problem.blocking_transfers and s < problem.n_devices]
        occupies = [("device", store) for store in ends]
        queue: tuple[str, int] | None = None
        if sent.channel >= 0:
            queue = ("channel", sent.channel)
            occupies.append(queue)
        elif ends:
            queue = ("move", ends[0])
        task = Task("transfer", index, sent.finish_ps - sent.start_ps, queue, tuple(occupies), set())
        self._needs(task, self.run.requested[index], sent.source)
        self._appear(task, sent.tensor, sent.target)
        self._add(task)


class _Pipeline:
    """Items in flight."""

    def __init__(self, item: _Item, arrivals: list[int]) -> None:
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
        self.users: dict[tuple[int, Buffer], set[int]] = {}
        """(item, buffer) -> tasks still to end; -1 for the item itself."""
        self.usage = [0] * item.problem.n_memories
        self.peak = [0] * item.problem.n_memories

    def go(self) -> None:
        """Until the last item is finished."""
        heapq.heapify(self.events)
        while self.events:
            now = self.events[0][0]
            while self.events and self.events[0][0] == now:
                _, item, task = heapq.heappop(self.events)
                if task < 0:
                    self._arrive(item)
                else:
                    self._end(item, task, now)
                self._request(item, now)
            self._start_transfers(now)
            self._start_operators(now)
            if not self.events or self.events[0][0] > now:
                self.peak = [max(pair) for pair in zip(self.peak, self.usage, strict=True)]

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
        heapq.heappush(self.events, (now + task.duration_ps, item, index))
        self.log.append(LogEntry(item, task.kind, task.index, now, now + task.duration_ps))

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
