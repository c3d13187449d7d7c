"""The relaxed scheduling model behind a proof: every plan of the simulation is a solution, so its optimum is a bound.

Kept: every operator on one legal device for its time there, one operator at a time on a device, precedence, pins,
groups, views, the way of each buffer from where it was made to each reader's device, model inputs and outputs on the
host. Left out: queues on channels, devices that blocking transfers occupy, memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.simulation.problem import Int64, Problem
from heteroopt.simulation.schedule import Schedule
from heteroopt.simulation.topology import canonical_order

STEPS = 1 << 22
"""A makespan is counted in at most about this many steps; each operator loses less than one step to rounding."""

Sections = Sequence[tuple[int, int, Mapping[tuple[int, int], int]]]

_FAR = 1 << 60


@dataclass(frozen=True, eq=False, slots=True)
class ProofModel:
    """``model``: the CP-SAT model. ``chosen``: per operator, device -> literal of each legal one. ``start`` and
    ``makespan``: variables in steps of ``step_ps``.
    """

    model: Any
    chosen: dict[int, dict[int, Any]]
    start: dict[int, Any]
    makespan: Any
    step_ps: int


def step_of(longest_ps: int) -> int:
    """Picoseconds in a step for makespans up to ``longest_ps``."""
    return max(1, -(-longest_ps // STEPS))


def build(
    cp_model: Any, problem: Problem, hint: Schedule, lower_bound_ps: int, distance: Int64, sections: Sections
) -> ProofModel:
    """Build the model; ``hint`` is a plan whose makespan bounds the search from above, and where it starts.

    All durations and delays are rounded down to steps. Let t be the times of a plan: then floor(t / step) is a
    solution, since floor(a + b) >= floor(a) + floor(b); so optimum x step is a lower bound in picoseconds.
    ``distance``: see :func:`distances`. ``sections``: least steps between two gates, by their devices, as
    ``(gate, next gate, {(device, device): steps})``.
    """
    step = step_of(hint.makespan_ps)
    horizon = hint.makespan_ps // step
    model = cp_model.CpModel()
    makespan = model.new_int_var(min(horizon, lower_bound_ps // step), horizon, "makespan")
    part = Part(model, problem, distance, step, horizon, range(problem.n_operators))
    part.read_inputs()
    part.end(makespan, outputs=True)
    for gate, following, least in sections:
        for (source, target), steps in least.items():
            both = part.chosen[gate][source], part.chosen[following][target]
            model.add(part.finish(following) >= part.finish(gate) + steps).only_enforce_if(*both)
    model.minimize(makespan)
    model.add_hint(makespan, hint.makespan_ps // step)
    for i in range(problem.n_operators):
        model.add_hint(part.start[i], int(hint.start_ps[i]) // step)
        for device, literal in part.chosen[i].items():
            model.add_hint(literal, int(hint.device[i]) == device)
    return ProofModel(model, part.chosen, part.start, makespan, step)


class Part:
    """The variables and constraints of some operators in a CP-SAT model; what other operators do is left out.

    ``entry``: an operator and its device that has just ended at time 0. ``exit``: the device of the last operator.
    """

    def __init__(
        self,
        model: Any,
        problem: Problem,
        distance: Int64,
        step: int,
        horizon: int,
        operators: Sequence[int],
        entry: tuple[int, int] | None = None,
        exit: tuple[int, int] | None = None,
    ) -> None:
        self.model, self.problem, self.distance, self.step = model, problem, distance, step
        self.times = problem.op_time_ps // step
        self.operators = operators
        self.start: dict[int, Any] = {}
        self.chosen: dict[int, dict[int, Any]] = {}
        self.duration: dict[int, Any] = {}
        if entry is not None:
            self.start[entry[0]], self.duration[entry[0]] = 0, 0
            self.chosen[entry[0]] = {entry[1]: model.new_constant(1)}
        for i in operators:
            self.start[i] = model.new_int_var(0, horizon, f"start{i}")
            devices = np.flatnonzero(problem.legal[i]).tolist()
            if exit is not None and exit[0] == i:
                devices = [exit[1]]
            literals = {device: model.new_bool_var(f"on{i}_{device}") for device in devices}
            model.add_exactly_one(literals.values())
            self.chosen[i] = literals
            self.duration[i] = 0 if problem.is_view[i] else self._sum({d: self.times[i, d] for d in devices}, i)
        self._share_devices()
        self._take_turns()
        for i in operators:
            self._read(i)

    def finish(self, operator: int) -> Any:
        """When an operator ends."""
        return self.start[operator] + self.duration[operator]

    def read_inputs(self) -> None:
        """Model inputs come from the host, where they are at time 0."""
        problem = self.problem
        for i in self.operators if problem.inputs_on_host else ():
            for tensor in problem.in_tensor[problem.in_ptr[i] : problem.in_ptr[i + 1]].tolist():
                buffer = int(problem.tensor_root[tensor])
                if problem.tensor_producer[buffer] < 0:
                    ways = {d: self.distance[buffer, problem.host, d] // self.step for d in self.chosen[i]}
                    self.model.add(self.start[i] >= self._sum(ways, i))

    def end(self, makespan: Any, *, outputs: bool) -> None:
        """``makespan`` is not before any operator ends, nor shorter than a device's work, nor (``outputs``) before a
        model output has come to the host.
        """
        problem = self.problem
        for i in self.operators:
            self.model.add(makespan >= self.finish(i))
        for load in self.loads:
            self.model.add(makespan >= load)
        if not (outputs and problem.outputs_on_host):
            return
        for tensor in np.flatnonzero(problem.tensor_is_output).tolist():
            buffer = int(problem.tensor_root[tensor])
            maker = int(problem.tensor_producer[buffer])
            if maker in self.chosen:
                ways = {d: self.distance[buffer, d, problem.host] // self.step for d in self.chosen[maker]}
                self.model.add(makespan >= self.finish(maker) + self._sum(ways, maker))

    def _sum(self, values: Mapping[int, Any], operator: int) -> Any:
        """The value of the operator's device."""
        return sum(int(value) * self.chosen[operator][device] for device, value in values.items())

    def _share_devices(self) -> None:
        for group in self.problem.members:
            members = [i for i in group if i in self.chosen]
            for other in members[1:]:
                for device in set(self.chosen[other]) | set(self.chosen[members[0]]):
                    one, two = self.chosen[members[0]].get(device, 0), self.chosen[other].get(device, 0)
                    self.model.add(one == two)

    def _take_turns(self) -> None:
        """One operator at a time on a device."""
        self.loads = []
        for device in range(self.problem.n_devices):
            intervals, load = [], []
            for i in self.operators:
                literal = self.chosen[i].get(device)
                if literal is None or self.problem.is_view[i]:
                    continue
                length = int(self.times[i, device])
                name = f"run{i}_{device}"
                intervals.append(self.model.new_optional_fixed_size_interval_var(self.start[i], length, literal, name))
                load.append(length * literal)
            self.model.add_no_overlap(intervals)
            self.loads.append(sum(load))

    def _read(self, reader: int) -> None:
        """It starts after its inputs' producers end, and after each buffer can have come from where it was made."""
        problem, model = self.problem, self.model
        for tensor in problem.in_tensor[problem.in_ptr[reader] : problem.in_ptr[reader + 1]].tolist():
            buffer, producer = int(problem.tensor_root[tensor]), int(problem.tensor_producer[tensor])
            maker = int(problem.tensor_producer[buffer])
            for before in {producer, maker} & set(self.chosen):
                model.add(self.start[reader] >= self.finish(before))
            for source, leaves in self.chosen.get(maker, {}).items():
                for target, arrives in self.chosen[reader].items():
                    way = int(self.distance[buffer, source, target]) // self.step
                    if way:
                        model.add(self.start[reader] >= self.finish(maker) + way).only_enforce_if(arrives, leaves)


