"""Connected pieces of the graph: what variation moves or exchanges together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.space import Space

Int32 = NDArray[np.int32]


@kernel
def grow_segment(space: Space, origin: int, size: int, mark: Int32, stamp: int, segment: Int32) -> int:
    """Fill ``segment`` with up to ``size`` operators around ``origin``, breadth first over both edge directions.

    Returns how many there are. ``mark`` [n] remembers visits by ``stamp``, so that it need not be cleared.
    """
    segment[0] = origin
    mark[origin] = stamp
    head, tail = 0, 1
    while head < tail and tail < size:
        operator = segment[head]
        head += 1
        for edge in range(space.succ_ptr[operator], space.succ_ptr[operator + 1]):
            neighbour = space.succ_idx[edge]
            if tail < size and mark[neighbour] != stamp:
                mark[neighbour] = stamp
                segment[tail] = neighbour
                tail += 1
        for edge in range(space.pred_ptr[operator], space.pred_ptr[operator + 1]):
            neighbour = space.pred_idx[edge]
            if tail < size and mark[neighbour] != stamp:
                mark[neighbour] = stamp
                segment[tail] = neighbour
                tail += 1
    return tail


@kernel
def grow_chain(space: Space, origin: int, chain: Int32) -> int:
    """Fill ``chain`` with the unbranched run of operators around ``origin``, in order; return how many there are.

    Neighbours in it have no other successor and no other predecessor: between a fork and a join it is one branch.
    """
    operator = origin
    while space.pred_ptr[operator + 1] - space.pred_ptr[operator] == 1:
        above = space.pred_idx[space.pred_ptr[operator]]
        if space.succ_ptr[above + 1] - space.succ_ptr[above] != 1:
            break
        operator = above
    chain[0] = operator
    count = 1
    while space.succ_ptr[operator + 1] - space.succ_ptr[operator] == 1:
        below = space.succ_idx[space.succ_ptr[operator]]
        if space.pred_ptr[below + 1] - space.pred_ptr[below] != 1:
            break
        operator = below
        chain[count] = operator
        count += 1
    return count
