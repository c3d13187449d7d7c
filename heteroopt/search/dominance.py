"""Compiled selection of NSGA-II: constrained non-dominated sorting and crowding distance.

Sources: K. Deb, A. Pratap, S. Agarwal, T. Meyarivan, "A fast and elitist multiobjective genetic algorithm:
NSGA-II", IEEE TEC 6(2), 2002 (sorting, crowding); K. Deb, "An efficient constraint handling method for genetic
algorithms", CMAME 186, 2000 (every plan that fits beats every one that does not).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel

Bool = NDArray[np.bool_]
Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
UInt64 = NDArray[np.uint64]


@kernel
def placement_hash(devices: NDArray[np.int32]) -> UInt64:
    """Return uint64 [k]: a hash of each row of devices.

    FNV-1a over the genes, four runs side by side since each of its steps waits for the one before, then mixed.
    """
    n = devices.shape[1]
    quarter = n // 4
    prime = np.uint64(1099511628211)
    result = np.empty(len(devices), np.uint64)
    for row in range(len(devices)):
        first = second = third = fourth = np.uint64(14695981039346656037)
        for gene in range(quarter):
            first = (first ^ np.uint64(devices[row, gene])) * prime
            second = (second ^ np.uint64(devices[row, gene + quarter])) * prime
            third = (third ^ np.uint64(devices[row, gene + 2 * quarter])) * prime
            fourth = (fourth ^ np.uint64(devices[row, gene + 3 * quarter])) * prime
        for gene in range(4 * quarter, n):
            first = (first ^ np.uint64(devices[row, gene])) * prime
        for value in (second, third, fourth):
            first ^= first >> np.uint64(32)
            first = (first ^ value) * prime
        first ^= first >> np.uint64(32)
        result[row] = first
    return result


@kernel
def mixed(placement: UInt64, costs: Float64) -> UInt64:
    """Return the hashes [k] mixed with the bits of ``costs`` [k, m]: orders of one placement that differ in costs
    count as different then.
    """
    prime = np.uint64(1099511628211)
    result = placement.copy()
    bits = costs.view(np.uint64)
    for row in range(len(result)):
        for column in range(bits.shape[1]):
            result[row] ^= result[row] >> np.uint64(32)
            result[row] = (result[row] ^ bits[row, column]) * prime
    return result


@kernel
def compare(objectives: Float64, violation: Float64, first: int, second: int) -> int:
    """Return -1 if the first plan dominates the second, 1 the other way round, 0 if neither does."""
    if violation[first] > 0.0 or violation[second] > 0.0:
        if violation[first] < violation[second]:
            return -1
        return 1 if violation[second] < violation[first] else 0
    better = worse = False
    for column in range(objectives.shape[1]):
        if objectives[first, column] < objectives[second, column]:
            better = True
        elif objectives[first, column] > objectives[second, column]:
            worse = True
    if better and not worse:
        return -1
    return 1 if worse and not better else 0


@kernel
def ranks(objectives: Float64, violation: Float64) -> Int64:
    """Return int64 [k]: 0 for the non-dominated plans, 1 for those that only they dominate, and so on."""
    count = len(objectives)
    rank = np.zeros(count, np.int64)
    dominators = np.zeros(count, np.int64)
    dominated = np.empty((count, count), np.int32)
    size = np.zeros(count, np.int64)
    for first in range(count):
        for second in range(first + 1, count):
            relation = compare(objectives, violation, first, second)
            if relation < 0:
                dominated[first, size[first]] = second
                size[first] += 1
                dominators[second] += 1
            elif relation > 0:
                dominated[second, size[second]] = first
                size[second] += 1
                dominators[first] += 1
    current = np.flatnonzero(dominators == 0)
    level = 0
    while len(current) > 0:
        following = np.empty(count, np.int64)
        found = 0
        for position in range(len(current)):
            row = current[position]
            rank[row] = level
            for entry in range(size[row]):
                other = dominated[row, entry]
                dominators[other] -= 1
                if dominators[other] == 0:
                    following[found] = other
                    found += 1
        current = following[:found]
        level += 1
    return rank


@kernel
def crowding_distance(objectives: Float64) -> Float64:
    """Return float64 [k] for the plans of one front: infinite at its ends, 0-range objectives left out."""
    count, columns = objectives.shape
    distance = np.zeros(count)
    for column in range(columns):
        values = objectives[:, column].copy()
        by_value = np.argsort(values, kind="mergesort")
        spread = values[by_value[count - 1]] - values[by_value[0]]
        if spread <= 0.0:
            continue
        distance[by_value[0]] = np.inf
        distance[by_value[count - 1]] = np.inf
        for place in range(1, count - 1):
            distance[by_value[place]] += (values[by_value[place + 1]] - values[by_value[place - 1]]) / spread
    return distance


@kernel
def slower_copies(objectives: Float64, violation: Float64, placement: UInt64) -> Bool:
    """Return bool [k]: rows whose placement another row has with a better order.

    Better: less violation, then the lower objectives from column 0 (time) on, then the lower row. Of one placement a
    slower order is never worth a place: it spends more idle energy, and spreads the load only by making all wait.
    """
    count = len(placement)
    copy = np.zeros(count, np.bool_)
    by_hash = np.argsort(placement, kind="mergesort")
    begin = 0
    while begin < count:
        end = begin + 1
        best = by_hash[begin]
        while end < count and placement[by_hash[end]] == placement[best]:
            if _better_order(objectives, violation, by_hash[end], best):
                best = by_hash[end]
            end += 1
        for place in range(begin, end):
            copy[by_hash[place]] = by_hash[place] != best
        begin = end
    return copy


@kernel
def _better_order(objectives: Float64, violation: Float64, first: int, second: int) -> bool:
    if violation[first] != violation[second]:
        return bool(violation[first] < violation[second])
    for column in range(objectives.shape[1]):
        if objectives[first, column] != objectives[second, column]:
            return bool(objectives[first, column] < objectives[second, column])
    return False


@kernel
def survivors(objectives: Float64, violation: Float64, placement: UInt64, count: int) -> tuple[Int64, Int64, Float64]:
    """Return rows, ranks and crowding distances of at most ``count`` plans, best first, one a placement.

    Whole fronts are taken as long as they fit; of the next the plans with the largest crowding distance (ties by
    row). Fewer than ``count`` come back when there are not as many placements.
    """
    unique = np.flatnonzero(~slower_copies(objectives, violation, placement))
    rank = ranks(objectives[unique], violation[unique])
    count = min(count, len(unique))
    rows = np.empty(count, np.int64)
    row_rank = np.empty(count, np.int64)
    row_crowding = np.empty(count)
    taken = 0
    level = 0
    while taken < count:
        front = np.flatnonzero(rank == level)
        crowding = crowding_distance(objectives[unique[front]])
        chosen = np.arange(len(front))
        if taken + len(front) > count:
            chosen = np.argsort(-crowding, kind="mergesort")[: count - taken]
        for position in range(len(chosen)):
            rows[taken] = unique[front[chosen[position]]]
            row_rank[taken] = level
            row_crowding[taken] = crowding[chosen[position]]
            taken += 1
        level += 1
    return rows, row_rank, row_crowding


@kernel
def archive_merge(held: Float64, held_placement: UInt64, new: Float64, new_placement: UInt64) -> tuple[Bool, Bool]:
    """Return which of the held [a, m] and of the new [c, m] plans an archive keeps, the new ones tried in turn.

    A plan stays unless another is at least as good in every objective, or has the same placement and is faster
    (column 0; ties by the other columns): of several orders for one placement the fastest stands for all.
    """
    keep_held = np.ones(len(held), np.bool_)
    keep_new = np.zeros(len(new), np.bool_)
    for row in range(len(new)):
        refused = False
        for other in range(len(held)):
            if keep_held[other] and _beats(held, held_placement, other, new, new_placement, row):
                refused = True
                break
        for other in range(row):
            if refused:
                break
            if keep_new[other] and _beats(new, new_placement, other, new, new_placement, row):
                refused = True
        if refused:
            continue
        for other in range(len(held)):
            if keep_held[other] and _beats(new, new_placement, row, held, held_placement, other):
                keep_held[other] = False
        for other in range(row):
            if keep_new[other] and _beats(new, new_placement, row, new, new_placement, other):
                keep_new[other] = False
        keep_new[row] = True
    return keep_held, keep_new


@kernel
def _beats(
    first: Float64, first_placement: UInt64, one: int, second: Float64, second_placement: UInt64, two: int
) -> bool:
    """Whether plan ``one`` makes plan ``two`` needless: no worse anywhere, or the faster of one placement."""
    if first_placement[one] == second_placement[two]:
        for column in range(first.shape[1]):
            if first[one, column] != second[two, column]:
                return bool(first[one, column] < second[two, column])
        return True
    better_somewhere = False
    for column in range(first.shape[1]):
        better_somewhere = better_somewhere or second[two, column] < first[one, column]
    return not better_somewhere
