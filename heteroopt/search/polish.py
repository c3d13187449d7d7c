"""Simulated annealing of the best plans so far towards weighted objectives, its budget counted in decodes.

It finds what crossover rarely does: the last per cent of an extreme, by many small steps from one plan.
Source: S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.figures import Aim, excess, figure
from heteroopt.search.links import Costs
from heteroopt.search.mutation import BOUNDARY, CHAIN, MOVE, SEGMENT, SINGLE, WINDOW, mutate
from heteroopt.search.random_bits import UInt64, uniform
from heteroopt.search.ranked_order import ranked_order
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
    problem: ProblemArrays, scratch: Scratch, costs: Costs, order: Int32, device: Int32, aim: Aim,
    cap_ps: float, capacity_bytes: float, budget: int, temperature: float, state: UInt64,
) -> float:  # fmt: skip
    """Replace ``order`` and ``device`` [n] by the best plan met in ``budget`` decodes and return its score.

    The score is the sum of the aim's figures times its scale. A plan that is slower than ``cap_ps``, overflows or
    misses a bound gets 1000 added, and more in proportion to the excess (relative to the cap and the bounds; 100
    times that relative to ``capacity_bytes``), so that a walk never leaves the plans that meet the constraints. The
    temperature falls with the square of the decodes left.
    """
    n, space = len(order), costs.space
    here_order, here_device = order.copy(), device.copy()
    next_order, next_device = order.copy(), device.copy()
    mark, segment = np.zeros(n, np.int32), np.empty(n, np.int32)
    key = np.empty(n)
    here = best = np.inf
    codes, scale = aim.code, aim.scale
    for step in range(budget):
        if step > 0:
            next_order[:] = here_order
            next_device[:] = here_device
            draw = uniform(state)
            mutate(space, kind_of_change(draw), state, mark, step, segment, next_order, next_device)
            if draw < RANKED:
                ranked_order(costs, next_device, key, next_order)
        simulate(problem, scratch, next_order, next_device, aim.with_peak)
        time, overflow = float(scratch.result[TIME_PS]), float(scratch.result[OVERFLOW_BYTES])
        score = 0.0
        for k in range(len(codes)):
            score += figure(aim, scratch, codes[k]) * scale[k]
        if time > cap_ps:
            score += _VIOLATING + time / max(cap_ps, 1.0)
        if overflow > 0.0:
            score += _VIOLATING + 100.0 * overflow / capacity_bytes
        if len(aim.bound) > 0:
            missed = excess(aim, scratch)
            if missed > 0.0:
                score += _VIOLATING + missed
        warmth = temperature * (1.0 - step / budget) ** 2 + 1e-12
        if score <= here or uniform(state) < np.exp((here - score) / warmth):
            here = score
            here_order[:] = next_order
            here_device[:] = next_device
            if score < best:
                best = score
                order[:] = next_order
                device[:] = next_device
    return best


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
