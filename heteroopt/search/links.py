"""Transfer costs between devices and bytes per edge, as list schedulers estimate them (without queues)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.genome import priority_order
from heteroopt.search.space import Space, make_space
from heteroopt.simulation.problem import Problem

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


class Costs(NamedTuple):
    """Everything a list scheduler reads. n operators, D devices, S stores; times in ps, energies in pJ, floats.

    ``time``, ``energy`` [n, D] (``inf`` where not legal); ``latency``, ``per_byte``, ``energy_per_byte`` [S, S]
    along the route, store and forward; ``pred_bytes`` aligned with ``space.pred_idx``, ``succ_bytes`` with
    ``space.succ_idx``: bytes the consumer reads from the producer; ``input_bytes`` [n] model inputs read, which
    come from ``host`` (-1: they cost nothing); ``mean_latency``, ``mean_per_byte``: means over pairs of devices.
    """

    space: Space
    time: Float64
    energy: Float64
    latency: Float64
    per_byte: Float64
    energy_per_byte: Float64
    pred_bytes: Float64
    succ_bytes: Float64
    input_bytes: Float64
    host: int
    mean_latency: float
    mean_per_byte: float


def make_costs(problem: Problem, space: Space | None = None) -> Costs:
    """Derive the list schedulers' costs from a problem."""
    space = make_space(problem) if space is None else space
    n, n_devices, stores = problem.n_operators, problem.n_devices, problem.n_stores
    route = np.repeat(np.arange(stores * stores), np.diff(problem.hop_ptr))
    latency, per_byte, energy_per_byte = (
        _sums(route, figures, stores * stores)
        for figures in (problem.hop_latency_ps, problem.hop_ps_per_byte, problem.hop_pj_per_byte)
    )

    reader = np.repeat(np.arange(n), np.diff(problem.in_ptr))
    producer = problem.tensor_producer[problem.in_tensor].astype(np.int64)
    size = problem.tensor_size_bytes[problem.in_tensor].astype(np.float64)
    inner = producer >= 0
    input_bytes = _sums(reader[~inner], size[~inner], n)
    reader, producer, size = reader[inner], producer[inner], size[inner]
    pred_target = np.repeat(np.arange(n), np.diff(space.pred_ptr))
    pred_bytes = _edge_bytes(pred_target * n + space.pred_idx, reader * n + producer, size)
    succ_source = np.repeat(np.arange(n), np.diff(space.succ_ptr))
    succ_bytes = _edge_bytes(succ_source * n + space.succ_idx, producer * n + reader, size)

    shape = (stores, stores)
    pairs = ~np.eye(n_devices, dtype=bool)
    device_latency = latency.reshape(shape)[:n_devices, :n_devices]
    device_per_byte = per_byte.reshape(shape)[:n_devices, :n_devices]
    return Costs(
        space=space,
        time=_where_legal(problem, problem.op_time_ps),
        energy=_where_legal(problem, problem.op_energy_pj),
        latency=latency.reshape(shape),
        per_byte=per_byte.reshape(shape),
        energy_per_byte=energy_per_byte.reshape(shape),
        pred_bytes=pred_bytes,
        succ_bytes=succ_bytes,
        input_bytes=input_bytes,
        host=int(problem.host) if problem.inputs_on_host else -1,
        mean_latency=float(device_latency[pairs].mean()) if n_devices > 1 else 0.0,
        mean_per_byte=float(device_per_byte[pairs].mean()) if n_devices > 1 else 0.0,
    )


def index_order(space: Space) -> Int32:
    """Return the topological order that follows the operators' own numbering as far as precedence allows."""
    n = len(space.group)
    order = np.empty(n, np.int32)
    priority_order(space, np.arange(n, dtype=np.float64), order)
    return order


def _where_legal(problem: Problem, figures: Int64) -> Float64:
    """Return figures [n, D] as floats: 0 for views, which cost nothing, ``inf`` where not legal."""
    spent = np.where(problem.is_view[:, None], 0, figures).astype(np.float64)
    return np.where(problem.legal, spent, np.inf)


def _edge_bytes(keys: NDArray[np.int64], read_keys: NDArray[np.int64], sizes: Float64) -> Float64:
    """Return per edge (ascending ``keys``) the sum of the sizes whose read key is that edge."""
    return _sums(np.searchsorted(keys, read_keys), sizes, len(keys))


def _sums(index: NDArray[np.integer], figures: NDArray[Any], length: int) -> Float64:
    """Return float64 [length]: per index the sum of its figures, in their order."""
    return np.bincount(index, weights=figures, minlength=length).astype(np.float64, copy=False)
