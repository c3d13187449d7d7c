"""The compiled decoder: one plan decoded in place, equal to the reference decoder to the bit.

The rules are written down in :mod:`heteroopt.simulation.reference`; the comments here say only how they are made
fast. Takes named tuples of flat arrays, allocates nothing, and can be called from any other compiled kernel.
"""

from __future__ import annotations

from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.peak import exact_peak, peak_bound
from heteroopt.simulation.problem import Int32, Int64, ProblemArrays
from heteroopt.simulation.schedule import STAYS
from heteroopt.simulation.scratch import (
    BOTTLENECK_PS,
    ENERGY_PJ,
    IDLE_PJ,
    LOAD_VARIANCE,
    N_CUT_EDGES,
    N_TRANSFERS,
    OPERATOR_PJ,
    OVERFLOW_BYTES,
    REQUESTED,
    REQUESTER,
    TIME_PS,
    TRANSFER_PJ,
    TRANSFERRED_BYTES,
    Scratch,
)


@kernel
def _reset(p: ProblemArrays, s: Scratch) -> None:
    """Empty timelines; the model inputs where they start."""
    s.store_free[:] = 0
    s.busy[:] = 0
    s.n_placed[:] = 0
    s.channel_free[:] = 0
    s.channel_busy[:] = 0
    s.arrival[:] = -1
    s.weight[:] = 0
    s.held_sum[:] = 0
    s.n_held[:] = 0
    s.stamp[0] += 1
    host, memory = p.host, p.store_memory[p.host]
    for tensor in range(p.tensor_producer.shape[0]):
        if p.tensor_producer[tensor] < 0:
            stays = p.tensor_is_output[tensor]
            if p.inputs_on_host or (stays and p.outputs_on_host):
                s.arrival[tensor, host] = 0
                s.held_start[tensor, memory] = 0
                s.held_end[tensor, memory] = STAYS if stays else 0
                s.held_tensor[memory, s.n_held[memory]] = tensor
                s.n_held[memory] += 1
                s.held_sum[memory] += p.tensor_size_bytes[tensor]


@kernel
def _neighbour(store_memory: Int32, arrival: Int64, buffer: int, store: int) -> int:
    """The store of the same memory that had the buffer first, -1 for none."""
    best = -1
    for other in range(store_memory.shape[0]):
        if (
            store_memory[other] == store_memory[store]
            and arrival[buffer, other] >= 0
            and (best < 0 or arrival[buffer, other] < arrival[buffer, best])
        ):
            best = other
    return best


