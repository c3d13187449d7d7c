"""Contiguous splits that minimise the load of the busiest device, by dynamic programming over ideals.

Source: J. Tarnawski et al., "Efficient Algorithms for Device Placement of DNN Graph Operators", NeurIPS 2020,
section 5.1: with dp(I, s) the least largest load of placing ideal I with the devices used up in s,

    dp(I, s) = min over ideals I' within I, devices d not yet used: max(dp(I', s without d), load of I \\ I' on d)

A split is contiguous if the devices' sets are differences of a chain of ideals. Devices that do not differ are
counted, not named. It is exact where all ideals and all counts of used devices can be listed; beyond, ideals are the
prefixes of some topological orders, and devices are used in some fixed sequences.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.bottleneck.ideals import Ideals, all_ideals, chain_ideals
from heteroopt.search.bottleneck.model import LoadModel, contracted
from heteroopt.search.bottleneck.precedence import Precedence, topological_order
from heteroopt.search.bottleneck.split_kernel import Steps, fill_table

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

NO_BOUND = 1 << 62
MOST_STATES = 256
"""Counts of used devices, beyond which fixed sequences of devices are tried."""


@dataclass(frozen=True, eq=False)
class Effort:
    """How far to go: counts, never seconds, so that the same problem always gets the same answer."""

    ideals: int = 60_000
    """Most ideals to list."""
    pairs: int = 20_000_000
    """Most pairs of ideals to look at for the best contiguous split."""
    proof_pairs: int = 2_000_000_000
    """Most pairs to look at, where those did not suffice, for one that is better than the annealed placement."""
    chunks: int = 4_096
    """Most cuts of a topological order; longer orders are cut between chunks of equal work."""


@dataclass(frozen=True, eq=False)
class Split:
    """``device`` int32 [n] and the largest load in ps."""

    device: Int32
    load_ps: int
    exact: bool
    """Whether no contiguous split has a smaller largest load."""


def contiguous_split(model: LoadModel, precedence: Precedence, effort: Effort) -> Split | None:
    """Return the best contiguous split found, ``None`` if none fits the memories.

    The prefixes of three topological orders come first: what they reach bounds the search over all ideals.
    """
    if not model.legal.any(axis=1).all():
        return None
    best: Split | None = None
    for order in _orders(model, precedence):
        cut, block, blocks = _chunks(model, order, effort.chunks)
        for steps in device_steps(model)[0]:
            bound = NO_BOUND if best is None else best.load_ps
            found, _ = _solve(cut, chain_ideals(np.arange(blocks, dtype=np.int32)), steps, bound, effort.pairs)
            if found is not None:
                best = Split(found.device[block], found.load_ps, False)
    bound = NO_BOUND if best is None else best.load_ps
    better, proven = split_under(model, precedence, bound, effort.ideals, effort.pairs)
    best = better or best
    return None if best is None else Split(best.device, best.load_ps, proven)


def split_under(
    model: LoadModel, precedence: Precedence, bound: int, most_ideals: int, most_pairs: int
) -> tuple[Split | None, bool]:
    """Return the best contiguous split whose largest load is under ``bound`` (ps), if one was found.

    The second value says whether that is certain: all ideals and all pairs of them were within the limits.
    """
    ideals = all_ideals(precedence, most_ideals)
    if ideals is None or not model.legal.any(axis=1).all():
        return None, False
    all_steps, proven = device_steps(model)
    best: Split | None = None
    for steps in all_steps:
        found, finished = _solve(model, ideals, steps, bound if best is None else best.load_ps, most_pairs)
        best = found or best
        proven &= finished
    return best, proven


def device_steps(model: LoadModel) -> tuple[list[Steps], bool]:
    """Return the ways to use the devices up, and whether they cover every choice."""
    kinds = device_kinds(model)
    counts = [len(kind) for kind in kinds]
    if int(np.prod([count + 1.0 for count in counts])) <= MOST_STATES:
        return [_counted(kinds, counts)], True
    whole = model.time.sum(axis=0)
    n_devices = len(whole)
    fastest = sorted(range(n_devices), key=lambda d: (int(whole[d]), d))
    sequences = [list(range(n_devices)), fastest, fastest[::-1]]
    return [_sequence(row) for k, row in enumerate(sequences) if row not in sequences[:k]], False


def device_kinds(model: LoadModel) -> list[list[int]]:
    """Devices that cannot be told apart, by their first; one memory of several devices tells them apart."""
    kinds: dict[tuple[object, ...], list[int]] = {}
    for d, memory in enumerate(model.memory.tolist()):
        alone = int((model.memory == memory).sum()) == 1
        key = (
            model.time[:, d].tobytes(), model.legal[:, d].tobytes(), model.out_time[:, d].tobytes(),
            model.in_time[:, d].tobytes(), int(model.capacity[memory]), -1 if alone else memory, d == model.host,
        )  # fmt: skip
        kinds.setdefault(key, []).append(d)
    return list(kinds.values())


def _counted(kinds: list[list[int]], counts: list[int]) -> Steps:
    """Every combination of counts is a state."""
    states = list(product(*(range(count + 1) for count in counts)))
    number = {state: s for s, state in enumerate(states)}
    source, target, ptr = [], [], [0]
    for k in range(len(kinds)):
        for state in states:
            if state[k] > 0:
                source.append(number[(*state[:k], state[k] - 1, *state[k + 1 :])])
                target.append(number[state])
        ptr.append(len(source))
    by_target = np.argsort(target, kind="stable")
    firsts = [kind[0] for kind in kinds]
    return Steps(_int32(source), _int32(target), _int32(ptr), _int32(by_target), _int32(firsts), len(states))


def _sequence(devices: list[int]) -> Steps:
    """The state is the number of devices passed by."""
    n = len(devices)
    steps = _int32(range(n))
    return Steps(steps, steps + np.int32(1), _int32(range(n + 1)), steps, _int32(devices), n + 1)


def _reach(model: LoadModel, steps: Steps, least: Int64, bound: int) -> Int64:
    """int64 [states] the most work (sum of ``least``) that devices used up in a state do within the bound.

    A device does best with the items on which it loses least against the best device; the last one counts in part.
    """
    reach = np.zeros(steps.n_states, np.int64)
    most = []
    for d in steps.devices.tolist():
        items = np.flatnonzero(model.legal[:, d])
        time = model.time[items, d]
        items = items[np.argsort(time / np.maximum(least[items], 1e-9), kind="stable")]
        spent = model.time[items, d].cumsum()
        whole = int(np.searchsorted(spent, bound, side="right"))
        most.append(int(least[items[: whole + 1]].sum()))
    column = np.repeat(np.arange(len(steps.devices)), np.diff(steps.column_ptr))
    for step in steps.by_target.tolist():
        total = reach[steps.source[step]] + most[column[step]]
        reach[steps.target[step]] = max(reach[steps.target[step]], total)
    return reach


def _int32(values: Iterable[int]) -> Int32:
    return np.array(list(values), np.int32)


def _orders(model: LoadModel, precedence: Precedence) -> list[Int32]:
    work = model.time.min(axis=1)
    by_number = topological_order(precedence, -np.arange(len(work), dtype=np.int64), False)
    orders = [by_number, topological_order(precedence, work, True), topological_order(precedence, -work, True)]
    return [row for k, row in enumerate(orders) if not any((row == other).all() for other in orders[:k])]


def _chunks(model: LoadModel, order: Int32, most: int) -> tuple[LoadModel, Int32, int]:
    """Join neighbours of the order into at most ``most`` chunks of equal work; chunks are numbered along it."""
    n = len(order)
    if n <= most:
        chunk = np.arange(n)
    else:
        work = model.time[order].mean(axis=1) + 1e-9
        chunk = np.minimum((work.cumsum() - work / 2) * (most / work.sum()), most - 1).astype(np.int64)
        chunk = np.unique(chunk, return_inverse=True)[1]
    block = np.empty(n, np.int32)
    block[order] = chunk
    count = int(chunk[-1]) + 1
    return contracted(model, block, count), block, count


def _solve(model: LoadModel, ideals: Ideals, steps: Steps, bound: int, most_pairs: int) -> tuple[Split | None, bool]:
    """Return the best split under ``bound``, if there is one, and whether the pairs sufficed to know."""
    least = np.where(model.legal, model.time, NO_BOUND).min(axis=1)
    reach = _reach(model, steps, least, bound)
    value, below, by, pairs = fill_table(model, ideals, steps, least, reach, bound, most_pairs)
    ideal, state = ideals.number - 1, steps.n_states - 1
    if pairs < 0 or value[ideal, state] >= bound:
        return None, pairs >= 0
    counted = len(steps.devices) < model.time.shape[1]
    free = {kind[0]: list(kind) for kind in device_kinds(model)} if counted else {}
    column_of = np.repeat(np.arange(len(steps.devices)), np.diff(steps.column_ptr))
    load = int(value[ideal, state])
    device = np.empty(len(model.size), np.int32)
    while ideal > 0:
        lower, step = int(below[ideal, state]), int(by[ideal, state])
        first = int(steps.devices[column_of[step]])
        items = _difference(ideals, ideal, lower)
        if len(items):
            device[items] = free[first].pop() if counted else first
        ideal, state = lower, int(steps.source[step])
    return Split(device, load, False), True


def _difference(ideals: Ideals, ideal: int, lower: int) -> Int32:
    """Items of ``ideal`` that ``lower`` lacks, by walking both to the empty set."""

    def members(i: int) -> set[int]:
        found = set()
        while i > 0:
            link = int(ideals.down_ptr[i])
            found.add(int(ideals.down_item[link]))
            i = int(ideals.down_ideal[link])
        return found

    return _int32(sorted(members(ideal) - members(lower)))
