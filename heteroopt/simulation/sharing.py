"""How operators that overlap in one memory slow each other: the numbers of the model and its one formula.

An operator whose time the memory takes a share m of (1: bound by memory alone) advances, while others run on devices of
the same memory, at 1 / (1 + m M (S - 1)) of its speed. M is the sum of the others' shares, S the slowdown of two
operators of share 1 beside each other: what calibration measures. So k operators of share 1 take 1 + (k - 1)(S - 1)
times as long. Everything is whole: shares and slowdowns per 1,024, speeds per 4,096 and rounded down, what an operator
has left to do in 1/4,096 ps; it ends at the first whole picosecond by which nothing is left.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import PlanError

SHARE_UNIT = 1024
"""A share of 1, and a slowdown of 2 less 1."""
SPEED_UNIT = 4096
"""The speed of an operator that nothing slows: what it does in a picosecond."""
SHARES_CUBED = SHARE_UNIT**3
LARGEST_TOTAL_PS = 2**50
"""Of all operators of a problem whose devices slow each other (18 minutes), each where it is slowest: what is left to
do and the end of the most slowed run stay inside int64."""


def speed(share: int, others: int, excess: int) -> int:
    """Work per picosecond of an operator while the others of its memory have shares that sum to ``others``."""
    return SPEED_UNIT * SHARES_CUBED // (SHARES_CUBED + share * others * excess)


def slowdown_excess(
    device_memory: NDArray[np.int32], n_memories: int, slowdown: Sequence[float] | None
) -> NDArray[np.int64]:
    """int64 [M]: slowdown less 1 per 1,024; 0 in memories of a single device, which nothing shares."""
    excess = np.zeros(n_memories, np.int64)
    if slowdown is not None:
        shared = np.bincount(device_memory, minlength=n_memories) > 1
        excess[:] = np.where(shared, np.rint((np.asarray(slowdown, np.float64) - 1.0) * SHARE_UNIT), 0)
    return excess


def slowed_shares(
    op_time_ps: NDArray[np.int64],
    is_view: NDArray[np.bool_],
    device_memory: NDArray[np.int32],
    excess: NDArray[np.int64],
    share: NDArray[np.integer] | None,
) -> NDArray[np.int32]:
    """int32 [n, D]: the shares of what can be slowed, 0 for everything else.

    Raises :class:`PlanError` ``contention_too_long`` where something can and the run could take too long to follow.
    """
    if share is None or not excess.any():
        return np.zeros(op_time_ps.shape, np.int32)
    slowed = (op_time_ps > 0) & ~is_view[:, None] & (excess[device_memory] > 0)[None, :]
    kept = np.ascontiguousarray(np.where(slowed, np.clip(share, 0, SHARE_UNIT), 0), np.int32)
    total_ps = float(op_time_ps.max(axis=1, initial=0).astype(np.float64).sum())
    if kept.any() and total_ps > LARGEST_TOTAL_PS:
        raise PlanError(
            "contention_too_long",
            f"The operators together take {total_ps / 1e12:.0f} s; the contention of devices that share a memory can "
            f"be followed for up to {LARGEST_TOTAL_PS / 1e12:.0f} s.",
            hint="Plan for fewer items at once, or take the slowdown off the pool's memory domain.",
            seconds=round(total_ps / 1e12),
            most_seconds=round(LARGEST_TOTAL_PS / 1e12),
        )
    return kept


def steady_busy_ps(own_ps: int, work: int, others_work: int, excess: int, period_ps: int) -> int:
    """Busy time of a device per item in a steady state: see :mod:`heteroopt.simulation.measures`.

    ``own_ps``: alone; ``work``, ``others_work``: share x time per 1,024 of its operators and of those on the other
    devices of its memory; ``period_ps``: of the busiest device or channel alone.
    """
    if period_ps == 0:
        return own_ps
    slowed = float(work) * float(excess) * float(others_work) / float(period_ps) / float(SHARES_CUBED)
    return own_ps + int(slowed + 0.5)
