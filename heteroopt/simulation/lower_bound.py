"""A makespan that no plan can beat: longest path with transfers, and the load spread over unlike devices."""

from __future__ import annotations

import math

import numpy as np

from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.problem import Bool, Int32, Int64, Problem, ProblemArrays, csr
from heteroopt.simulation.topology import canonical_order

_FAR = 1 << 61
_ROUNDS = 300
_ROUNDING = 1e-9
"""Share of the load bound given up, far above what its sums can lose to rounding."""


def makespan_lower_bound_ps(problem: Problem) -> int:
    """The larger of a path bound and a load bound, in picoseconds; valid for every legal plan.

    Path: an operator cannot finish on a device before each of its inputs has come there by the cheapest chain of
    hops from wherever it could be made earliest; a model output cannot end before it has come to the host.
    Load: for any weights w >= 0 of the devices that sum to 1, makespan >= sum over operators of the least w_d t_d
    among its devices (the dual of the fractional assignment to unrelated machines). Weights are found by ascent.
    """
    n_stores = problem.n_stores
    path = path_bound_ps(
        problem.arrays,
        canonical_order(problem),
        *_hops_by_source(problem),
        np.full((problem.n_tensors, n_stores), _FAR, np.int64),
        np.zeros(problem.n_operators, np.int64),
        np.zeros(n_stores, np.bool_),
    )
    load = load_bound_ps(problem.op_time_ps, problem.legal, _ROUNDS)
    return max(int(path), math.ceil(load * (1.0 - _ROUNDING)))


def _hops_by_source(problem: Problem) -> tuple[Int32, Int32]:
    """CSR over stores of the different hops that leave them, whatever routes they are part of."""
    different: dict[tuple[int, int, int, float], int] = {}
    for hop in range(len(problem.hop_from)):
        key = (
            int(problem.hop_from[hop]),
            int(problem.hop_to[hop]),
            int(problem.hop_latency_ps[hop]),
            float(problem.hop_ps_per_byte[hop]),
        )
        different.setdefault(key, hop)
    rows: list[list[int]] = [[] for _ in range(problem.n_stores)]
    for key, hop in different.items():
        rows[key[0]].append(hop)
    return csr(rows)


@kernel
def path_bound_ps(
    p: ProblemArrays, order: Int32, edge_ptr: Int32, edge_hop: Int32, arrival: Int64, earliest: Int64, done: Bool
) -> int:
    """Longest path; the other arguments are scratch of the shapes that :func:`makespan_lower_bound_ps` gives.

    ``arrival`` [T, S] becomes the earliest a buffer can be on a store, by Dijkstra from where it may be made.
    """
    n_devices = p.op_time_ps.shape[1]
    for tensor in range(p.tensor_producer.shape[0]):
        if p.tensor_producer[tensor] < 0:
            if p.inputs_on_host:
                arrival[tensor, p.host] = 0
                _spread(p, edge_ptr, edge_hop, arrival[tensor], p.tensor_size_bytes[tensor], done)
            else:
                arrival[tensor] = 0
    bound = 0
    for position in range(order.shape[0]):
        operator = order[position]
        earliest[operator] = _FAR
        for d in range(n_devices):
            if not p.legal[operator, d]:
                continue
            ready = 0
            for k in range(p.in_ptr[operator], p.in_ptr[operator + 1]):
                tensor = p.in_tensor[k]
                ready = max(ready, arrival[p.tensor_root[tensor], d])
                if p.tensor_producer[tensor] >= 0:
                    ready = max(ready, earliest[p.tensor_producer[tensor]])
            finish = ready
            if not p.is_view[operator]:
                finish += p.op_time_ps[operator, d]
            earliest[operator] = min(earliest[operator], finish)
            for k in range(p.out_ptr[operator], p.out_ptr[operator + 1]):
                tensor = p.out_tensor[k]
                if p.tensor_root[tensor] == tensor:
                    arrival[tensor, d] = finish
        bound = max(bound, earliest[operator])
        for k in range(p.out_ptr[operator], p.out_ptr[operator + 1]):
            tensor = p.out_tensor[k]
            buffer = p.tensor_root[tensor]
            if buffer == tensor:
                _spread(p, edge_ptr, edge_hop, arrival[tensor], p.tensor_size_bytes[tensor], done)
            if p.tensor_is_output[tensor] and p.outputs_on_host and arrival[buffer, p.host] < _FAR:
                bound = max(bound, arrival[buffer, p.host])
    return bound


@kernel
def _spread(p: ProblemArrays, edge_ptr: Int32, edge_hop: Int32, arrival: Int64, size: int, done: Bool) -> None:
    """Lower ``arrival`` [S] to what the cheapest chains of hops give (dense Dijkstra)."""
    n_stores = arrival.shape[0]
    done[:] = False
    for _ in range(n_stores):
        nearest = -1
        for store in range(n_stores):
            if not done[store] and (nearest < 0 or arrival[store] < arrival[nearest]):
                nearest = store
        done[nearest] = True
        for k in range(edge_ptr[nearest], edge_ptr[nearest + 1]):
            hop = edge_hop[k]
            time = p.hop_latency_ps[hop] + int(float(size) * p.hop_ps_per_byte[hop] + 0.5)
            arrival[p.hop_to[hop]] = min(arrival[p.hop_to[hop]], arrival[nearest] + time)


@kernel
def load_bound_ps(op_time_ps: Int64, legal: Bool, rounds: int) -> float:
    """Best sum over operators of min w_d t_d met in ``rounds`` steps of multiplicative ascent from equal weights."""
    n, n_devices = op_time_ps.shape
    weight = np.full(n_devices, 1.0 / n_devices)
    load = np.empty(n_devices, np.float64)
    best = 0.0
    for step in range(rounds):
        load[:] = 0.0
        total = 0.0
        for i in range(n):
            least, chosen = np.inf, 0
            for d in range(n_devices):
                if legal[i, d]:
                    value = weight[d] * float(op_time_ps[i, d])
                    if value < least:
                        least, chosen = value, d
            total += least
            load[chosen] += float(op_time_ps[i, chosen])
        best = max(best, total)
        highest = load.max()
        if highest <= 0.0:
            break
        rate = 1.0 / np.sqrt(1.0 + step)
        for d in range(n_devices):
            weight[d] *= np.exp(rate * load[d] / highest)
        weight /= weight.sum()
    return best
