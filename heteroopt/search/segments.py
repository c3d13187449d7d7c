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
