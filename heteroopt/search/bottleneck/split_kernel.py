"""The dynamic programme over ideals, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.bottleneck.ideals import Ideals
from heteroopt.search.bottleneck.model import LoadModel
from heteroopt.search.compiled import kernel

Bool = NDArray[np.bool_]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


class Steps(NamedTuple):
    """How devices are used up: taking step j puts a contiguous set on device ``device[j]`` and leads on.

    States are numbered so that steps rise; state 0 has used nothing, the last one is the end. A step may also be
    taken with an empty set. ``device_ptr`` and on: steps by column of ``device``.
    """

    source: Int32
    target: Int32
    column_ptr: Int32
    """Steps of column k of ``devices``: they are contiguous."""
    by_target: Int32
    """All steps by rising target."""
    devices: Int32
    """[K] one device of each kind."""
    n_states: int


class Set(NamedTuple):
    """The items between two ideals, and what they cost on each of K kinds of device."""

    readers: Int32
    """[T] readers in the set."""
    maker: Bool
    """[T] whether the maker is in the set."""
    time: Int64
    moved: Int64
    """[K] transfers in and out."""
    fixed: Int64
    """[K] those of them that no item of the upper ideal can save."""
    illegal: Int64
    """[K] items that may not go there."""


@kernel
def fill_table(
    model: LoadModel, ideals: Ideals, steps: Steps, least: Int64, reach: Int64, bound: int, most_pairs: int
) -> tuple[Int64, Int32, Int32, int]:
    """Return ``value`` int64 [I, states], ``below`` and ``by`` int32 [I, states], and the pairs of ideals looked at.

    ``value[i, s]`` is the least largest load of a split of ideal i that ends in state s, among those under ``bound``
    (else ``bound``): the minimum over ideals i' within i and steps (s', k, s) of max(value[i', s'], load on k of i
    without i'). ``below`` is that i' (i itself for an empty set) and ``by`` the step. Only states are kept from which
    the rest of the work can still be done under the bound: ``least`` [n] is the work of an item, ``reach`` [states]
    the most work that the devices used up in a state can do. The walk from i downwards adds one item at a time and
    updates the costs by what changes; it turns back where on every device the sizes reach the capacity, or the times
    and the transfers across i the bound, as these only grow. Gives up after ``most_pairs`` (then the pairs are -1).
    """
    n_ideals = len(ideals.down_ptr) - 1
    n = len(model.size)
    kinds = len(steps.devices)
    states = steps.n_states
    value = np.full((n_ideals, states), bound, np.int64)
    below = np.zeros((n_ideals, states), np.int32)
    by = np.full((n_ideals, states), -1, np.int32)
    value[0, :] = 0
    alive = np.zeros(n_ideals, np.bool_)
    alive[0] = True
    work = np.zeros(n_ideals, np.int64)
    everything = least.sum()
    useful = np.empty(states, np.bool_)
    stamp = np.full(n_ideals, -1, np.int32)
    at_ideal = np.empty(n + 2, np.int32)
    at_link = np.empty(n + 2, np.int32)
    added = np.empty(n + 2, np.int32)
    within = Set(
        np.zeros(len(model.producer), np.int32), np.zeros(len(model.producer), np.bool_), np.zeros(kinds, np.int64),
        np.zeros(kinds, np.int64), np.zeros(kinds, np.int64), np.zeros(kinds, np.int64),
    )  # fmt: skip
    upper_readers = np.zeros(len(model.producer), np.int32)
    upper_maker = np.zeros(len(model.producer), np.bool_)
    size, pairs = 0, 0
    for ideal in range(1, n_ideals):
        first = ideals.down_ptr[ideal]
        work[ideal] = work[ideals.down_ideal[first]] + least[ideals.down_item[first]]
        any_useful = False
        for state in range(states):
            useful[state] = everything - work[ideal] <= reach[states - 1] - reach[state]
            any_useful = any_useful or (useful[state] and work[ideal] <= reach[state])
        if not any_useful:
            continue
        _members(model, ideals, ideal, upper_readers, upper_maker)
        depth = 0
        at_ideal[0] = ideal
        at_link[0] = first
        while depth >= 0:
            link = at_link[depth]
            if link == ideals.down_ptr[at_ideal[depth] + 1]:
                if depth > 0:
                    size -= model.size[added[depth]]
                    _change(model, steps.devices, added[depth], -1, within, upper_readers, upper_maker)
                depth -= 1
                continue
            at_link[depth] += 1
            lower = ideals.down_ideal[link]
            if stamp[lower] == ideal:
                continue
            stamp[lower] = ideal
            pairs += 1
            item = ideals.down_item[link]
            size += model.size[item]
            _change(model, steps.devices, item, 1, within, upper_readers, upper_maker)
            possible = False
            for k in range(kinds):
                if within.illegal[k] > 0 or within.time[k] + within.fixed[k] >= bound:
                    continue
                if size > model.capacity[model.memory[steps.devices[k]]]:
                    continue
                possible = True
                load = within.time[k] + within.moved[k]
                if load >= bound or not alive[lower]:
                    continue
                for step in range(steps.column_ptr[k], steps.column_ptr[k + 1]):
                    largest = max(value[lower, steps.source[step]], load)
                    target = steps.target[step]
                    if largest < value[ideal, target] and useful[target]:
                        value[ideal, target] = largest
                        below[ideal, target] = lower
                        by[ideal, target] = step
            if possible:
                depth += 1
                at_ideal[depth] = lower
                at_link[depth] = ideals.down_ptr[lower]
                added[depth] = item
            else:
                size -= model.size[item]
                _change(model, steps.devices, item, -1, within, upper_readers, upper_maker)
        if pairs > most_pairs:
            return value, below, by, -1
        for step in steps.by_target:
            state = steps.target[step]
            if useful[state] and value[ideal, steps.source[step]] < value[ideal, state]:
                value[ideal, state] = value[ideal, steps.source[step]]
                below[ideal, state] = ideal
                by[ideal, state] = step
        for state in range(states):
            alive[ideal] = alive[ideal] or value[ideal, state] < bound
    return value, below, by, pairs


@kernel
def _members(model: LoadModel, ideals: Ideals, ideal: int, readers: Int32, maker: Bool) -> None:
    """Note which tensors are made in an ideal, and how many of their readers are in it."""
    readers[:] = 0
    maker[:] = False
    while ideal > 0:
        link = ideals.down_ptr[ideal]
        item = ideals.down_item[link]
        for place in range(model.make_ptr[item], model.make_ptr[item + 1]):
            maker[model.make_idx[place]] = True
        for place in range(model.use_ptr[item], model.use_ptr[item + 1]):
            readers[model.use_idx[place]] += 1
        ideal = ideals.down_ideal[link]


@kernel
def _change(
    model: LoadModel, devices: Int32, item: int, sign: int, within: Set, upper_readers: Int32, upper_maker: Bool
) -> None:
    """Add the item to the set (sign 1), or take the one that was added last out of it (-1)."""
    kinds = len(devices)
    for k in range(kinds):
        within.time[k] += sign * model.time[item, devices[k]]
        if not model.legal[item, devices[k]]:
            within.illegal[k] += sign
    for place in range(model.make_ptr[item], model.make_ptr[item + 1]):
        tensor = model.make_idx[place]
        readers = model.read_ptr[tensor + 1] - model.read_ptr[tensor]
        leaves = model.leaves[tensor]
        within.maker[tensor] = sign > 0
        for k in range(kinds):
            d = devices[k]
            always = leaves and d != model.host
            if within.readers[tensor] > 0:
                within.moved[k] -= sign * model.in_time[tensor, d]
                if not upper_maker[tensor]:
                    within.fixed[k] -= sign * model.in_time[tensor, d]
            if always or within.readers[tensor] < readers:
                within.moved[k] += sign * model.out_time[tensor, d]
            if always or upper_readers[tensor] < readers:
                within.fixed[k] += sign * model.out_time[tensor, d]
    for place in range(model.use_ptr[item], model.use_ptr[item + 1]):
        tensor = model.use_idx[place]
        if sign < 0:
            within.readers[tensor] -= 1
        before = within.readers[tensor]
        if within.maker[tensor]:
            if before + 1 == model.read_ptr[tensor + 1] - model.read_ptr[tensor]:
                for k in range(kinds):
                    d = devices[k]
                    if not model.leaves[tensor] or d == model.host:
                        within.moved[k] -= sign * model.out_time[tensor, d]
        elif before == 0:
            for k in range(kinds):
                within.moved[k] += sign * model.in_time[tensor, devices[k]]
                if not upper_maker[tensor]:
                    within.fixed[k] += sign * model.in_time[tensor, devices[k]]
        if sign > 0:
            within.readers[tensor] += 1