@kernel
def _place_all(p: ProblemArrays, s: Scratch, order: Int32, device: Int32) -> None:
    """Place every operator with its transfers, in the plan's order.

    One long function over local names on purpose: reading an array out of a tuple, or handing it to a function,
    counts a reference with an atomic instruction, which inside this loop would cost more than the work itself.
    """
    op_time_ps, op_energy_pj, is_view = p.op_time_ps, p.op_energy_pj, p.is_view
    in_ptr, in_tensor, out_ptr, out_tensor = p.in_ptr, p.in_tensor, p.out_ptr, p.out_tensor
    init_ptr, init_idx, init_size_bytes = p.init_ptr, p.init_idx, p.init_size_bytes
    tensor_size_bytes, tensor_producer = p.tensor_size_bytes, p.tensor_producer
    tensor_root, tensor_is_output = p.tensor_root, p.tensor_is_output
    store_memory, hop_ptr, hop_channel = p.store_memory, p.hop_ptr, p.hop_channel
    hop_from, hop_to = p.hop_from, p.hop_to
    hop_latency_ps, hop_ps_per_byte, hop_pj_per_byte = p.hop_latency_ps, p.hop_ps_per_byte, p.hop_pj_per_byte
    host, blocking = p.host, p.blocking_transfers
    inputs_on_host, outputs_on_host = p.inputs_on_host, p.outputs_on_host
    n_devices, n_stores = op_time_ps.shape[1], store_memory.shape[0]
    domains = n_stores != p.memory_capacity_bytes.shape[0]

    op_start, op_finish, store_free, busy, n_placed = s.start, s.finish, s.store_free, s.busy, s.n_placed
    channel_free, channel_busy, arrival = s.channel_free, s.channel_busy, s.arrival
    held_start, held_end, held_tensor = s.held_start, s.held_end, s.held_tensor
    n_held, held_sum = s.n_held, s.held_sum
    weight_mark, weight, transfers, stamp = s.weight_mark, s.weight, s.transfers, s.stamp[0]
    keep_transfers = transfers.shape[0] > 0

    makespan, operator_pj, transfer_pj = 0, 0, 0
    transferred, n_transfers, n_cut = 0, 0, 0

    for position in range(order.shape[0]):
        operator = order[position]
        home = device[operator]
        home_memory = store_memory[home]
        ready = 0
        finish = 0
        place = home
        place_memory = home_memory
        first, last = in_ptr[operator], in_ptr[operator + 1]
        # Round 0 delivers what the operator reads to its device, round 1 the model outputs it makes to the host:
        # one copy of the delivery's code for both.
        for outgoing in range(2):
            if outgoing == 1:
                start = ready
                finish = ready
                if not is_view[operator]:
                    start = max(ready, store_free[home])
                    duration = op_time_ps[operator, home]
                    finish = start + duration
                    store_free[home] = finish
                    busy[home] += duration
                op_start[operator] = start
                op_finish[operator] = finish
                makespan = max(makespan, finish)
                operator_pj += op_energy_pj[operator, home]
                n_placed[home] += 1
                for k in range(init_ptr[operator], init_ptr[operator + 1]):
                    init = init_idx[k]
                    if weight_mark[init, home_memory] != stamp:
                        weight_mark[init, home_memory] = stamp
                        weight[home_memory] += init_size_bytes[init]
                for k in range(first, last):
                    buffer = tensor_root[in_tensor[k]]
                    held_end[buffer, home_memory] = max(held_end[buffer, home_memory], finish)
                first, last = out_ptr[operator], out_ptr[operator + 1]
                for k in range(first, last):
                    tensor = out_tensor[k]
                    if tensor_root[tensor] == tensor:
                        arrival[tensor, home] = finish
                        held_start[tensor, home_memory] = start
                        held_end[tensor, home_memory] = finish
                        held_tensor[home_memory, n_held[home_memory]] = tensor
                        n_held[home_memory] += 1
                        held_sum[home_memory] += tensor_size_bytes[tensor]
                if outputs_on_host:
                    place = host
                    place_memory = store_memory[host]

            for k in range(first, last):
                tensor = in_tensor[k] if outgoing == 0 else out_tensor[k]
                if outgoing == 1 and not tensor_is_output[tensor]:
                    continue
                buffer, producer = tensor_root[tensor], tensor_producer[tensor]
                exists = 0
                source = host
                if producer >= 0:
                    exists = op_finish[producer]
                    source = device[producer]
                    if outgoing == 0 and source != home:
                        n_cut += 1
                if arrival[buffer, place] < 0:
                    neighbour = -1
                    if domains:
                        neighbour = _neighbour(store_memory, arrival, buffer, place)
                    if not inputs_on_host and tensor_producer[buffer] < 0:
                        arrival[buffer, place] = 0
                        if neighbour < 0:
                            held_start[buffer, place_memory] = 0
                            held_end[buffer, place_memory] = 0
                            held_tensor[place_memory, n_held[place_memory]] = buffer
                            n_held[place_memory] += 1
                            held_sum[place_memory] += tensor_size_bytes[buffer]
                    else:
                        if neighbour >= 0:
                            source = neighbour
                        size = tensor_size_bytes[buffer]
                        pair = source * n_stores + place
                        for leg in range(hop_ptr[pair], hop_ptr[pair + 1]):
                            target = hop_to[leg]
                            if arrival[buffer, target] >= 0:
                                continue
                            hop = leg
                            neighbour = -1
                            if domains:
                                neighbour = _neighbour(store_memory, arrival, buffer, target)
                                if neighbour >= 0:
                                    hop = hop_ptr[neighbour * n_stores + target]
                            origin, channel = hop_from[hop], hop_channel[hop]
                            sent = max(arrival[buffer, origin], exists)
                            if channel >= 0:
                                sent = max(sent, channel_free[channel])
                            if blocking:
                                if origin < n_devices:
                                    sent = max(sent, store_free[origin])
                                if target < n_devices:
                                    sent = max(sent, store_free[target])
                            duration = hop_latency_ps[hop] + int(float(size) * hop_ps_per_byte[hop] + 0.5)
                            received = sent + duration
                            if channel >= 0:
                                channel_free[channel] = received
                                channel_busy[channel] += duration
                            if blocking:
                                store_free[origin] = received
                                store_free[target] = received
                                busy[origin] += duration
                                busy[target] += duration
                            transfer_pj += int(float(size) * hop_pj_per_byte[hop] + 0.5)
                            origin_memory, target_memory = store_memory[origin], store_memory[target]
                            moved = size if origin_memory != target_memory else 0
                            transferred += moved
                            if keep_transfers:
                                transfers[n_transfers, 0] = buffer
                                transfers[n_transfers, 1] = origin
                                transfers[n_transfers, 2] = target
                                transfers[n_transfers, 3] = channel
                                transfers[n_transfers, 4] = sent
                                transfers[n_transfers, 5] = received
                                transfers[n_transfers, 6] = moved
                                transfers[n_transfers, REQUESTED] = tensor
                                transfers[n_transfers, REQUESTER] = position
                            n_transfers += 1
                            makespan = max(makespan, received)
                            held_end[buffer, origin_memory] = max(held_end[buffer, origin_memory], received)
                            arrival[buffer, target] = received
                            if neighbour >= 0:
                                held_end[buffer, target_memory] = max(held_end[buffer, target_memory], received)
                            else:
                                held_start[buffer, target_memory] = sent
                                held_end[buffer, target_memory] = received
                                held_tensor[target_memory, n_held[target_memory]] = buffer
                                n_held[target_memory] += 1
                                held_sum[target_memory] += size
                if outgoing == 0:
                    ready = max(ready, arrival[buffer, place], exists)
                else:
                    held_end[buffer, place_memory] = STAYS

    result = s.result
    result[TIME_PS] = makespan
    result[OPERATOR_PJ] = operator_pj
    result[TRANSFER_PJ] = transfer_pj
    result[OVERFLOW_BYTES] = 0
    result[TRANSFERRED_BYTES] = transferred
    result[N_TRANSFERS] = n_transfers
    result[N_CUT_EDGES] = n_cut


