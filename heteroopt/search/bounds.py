"""A lower bound on the makespan of any plan."""

from __future__ import annotations

import numpy as np

from heteroopt.search.links import index_order
from heteroopt.search.space import Space
from heteroopt.simulation.problem import Problem


def lower_bound_ps(problem: Problem, space: Space) -> int:
    """Return the larger of two relaxations, in ps, both without transfers and memory.

    The longest path with every operator on its fastest legal device; and the work of every operator on its fastest
    device, spread evenly over all devices.
    """
    fastest = np.where(problem.legal, problem.op_time_ps, np.iinfo(np.int64).max).min(axis=1)
    finish = np.zeros(problem.n_operators, np.int64)
    for operator in index_order(space).tolist():
        preds = space.pred_idx[space.pred_ptr[operator] : space.pred_ptr[operator + 1]]
        finish[operator] = fastest[operator] + (int(finish[preds].max()) if len(preds) else 0)
    return max(int(finish.max()), -(-int(fastest.sum()) // problem.n_devices))
