"""The compiled decoder: one plan decoded in place, equal to the reference decoder to the bit.

The rules are written down in :mod:`heteroopt.simulation.reference`; the comments here say only how they are made
fast. Takes named tuples of flat arrays, allocates nothing, and can be called from any other compiled kernel.
"""

from __future__ import annotations

from heteroopt.simulation.compiled import TRUE, ZERO, kernel
from heteroopt.simulation.contention_kernel import slow_down
from heteroopt.simulation.holdings import hold_all, peak_of
from heteroopt.simulation.problem import IS_VIEW, MAKES_OUTPUT, Int32, Int64, ProblemArrays
from heteroopt.simulation.scratch import (
    BOTTLENECK_PS,
    ENERGY_PJ,
    HOP,
    IDLE_PJ,
    LAUNCH_PS,
    LEAST_BOTTLENECK_PS,
    LOAD_VARIANCE,
    MEMORY_WORK,
    N_CUT_EDGES,
    N_SEGMENTS,
    N_TRANSFERS,
    OPERATOR_PJ,
    OVERFLOW_BYTES,
    OWN_PS,
    RECEIVED,
    REQUESTED,
    REQUESTER,
    SENT,
    TIME_PS,
    TRANSFER_PJ,
    TRANSFERRED_BYTES,
    Scratch,
)
from heteroopt.simulation.sharing import SHARES_CUBED


@kernel
def _reset(p: ProblemArrays, s: Scratch) -> None:
    """Empty timelines; the copies that the plan before left behind are found by its hops."""
    s.store_free[:] = 0
    s.busy[:] = 0
    s.n_placed[:] = 0
    s.store_level[:] = -1
    s.unpaid[:] = False
    s.channel_free[:] = 0
    s.channel_busy[:] = 0
    s.held_sum[:] = 0
    arrival, hops, hop_buffer, hop_to = s.arrival, s.hops, s.hop_buffer, p.hop_to
    for k in range(s.result[N_TRANSFERS]):
        arrival[hop_buffer[k], hop_to[hops[k, HOP]]] = -1


@kernel
def _neighbour(store_memory: Int32, arrival: Int64, buffer: int, store: int, owner: int, made: int) -> int:
    """The store of the same memory that had the buffer first, -1 for none; ``owner`` made it, at ``made``."""
    best, earliest = -1, -1
    for other in range(store_memory.shape[0]):
        there = made if other == owner else arrival[buffer, other]
        if store_memory[other] == store_memory[store] and there >= 0 and (best < 0 or there < earliest):
            best, earliest = other, there
    return best


