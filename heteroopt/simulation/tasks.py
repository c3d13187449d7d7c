"""One item's tasks: the operators and transfers of a decoded plan, and what each has to wait for.

Within an item devices and channels keep the plan's order, so a task may start when its data are there and when the
task before it on the same device or channel has ended. One item's tasks run by these rules alone are its schedule.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from heteroopt.simulation.problem import Problem

if TYPE_CHECKING:
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


class Item:
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
        duration_ps = self.run.finish[operator] - self.run.start[operator]
        task = Task("operator", operator, duration_ps, device, (device,), set())
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
