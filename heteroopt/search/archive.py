"""Every non-dominated plan that a search has met, in compact form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.dominance import archive_merge
from heteroopt.search.hypervolume import largest_contributors

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
UInt64 = NDArray[np.uint64]

MOST_GENOME_BYTES = 32 * 1024 * 1024
"""Genomes beyond this size are thinned out by hypervolume contribution: over 50,000 plans at 200 operators."""

_AT_ONCE = 1024
"""Plans that are compared with each other before they meet the archive: all pairs of many would take long."""


@dataclass(frozen=True, eq=False)
class Archive:
    """An immutable set of plans; ``with_plans`` returns the next one.

    ``objectives`` float64 [a, m] costs (see ``columns``); ``placement`` uint64 [a] hashes of the devices;
    ``genomes``: a pair (order, device) of small unsigned rows per plan. No two plans have the same hash: of several
    orders for one placement the fastest is kept.
    """

    objectives: Float64
    placement: UInt64
    genomes: tuple[tuple[NDArray[np.generic], NDArray[np.generic]], ...]

    @classmethod
    def empty(cls, n_objectives: int = 3) -> Archive:
        """Return an archive without plans."""
        return cls(np.empty((0, n_objectives)), np.empty(0, np.uint64), ())

    @classmethod
    def of(cls, objectives: Float64, placement: UInt64, orders: Int32, devices: Int32) -> Archive:
        """Return an archive of the given plans as they are (they must not dominate each other)."""
        return cls(objectives, placement, tuple(_packed(orders, devices)))

    def __len__(self) -> int:
        return len(self.objectives)

    def with_plans(self, objectives: Float64, placement: UInt64, orders: Int32, devices: Int32) -> Archive:
        """Return the archive after meeting more plans, in the order of the rows; the same object if none enters."""
        if len(objectives) > _AT_ONCE:
            archive = self
            for begin in range(0, len(objectives), _AT_ONCE):
                part = slice(begin, begin + _AT_ONCE)
                archive = archive.with_plans(objectives[part], placement[part], orders[part], devices[part])
            return archive
        keep_held, keep_new = archive_merge(self.objectives, self.placement, objectives, placement)
        if not keep_new.any():
            return self
        rows = np.flatnonzero(keep_new)
        entering = Archive(objectives[rows], placement[rows], tuple(_packed(orders[rows], devices[rows])))
        return self._joined(keep_held, entering)

    def united(self, other: Archive) -> Archive:
        """Return the archive after meeting all plans of another one; the same object if none enters."""
        keep_held, keep_new = archive_merge(self.objectives, self.placement, other.objectives, other.placement)
        if not keep_new.any():
            return self
        return self._joined(keep_held, other.take(np.flatnonzero(keep_new)))

    def _joined(self, keep_held: NDArray[np.bool_], entering: Archive) -> Archive:
        """Return the plans to keep and those that enter, thinned out where their genomes take too much memory."""
        kept = self.take(np.flatnonzero(keep_held))
        merged = Archive(
            np.concatenate((kept.objectives, entering.objectives)),
            np.concatenate((kept.placement, entering.placement)),
            kept.genomes + entering.genomes,
        )
        order, device = merged.genomes[0]
        limit = max(1024, MOST_GENOME_BYTES // (order.nbytes + device.nbytes))
        if len(merged) <= limit:
            return merged
        scale = np.maximum(merged.objectives.min(axis=0), 1e-12)
        return merged.take(largest_contributors(merged.objectives / scale, limit * 3 // 4))

    def take(self, rows: NDArray[np.intp]) -> Archive:
        """Return the plans at the given rows."""
        return Archive(self.objectives[rows], self.placement[rows], tuple(self.genomes[int(row)] for row in rows))

    def stacked(self) -> tuple[Int32, Int32]:
        """Return orders and devices as int32 [a, n]."""
        orders = np.array([order for order, _ in self.genomes], dtype=np.int32)
        devices = np.array([device for _, device in self.genomes], dtype=np.int32)
        return orders, devices


def _packed(orders: Int32, devices: Int32) -> list[tuple[NDArray[np.generic], NDArray[np.generic]]]:
    """Return each genome as rows of the smallest unsigned type that holds an index."""
    n = orders.shape[1]
    narrow_order = orders.astype(np.uint16 if n <= 1 << 16 else np.uint32)
    narrow_device = devices.astype(np.uint8 if devices.max(initial=0) < 1 << 8 else np.uint16)
    return [(order.copy(), device.copy()) for order, device in zip(narrow_order, narrow_device, strict=True)]