@kernel
def _place(p: ProblemArrays, s: Scratch, order: Int32, device: Int32, begin: int, end: int) -> None:
    """Place the operators at ``begin`` to ``end`` - 1 of the plan's order with their transfers.

    One long function over local names on purpose: reading an array out of a tuple, or handing it to a function,
    counts a reference with an atomic instruction, which inside this loop would cost more than the work itself.
    ``arrival`` knows copies only: what lies where it was made is known by its maker, and most reads are of that kind.
    """
    op_cost, op_held, op_kind = p.op_cost, p.op_held_bytes, p.op_kind
    in_ptr, in_tensor, in_maker, out_ptr, out_tensor = p.in_ptr, p.in_tensor, p.in_maker, p.out_ptr, p.out_tensor
    tensor_size_bytes, tensor_producer = p.tensor_size_bytes, p.tensor_producer
    tensor_root, tensor_is_output = p.tensor_root, p.tensor_is_output
    store_memory, hop_ptr, hop_channel = p.store_memory, p.hop_ptr, p.hop_channel
    hop_from, hop_to = p.hop_from, p.hop_to
    hop_latency_ps, hop_ps_per_byte, hop_pj_per_byte = p.hop_latency_ps, p.hop_ps_per_byte, p.hop_pj_per_byte
    host, blocking = p.host, p.blocking_transfers
    inputs_on_host, outputs_on_host = p.inputs_on_host, p.outputs_on_host
    n_devices, n_stores = op_cost.shape[1], store_memory.shape[0]
    domains = n_stores != p.memory_capacity_bytes.shape[0]

    op_start, op_finish, store_free, busy, n_placed = s.start, s.finish, s.store_free, s.busy, s.n_placed
    channel_free, channel_busy, arrival, held_sum = s.channel_free, s.channel_busy, s.arrival, s.held_sum
    hops, hop_buffer, transfers = s.hops, s.hop_buffer, s.transfers
    level, store_level, unpaid, launch_ps = s.level, s.store_level, s.unpaid, p.segment_launch_ps
    keep_transfers = transfers.shape[0] > 0
    counting = p.launching or keep_transfers

    makespan, operator_pj, transfer_pj = 0, 0, 0
    transferred, n_transfers, n_cut = 0, 0, 0
    n_segments, launches = 0, 0

    for position in range(begin, end):
        operator = order[position]
        home = device[operator]
        kind = op_kind[operator]
        place = home
        ready = 0
        finish = 0
        first, last = in_ptr[operator], in_ptr[operator + 1]
        need = 0
        # Round 0 delivers what the operator reads to its device and places it, round 1 sends the model outputs that
        # it makes to the host: one copy of the delivery's code for both.
        for outgoing in range(2):
            for k in range(first, last):
                exists, source = 0, host
                if outgoing == 0:
                    maker = in_maker[k]
                    if maker >= 0:
                        exists, source = op_finish[maker], device[maker]
                        ready = max(ready, exists)
                        n_cut += source != home
                        if counting:
                            need = max(need, level[maker] + (source != home))
                elif tensor_is_output[out_tensor[k]]:
                    exists, source = finish, home
                else:
                    continue
                if source == place:
                    continue
                tensor = in_tensor[k] if outgoing == 0 else out_tensor[k]
                buffer = tensor_root[tensor]
                owner, made, maker = host, 0, tensor_producer[buffer]
                if maker >= 0:
                    owner, made = device[maker], op_finish[maker]
                elif not inputs_on_host:
                    continue
                there = made if owner == place else arrival[buffer, place]
                if there < 0:
                    if domains:
                        neighbour = _neighbour(store_memory, arrival, buffer, place, owner, made)
                        if neighbour >= 0:
                            source = neighbour
                    size = tensor_size_bytes[buffer]
                    pair = source * n_stores + place
                    for leg in range(hop_ptr[pair], hop_ptr[pair + 1]):
                        target = hop_to[leg]
                        if target == owner or arrival[buffer, target] >= 0:
                            continue
                        hop = leg
                        if domains:
                            neighbour = _neighbour(store_memory, arrival, buffer, target, owner, made)
                            if neighbour >= 0:
                                hop = hop_ptr[neighbour * n_stores + target]
                        origin, channel = hop_from[hop], hop_channel[hop]
                        sent = max(made if origin == owner else arrival[buffer, origin], exists)
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
                        moved = size if store_memory[origin] != store_memory[target] else 0
                        transferred += moved
                        held_sum[store_memory[target]] += moved
                        makespan = max(makespan, received)
                        arrival[buffer, target] = received
                        hop_buffer[n_transfers] = buffer
                        hops[n_transfers, HOP] = hop
                        hops[n_transfers, SENT] = sent
                        hops[n_transfers, RECEIVED] = received
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
                    there = arrival[buffer, place]
                ready = max(ready, there)
            if outgoing == 1:
                break
            if counting:
                if store_level[home] < need:
                    store_level[home] = need
                    unpaid[home] = True
                    n_segments += 1
                level[operator] = store_level[home]
            duration = op_cost[operator, home, 0]
            start = ready
            if not kind & IS_VIEW:
                start = max(ready, store_free[home])
                if unpaid[home]:
                    unpaid[home] = False
                    duration += launch_ps[home]
                    launches += launch_ps[home]
                store_free[home] = start + duration
                busy[home] += duration
            finish = start + duration
            op_start[operator] = start
            op_finish[operator] = finish
            makespan = max(makespan, finish)
            operator_pj += op_cost[operator, home, 1]
            n_placed[home] += 1
            held_sum[store_memory[home]] += op_held[operator]
            if not (kind & MAKES_OUTPUT and outputs_on_host):
                break
            first, last = out_ptr[operator], out_ptr[operator + 1]
            place = host

    result = s.result
    result[TIME_PS] = makespan
    result[OPERATOR_PJ] = operator_pj
    result[TRANSFER_PJ] = transfer_pj
    result[OVERFLOW_BYTES] = 0
    result[TRANSFERRED_BYTES] = transferred
    result[N_TRANSFERS] = n_transfers
    result[N_CUT_EDGES] = n_cut
    result[N_SEGMENTS] = n_segments
    result[LAUNCH_PS] = launches


