"""Blocks that share a device, and an acyclic order between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.simulation.problem import csr

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


class Precedence(NamedTuple):
    """CSR lists of direct predecessors and successors of n items; acyclic."""

    pred_ptr: Int32
    pred_idx: Int32
    succ_ptr: Int32
    succ_idx: Int32


def make_precedence(n: int, edges: set[tuple[int, int]]) -> Precedence:
    """Return the precedence of ``edges`` (source, target) between items 0 to n - 1."""
    preds: list[list[int]] = [[] for _ in range(n)]
    succs: list[list[int]] = [[] for _ in range(n)]
    for source, target in sorted(edges):
        preds[target].append(source)
        succs[source].append(target)
    return Precedence(*csr(preds), *csr(succs))


def chain(order: Int32) -> Precedence:
    """The total order ``order`` [n]."""
    return make_precedence(len(order), set(zip(order[:-1].tolist(), order[1:].tolist(), strict=True)))


def group_blocks(group: Int32) -> tuple[Int32, int]:
    """Return ``block`` int32 [n] and the number of blocks: one per group, one per item without a group (-1).

    Blocks are numbered by their first item, so that item numbers in topological order number blocks sensibly.
    """
    keys = np.where(group >= 0, group, int(group.max(initial=-1)) + 1 + np.arange(len(group)))
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
    return rank[inverse].astype(np.int32), len(first)


def block_precedence(pred_ptr: Int32, pred_idx: Int32, block: Int32, n_blocks: int) -> Precedence:
    """The precedence between blocks numbered by their first item in a topological order of the items.

    Groups can make the order cyclic (a forward operator and its backward one are one block). An edge back to a block
    that began earlier is left out, so contiguity is that of the blocks' first items.
    """
    target = block[np.repeat(np.arange(len(block)), np.diff(pred_ptr))]
    source = block[pred_idx]
    forward = source < target
    return make_precedence(n_blocks, set(zip(source[forward].tolist(), target[forward].tolist(), strict=True)))


@kernel
def topological_order(precedence: Precedence, weight: Int64, deep: bool) -> Int32:
    """A topological order int32 [n]: of the ready items the one that became ready last (``deep``) or first.

    Items that become ready together go by falling ``weight`` [n] (then by index); ``deep`` keeps what is open small
    on branches, its opposite goes level by level.
    """
    n = len(precedence.pred_ptr) - 1
    missing = np.empty(n, np.int32)
    order = np.empty(n, np.int32)
    ready = np.empty(n, np.int32)
    head, tail = 0, 0
    for item in range(n):
        missing[item] = precedence.pred_ptr[item + 1] - precedence.pred_ptr[item]
        if missing[item] == 0:
            ready[tail] = item
            tail += 1
    _by_weight(ready, 0, tail, weight, deep)
    for place in range(n):
        if deep:
            tail -= 1
            item = ready[tail]
        else:
            item = ready[head]
            head += 1
        order[place] = item
        first = tail
        for edge in range(precedence.succ_ptr[item], precedence.succ_ptr[item + 1]):
            successor = precedence.succ_idx[edge]
            missing[successor] -= 1
            if missing[successor] == 0:
                ready[tail] = successor
                tail += 1
        _by_weight(ready, first, tail, weight, deep)
    return order


@kernel
def _by_weight(items: Int32, first: int, end: int, weight: Int64, rising: bool) -> None:
    """Insertion sort of ``items[first:end]`` by weight, stable; short lists only come here often."""
    for i in range(first + 1, end):
        item = items[i]
        j = i
        while j > first and (weight[items[j - 1]] > weight[item] if rising else weight[items[j - 1]] < weight[item]):
            items[j] = items[j - 1]
            j -= 1
        items[j] = item