@kernel
def _total(p: ProblemArrays, s: Scratch, with_peak: bool) -> None:
    """Overflow, bottleneck, energy and load variance of the placed plan, summed in the reference decoder's order."""
    overflow = 0
    for memory in range(p.memory_capacity_bytes.shape[0]):
        # All that ever lies there bounds the peak, and slices of time bound it closer: the exact sweep over sorted
        # events is needed only where neither fits.
        limit = p.memory_capacity_bytes[memory]
        peak = s.weight[memory] + s.held_sum[memory]
        if peak > limit and not with_peak:
            peak = s.weight[memory] + peak_bound(
                memory,
                s.result[TIME_PS],
                s.held_start,
                s.held_end,
                s.held_tensor,
                s.n_held[memory],
                p.tensor_size_bytes,
                s.bucket,
            )
        if with_peak or peak > limit:
            peak = s.weight[memory] + exact_peak(
                memory,
                s.held_start,
                s.held_end,
                s.held_tensor,
                s.n_held[memory],
                p.tensor_size_bytes,
                s.sort_time,
                s.sort_size,
            )
        s.peak[memory] = peak
        overflow += max(0, peak - limit)
    s.result[OVERFLOW_BYTES] = overflow

    n_devices = p.op_time_ps.shape[1]
    bottleneck = 0
    for d in range(n_devices):
        bottleneck = max(bottleneck, s.busy[d])
    for channel in range(s.channel_busy.shape[0]):
        bottleneck = max(bottleneck, s.channel_busy[channel])
    s.result[BOTTLENECK_PS] = bottleneck
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


@kernel
def simulate(p: ProblemArrays, s: Scratch, order: Int32, device: Int32, with_peak: bool) -> None:
    """Decode a legal plan (``order``, ``device`` int32[n]) of ``p`` into ``s``.

    Without ``with_peak``, ``s.peak`` may be an upper bound where the memory fits; the overflow is exact either way.
    """
    _reset(p, s)
    _place_all(p, s, order, device)
    _total(p, s, with_peak)
