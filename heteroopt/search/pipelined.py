"""Whether a search is about several items in flight, so that its plans are shown that way."""

from __future__ import annotations

from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.objectives import THROUGHPUT, find_objective


def is_pipelined(settings: SearchSettings) -> bool:
    """Whether items in flight or arrivals were given, or an objective or a constraint is a figure of them."""
    if settings.items_in_flight or settings.micro_batches or settings.arrival_rate_per_s is not None:
        return True
    keys = (*settings.objectives, *(constraint.objective for constraint in settings.constraints))
    return any(key == THROUGHPUT.key or find_objective(key).needs_pipeline for key in keys)


def items_of(settings: SearchSettings) -> int:
    """How many items are in flight: the micro-batches of a step where they were given, else those of the pipeline."""
    return settings.micro_batches or settings.options.items