@kernel
def _peaks(p: ProblemArrays, s: Scratch, order: Int32, device: Int32, with_peak: bool) -> None:
    """Peaks and overflow. All that ever lies in a memory bounds its peak: when things lie there matters only if that
    does not fit.
    """
    host_memory = p.store_memory[p.host]
    s.held_sum[host_memory] += p.input_bytes
    close = with_peak or (s.transfers.shape[0] > 0 and not p.contends)
    for memory in range(p.memory_capacity_bytes.shape[0]):
        if not p.inputs_on_host and memory != host_memory:
            s.held_sum[memory] += p.input_bytes
        s.peak[memory] = s.held_sum[memory]
        close = close or s.peak[memory] > p.memory_capacity_bytes[memory]
    if not close:
        return
    hold_all(p, s, order, device)
    overflow = 0
    for memory in range(p.memory_capacity_bytes.shape[0]):
        limit = p.memory_capacity_bytes[memory]
        if with_peak or s.peak[memory] > limit:
            s.peak[memory] = peak_of(p, s, memory, with_peak)
            overflow += max(0, s.peak[memory] - limit)
    s.result[OVERFLOW_BYTES] = overflow


@kernel
def total_up(p: ProblemArrays, s: Scratch) -> None:
    """Bottleneck, energy and load variance of the placed plan, summed in the reference decoder's order."""
    n_devices = p.op_time_ps.shape[1]
    bottleneck = 0
    for channel in range(s.channel_busy.shape[0]):
        bottleneck = max(bottleneck, s.channel_busy[channel])
    for d in range(n_devices):
        bottleneck = max(bottleneck, s.steady[OWN_PS, d] if p.contends else s.busy[d])
    s.result[LEAST_BOTTLENECK_PS] = bottleneck
    if p.contends and bottleneck > 0:
        least = float(bottleneck)
        for d in range(n_devices):
            memory, others = p.store_memory[d], 0
            for e in range(n_devices):
                if e != d and p.store_memory[e] == memory:
                    others += s.steady[MEMORY_WORK, e]
            work = float(s.steady[MEMORY_WORK, d]) * float(p.memory_excess[memory]) * float(others)
            slowed = s.steady[OWN_PS, d] + int(work / least / float(SHARES_CUBED) + 0.5)
            bottleneck = max(bottleneck, s.busy[d], min(slowed, s.result[TIME_PS]))
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
    The scratch's weights and holdings are filled where peaks are asked for, transfers kept (but for a problem in which
    devices slow each other, where they always are), or that bound too high.
    """
    _reset(p, s)
    _place(p, s, order, device, ZERO, order.shape[0])
    if p.contends:
        slow_down(p, s, order, device, ZERO, order.shape[0])
    _peaks(p, s, order, device, with_peak)
    total_up(p, s)


@kernel
def simulate_alone(p: ProblemArrays, s: Scratch, order: Int32, device: Int32) -> None:
    """As ``simulate`` with peaks, as if no device slowed another: what many items in flight start from."""
    _reset(p, s)
    _place(p, s, order, device, ZERO, order.shape[0])
    if p.contends:
        s.steady[OWN_PS] = s.busy
        s.steady[MEMORY_WORK] = 0
    _peaks(p, s, order, device, TRUE)
    total_up(p, s)


@kernel
def place_section(p: ProblemArrays, s: Scratch, order: Int32, device: Int32, begin: int, end: int) -> None:
    """Decode a part of a plan, begun when the operator before it, which made all that the part reads, has just ended.

    Fills makespan, energies, transfers, segments that it opens, ``busy``, ``n_placed``, ``channel_busy`` and
    ``held_sum`` of the part alone.
    """
    _reset(p, s)
    if begin > 0:
        # Of what came before, only the segment that this operator is in can go on: levels rise towards other devices.
        s.finish[order[begin - 1]] = 0
        s.level[order[begin - 1]] = 0
        s.store_level[device[order[begin - 1]]] = 0
    _place(p, s, order, device, begin, end)
    if p.contends:
        slow_down(p, s, order, device, begin, end)
