"""The highest sum of what lies in a memory at one time: exact by a sweep over sorted events, or a close bound."""

from __future__ import annotations

from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.problem import Int32, Int64

N_BUCKETS = 256
_RUN = 16


@kernel
def sort_events(time: Int64, size: Int64, time_buffer: Int64, size_buffer: Int64, n: int) -> None:
    """Sort ``time[:n]`` with its ``size`` ascending, in place, by merging.

    A decoder makes events nearly in order (every device and channel serves in time order), so runs that already
    follow each other are not merged: a sorted input costs one pass.
    """
    for low in range(0, n, _RUN):
        high = min(low + _RUN, n)
        for i in range(low + 1, high):
            key, load = time[i], size[i]
            j = i - 1
            while j >= low and time[j] > key:
                time[j + 1], size[j + 1] = time[j], size[j]
                j -= 1
            time[j + 1], size[j + 1] = key, load
    width = _RUN
    while width < n:
        for low in range(0, n - width, 2 * width):
            middle = low + width
            if time[middle - 1] <= time[middle]:
                continue
            high = min(middle + width, n)
            for i in range(low, middle):
                time_buffer[i], size_buffer[i] = time[i], size[i]
            i, j, k = low, middle, low
            while i < middle and j < high:
                if time_buffer[i] <= time[j]:
                    time[k], size[k] = time_buffer[i], size_buffer[i]
                    i += 1
                else:
                    time[k], size[k] = time[j], size[j]
                    j += 1
                k += 1
            while i < middle:
                time[k], size[k] = time_buffer[i], size_buffer[i]
                i += 1
                k += 1
        width *= 2


@kernel
def exact_peak(
    memory: int,
    held_start: Int64,
    held_end: Int64,
    held_tensor: Int32,
    n_held: int,
    tensor_size: Int64,
    sort_time: Int64,
    sort_size: Int64,
) -> int:
    """Highest sum of the buffers held in ``memory`` at one instant; frees go before allocations of that instant.

    ``held_tensor`` [M, T] lists in its first ``n_held`` columns what was ever held; ``held_start``, ``held_end`` [T, M]
    say when.
    """
    count = 0
    for k in range(n_held):
        tensor = held_tensor[memory, k]
        start, end, size = held_start[tensor, memory], held_end[tensor, memory], tensor_size[tensor]
        if start < end and size > 0:
            sort_time[0, count] = start
            sort_size[0, count] = size
            sort_time[1, count] = end
            sort_size[1, count] = size
            count += 1
    sort_events(sort_time[0], sort_size[0], sort_time[2], sort_size[2], count)
    sort_events(sort_time[1], sort_size[1], sort_time[2], sort_size[2], count)
    total, highest, freed = 0, 0, 0
    for k in range(count):
        total += sort_size[0, k]
        while sort_time[1, freed] <= sort_time[0, k]:
            total -= sort_size[1, freed]
            freed += 1
        if total > highest:
            highest = total
    return highest


@kernel
def peak_bound(
    memory: int,
    makespan: int,
    held_start: Int64,
    held_end: Int64,
    held_tensor: Int32,
    n_held: int,
    tensor_size: Int64,
    bucket: Int64,
) -> int:
    """At least :func:`exact_peak`, without sorting: every buffer is held for all of each slice of time it touches.

    The run is cut into 128 to 256 slices; ``bucket`` int64[N_BUCKETS + 1] is scratch.
    """
    shift = 0
    while makespan >> shift >= N_BUCKETS:
        shift += 1
    bucket[:] = 0
    for k in range(n_held):
        tensor = held_tensor[memory, k]
        start, end = held_start[tensor, memory], held_end[tensor, memory]
        if start < end:
            bucket[start >> shift] += tensor_size[tensor]
            bucket[min((end - 1) >> shift, N_BUCKETS - 1) + 1] -= tensor_size[tensor]
    total, highest = 0, 0
    for k in range(N_BUCKETS):
        total += bucket[k]
        highest = max(highest, total)
    return highest
