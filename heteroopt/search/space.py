"""What a genome may be: precedence, legal devices and groups as flat arrays for the kernels of variation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.simulation.problem import Problem, csr

Bool = NDArray[np.bool_]
Int32 = NDArray[np.int32]


class Space(NamedTuple):
    """Arrays of n operators on D devices; CSR lists as in ``Problem``.

    ``legal`` [n, D]; ``choice_ptr``/``choice_idx``: the legal devices of each operator; ``group`` [n] and
    ``member_ptr``/``member_idx``: operators that must share a device; ``fastest`` [n]: the fastest legal device
    (of a group: the one with the least sum), the lowest index on ties.
    """

    legal: Bool
    choice_ptr: Int32
    choice_idx: Int32
    group: Int32
    member_ptr: Int32
    member_idx: Int32
    pred_ptr: Int32
    pred_idx: Int32
    succ_ptr: Int32
    succ_idx: Int32
    fastest: Int32


def make_space(problem: Problem) -> Space:
    """Return the search space of a problem."""
    choice_ptr = np.zeros(problem.n_operators + 1, np.int32)
    np.cumsum(problem.legal.sum(axis=1), out=choice_ptr[1:])
    choice_idx = np.nonzero(problem.legal)[1].astype(np.int32)
    member_ptr, member_idx = csr(problem.members)
    return Space(
        legal=problem.legal,
        choice_ptr=choice_ptr,
        choice_idx=choice_idx,
        group=problem.group,
        member_ptr=member_ptr,
        member_idx=member_idx,
        pred_ptr=problem.pred_ptr,
        pred_idx=problem.pred_idx,
        succ_ptr=problem.succ_ptr,
        succ_idx=problem.succ_idx,
        fastest=cheapest_device(problem, problem.op_time_ps.astype(np.float64)),
    )


def cheapest_device(problem: Problem, cost: NDArray[np.float64]) -> Int32:
    """Return int32 [n]: the legal device with the least ``cost`` [n, D], groups decided by their sum."""
    total = np.where(problem.legal, cost, np.inf)
    for members in problem.members:
        rows = list(members)
        total[rows] = total[rows].sum(axis=0)
    result: Int32 = total.argmin(axis=1).astype(np.int32)
    return result


@kernel
def assign(space: Space, device: Int32, operator: int, target: int) -> None:
    """Put an operator, and with it its whole group, on a device; do nothing where that is not legal."""
    if not space.legal[operator, target]:
        return
    group = space.group[operator]
    if group < 0:
        device[operator] = target
        return
    for position in range(space.member_ptr[group], space.member_ptr[group + 1]):
        device[space.member_idx[position]] = target
