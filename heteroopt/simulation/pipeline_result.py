"""What several items in flight give: when each is finished, throughput, step time, memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heteroopt.errors import PlanError
from heteroopt.simulation.problem import Int64
from heteroopt.units import PS_PER_S

DEFAULT_ITEMS = 32
MAX_ITEMS = 4096


@dataclass(frozen=True, eq=False)
class PipelineResult:
    """One plan, K items. Times in picoseconds, sizes in bytes."""

    arrivals_ps: Int64
    """[K] ascending."""
    finish_ps: Int64
    """[K] end of each item's last operator or transfer."""
    peak_bytes: Int64
    """[M] weights once and the activations of all items in flight."""
    capacity_bytes: Int64
    """[M]"""
    bottleneck_ps: int
    """Busy time of one item on the busiest device or channel."""

    @property
    def step_time_ps(self) -> int:
        """When all items are finished."""
        return int(self.finish_ps.max())

    @property
    def throughput_per_s(self) -> float:
        """Items per second over the second half of the items; see :func:`throughput_per_s`."""
        return throughput_per_s(self.finish_ps, self.bottleneck_ps)

    @property
    def latency_ps(self) -> Int64:
        """[K] from arrival to finish."""
        return self.finish_ps - self.arrivals_ps

    @property
    def overflow_bytes(self) -> int:
        """Sum over the memories of what the peak exceeds the capacity by."""
        return int(np.maximum(0, self.peak_bytes - self.capacity_bytes).sum())


def throughput_per_s(finish_ps: Int64, bottleneck_ps: int) -> float:
    """(M - M // 2) / (finish of the M-th item - finish of the M // 2-th), in order of finishing; of item 0 it is 0.

    At most 1 / bottleneck: a device that the first and the last operators share has done the first ones of all items
    early, and so the last items of finitely many finish faster than any steady state could. At most one item per
    picosecond, so that a plan without any duration has a finite throughput too.
    """
    ends = np.sort(finish_ps)
    count, half = len(ends), len(ends) // 2
    since = int(ends[half - 1]) if half else 0
    return PS_PER_S / max(1.0, float(bottleneck_ps), (int(ends[-1]) - since) / (count - half))


def check_items(items: int) -> None:
    """Raise :class:`PlanError` ``items_out_of_range`` unless there are 1 to ``MAX_ITEMS``."""
    if isinstance(items, bool) or not isinstance(items, (int, np.integer)) or not 1 <= items <= MAX_ITEMS:
        raise PlanError(
            "items_out_of_range",
            f"The number of items in flight must be a whole number from 1 to {MAX_ITEMS}, not {items!r}.",
            low=1,
            high=MAX_ITEMS,
            value=str(items),
        )
