"""Crossover of orders (precedence kept by construction) and of devices (legality and groups kept)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.random_bits import UInt64, below, uniform
from heteroopt.search.segments import grow_segment
from heteroopt.search.space import Space, assign

Int32 = NDArray[np.int32]


@kernel
def prefix_crossover(first: Int32, second: Int32, cut: int, mark: Int32, stamp: int, child: Int32) -> None:
    """Fill ``child`` with the first ``cut`` places of ``first``, then the rest in the order of ``second``.

    A topological order stays one: a prefix of ``first`` holds all predecessors of its members, and the rest follows
    ``second``, where predecessors come first.
    """
    for place in range(cut):
        child[place] = first[place]
        mark[first[place]] = stamp
    place, source, n = cut, 0, len(first)
    while place < n:
        # Written in any case and overwritten unless it counts: whether it does is no branch to guess.
        operator = second[source]
        child[place] = operator
        place += mark[operator] != stamp
        source += 1


@kernel
def window_crossover(space: Space, other: Int32, order: Int32, begin: int, length: int, device: Int32) -> None:
    """The operators of a window of the child's order take the other parent's devices.

    Without groups they are copied, since both parents are legal.
    """
    end = min(len(order), begin + length)
    if len(space.member_ptr) > 1:
        for place in range(begin, end):
            assign(space, device, order[place], other[order[place]])
    else:
        for place in range(begin, end):
            device[order[place]] = other[order[place]]


@kernel
def point_crossover(space: Space, other: Int32, order: Int32, cut: int, device: Int32) -> None:
    """Single point along the child's order: from place ``cut`` on the operators take the other parent's devices."""
    window_crossover(space, other, order, cut, len(order), device)


@kernel
def segment_crossover(
    space: Space, other: Int32, origin: int, size: int, mark: Int32, stamp: int, segment: Int32, device: Int32
) -> None:
    """A connected segment takes the other parent's devices."""
    for position in range(grow_segment(space, origin, size, mark, stamp, segment)):
        assign(space, device, segment[position], other[segment[position]])


@kernel
def cross_devices(
    space: Space, other: Int32, order: Int32, cut: int, state: UInt64, mark: Int32, stamp: int, segment: Int32,
    device: Int32,
) -> None:  # fmt: skip
    """Apply one of the device crossovers: single point at ``cut`` and window 2 in 5 each, segment 1 in 5.

    Lengths of windows and segments are n times the square of a uniform number: short ones are more frequent.
    """
    n = len(order)
    kind = uniform(state)
    length = 1 + int(n * uniform(state) ** 2)
    if kind < 0.4:
        point_crossover(space, other, order, cut, device)
    elif kind < 0.8:
        window_crossover(space, other, order, below(state, n), length, device)
    else:
        segment_crossover(space, other, below(state, n), min(n, length), mark, stamp, segment, device)
