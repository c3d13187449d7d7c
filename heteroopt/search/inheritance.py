"""Plans of an earlier search made plans of a new one: devices by name, operators by the model's own (R20)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heteroopt.devices.pool import DevicePool
from heteroopt.errors import SettingsError
from heteroopt.graph.graph import Graph
from heteroopt.search.genome import priority_order
from heteroopt.search.space import Space

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

MISSING = -1
"""Stands for the device of an operator whose device the new pool does not have."""


@dataclass(frozen=True, eq=False, slots=True)
class EarlierPlans:
    """Plans to start from, of the N operators of a model before fusion: ``orders`` and ``devices`` int [k, N].

    ``model_hash`` is the content hash of the model's graph; ``device_names`` say what the device indices mean.
    """

    model_hash: str
    device_names: tuple[str, ...]
    orders: Int32
    devices: Int32

    @classmethod
    def of(cls, graph: Graph, pool: DevicePool, orders: Int32, devices: Int32) -> EarlierPlans:
        """Return plans [k, n] of a scheduled graph, fused or not, on a pool."""
        original, clusters = graph.original or graph, _clusters(graph)
        holder = np.empty(len(original.operators), np.int64)
        rank = np.zeros(len(original.operators), np.int64)
        for position, members in enumerate(clusters):
            holder[list(members)] = position
            rank[list(members)] = np.arange(len(members))
        keys = _places(orders)[:, holder] * (len(holder) + 1) + rank
        return cls(
            original.content_hash,
            tuple(device.name for device in pool.devices),
            np.argsort(keys, axis=1, kind="stable").astype(np.int32),
            devices[:, holder].astype(np.int32),
        )

    def on(self, graph: Graph, pool: DevicePool) -> tuple[Int32, Int32]:
        """Return the plans for a scheduled graph on a pool: orders [k, n], devices [k, n] with ``MISSING`` ones.

        The graph may join other operators than the one that the plans were made for. Raises ``SettingsError``
        ``warm_start_graph`` for another model.
        """
        original = graph.original or graph
        if self.model_hash != original.content_hash:
            raise SettingsError(
                "warm_start_graph",
                f"The plans to start from are not of {original.name}, as it is here.",
                hint="Start from a search of the same model, read with the same dimensions.",
                model=original.name,
            )
        index = {device.name: position for position, device in enumerate(pool.devices)}
        renamed = np.array([index.get(name, MISSING) for name in self.device_names], np.int32)
        # The last member of a fused operator is its only exit: its place keeps the order topological.
        exits = np.array([members[-1] for members in _clusters(graph)])
        orders = np.argsort(_places(self.orders)[:, exits], axis=1, kind="stable").astype(np.int32)
        return orders, renamed[self.devices[:, exits]]


MOST_REPAIRS = 384
"""Plans that ``legal_plans`` adds at most, so that the first front is not late."""


def legal_plans(space: Space, orders: Int32, devices: Int32) -> tuple[Int32, Int32]:
    """Return orders and devices [m, n] made legal: each plan, then more ways to fill the gaps of those that have some.

    A gap, an operator whose device is gone, goes to the fastest device; in the further plans to one device for all, as
    far as that is legal, or to the device of the operator before it. Plans with gaps take turns up to ``MOST_REPAIRS``.
    """
    plans = [legalised(space, order, device) for order, device in zip(orders, devices, strict=True)]
    n, n_devices = space.legal.shape
    broken = np.flatnonzero((devices == MISSING).any(axis=1)) if devices.shape[1] == n else np.empty(0, np.int64)
    most = MOST_REPAIRS // (n_devices + 1)
    seen = {device.tobytes() for _, device in plans}
    for row in broken[np.linspace(0, len(broken) - 1, min(most, len(broken))).astype(np.int64)]:
        order, device = plans[row][0], devices[row]
        gap = device == MISSING
        latest = np.maximum.accumulate(np.where(gap[order], 0, np.arange(n)))
        before = np.empty_like(device)
        before[order] = device[order][latest]
        for fill in (before, *np.arange(n_devices)):
            repaired = legalised(space, order, np.where(gap, fill, device))
            if repaired[1].tobytes() not in seen:
                seen.add(repaired[1].tobytes())
                plans.append(repaired)
    return np.array([order for order, _ in plans], np.int32), np.array([device for _, device in plans], np.int32)


def legalised(space: Space, order: ArrayLike, device: ArrayLike) -> tuple[Int32, Int32]:
    """Return the closest legal genome: illegal devices become the fastest legal one, the order a topological one.

    Operators come in the given order as far as precedence allows (the earliest ready one first); operators that
    the order does not name come last. A group goes where the last of its members with a legal device is.
    """
    n, n_devices = space.legal.shape
    given = np.asarray(order, np.int64)
    places = np.flatnonzero((given >= 0) & (given < n))[::-1]
    keys = np.full(n, float(n))
    keys[given[places]] = places  # of an operator that comes twice the first place counts: it is written last
    result_order = np.empty(n, np.int32)
    priority_order(space, keys, result_order)
    asked = np.full(n, MISSING, np.int64)
    asked[: len(np.asarray(device))] = np.asarray(device, np.int64)[:n]
    possible = (asked >= 0) & (asked < n_devices)
    possible &= space.legal[np.arange(n), np.where(possible, asked, 0)]
    result_device = np.where(possible, asked, space.fastest).astype(np.int32)
    for group in range(len(space.member_ptr) - 1):
        members = space.member_idx[space.member_ptr[group] : space.member_ptr[group + 1]]
        settled = members[possible[members]]
        result_device[members] = asked[settled.max()] if len(settled) else space.fastest[members]
    return result_order, result_device


def _places(orders: Int32) -> Int64:
    """Return int64 [k, n]: the place of each operator in orders [k, n]."""
    places = np.empty(orders.shape, np.int64)
    np.put_along_axis(places, orders.astype(np.int64), np.arange(orders.shape[1])[None, :], axis=1)
    return places


def _clusters(graph: Graph) -> Sequence[Sequence[int]]:
    """The model's own operators in each operator of a graph, in their order."""
    if graph.original is None:
        return [(index,) for index in range(len(graph.operators))]
    return [operator.members for operator in graph.operators]
