"""The compiled decoder: one plan decoded in place, equal to the reference decoder to the bit.

The rules are written down in :mod:`heteroopt.simulation.reference`; the comments here say only how they are made
fast. Takes named tuples of flat arrays, allocates nothing, and can be called from any other compiled kernel.
"""
# mypy: disable-error-code="no-untyped-def,untyped-decorator"

from __future__ import annotations

from numba import njit

from heteroopt.simulation.peak import exact_peak
from heteroopt.simulation.schedule import STAYS
from heteroopt.simulation.scratch import (
    ENERGY_PJ,
    IDLE_PJ,
    LOAD_VARIANCE,
    N_CUT_EDGES,
    N_HOLDINGS,
    N_TRANSFERS,
    OPERATOR_PJ,
    OVERFLOW_BYTES,
    TIME_PS,
    TRANSFER_PJ,
    TRANSFERRED_BYTES,
)


@njit(cache=True, nogil=True)
def _appear(p, s, buffer, store, start, complete):
    """A buffer is allocated (once per memory) and complete on a store."""
    memory = p.store_memory[store]
    known = s.arrival[buffer, store] >= 0
    if not known and p.store_memory.shape[0] != p.memory_capacity_bytes.shape[0]:
        for other in range(p.store_memory.shape[0]):
            if p.store_memory[other] == memory and s.arrival[buffer, other] >= 0:
                known = True
                break
    s.arrival[buffer, store] = complete
    if known:
        s.held_end[buffer, memory] = max(s.held_end[buffer, memory], complete)
    else:
        s.held_start[buffer, memory] = start
        s.held_end[buffer, memory] = complete
        s.held_key[s.result[N_HOLDINGS]] = buffer * p.memory_capacity_bytes.shape[0] + memory
        s.result[N_HOLDINGS] += 1
        s.held_sum[memory] += p.tensor_size_bytes[buffer]


@njit(cache=True, nogil=True)
def _neighbour(p, s, buffer, store):
    """The store of the same memory that had the buffer first, -1 for none."""
    best = -1
    for other in range(p.store_memory.shape[0]):
        if (
            p.store_memory[other] == p.store_memory[store]
            and s.arrival[buffer, other] >= 0
            and (best < 0 or s.arrival[buffer, other] < s.arrival[buffer, best])
        ):
            best = other
    return best


@njit(cache=True, nogil=True)
def _send(p, s, buffer, exists, hop):
    """Place one hop."""
    n_devices = p.op_time_ps.shape[1]
    source, target, channel = p.hop_from[hop], p.hop_to[hop], p.hop_channel[hop]
    size = p.tensor_size_bytes[buffer]
    start = max(s.arrival[buffer, source], exists)
    if channel >= 0:
        start = max(start, s.channel_free[channel])
    if p.blocking_transfers:
        if source < n_devices:
            start = max(start, s.store_free[source])
        if target < n_devices:
            start = max(start, s.store_free[target])
    duration = p.hop_latency_ps[hop] + int(float(size) * p.hop_ps_per_byte[hop] + 0.5)
    finish = start + duration
    if channel >= 0:
        s.channel_free[channel] = finish
    if p.blocking_transfers:
        s.store_free[source] = finish
        s.busy[source] += duration
        s.store_free[target] = finish
        s.busy[target] += duration
    s.result[TRANSFER_PJ] += int(float(size) * p.hop_pj_per_byte[hop] + 0.5)
    memory = p.store_memory[source]
    moved = size if memory != p.store_memory[target] else 0
    s.result[TRANSFERRED_BYTES] += moved
    if s.transfers.shape[0] > 0:
        row = s.transfers[s.result[N_TRANSFERS]]
        row[0], row[1], row[2], row[3] = buffer, source, target, channel
        row[4], row[5], row[6] = start, finish, moved
    s.result[N_TRANSFERS] += 1
    s.result[TIME_PS] = max(s.result[TIME_PS], finish)
    s.held_end[buffer, memory] = max(s.held_end[buffer, memory], finish)
    _appear(p, s, buffer, target, start, finish)


@njit(cache=True, nogil=True)
def _deliver(p, s, device, tensor, target):
    """Have the tensor's buffer on a store that does not have it yet."""
    n_stores = p.store_memory.shape[0]
    domains = n_stores != p.memory_capacity_bytes.shape[0]
    buffer, producer = p.tensor_root[tensor], p.tensor_producer[tensor]
    if p.tensor_producer[buffer] < 0 and not p.inputs_on_host:
        _appear(p, s, buffer, target, 0, 0)
        return
    source, exists = p.host, 0
    if producer >= 0:
        source, exists = device[producer], s.finish[producer]
    if domains:
        neighbour = _neighbour(p, s, buffer, target)
        if neighbour >= 0:
            source = neighbour
    pair = source * n_stores + target
    for k in range(p.hop_ptr[pair], p.hop_ptr[pair + 1]):
        stop = p.hop_to[k]
        if s.arrival[buffer, stop] >= 0:
            continue
        hop = k
        if domains:
            neighbour = _neighbour(p, s, buffer, stop)
            if neighbour >= 0:
                hop = p.hop_ptr[neighbour * n_stores + stop]
        _send(p, s, buffer, exists, hop)


