"""Simulated annealing of the best plans so far towards weighted objectives, its budget counted in decodes.

It finds what crossover rarely does: the last per cent of an extreme, by many small steps from one plan.
Source: S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import ZERO, kernel
from heteroopt.search.figures import Aim, excess, figure
from heteroopt.search.gates import Sections, changed_sections
from heteroopt.search.links import Costs
from heteroopt.search.mutation import BOUNDARY, CHAIN, MOVE, SEGMENT, SINGLE, WINDOW, mutate
from heteroopt.search.random_bits import UInt64, uniform
from heteroopt.search.ranked_order import ranked_section
from heteroopt.search.section_figures import put_together, row_width, section_row
from heteroopt.simulation.kernel import simulate
from heteroopt.simulation.objectives import DEFAULT_KEYS
from heteroopt.simulation.problem import ProblemArrays
from heteroopt.simulation.scratch import OVERFLOW_BYTES, TIME_PS, Scratch

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]

START_TEMPERATURE = 0.001
"""In multiples of the reference: a plan worse by this much is first accepted with a chance of 1 in e."""

RANKED = 0.38
"""Share of steps after which operators are ordered anew, by their way to the end on their devices."""

LEAST_SHARE = 0.3
"""Of a decode that a step counts as at least, since it takes other work too."""

_VIOLATING = 1000.0

TOWARDS = np.array(
    [
        (1.0, 0.0, 0.0),
        (0.0, 1.0, 0.0),
        (1.0, 0.05, 0.02),
        (1.0, 0.0, 0.0),
        (0.1, 1.0, 0.0),
        (0.5, 0.5, 0.0),
        (1.0, 0.0, 0.0),
        (0.6, 0.1, 0.3),
        (0.3, 0.3, 0.4),
        (1.0, 0.0, 0.0),
    ]
)
"""Weights of time, energy and balance, one row a burst: the fastest plan first and most often."""

_EACH = {
    1: np.ones((len(TOWARDS), 1)),
    2: np.array([(1.0, 0.0), (0.0, 1.0), (1.0, 0.05), (0.05, 1.0), (0.5, 0.5)] * 2),
    3: np.array(
        [
            (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.05, 0.05), (0.05, 1.0, 0.05),
            (0.05, 0.05, 1.0), (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5), (0.4, 0.3, 0.3),
        ]
    ),
}  # fmt: skip
"""The same for any one, two or three objectives: each of them in turn, then what lies between them."""


def weights_of_burst(generation: int, generations: int, keys: Sequence[str] = DEFAULT_KEYS) -> Float64 | None:
    """Return the weights of the objectives towards which this generation (from 1) polishes, ``None`` for none.

    Bursts come first.
    """
    rows = TOWARDS if tuple(keys) == DEFAULT_KEYS else _EACH[len(keys)]
    return rows[generation - 1] if 1 <= generation <= bursts(generations) else None


def bursts(generations: int) -> int:
    """Return how many of a search's generations polish."""
    return min(len(TOWARDS), generations)


