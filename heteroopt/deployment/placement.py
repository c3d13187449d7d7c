"""From rows that name operators and devices to the genome of a plan: devices and a topological order."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from heteroopt.deployment.operator_csv import members_text
from heteroopt.deployment.placement_reader import PlacedOperator, shown
from heteroopt.devices.pool import DevicePool
from heteroopt.errors import PlanError
from heteroopt.graph.graph import Graph
from heteroopt.simulation.problem import Int32, Problem
from heteroopt.simulation.topology import canonical_order

GIVEN, BY_RANK = "given", "critical_path_rank"


@dataclass(frozen=True, slots=True)
class Unfused:
    """Why a placement needs the graph of the model's own operators.

    ``clusters``: fused operators whose members are placed on different devices; none where the placement comes from
    a table of operators that were not fused.
    """

    clusters: tuple[str, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Genome:
    """``order`` and ``device`` int32[n]; ``order_source``: ``given`` or ``critical_path_rank``."""

    order: Int32
    device: Int32
    order_source: str


def needs_unfused(graph: Graph, rows: Sequence[PlacedOperator]) -> Unfused | None:
    """Whether ``graph`` (fused) is too coarse for the rows; ``None`` where they fit, or ``graph`` is not fused."""
    original = graph.original
    if original is None or len(original.operators) == len(graph.operators) or not _names_model(graph, rows):
        return None
    device = {row.operator: row.device for row in rows}
    split = tuple(
        operator.name
        for operator in graph.operators
        if len({device.get(original.operators[member].name) for member in operator.members} - {None}) > 1
    )
    if split or all(row.members in (members_text([row.operator]), row.operator) for row in rows):
        return Unfused(split)
    return None


def place(graph: Graph, pool: DevicePool, problem: Problem, rows: Sequence[PlacedOperator]) -> Genome:
    """The plan that the rows describe. ``problem`` is that of ``graph``; see :func:`needs_unfused`.

    Rows name either every operator of ``graph`` or, where it is fused, every operator of the model. Raises
    :class:`PlanError`, each naming what is wrong: ``placement_unknown_operator``, ``placement_missing``,
    ``placement_unknown_device``, ``placement_unsupported``, ``placement_forbidden``, ``placement_pinned``,
    ``placement_group_split``, ``placement_precedence``.
    """
    named = graph.original if graph.original is not None and _names_model(graph, rows) else graph
    by_name = {row.operator: row for row in rows}
    _check_names(named, by_name)
    unknown = dict.fromkeys(row.device for row in rows)
    for spec in pool.devices:
        unknown.pop(spec.name, None)
    if unknown:
        raise _error(
            "placement_unknown_device",
            "The pool has no device {names}.",
            list(unknown),
            key="devices",
            hint=f"It has {', '.join(spec.name for spec in pool.devices)}.",
        )
    listed = [by_name[operator.name] for operator in named.operators]
    if listed[0].order is not None:
        _check_precedence(named, listed)
    # The last member of a fused operator is its only exit: its place keeps the order topological.
    rows_of = listed if named is graph else [listed[operator.members[-1]] for operator in graph.operators]
    device = np.array([pool.index(row.device) for row in rows_of], np.int32)
    _check_devices(graph, pool, problem, device)
    if rows_of[0].order is None:
        return Genome(rank_order(problem, device), device, BY_RANK)
    orders = np.array([row.order for row in rows_of], np.int64)
    return Genome(np.argsort(orders, kind="stable").astype(np.int32), device, GIVEN)


def rank_order(problem: Problem, device: Int32) -> Int32:
    """int32[n]: of the ready operators always the one from which the longest path remains (ties: the lower index).

    The rank of an operator is its time on its device plus the longest of: its successors' ranks after the transfer to
    their devices, or the way of a model output to the host (upward rank of Topcuoglu, Hariri and Wu, IEEE TPDS 13(3),
    2002, on a placement that is known).
    """
    n, n_stores = problem.n_operators, problem.n_stores
    rank = [0] * n
    home = [int(d) for d in device]

    def delay(tensor: int, source: int, target: int) -> int:
        pair = source * n_stores + target
        size = float(problem.tensor_size_bytes[problem.tensor_root[tensor]])
        return sum(
            int(problem.hop_latency_ps[hop]) + int(size * float(problem.hop_ps_per_byte[hop]) + 0.5)
            for hop in range(problem.hop_ptr[pair], problem.hop_ptr[pair + 1])
        )

    for i in reversed(canonical_order(problem).tolist()):
        longest = 0
        for tensor in problem.out_tensor[problem.out_ptr[i] : problem.out_ptr[i + 1]].tolist():
            for reader in problem.read_op[problem.read_ptr[tensor] : problem.read_ptr[tensor + 1]].tolist():
                longest = max(longest, delay(tensor, home[i], home[reader]) + rank[reader])
            if problem.tensor_is_output[tensor] and problem.outputs_on_host:
                longest = max(longest, delay(tensor, home[i], problem.host))
        rank[i] = longest + (0 if problem.is_view[i] else int(problem.op_time_ps[i, home[i]]))
    waiting = np.diff(problem.pred_ptr).tolist()
    ready = [(-rank[i], i) for i in range(n) if waiting[i] == 0]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        _, i = heapq.heappop(ready)
        order.append(i)
        for successor in problem.succ_idx[problem.succ_ptr[i] : problem.succ_ptr[i + 1]].tolist():
            waiting[successor] -= 1
            if waiting[successor] == 0:
                heapq.heappush(ready, (-rank[successor], successor))
    return np.array(order, np.int32)


def _names_model(graph: Graph, rows: Sequence[PlacedOperator]) -> bool:
    """Whether the rows name the model's own operators rather than the fused ones (which are named after some)."""
    scheduled = {operator.name for operator in graph.operators}
    if graph.original is None or all(row.operator in scheduled for row in rows):
        return False
    own = {operator.name for operator in graph.original.operators}
    return any(row.operator in own and row.operator not in scheduled for row in rows)


