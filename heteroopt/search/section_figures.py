"""What each section of a plan adds to its figures, and the figures of a plan put together from its sections.

One int64 row a section: makespan, energies, bytes moved, then busy times and operators by store, busy times by channel
and bytes held by memory; where devices slow each other last their ``steady`` figures by store. All of them are whole
numbers and add up without rounding, so that a plan that is put together has the very figures that decoding all of it
gives.
"""

from __future__ import annotations

from heteroopt.search.compiled import ZERO, kernel
from heteroopt.search.gates import Sections
from heteroopt.simulation.kernel import place_section, total_up
from heteroopt.simulation.problem import Int32, Int64, ProblemArrays
from heteroopt.simulation.scratch import (
    BOTTLENECK_PS,
    OPERATOR_PJ,
    OVERFLOW_BYTES,
    TIME_PS,
    TRANSFER_PJ,
    TRANSFERRED_BYTES,
    Scratch,
)

_SUMS = 4


def sums_of(rows: Int64, stores: int) -> tuple[Int64, Int64, Int64]:
    """Return of rows [k, W] the busy times and operators [k, stores], and what follows: channels, then memories."""
    end = _SUMS + 2 * stores
    return rows[:, _SUMS:end:2], rows[:, _SUMS + 1 : end : 2], rows[:, end:]


@kernel
def row_width(s: Scratch) -> int:
    """Return the columns of a row."""
    return int(_SUMS + 2 * len(s.busy) + len(s.channel_busy) + len(s.held_sum) + s.steady.size)


@kernel
def section_row(
    p: ProblemArrays, s: Scratch, sections: Sections, number: int, order: Int32, device: Int32, row: Int64
) -> int:
    """Decode one section of a plan into ``row``; return how many operators it has."""
    begin, end = sections.first[number] + ZERO, sections.first[number + 1] + ZERO
    place_section(p, s, order, device, begin, end)
    row[0] = s.result[TIME_PS]
    row[1] = s.result[OPERATOR_PJ]
    row[2] = s.result[TRANSFER_PJ]
    row[3] = s.result[TRANSFERRED_BYTES]
    column = _SUMS
    for store in range(len(s.busy)):
        row[column] = s.busy[store]
        row[column + 1] = s.n_placed[store]
        column += 2
    for channel in range(len(s.channel_busy)):
        row[column] = s.channel_busy[channel]
        column += 1
    for memory in range(len(s.held_sum)):
        row[column] = s.held_sum[memory]
        column += 1
    for store in range(s.steady.shape[1]):
        row[column] = s.steady[0, store]
        row[column + 1] = s.steady[1, store]
        column += 2
    return int(end - begin)


@kernel
def put_together(p: ProblemArrays, s: Scratch, total: Int64) -> bool:
    """Fill the scratch with a plan's figures from the sum of its rows; return whether the plan fits for sure.

    Where it does not, its overflow is known only by decoding all of it. Peaks are not filled.
    """
    s.result[TIME_PS] = total[0]
    s.result[OPERATOR_PJ] = total[1]
    s.result[TRANSFER_PJ] = total[2]
    s.result[TRANSFERRED_BYTES] = total[3]
    s.result[OVERFLOW_BYTES] = 0
    s.result[BOTTLENECK_PS] = 0
    column = _SUMS
    for store in range(len(s.busy)):
        s.busy[store] = total[column]
        s.n_placed[store] = total[column + 1]
        column += 2
    for channel in range(len(s.channel_busy)):
        s.channel_busy[channel] = total[column]
        column += 1
    steady = column + len(s.held_sum)
    for store in range(s.steady.shape[1]):
        s.steady[0, store] = total[steady]
        s.steady[1, store] = total[steady + 1]
        steady += 2
    total_up(p, s)
    host_memory = p.store_memory[p.host]
    fits = True
    for memory in range(len(s.held_sum)):
        # Where model inputs are kept, they count once; the host may be any memory if they lie everywhere.
        inputs = p.input_bytes if memory == host_memory or not p.inputs_on_host else 0
        fits = fits and total[column] + inputs <= p.memory_capacity_bytes[memory]
        column += 1
    return bool(fits)