@njit(cache=True, nogil=True)
def _reset(p, s):
    """Empty timelines; the model inputs where they start."""
    s.result[:] = 0
    s.store_free[:] = 0
    s.busy[:] = 0
    s.n_placed[:] = 0
    s.channel_free[:] = 0
    s.arrival[:] = -1
    s.weight[:] = 0
    s.held_sum[:] = 0
    s.stamp[0] += 1
    host = p.host
    for tensor in range(p.tensor_producer.shape[0]):
        if p.tensor_producer[tensor] < 0:
            stays = p.tensor_is_output[tensor]
            if p.inputs_on_host or (stays and p.outputs_on_host):
                _appear(p, s, tensor, host, 0, 0)
                if stays:
                    s.held_end[tensor, p.store_memory[host]] = STAYS


@njit(cache=True, nogil=True)
def _place_all(p, s, order, device):
    """Place every operator with its transfers, in the plan's order."""
    for position in range(order.shape[0]):
        operator = order[position]
        home = device[operator]
        memory = p.store_memory[home]
        s.n_placed[home] += 1
        ready = 0
        for k in range(p.in_ptr[operator], p.in_ptr[operator + 1]):
            tensor = p.in_tensor[k]
            buffer = p.tensor_root[tensor]
            if s.arrival[buffer, home] < 0:
                _deliver(p, s, device, tensor, home)
            ready = max(ready, s.arrival[buffer, home])
            producer = p.tensor_producer[tensor]
            if producer >= 0:
                ready = max(ready, s.finish[producer])
                if device[producer] != home:
                    s.result[N_CUT_EDGES] += 1
        if p.is_view[operator]:
            start = ready
            finish = ready
        else:
            start = max(ready, s.store_free[home])
            duration = p.op_time_ps[operator, home]
            finish = start + duration
            s.store_free[home] = finish
            s.busy[home] += duration
        s.start[operator] = start
        s.finish[operator] = finish
        s.result[TIME_PS] = max(s.result[TIME_PS], finish)
        s.result[OPERATOR_PJ] += p.op_energy_pj[operator, home]
        for k in range(p.init_ptr[operator], p.init_ptr[operator + 1]):
            init = p.init_idx[k]
            if s.weight_mark[init, memory] != s.stamp[0]:
                s.weight_mark[init, memory] = s.stamp[0]
                s.weight[memory] += p.init_size_bytes[init]
        for k in range(p.in_ptr[operator], p.in_ptr[operator + 1]):
            buffer = p.tensor_root[p.in_tensor[k]]
            s.held_end[buffer, memory] = max(s.held_end[buffer, memory], finish)
        for k in range(p.out_ptr[operator], p.out_ptr[operator + 1]):
            tensor = p.out_tensor[k]
            if p.tensor_root[tensor] == tensor:
                _appear(p, s, tensor, home, start, finish)
        for k in range(p.out_ptr[operator], p.out_ptr[operator + 1]):
            tensor = p.out_tensor[k]
            if p.tensor_is_output[tensor]:
                place = home
                if p.outputs_on_host:
                    place = p.host
                buffer = p.tensor_root[tensor]
                if s.arrival[buffer, place] < 0:
                    _deliver(p, s, device, tensor, place)
                s.held_end[buffer, p.store_memory[place]] = STAYS


@njit(cache=True, nogil=True)
def _total(p, s, with_peak):
    """Overflow, energy and load variance of the placed plan, summed in the reference decoder's order."""
    overflow = 0
    for memory in range(p.memory_capacity_bytes.shape[0]):
        # All that ever lies there bounds the peak: the sweep is needed only where that does not fit.
        peak = s.weight[memory] + s.held_sum[memory]
        if with_peak or peak > p.memory_capacity_bytes[memory]:
            peak = s.weight[memory] + exact_peak(
                memory,
                s.held_start,
                s.held_end,
                s.held_key,
                s.result[N_HOLDINGS],
                p.tensor_size_bytes,
                s.sort_time,
                s.sort_size,
            )
        s.peak[memory] = peak
        overflow += max(0, peak - p.memory_capacity_bytes[memory])
    s.result[OVERFLOW_BYTES] = overflow

    n_devices = p.op_time_ps.shape[1]
    power = 0.0
    for d in range(n_devices):
        if p.idle_energy_pool or s.n_placed[d] > 0:
            power += p.idle_power_w[d]
    makespan = float(s.result[TIME_PS])
    s.value[IDLE_PJ] = power * makespan
    s.value[ENERGY_PJ] = float(s.result[OPERATOR_PJ] + s.result[TRANSFER_PJ]) + s.value[IDLE_PJ]
    s.value[LOAD_VARIANCE] = 0.0
    if s.result[TIME_PS] > 0:
        mean = 0.0
        for d in range(n_devices):
            mean += float(s.busy[d]) / makespan
        mean /= float(n_devices)
        total = 0.0
        for d in range(n_devices):
            distance = float(s.busy[d]) / makespan - mean
            total += distance * distance
        s.value[LOAD_VARIANCE] = total / float(n_devices)


@njit(cache=True, nogil=True)
def simulate(p, s, order, device, with_peak):
    """Decode a legal plan (``order``, ``device`` int32[n]) of ``p`` (:class:`ProblemArrays`) into ``s``.

    Without ``with_peak``, ``s.peak`` may be an upper bound where the memory fits; the overflow is exact either way.
    """
    _reset(p, s)
    _place_all(p, s, order, device)
    _total(p, s, with_peak)
