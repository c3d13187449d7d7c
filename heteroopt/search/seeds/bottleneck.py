"""Placements whose busiest device or channel is least busy: starts for throughput and for items in flight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.bottleneck.contiguous import Effort
from heteroopt.search.bottleneck.from_problem import load_model
from heteroopt.search.bottleneck.precedence import block_precedence, group_blocks
from heteroopt.search.bottleneck.throughput import plan_throughput
from heteroopt.simulation.problem import Problem

Int32 = NDArray[np.int32]

_EFFORT = Effort(ideals=2_000, pairs=500_000, proof_pairs=0, chunks=192)
_MOVES = 40_000


def bottleneck_plans(problem: Problem) -> list[Int32]:
    """Return devices int32 [n] of the best contiguous split found, if one fits, and of what annealing makes of it.

    Operators of one group are one block of both, so no plan tears them apart. Deterministic; about 0.1 s at 143
    operators, where a search for throughput takes some hundredths of a second a generation.
    """
    block, n_blocks = group_blocks(problem.group)
    precedence = block_precedence(problem.pred_ptr, problem.pred_idx, block, n_blocks)
    found = plan_throughput(
        load_model(problem), (block, n_blocks), (block, n_blocks, precedence), effort=_EFFORT, moves=_MOVES
    )
    split = [] if found.split is None else [found.split.device[block]]
    return [device.astype(np.int32) for device in (*split, found.device)]
