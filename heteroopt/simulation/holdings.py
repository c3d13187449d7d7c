"""What lies in each memory and when, found after a plan's times are known: only plans that may not fit need it."""

from __future__ import annotations

from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.peak import exact_peak, peak_bound
from heteroopt.simulation.problem import Int32, ProblemArrays
from heteroopt.simulation.schedule import STAYS
from heteroopt.simulation.scratch import HOP, N_TRANSFERS, RECEIVED, SENT, TIME_PS, Scratch


@kernel
def hold_all(p: ProblemArrays, s: Scratch, order: Int32, device: Int32) -> None:
    """Fill weights and holdings of the plan whose start and finish times and hops are in ``s``.

    A buffer's first appearance in a memory says since when it is held there, and is always met before its uses:
    makers come first, hops in the order in which they were placed, readers last.
    """
    tensor_producer, tensor_root, tensor_is_output = p.tensor_producer, p.tensor_root, p.tensor_is_output
    store_memory = p.store_memory
    in_ptr, in_tensor, out_ptr, out_tensor = p.in_ptr, p.in_tensor, p.out_ptr, p.out_tensor
    init_ptr, init_idx, init_size_bytes = p.init_ptr, p.init_idx, p.init_size_bytes
    start, finish, held_start, held_end = s.start, s.finish, s.held_start, s.held_end
    held_tensor, n_held, weight, weight_mark = s.held_tensor, s.n_held, s.weight, s.weight_mark
    hops, hop_buffer = s.hops, s.hop_buffer
    inputs_on_host, outputs_on_host = p.inputs_on_host, p.outputs_on_host
    host_memory = store_memory[p.host]
    held_end[:] = -1
    n_held[:] = 0
    weight[:] = 0
    s.stamp[0] += 1
    stamp = s.stamp[0]

    for tensor in range(tensor_producer.shape[0]):
        stays = tensor_is_output[tensor]
        if tensor_producer[tensor] < 0 and (inputs_on_host or (stays and outputs_on_host)):
            held_start[tensor, host_memory] = 0
            held_end[tensor, host_memory] = STAYS if stays else 0
            held_tensor[host_memory, n_held[host_memory]] = tensor
            n_held[host_memory] += 1
    for position in range(order.shape[0]):
        operator = order[position]
        memory = store_memory[device[operator]]
        for k in range(out_ptr[operator], out_ptr[operator + 1]):
            tensor = out_tensor[k]
            if tensor_root[tensor] == tensor:
                held_start[tensor, memory] = start[operator]
                held_end[tensor, memory] = finish[operator]
                held_tensor[memory, n_held[memory]] = tensor
                n_held[memory] += 1
        for k in range(init_ptr[operator], init_ptr[operator + 1]):
            init = init_idx[k]
            if weight_mark[init, memory] != stamp:
                weight_mark[init, memory] = stamp
                weight[memory] += init_size_bytes[init]
    for k in range(s.result[N_TRANSFERS]):
        buffer, received = hop_buffer[k], hops[k, RECEIVED]
        origin, memory = store_memory[p.hop_from[hops[k, HOP]]], store_memory[p.hop_to[hops[k, HOP]]]
        held_end[buffer, origin] = max(held_end[buffer, origin], received)
        if held_end[buffer, memory] < 0:
            held_start[buffer, memory] = hops[k, SENT]
            held_tensor[memory, n_held[memory]] = buffer
            n_held[memory] += 1
        held_end[buffer, memory] = max(held_end[buffer, memory], received)
    for operator in range(order.shape[0]):
        memory = store_memory[device[operator]]
        for k in range(in_ptr[operator], in_ptr[operator + 1]):
            buffer = tensor_root[in_tensor[k]]
            if held_end[buffer, memory] < 0:
                held_start[buffer, memory] = 0
                held_tensor[memory, n_held[memory]] = buffer
                n_held[memory] += 1
            held_end[buffer, memory] = max(held_end[buffer, memory], finish[operator])
        for k in range(out_ptr[operator], out_ptr[operator + 1]):
            if tensor_is_output[out_tensor[k]]:
                buffer = tensor_root[out_tensor[k]]
                place = host_memory if outputs_on_host else memory
                if held_end[buffer, place] < 0:
                    held_start[buffer, place] = 0
                    held_tensor[place, n_held[place]] = buffer
                    n_held[place] += 1
                held_end[buffer, place] = STAYS


@kernel
def peak_of(p: ProblemArrays, s: Scratch, memory: int, exact: bool) -> int:
    """Peak of one memory, weights included; without ``exact`` perhaps only a bound that fits."""
    tensor_size = p.tensor_size_bytes
    if not exact:
        bound = s.weight[memory] + peak_bound(
            memory,
            s.result[TIME_PS],
            s.held_start,
            s.held_end,
            s.held_tensor,
            s.n_held[memory],
            tensor_size,
            s.bucket,
        )
        if bound <= p.memory_capacity_bytes[memory]:
            return int(bound)
    highest = exact_peak(
        memory,
        s.held_start,
        s.held_end,
        s.held_tensor,
        s.n_held[memory],
        tensor_size,
        s.sort_time,
        s.sort_size,
    )
    return int(s.weight[memory] + highest)
