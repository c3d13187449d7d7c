"""What if: one operator, with all that must come along, on another device; the whole plan decoded again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from heteroopt.simulation.decoder import decode_batch
from heteroopt.simulation.problem import Float64, Int32, Int64, Problem
from heteroopt.simulation.schedule import Schedule
from heteroopt.simulation.scratch import make_scratch

_GENES_AT_ONCE = 1 << 21
"""Operators times plans decoded in one batch: 8 MiB of genes."""

NOT_SUPPORTED, FORBIDDEN, PINNED, ALLOWED = 0, 1, 2, 3


@dataclass(frozen=True, eq=False)
class Moves:
    """What every move of some operators gives. Rows are ``operators``, columns devices; the diagonal is the plan.

    ``state`` [k, D] is one of the codes above; the values are those of the plan itself where it is not ALLOWED.
    """

    operators: tuple[int, ...]
    moved: tuple[tuple[int, ...], ...]
    """[k] what moves together, the operator first."""
    state: Int32
    time_ps: Int64
    energy_pj: Float64
    load_variance: Float64
    transferred_bytes: Int64
    overflow_bytes: Int64


def bound_together(problem: Problem, operator: int) -> tuple[int, ...]:
    """The operator and then the rest of its group: what must share a device."""
    group = int(problem.group[operator])
    if group < 0:
        return (operator,)
    return (operator, *(int(i) for i in np.flatnonzero(problem.group == group) if i != operator))


def moves_together(problem: Problem, device: Int32, operator: int) -> tuple[int, ...]:
    """The operator, its group, and the views of their outputs (views of views too) that lie on the same device."""
    home = int(device[operator])
    found = [*bound_together(problem, operator)]
    for current in found:
        for successor in problem.succ_idx[problem.succ_ptr[current] : problem.succ_ptr[current + 1]].tolist():
            follows = problem.is_view[successor] and device[successor] == home and problem.group[successor] < 0
            if follows and successor not in found and _views(problem, successor, current):
                found.append(successor)
    return tuple(found)


def _views(problem: Problem, view: int, operator: int) -> bool:
    """Whether the view's first input, whose buffer it shares, is made by the operator."""
    first = problem.in_tensor[problem.in_ptr[view]]
    return bool(problem.tensor_producer[first] == operator)


def try_moves(problem: Problem, schedule: Schedule, operators: Sequence[int]) -> Moves:
    """Decode the schedule's plan anew for every allowed move of each operator.

    A view that comes along stays behind where the target does not run it.
    """
    moved = tuple(moves_together(problem, schedule.device, operator) for operator in operators)
    state = np.array([_states(problem, operator) for operator in operators], np.int32).reshape(-1, problem.n_devices)
    time = np.full(state.shape, schedule.makespan_ps, np.int64)
    transferred = np.full(state.shape, schedule.transferred_bytes, np.int64)
    overflow = np.full(state.shape, schedule.overflow_bytes, np.int64)
    energy = np.full(state.shape, schedule.energy_pj)
    variance = np.full(state.shape, schedule.load_variance)
    home = schedule.device[list(operators)]
    rows, targets = np.nonzero((state == ALLOWED) & (np.arange(problem.n_devices) != home[:, None]))
    scratch = make_scratch(problem)
    step = max(1, _GENES_AT_ONCE // problem.n_operators)
    for first in range(0, len(rows), step):
        row, target = rows[first : first + step], targets[first : first + step]
        devices = np.repeat(schedule.device[None], len(row), axis=0)
        for plan, (r, d) in enumerate(zip(row.tolist(), target.tolist(), strict=True)):
            together = np.array(moved[r])
            devices[plan, together[problem.legal[together, d]]] = d
        orders = np.repeat(schedule.order[None], len(row), axis=0)
        values = decode_batch(problem, orders, devices, exact_peak=False, scratch=scratch)
        time[row, target] = values.time_ps
        transferred[row, target] = values.transferred_bytes
        overflow[row, target] = values.overflow_bytes
        energy[row, target] = values.energy_pj
        variance[row, target] = values.load_variance
    return Moves(
        operators=tuple(operators),
        moved=moved,
        state=state,
        time_ps=time,
        energy_pj=energy,
        load_variance=variance,
        transferred_bytes=transferred,
        overflow_bytes=overflow,
    )


def _states(problem: Problem, operator: int) -> list[int]:
    """Per device: whether the operator and its group may go there, and if not, why."""
    bound = bound_together(problem, operator)
    states = []
    for target in range(problem.n_devices):
        if not all(problem.supported[i, target] for i in bound):
            states.append(NOT_SUPPORTED)
        elif problem.legal[operator, target]:
            states.append(ALLOWED)
        else:
            states.append(FORBIDDEN if problem.forbidden[target] else PINNED)
    return states
