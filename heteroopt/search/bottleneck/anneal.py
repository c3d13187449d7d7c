"""Simulated annealing of a placement towards the least load of the busiest device; moves update loads by what changes.

The energy is the p-norm of the loads over the starting placement's largest load (p doubles from 8 to 64 on the way,
as it cools), so a move that only relieves the second busiest device counts too, and bytes over the capacity count more
than any load. Moves: one item, a connected segment of one device's items, two items that change places; half of them
start on the busiest device, most lead to a device of a neighbour. The budget is counted in moves.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.bottleneck.model import LoadModel, device_loads
from heteroopt.search.compiled import ZERO, kernel
from heteroopt.search.random_bits import UInt64, below, draw_state, log_uniform_length, uniform
from heteroopt.simulation.problem import csr

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

WARMEST, COOLEST = 0.03, 0.00003
"""In multiples of the starting largest load."""
LONGEST_SEGMENT = 32
MOVES_PER_ROUND = 100_000
_OVERFLOW_WEIGHT = 10.0
ON, OFF = cast("int", np.int64(1)), cast("int", np.int64(-1))


class Walk(NamedTuple):
    """Where an annealing is: device [n], load [D], used bytes [M], readers of each tensor per device [T, D]."""

    device: Int32
    load: Int64
    used: Int64
    readers: Int32


def improve(model: LoadModel, device: Int32, moves: int, seed: int) -> Int32:
    """Return a placement int32 [n] that is never worse: less overflow, or the same and a smaller largest load.

    ``moves`` are spread over rounds, each of which starts from the best placement so far.
    """
    adjacent_ptr, adjacent_idx = _neighbours(model)
    state = draw_state(np.random.default_rng(seed))
    best = np.ascontiguousarray(device, np.int32).copy()
    if len(best) == 0 or model.time.shape[1] == 1:
        return best
    rounds = max(1, moves // MOVES_PER_ROUND)
    for number in range(rounds):
        share = moves // rounds + (1 if number < moves % rounds else 0)
        walk = Walk(
            best.copy(), device_loads(model, best), np.zeros(len(model.capacity), np.int64),
            np.zeros((len(model.producer), model.time.shape[1]), np.int32),
        )  # fmt: skip
        np.add.at(walk.used, model.memory[best], model.size)
        tensor = np.repeat(np.arange(len(model.producer)), np.diff(model.read_ptr))
        np.add.at(walk.readers, (tensor, best[model.read_idx]), 1)
        warmest = WARMEST / (1 + number)
        _anneal(model, adjacent_ptr, adjacent_idx, walk, best, share, warmest, state)
    return best


def _neighbours(model: LoadModel) -> tuple[Int32, Int32]:
    """Items that share a tensor as maker and reader, as CSR lists."""
    adjacent: list[set[int]] = [set() for _ in range(len(model.size))]
    for t, producer in enumerate(model.producer.tolist()):
        if producer >= 0:
            for reader in model.read_idx[model.read_ptr[t] : model.read_ptr[t + 1]].tolist():
                adjacent[producer].add(reader)
                adjacent[reader].add(producer)
    return csr([sorted(row) for row in adjacent])


@kernel
def _anneal(
    model: LoadModel, adjacent_ptr: Int32, adjacent_idx: Int32, walk: Walk, best: Int32, moves: int, warmest: float,
    state: UInt64,
) -> None:  # fmt: skip
    """Walk for ``moves`` moves; leave the best placement met in ``best``."""
    n, n_devices = model.time.shape
    scale = 1.0 / max(float(walk.load.max()), 1.0)
    moved = np.empty(n, np.int32)
    came_from = np.empty(n, np.int32)
    mark = np.zeros(n, np.int64)
    doublings = 3
    here = _energy(model, walk, scale, doublings)
    best_load = walk.load.max()
    best_over = _overflow(model, walk)
    for step in range(moves):
        progress = step / moves
        wanted = 3 + int(4.0 * progress)
        if wanted != doublings:
            doublings = wanted
            here = _energy(model, walk, scale, doublings)
        item = below(state, n)
        if uniform(state) < 0.5:
            busiest = walk.load.argmax()
            for _ in range(8):
                if walk.device[item] == busiest:
                    break
                item = below(state, n)
        home = walk.device[item]
        target = below(state, n_devices)
        degree = adjacent_ptr[item + 1] - adjacent_ptr[item]
        if degree > 0 and uniform(state) < 0.7:
            target = walk.device[adjacent_idx[adjacent_ptr[item] + below(state, degree)]]
        if target == home:
            target = (home + 1 + below(state, n_devices - 1)) % n_devices
        draw = uniform(state)
        count = 1
        moved[0] = item
        if draw < 0.45:
            count = _segment(adjacent_ptr, adjacent_idx, walk.device, item, state, mark, step + 1, moved)
        other = -1
        if draw > 0.85:
            other = below(state, n)
            for _ in range(8):
                if walk.device[other] == target:
                    break
                other = below(state, n)
            if walk.device[other] != target or not model.legal[other, home]:
                other = -1
        legal = True
        for k in range(count):
            if not model.legal[moved[k], target]:
                legal = False
                break
        if not legal:
            continue
        for k in range(count):
            came_from[k] = home
            _shift(model, walk, moved[k] + ZERO, target + ZERO)
        if other >= 0:
            moved[count] = other
            came_from[count] = target
            count += 1
            _shift(model, walk, other + ZERO, home + ZERO)
        energy = _energy(model, walk, scale, doublings)
        warmth = warmest * (COOLEST / warmest) ** progress
        if energy <= here or uniform(state) < np.exp((here - energy) / warmth):
            here = energy
            load, over = walk.load.max(), _overflow(model, walk)
            if over < best_over or (over == best_over and load < best_load):
                best_load, best_over = load, over
                best[:] = walk.device
        else:
            for k in range(count - 1, -1, -1):
                _shift(model, walk, moved[k] + ZERO, came_from[k] + ZERO)


@kernel
def _segment(
    adjacent_ptr: Int32, adjacent_idx: Int32, device: Int32, item: int, state: UInt64, mark: Int64, stamp: int,
    moved: Int32,
) -> int:  # fmt: skip
    """Put the item and items of its device that hang together with it into ``moved``; return how many."""
    longest = min(LONGEST_SEGMENT, len(moved) - 1)
    length = log_uniform_length(state, longest) if longest > 1 else 1
    moved[0] = item
    mark[item] = stamp
    count, head = 1, 0
    while head < count and count < length:
        here = moved[head]
        head += 1
        for place in range(adjacent_ptr[here], adjacent_ptr[here + 1]):
            other = adjacent_idx[place]
            if mark[other] != stamp and device[other] == device[item] and count < length:
                mark[other] = stamp
                moved[count] = other
                count += 1
    return count


@kernel
def _shift(model: LoadModel, walk: Walk, item: int, target: int) -> None:
    """Move one item and update loads, bytes and readers."""
    home = walk.device[item] + ZERO
    if home == target:
        return
    walk.load[home] -= model.time[item, home]
    walk.load[target] += model.time[item, target]
    walk.used[model.memory[home]] -= model.size[item]
    walk.used[model.memory[target]] += model.size[item]
    for place in range(model.make_ptr[item], model.make_ptr[item + 1]):
        tensor = model.make_idx[place] + ZERO
        _leave(model, walk, tensor, home, OFF)
        if walk.readers[tensor, home] > 0:
            walk.load[home] += model.in_time[tensor, home]
        if walk.readers[tensor, target] > 0:
            walk.load[target] -= model.in_time[tensor, target]
        _leave(model, walk, tensor, target, ON)
    for place in range(model.use_ptr[item], model.use_ptr[item + 1]):
        tensor = model.use_idx[place] + ZERO
        maker = model.producer[tensor]
        source = walk.device[maker] + ZERO if maker >= 0 else -1
        touched = source == home or source == target  # numba knows no tuples of unlike integers
        if touched:
            _leave(model, walk, tensor, source, OFF)
        walk.readers[tensor, home] -= 1
        walk.readers[tensor, target] += 1
        if touched:
            _leave(model, walk, tensor, source, ON)
        if source != home and walk.readers[tensor, home] == 0:
            walk.load[home] -= model.in_time[tensor, home]
        if source != target and walk.readers[tensor, target] == 1:
            walk.load[target] += model.in_time[tensor, target]
    walk.device[item] = target


@kernel
def _leave(model: LoadModel, walk: Walk, tensor: int, source: int, sign: int) -> None:
    """Add (or subtract) what a tensor made on ``source`` costs it to send."""
    readers = model.read_ptr[tensor + 1] - model.read_ptr[tensor]
    if walk.readers[tensor, source] < readers or (model.leaves[tensor] and source != model.host):
        walk.load[source] += sign * model.out_time[tensor, source]


@kernel
def _overflow(model: LoadModel, walk: Walk) -> int:
    total = 0
    for memory in range(len(model.capacity)):
        total += max(0, walk.used[memory] - model.capacity[memory])
    return total


@kernel
def _energy(model: LoadModel, walk: Walk, scale: float, doublings: int) -> float:
    """The norm of the loads for p = 2 to the power ``doublings``, and the weighted overflow."""
    total = 0.0
    largest = float(walk.load.max()) * scale
    if largest <= 0.0:
        return 0.0
    for d in range(len(walk.load)):
        part = float(walk.load[d]) * scale / largest
        for _ in range(doublings):
            part *= part
        total += part
    energy = largest * total ** (0.5**doublings)
    over = _overflow(model, walk)
    if over > 0:
        energy += _OVERFLOW_WEIGHT * (1.0 + over / max(1.0, float(model.capacity.sum())))
    return float(energy)