@kernel
def anneal(
    problem: ProblemArrays, scratch: Scratch, costs: Costs, sections: Sections, order: Int32, device: Int32, aim: Aim,
    cap_ps: float, capacity_bytes: float, budget: int, temperature: float, state: UInt64,
) -> float:  # fmt: skip
    """Replace ``order`` and ``device`` [n] by the best plan met in ``budget`` decodes and return its score.

    The score is the sum of the aim's figures times its scale. A plan that is slower than ``cap_ps``, overflows or
    misses a bound gets 1000 added, and more in proportion to the excess (relative to the cap and the bounds; 100
    times that relative to ``capacity_bytes``), so that a walk never leaves the plans that meet the constraints. The
    temperature falls with the square of the decodes left. A change decodes the sections that it touches, and counts
    as their share of a decode, at least ``LEAST_SHARE``.
    """
    n, space, first = len(order), costs.space, sections.first
    n_sections = len(first) - 1
    here_order, here_device = order.copy(), device.copy()
    next_order, next_device = order.copy(), device.copy()
    mark, segment = np.zeros(n, np.int32), np.empty(n, np.int32)
    touched, n_touched = np.arange(n_sections).astype(np.int32), n_sections
    touched_at = np.full(n_sections, -1)
    rows = np.zeros((n_sections, row_width(scratch)), np.int64)
    fresh, total, sums = np.zeros_like(rows), np.zeros(rows.shape[1], np.int64), np.zeros(rows.shape[1], np.int64)
    key, waiting, heap = np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32)
    here = best = np.inf
    limit, spent, step = float(budget) * n, 0.0, ZERO
    while spent < limit:
        if step > 0:
            draw = uniform(state)
            mutate(space, kind_of_change(draw), state, mark, step, segment, next_order, next_device)
            n_touched = changed_sections(
                sections, here_order, next_order, here_device, next_device, step, touched, touched_at
            )
            if draw < RANKED:
                for which in range(n_touched):
                    ranked_section(costs, sections, touched[which], next_device, key, waiting, heap, next_order)
        step += 1
        decoded = 0
        sums[:] = total
        if not aim.with_peak:
            for which in range(n_touched):
                number = touched[which] + ZERO
                decoded += section_row(problem, scratch, sections, number, next_order, next_device, fresh[number])
                for column in range(len(sums)):
                    sums[column] += fresh[number, column] - rows[number, column]
        if aim.with_peak or not put_together(problem, scratch, sums):
            decoded += n
            simulate(problem, scratch, next_order, next_device, aim.with_peak)
        spent += max(float(decoded), LEAST_SHARE * n)
        score = _score(scratch, aim, cap_ps, capacity_bytes)
        warmth = temperature * (1.0 - min(1.0, spent / limit)) ** 2 + 1e-12
        if score <= here or uniform(state) < np.exp((here - score) / warmth):
            here = score
            total[:] = sums
            for which in range(n_touched):
                rows[touched[which]] = fresh[touched[which]]
                _copy_section(first, touched[which], next_order, next_device, here_order, here_device)
            if score < best:
                best = score
                order[:] = here_order
                device[:] = here_device
        else:
            for which in range(n_touched):
                _copy_section(first, touched[which], here_order, here_device, next_order, next_device)
    return best


@kernel
def _score(scratch: Scratch, aim: Aim, cap_ps: float, capacity_bytes: float) -> float:
    """Return the score of the plan whose figures ``scratch`` holds, see ``anneal``."""
    time, overflow = float(scratch.result[TIME_PS]), float(scratch.result[OVERFLOW_BYTES])
    score = 0.0
    for k in range(len(aim.code)):
        score += figure(aim, scratch, aim.code[k]) * aim.scale[k]
    if time > cap_ps:
        score += _VIOLATING + time / max(cap_ps, 1.0)
    if overflow > 0.0:
        score += _VIOLATING + 100.0 * overflow / capacity_bytes
    if len(aim.bound) > 0:
        missed = excess(aim, scratch)
        if missed > 0.0:
            score += _VIOLATING + missed
    return score


@kernel
def _copy_section(first: Int32, number: int, order: Int32, device: Int32, to_order: Int32, to_device: Int32) -> None:
    """Copy the genes of one section."""
    for place in range(first[number], first[number + 1]):
        operator = order[place]
        to_order[place] = operator
        to_device[operator] = device[operator]


@kernel
def kind_of_change(draw: float) -> int:
    """Return the mutation of a step for a number in [0, 1); the order follows the devices below ``RANKED``."""
    if draw < 0.18 or 0.38 <= draw < 0.55:
        return CHAIN
    if draw < 0.28 or 0.55 <= draw < 0.65:
        return SINGLE
    if draw < 0.38 or 0.65 <= draw < 0.75:
        return SEGMENT
    if draw < 0.85:
        return BOUNDARY
    if draw < 0.9:
        return WINDOW
    return MOVE
