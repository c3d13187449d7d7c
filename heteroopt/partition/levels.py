"""The rule by which operators join segments, one operator after the other in the plan's order.

Every device has a current level, none at first. An operator needs at least the level of every predecessor on its own
device and one more than that of every predecessor on another one (0 without predecessors). If its device's level is at
least that, it joins the device's segment; otherwise a new segment opens there, at exactly the needed level.

So a device's segments are runs of its operators in the plan's order, and a segment is one device and one level. Along
an edge the level never falls, and it rises where the device changes or the segment does. A path that leaves a segment
therefore never comes back (segments are convex), and segments depend on those of lower levels only (no cycle). Views
take part like any other operator; model inputs ask for nothing. The levels follow from each device's own sequence of
operators: how the sequences are interleaved makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterable

NO_LEVEL = -1


class SegmentLevels:
    """The levels of ``n_operators`` operators on ``n_devices`` devices, as they are placed."""

    def __init__(self, n_operators: int, n_devices: int) -> None:
        self.level = [NO_LEVEL] * n_operators
        """[n] of each operator placed so far."""
        self.device_level = [NO_LEVEL] * n_devices
        """[D] of each device's open segment."""
        self._device = [NO_LEVEL] * n_operators

    def place(self, operator: int, device: int, predecessors: Iterable[int]) -> bool:
        """Place the next operator, whose ``predecessors`` are all placed; return whether it opens a segment."""
        need = 0
        for p in predecessors:
            need = max(need, self.level[p] + (self._device[p] != device))
        opens = self.device_level[device] < need
        if opens:
            self.device_level[device] = need
        self.level[operator] = self.device_level[device]
        self._device[operator] = device
        return opens
