"""The error of parallel training plans."""

from __future__ import annotations

from heteroopt.errors import HeteroOptError


class TrainingError(HeteroOptError):
    """An annotation, a communication or a cluster that is impossible; the parameters name tensor and dimension."""
