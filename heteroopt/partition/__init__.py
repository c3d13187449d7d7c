"""Operators of one device joined into convex, ordered segments: what a runtime is handed as one program."""

from heteroopt.partition.levels import SegmentLevels
from heteroopt.partition.segments import Handover, Partition, Segment, partition

__all__ = ["Handover", "Partition", "Segment", "SegmentLevels", "partition"]
