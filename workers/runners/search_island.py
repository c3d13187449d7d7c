"""Runs one epoch of one island of a search."""

from __future__ import annotations

from apps.searches import services
from apps.searches.planning import planning_of
from apps.searches.queries import all_searches
from workers.handle import JobHandle
from workers.islands import ISLAND, EpochRunner
from workers.registry import register


@register(ISLAND)
class SearchIslandRunner:
    """Job ``search_island``; ``object_id`` is the search, the payload names island and epoch."""

    def run(self, job: JobHandle) -> None:
        """Run the epoch; a search that was deleted has none."""
        row = None if job.object_id is None else all_searches().filter(pk=job.object_id).first()
        if row is not None:
            EpochRunner(job, row, planning_of(row), services.engine_settings(row)).run()
