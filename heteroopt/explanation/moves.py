"""What if: one operator, with all that must come along, on another device; the whole plan decoded again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.kernel import simulate
from heteroopt.simulation.problem import Float64, Int32, Int64, Problem, ProblemArrays, csr
from heteroopt.simulation.schedule import Schedule
from heteroopt.simulation.scratch import (
    ENERGY_PJ,
    LOAD_VARIANCE,
    OVERFLOW_BYTES,
    TIME_PS,
    TRANSFERRED_BYTES,
    Scratch,
    make_scratch,
)

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
    ptr, idx = csr(moved)
    values = np.empty((*state.shape, 3), np.int64)
    values[:] = (schedule.makespan_ps, schedule.transferred_bytes, schedule.overflow_bytes)
    energy = np.full(state.shape, schedule.energy_pj)
    variance = np.full(state.shape, schedule.load_variance)
    decode_moves(
        problem.arrays,
        make_scratch(problem),
        schedule.order,
        schedule.device.copy(),
        ptr,
        idx,
        state,
        values,
        energy,
        variance,
    )
    return Moves(
        operators=tuple(operators),
        moved=moved,
        state=state,
        time_ps=values[:, :, 0],
        energy_pj=energy,
        load_variance=variance,
        transferred_bytes=values[:, :, 1],
        overflow_bytes=values[:, :, 2],
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


@kernel
def decode_moves(
    p: ProblemArrays,
    s: Scratch,
    order: Int32,
    device: Int32,
    moved_ptr: Int32,
    moved_idx: Int32,
    state: Int32,
    values: Int64,
    energy: Float64,
    variance: Float64,
) -> None:
    """Set ``values`` [k, D, 3] (time, transferred bytes, overflow), ``energy``, ``variance`` [k, D] where allowed."""
    for row in range(state.shape[0]):
        home = device[moved_idx[moved_ptr[row]]]
        for target in range(state.shape[1]):
            if target == home or state[row, target] != ALLOWED:
                continue
            for k in range(moved_ptr[row], moved_ptr[row + 1]):
                if p.legal[moved_idx[k], target]:
                    device[moved_idx[k]] = target
            simulate(p, s, order, device, False)
            for k in range(moved_ptr[row], moved_ptr[row + 1]):
                device[moved_idx[k]] = home
            values[row, target, 0] = s.result[TIME_PS]
            values[row, target, 1] = s.result[TRANSFERRED_BYTES]
            values[row, target, 2] = s.result[OVERFLOW_BYTES]
            energy[row, target] = s.value[ENERGY_PJ]
            variance[row, target] = s.value[LOAD_VARIANCE]
