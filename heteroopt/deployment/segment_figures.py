"""What a plan's cuts come to: its segments, what crosses their borders, and the time of their launches."""

from __future__ import annotations

from typing import Any

from heteroopt.graph.graph import Graph
from heteroopt.partition import Partition, partition
from heteroopt.simulation.schedule import Schedule
from heteroopt.units import ps_to_ms


def partition_of(graph: Graph, schedule: Schedule) -> Partition:
    """The segments of a decoded plan."""
    return partition(graph, schedule.order.tolist(), schedule.device.tolist())


def segment_figures(cut: Partition, schedule: Schedule) -> dict[str, Any]:
    """``count``; ``cut_edges`` and ``cut_bytes`` (of one item) between devices; ``launch_ms`` of all segments, which is
    part of the devices' busy times; ``copied_weight_bytes`` that several segments hold more than once.
    """
    return {
        "count": cut.n_segments,
        "cut_edges": cut.cut_edges,
        "cut_bytes": cut.cut_bytes,
        "launch_ms": ps_to_ms(schedule.launch_ps),
        "copied_weight_bytes": cut.copied_weight_bytes,
    }
