"""A placement for throughput: the best contiguous split, then improved without keeping it contiguous."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.bottleneck.anneal import improve
from heteroopt.search.bottleneck.contiguous import Effort, Split, contiguous_split, split_under
from heteroopt.search.bottleneck.model import LoadModel, contracted, device_loads, overflow_bytes
from heteroopt.search.bottleneck.precedence import Precedence

Int32 = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ThroughputPlan:
    """``device`` int32 [n] per item, the largest load and the bytes over the capacities."""

    device: Int32
    load_ps: int
    overflow_bytes: int
    split: Split | None
    """The best contiguous split found, per block of the contiguity; ``None`` if none fits."""
    proven: bool
    """Whether no contiguous split has a smaller largest load."""


def plan_throughput(
    model: LoadModel,
    colocation: tuple[Int32, int],
    contiguity: tuple[Int32, int, Precedence],
    *,
    effort: Effort | None = None,
    moves: int = 400_000,
    seed: int = 0,
) -> ThroughputPlan:
    """Plan a model of n items.

    ``colocation``: block of each item that must stay together, and their number. ``contiguity``: the blocks of a
    contiguous split (unions of colocated ones), their number and the precedence between them. The result is never
    above the split's largest load; without a split that fits, annealing begins with each block where it is fastest.
    Where the best split took too many pairs of ideals to find, splits under the annealed load are looked for (far
    fewer), and annealed again if there are any.
    """
    effort = effort or Effort()
    block, n_blocks = colocation
    coarse, n_coarse, precedence = contiguity
    blocks = contracted(model, coarse, n_coarse)
    items = contracted(model, block, n_blocks)
    split = contiguous_split(blocks, precedence, effort)
    start = np.where(items.legal, items.time, np.iinfo(np.int64).max).argmin(axis=1).astype(np.int32)
    if split is not None:
        start[block] = split.device[coarse]
    device = improve(items, start, moves, seed)
    proven = split is not None and split.exact
    if not proven and overflow_bytes(items, device) == 0:
        load = int(device_loads(items, device).max())
        better, proven = split_under(blocks, precedence, load, effort.ideals, effort.proof_pairs)
        if better is not None:
            split = better
            start[block] = split.device[coarse]
            device = improve(items, start, moves, seed)
    return ThroughputPlan(
        device[block], int(device_loads(items, device).max()), overflow_bytes(items, device), split, proven
    )
