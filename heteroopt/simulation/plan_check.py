"""Whether a plan is legal for its problem, with an error that names what is wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heteroopt.errors import PlanError
from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.problem import Bool, Int32, Problem, ProblemArrays
from heteroopt.simulation.topology import is_topological

_OK, _ORDER, _DEVICE, _GROUP = 0, 1, 2, 3


@kernel
def find_illegal(
    p: ProblemArrays, orders: Int32, devices: Int32, seen: Bool, group_device: Int32
) -> tuple[int, int, int]:
    """``(what, plan, operator)`` of the first illegal plan, ``(0, -1, -1)`` if there is none."""
    n, n_devices = p.op_time_ps.shape
    for k in range(orders.shape[0]):
        if not is_topological(orders[k], p.pred_ptr, p.pred_idx, seen):
            return _ORDER, k, -1
        group_device[:] = -1
        for i in range(n):
            d = devices[k, i]
            if d < 0 or d >= n_devices or not p.legal[i, d]:
                return _DEVICE, k, i
            g = p.group[i]
            if g >= 0:
                if group_device[g] >= 0 and group_device[g] != d:
                    return _GROUP, k, i
                group_device[g] = d
    return _OK, -1, -1


def check_plans(problem: Problem, orders: Int32, devices: Int32) -> None:
    """Raise :class:`PlanError` ``plan_shape``, ``order_illegal``, ``device_illegal`` or ``group_split`` for the first
    plan (row of ``orders`` and ``devices``, int32[P, n]) that the problem does not allow.
    """
    n = problem.n_operators
    if orders.ndim != 2 or orders.shape[1] != n or orders.shape != devices.shape:
        raise PlanError(
            "plan_shape", f"A plan needs a place in the order and a device for each of {n} operators.", n_operators=n
        )
    seen = np.empty(n, np.bool_)
    group_device = np.empty(n, np.int32)
    what, plan, operator = find_illegal(problem.arrays, orders, devices, seen, group_device)
    if what == _ORDER:
        raise PlanError("order_illegal", f"The order is not a topological order of all {n} operators.", plan=plan)
    if what == _DEVICE:
        device = int(devices[plan, operator])
        raise PlanError(
            "device_illegal",
            f"Operator {operator} may not run on device {device}.",
            hint="Choose a device that supports it and is not forbidden, or remove its pin.",
            plan=plan,
            operator=operator,
            device=device,
        )
    if what == _GROUP:
        members = np.flatnonzero(problem.group == problem.group[operator]).tolist()
        raise PlanError("group_split", f"Operators {members} must share a device.", plan=plan, members=members)


def check_plan(problem: Problem, order: Sequence[int] | Int32, device: Sequence[int] | Int32) -> None:
    """The same for one plan."""
    check_plans(problem, np.array([order], np.int32), np.array([device], np.int32))