def _check_names(graph: Graph, by_name: Mapping[str, PlacedOperator]) -> None:
    known = {operator.name for operator in graph.operators}
    unknown = [name for name in by_name if name not in known]
    if unknown:
        raise _error("placement_unknown_operator", "The model has no operator {names}.", unknown)
    missing = [operator.name for operator in graph.operators if operator.name not in by_name]
    if missing:
        raise _error("placement_missing", "The placement leaves out {names}.", missing)


def _check_precedence(graph: Graph, listed: Sequence[PlacedOperator]) -> None:
    """``listed``: rows by operator index, each with an order."""
    for edge in graph.edges:
        before, after = listed[edge.source], listed[edge.target]
        if before.order is not None and after.order is not None and before.order >= after.order:
            raise PlanError(
                "placement_precedence",
                f"{after.operator!r} (order {after.order}) reads what {before.operator!r} (order {before.order}) "
                "makes, but comes before it.",
                hint="Put each operator after those whose outputs it reads, or leave the order out.",
                operator=after.operator,
                order=after.order,
                producer=before.operator,
                producer_order=before.order,
            )


def _check_devices(graph: Graph, pool: DevicePool, problem: Problem, device: Int32) -> None:
    """Every operator where it may run, groups together."""
    rows = np.arange(len(device))
    lacking = rows[~problem.supported[rows, device]]
    forbidden = rows[problem.forbidden[device]]
    pinned = rows[(problem.pin >= 0) & (problem.pin != device)]
    for code, text, hint, found in (
        (
            "placement_unsupported",
            "The device does not support: {names}.",
            "Place them on a device that does.",
            lacking,
        ),
        (
            "placement_forbidden",
            "The device is forbidden: {names}.",
            "Allow it again, or place them elsewhere.",
            forbidden,
        ),
        (
            "placement_pinned",
            "Pinned elsewhere: {names}.",
            "Remove the pin, or place them where they are pinned.",
            pinned,
        ),
    ):
        if len(found):
            names = [f"{graph.operators[i].name} on {pool.devices[device[i]].name}" for i in found.tolist()]
            first = int(found[0])
            raise _error(
                code,
                text,
                names,
                hint=hint,
                operator=graph.operators[first].name,
                op_type=graph.operators[first].op_type,
                device=pool.devices[device[first]].name,
            )
    for members in problem.members:
        used = {int(device[i]) for i in members}
        if len(used) > 1:
            raise _error(
                "placement_group_split",
                "Operators that must share a device are apart: {names}.",
                [graph.operators[i].name for i in members],
            )


def _error(
    code: str, text: str, names: Sequence[str], *, key: str = "operators", hint: str = "", **params: object
) -> PlanError:
    named, first, count = shown(names)
    return PlanError(code, text.format(names=named), hint=hint, **{key: first, "count": count, **params})
