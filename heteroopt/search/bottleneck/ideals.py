"""The ideals of a precedence: sets that hold every predecessor of their members; contiguous splits are their chains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.bottleneck.precedence import Precedence
from heteroopt.search.compiled import kernel

Int32 = NDArray[np.int32]
UInt64 = NDArray[np.uint64]

_ONE = np.uint64(1)
_SIXTY_THREE = np.uint64(63)


class Ideals(NamedTuple):
    """Ideals numbered by growing size, 0 the empty one and the last one everything.

    Below ideal i, one item less: ``down_ideal`` and the item taken away ``down_item`` at ``down_ptr[i]`` and on.
    """

    down_ptr: Int32
    down_ideal: Int32
    down_item: Int32

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.down_ptr) - 1


def chain_ideals(order: Int32) -> Ideals:
    """The prefixes of a total order."""
    n = len(order)
    ptr = np.maximum(np.arange(-1, n + 1), 0).astype(np.int32)
    return Ideals(ptr, np.arange(n, dtype=np.int32), np.ascontiguousarray(order, np.int32))


def all_ideals(precedence: Precedence, most: int) -> Ideals | None:
    """Return every ideal, or ``None`` if there are more than ``most``."""
    n = len(precedence.pred_ptr) - 1
    if n + 1 > most:
        return None
    keys = np.random.default_rng(0).integers(1, 2**63, size=n, dtype=np.uint64)
    count, upper, lower, item = _grow(precedence, keys, most)
    if count == 0:
        return None
    ptr = np.zeros(count + 1, np.int32)
    np.cumsum(np.bincount(upper, minlength=count), out=ptr[1:])
    by_upper = np.argsort(upper, kind="stable")
    return Ideals(ptr, lower[by_upper], item[by_upper])


@kernel
def _grow(precedence: Precedence, keys: UInt64, most: int) -> tuple[int, Int32, Int32, Int32]:
    """Breadth first from the empty set; return the count (0: too many) and every (larger, smaller, item) pair.

    ``keys`` [n] are random: an ideal's hash is the exclusive or of its members'.
    """
    n = len(keys)
    words = (n + 63) // 64
    members = np.zeros((most, words), np.uint64)
    ready = np.zeros((most, words), np.uint64)
    hashes = np.zeros(most, np.uint64)
    slots = 1
    while slots < 2 * most:
        slots *= 2
    table = np.full(slots, -1, np.int32)
    table[0] = 0
    mask = np.uint64(slots - 1)
    upper, lower, item = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.int32)
    n_links = 0
    for v in range(n):
        if precedence.pred_ptr[v] == precedence.pred_ptr[v + 1]:
            ready[0, v >> 6] |= _ONE << (np.uint64(v) & _SIXTY_THREE)
    count = 1
    here = 0
    grown = np.empty(words, np.uint64)
    while here < count:
        for v in range(n):
            word, bit = v >> 6, _ONE << (np.uint64(v) & _SIXTY_THREE)
            if ready[here, word] & bit == 0:
                continue
            code = hashes[here] ^ keys[v]
            grown[:] = members[here]
            grown[word] |= bit
            slot = code & mask
            found = table[slot]
            while found >= 0:
                if hashes[found] == code:
                    same = True
                    for w in range(words):
                        if members[found, w] != grown[w]:
                            same = False
                            break
                    if same:
                        break
                slot = (slot + _ONE) & mask
                found = table[slot]
            if found < 0:
                if count == most:
                    return 0, upper, lower, item
                found = count
                count += 1
                table[slot] = found
                hashes[found] = code
                members[found] = grown
                ready[found] = ready[here]
                ready[found, word] &= ~bit
                for edge in range(precedence.succ_ptr[v], precedence.succ_ptr[v + 1]):
                    s = precedence.succ_idx[edge]
                    complete = True
                    for other in range(precedence.pred_ptr[s], precedence.pred_ptr[s + 1]):
                        p = precedence.pred_idx[other]
                        if grown[p >> 6] & (_ONE << (np.uint64(p) & _SIXTY_THREE)) == 0:
                            complete = False
                            break
                    if complete:
                        ready[found, s >> 6] |= _ONE << (np.uint64(s) & _SIXTY_THREE)
            if n_links == len(upper):
                upper = np.concatenate((upper, np.empty_like(upper)))
                lower = np.concatenate((lower, np.empty_like(lower)))
                item = np.concatenate((item, np.empty_like(item)))
            upper[n_links], lower[n_links], item[n_links] = found, here, v
            n_links += 1
        here += 1
    return count, upper[:n_links].copy(), lower[:n_links].copy(), item[:n_links].copy()
