"""Gates cut a graph into sections that run one after the other, so that each can be decoded by itself.

A gate is an operator that everything else is an ancestor or a descendant of, and whose outputs are all that its
descendants read of what was made before. When it ends, all devices and links are idle: what follows starts afresh from
the device of the gate. So the figures of a plan are sums over sections, and a change costs the decoding of its own
section. Most CNNs have a gate after every few operators. Every topological order has the same gates at the same places.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.links import index_order
from heteroopt.search.space import Space
from heteroopt.simulation.problem import Problem

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


SHORTEST = 12
"""Operators of a section, at least, where decoding one at a time has to pay."""


class Sections(NamedTuple):
    """Sections 0 to S - 1 of n operators, each up to and with its gate; the last one up to the end.

    ``first`` int32 [S + 1]: the place in every order where each section begins, then n; ``of`` int32 [n]: the section
    of each operator.
    """

    first: Int32
    of: Int32


def make_sections(problem: Problem, space: Space, shortest: int = 1) -> Sections:
    """Return the sections of a problem, of at least ``shortest`` operators: a single one where there are no gates.

    Members of a group, which must share a device, are in one section.
    """
    n = problem.n_operators
    order = index_order(space)
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    before_or_gate = _open_until(problem, place)
    made_before = np.maximum.accumulate(before_or_gate)[:n]
    no_predecessor = np.diff(problem.pred_ptr) == 0
    here = np.arange(n)
    gate = (made_before <= here) & (here >= place[no_predecessor].max()) & ~problem.is_view[order]
    gate &= (before_or_gate[1:] < n) & (here < n - 1)
    for members in problem.members:
        gate[place[list(members)].min() : place[list(members)].max()] = False
    begins = [0]
    for begin in (np.flatnonzero(gate) + 1).tolist():
        if min(begin - begins[-1], n - begin) >= shortest:
            begins.append(begin)
    first = np.array([*begins, n], np.int32)
    of = np.empty(n, np.int32)
    of[order] = np.repeat(np.arange(len(first) - 1), np.diff(first))
    return Sections(first, of)


@kernel
def changed_sections(
    sections: Sections, here_order: Int32, next_order: Int32, here_device: Int32, next_device: Int32, stamp: int,
    changed: Int32, stamped: Int64,
) -> int:  # fmt: skip
    """Fill ``changed`` [S] with the sections where two plans differ; return how many there are.

    A gate with another device changes the section after it too. ``stamped`` [S] remembers by ``stamp``.
    """
    first, of = sections.first, sections.of
    count = 0
    for place in range(len(of)):
        operator = next_order[place]
        moved = next_device[operator] != here_device[operator]
        if not moved and operator == here_order[place]:
            continue
        number = of[operator]
        if stamped[number] != stamp:
            stamped[number] = stamp
            changed[count] = number
            count += 1
        if moved and place == first[number + 1] - 1 and place < len(of) - 1 and stamped[number + 1] != stamp:
            stamped[number + 1] = stamp
            changed[count] = number + 1
            count += 1
    return count


def _open_until(problem: Problem, place: Int64) -> Int64:
    """Return int64 [n + 1]: of model inputs, then of the operator at each place, where its outputs are read last.

    Or their buffers, through views. That is n where it leaves an output of the model, or nothing that is read.
    """
    n = problem.n_operators
    last = np.full(n + 1, -1, np.int64)
    reader = np.repeat(np.arange(n), np.diff(problem.in_ptr))
    for tensor in (problem.in_tensor, problem.tensor_root[problem.in_tensor]):
        maker = problem.tensor_producer[tensor]
        counts = (maker >= 0) | problem.inputs_on_host
        row = np.where(maker >= 0, place[maker] + 1, 0)
        np.maximum.at(last, row[counts], place[reader[counts]])
    last[place[np.diff(problem.succ_ptr) == 0] + 1] = n
    if problem.outputs_on_host:
        makers = problem.tensor_producer[problem.tensor_is_output]
        last[place[makers[makers >= 0]] + 1] = n
    return last
