"""The relaxed scheduling model behind a proof: every plan of the simulation is a solution, so its optimum is a bound.

Kept: every operator on one legal device for its time there, one operator at a time on a device, precedence, pins,
groups, views, the way of each buffer from where it was made to each reader's device, model inputs and outputs on the
host. Left out: queues on channels, devices that blocking transfers occupy, memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.simulation.problem import Int64, Problem
from heteroopt.simulation.schedule import Schedule
from heteroopt.simulation.topology import canonical_order

STEPS = 1 << 22
"""A makespan is counted in at most about this many steps; each operator loses less than one step to rounding."""

_FAR = 1 << 60


@dataclass(frozen=True, eq=False, slots=True)
class ProofModel:
    """``model``: the CP-SAT model. ``chosen`` [n]: device -> literal of each legal one. ``start`` [n] and ``makespan``:
    variables in steps of ``step_ps``.
    """

    model: Any
    chosen: tuple[dict[int, Any], ...]
    start: tuple[Any, ...]
    makespan: Any
    step_ps: int


def step_of(longest_ps: int) -> int:
    """Picoseconds in a step for makespans up to ``longest_ps``."""
    return max(1, -(-longest_ps // STEPS))


def build(cp_model: Any, problem: Problem, hint: Schedule, lower_bound_ps: int) -> ProofModel:
    """Build the model; ``hint`` is a plan whose makespan bounds the search from above, and where it starts.

    All durations and delays are rounded down to steps. Let t be the times of a plan: then floor(t / step) is a
    solution, since floor(a + b) >= floor(a) + floor(b); so optimum x step is a lower bound in picoseconds.
    """
    step = step_of(hint.makespan_ps)
    horizon = hint.makespan_ps // step
    model = cp_model.CpModel()
    n = problem.n_operators
    times = problem.op_time_ps // step
    distance = distances(problem)
    makespan = model.new_int_var(min(horizon, lower_bound_ps // step), horizon, "makespan")
    start = tuple(model.new_int_var(0, horizon, f"start{i}") for i in range(n))
    chosen = tuple(_choices(model, problem, i) for i in range(n))
    for members in problem.members:
        for other in members[1:]:
            for device, literal in chosen[members[0]].items():
                model.add(chosen[other][device] == literal)
    durations = [
        0 if problem.is_view[i] else sum(int(times[i, device]) * literal for device, literal in chosen[i].items())
        for i in range(n)
    ]
    for i in range(n):
        model.add(makespan >= start[i] + durations[i])
    for device in range(problem.n_devices):
        intervals, load = [], []
        for i in range(n):
            literal = chosen[i].get(device)
            if literal is None or problem.is_view[i]:
                continue
            length = int(times[i, device])
            intervals.append(model.new_optional_fixed_size_interval_var(start[i], length, literal, f"run{i}_{device}"))
            load.append(length * literal)
        model.add_no_overlap(intervals)
        model.add(sum(load) <= makespan)
    for i in range(n):
        _reads(model, problem, distance, step, i, start, durations, chosen)
        _writes(model, problem, distance, step, i, start, durations, chosen, makespan)
    model.minimize(makespan)
    _hint(model, problem, hint, step, start, chosen, makespan)
    return ProofModel(model, chosen, start, makespan, step)


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


def _choices(model: Any, problem: Problem, operator: int) -> dict[int, Any]:
    devices = np.flatnonzero(problem.legal[operator]).tolist()
    literals = {device: model.new_bool_var(f"on{operator}_{device}") for device in devices}
    model.add_exactly_one(literals.values())
    return literals


def _reads(
    model: Any, problem: Problem, distance: Int64, step: int, reader: int, start: Any, durations: Any, chosen: Any
) -> None:
    """The reader starts after its inputs' producers end, and after each buffer can have come from where it was made."""
    for tensor in problem.in_tensor[problem.in_ptr[reader] : problem.in_ptr[reader + 1]].tolist():
        buffer, producer = int(problem.tensor_root[tensor]), int(problem.tensor_producer[tensor])
        maker = int(problem.tensor_producer[buffer])
        if producer >= 0:
            model.add(start[reader] >= start[producer] + durations[producer])
        if maker < 0:
            if problem.inputs_on_host:
                delays = {d: int(distance[buffer, problem.host, d]) // step for d in chosen[reader]}
                model.add(start[reader] >= sum(delay * chosen[reader][d] for d, delay in delays.items()))
            continue
        made = start[maker] + durations[maker]
        for target, arrives in chosen[reader].items():
            by_delay: dict[int, list[Any]] = {}
            for source, leaves in chosen[maker].items():
                by_delay.setdefault(int(distance[buffer, source, target]) // step, []).append(leaves)
            for delay, sources in by_delay.items():
                if delay:
                    for leaves in sources:
                        model.add(start[reader] >= made + delay).only_enforce_if(arrives, leaves)
        if maker != producer:
            model.add(start[reader] >= made)


def _writes(
    model: Any, problem: Problem, distance: Int64, step: int, operator: int, start: Any, durations: Any, chosen: Any,
    makespan: Any,
) -> None:  # fmt: skip
    """A model output has come to the host before the end."""
    if not problem.outputs_on_host:
        return
    for tensor in problem.out_tensor[problem.out_ptr[operator] : problem.out_ptr[operator + 1]].tolist():
        maker = int(problem.tensor_producer[problem.tensor_root[tensor]])
        if problem.tensor_is_output[tensor] and maker >= 0:
            buffer = int(problem.tensor_root[tensor])
            delays = {d: int(distance[buffer, d, problem.host]) // step for d in chosen[maker]}
            way = sum(delay * chosen[maker][d] for d, delay in delays.items())
            model.add(makespan >= start[maker] + durations[maker] + way)


def _hint(model: Any, problem: Problem, hint: Schedule, step: int, start: Any, chosen: Any, makespan: Any) -> None:
    model.add_hint(makespan, hint.makespan_ps // step)
    for i in range(problem.n_operators):
        model.add_hint(start[i], int(hint.start_ps[i]) // step)
        for device, literal in chosen[i].items():
            model.add_hint(literal, int(hint.device[i]) == device)