def distances(problem: Problem) -> Int64:
    """[T, S, S] least time in picoseconds in which each tensor's buffer can come from store to store.

    A buffer without views is always sent from where it was made, so from store u only the hops of u's own routes and
    those inside a memory count (a route may find a copy that another one left on the host). A view sends from where
    the view was placed, so its buffer may take any chain of hops.
    """
    n_stores = problem.n_stores
    result = np.full((problem.n_tensors, n_stores, n_stores), _FAR, np.int64)
    result[:, np.arange(n_stores), np.arange(n_stores)] = 0
    viewed = np.zeros(problem.n_tensors, np.bool_)
    viewed[problem.tensor_root[problem.tensor_root != np.arange(problem.n_tensors)]] = True
    memory = problem.store_memory
    every = range(len(problem.hop_from))
    inside = [k for k in every if memory[problem.hop_from[k]] == memory[problem.hop_to[k]]]
    for store in range(n_stores):
        own = range(problem.hop_ptr[store * n_stores], problem.hop_ptr[(store + 1) * n_stores])
        _spread(problem, result, np.flatnonzero(~viewed), store, [*own, *inside])
        _spread(problem, result, np.flatnonzero(viewed), store, every)
    return result


def _spread(problem: Problem, result: Int64, tensors: NDArray[np.intp], store: int, hops: Iterable[int]) -> None:
    """Lower ``result`` [tensors, store, :] to what chains of ``hops`` give (Bellman-Ford)."""
    sizes = problem.tensor_size_bytes[tensors].astype(np.float64)
    times: dict[tuple[int, int], Int64] = {}
    for hop in hops:
        ends = int(problem.hop_from[hop]), int(problem.hop_to[hop])
        moving = (sizes * problem.hop_ps_per_byte[hop] + 0.5).astype(np.int64) + problem.hop_latency_ps[hop]
        times[ends] = np.minimum(times[ends], moving) if ends in times else moving
    reached = result[tensors, store]
    for _ in range(problem.n_stores - 1):
        for (source, target), moving in times.items():
            reached[:, target] = np.minimum(reached[:, target], reached[:, source] + moving)
    result[tensors, store] = reached


def order_of(problem: Problem, start: NDArray[np.int64]) -> NDArray[np.int32]:
    """int32[n]: topological, by start; ties in the canonical order."""
    place = np.empty(problem.n_operators, np.int64)
    place[canonical_order(problem)] = np.arange(problem.n_operators)
    return np.lexsort((place, start)).astype(np.int32)
