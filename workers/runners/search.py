"""Runs a search: seeds at once, then generation after generation, written to its row as it improves."""

from __future__ import annotations

import time

from django.db.models import F

from apps.searches import services
from apps.searches.front_json import best_multiples, front_json
from apps.searches.models import Search as SearchRow
from apps.searches.models import SearchFront
from apps.searches.planning import Planning, planning_of
from apps.searches.queries import all_searches
from apps.searches.warm_starts import plans_to_start_from
from heteroopt.front.front import Front
from heteroopt.search.search import Search
from heteroopt.search.snapshot import FrontSnapshot
from workers.handle import JobHandle
from workers.registry import register

WRITE_SECONDS = 0.2
"""At most five fronts a second."""
CHECKPOINT_SECONDS = 1.0
SHARE = 0.1
"""Writing takes at most about this share of the time, and checkpoints half of it."""


class Pace:
    """Says when something that takes time is due again: not before ``seconds``, and not above a share of all time.

    With ``sooner`` it is due as soon as the share allows, ``seconds`` being the latest.
    """

    def __init__(self, seconds: float, share: float, *, sooner: bool = False) -> None:
        self.seconds, self.share, self.sooner = seconds, share, sooner
        self.done_at, self.took = -seconds, 0.0

    @property
    def due(self) -> bool:
        """Whether it is time."""
        waited, earned = time.monotonic() - self.done_at, self.took / self.share
        return waited >= min(self.seconds, earned) if self.sooner else waited >= max(self.seconds, earned)

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self.done_at = time.monotonic()
        self.took = self.done_at - self._began


class ProgressWriter:
    """Writes fronts to the rows of one search; only the holder of the job's lease gets through."""

    def __init__(self, job: JobHandle, row: SearchRow, planning: Planning) -> None:
        self.job, self.row, self.planning = job, row, planning
        self.pace = Pace(WRITE_SECONDS, SHARE)
        self.began_at = time.monotonic()
        self.began_with: int | None = None

    def offer(self, snapshot: FrontSnapshot) -> None:
        """Write the front if it is time and watchers have not seen this generation before (after a resume)."""
        if self.began_with is None:
            self.began_with = snapshot.generation
        if self.pace.due and (snapshot.generation > self.row.generation or self.row.front_revision == 0):
            self.write(snapshot)

    def write(self, snapshot: FrontSnapshot) -> None:
        """Write the front and the progress in one transaction."""
        with self.pace:
            front = Front.from_snapshot(snapshot, self.planning.problem)
            body = front_json(front, snapshot, self.planning.pool, self.planning.problem)
            with self.job.transaction():
                found = SearchRow.objects.filter(pk=self.row.pk).update(
                    outcome=snapshot.outcome,
                    generation=snapshot.generation,
                    generations=snapshot.generations,
                    hypervolume=snapshot.hypervolume,
                    n_plans=len(front),
                    evaluations=snapshot.evaluations,
                    eta_s=self._eta_s(snapshot),
                    best=best_multiples(front),
                    changes=F("changes") + 1,
                    front_revision=F("front_revision") + 1,
                )
                if found:
                    self.row.refresh_from_db(fields=["front_revision", "generation"])
                    SearchFront.objects.update_or_create(
                        search=self.row,
                        defaults={"revision": self.row.front_revision, "body": body, "data": front.to_bytes()},
                    )

    def _eta_s(self, snapshot: FrontSnapshot) -> float | None:
        """Seconds left at the pace of this attempt."""
        if snapshot.outcome != "running":
            return 0.0
        done = snapshot.generation - (self.began_with or 0)
        if done < 1:
            return None
        left = snapshot.generations - snapshot.generation
        return round((time.monotonic() - self.began_at) / done * left, 1)


@register(services.SEARCH)
class SearchRunner:
    """Job ``search``; ``object_id`` is the search. Resumes from its checkpoint bit-identically."""

    @staticmethod
    def warm_up() -> None:
        """Compile the search's kernels, or load them from numba's cache, before the first job needs them."""
        from heteroopt.search import warm_up

        warm_up()

    def run(self, job: JobHandle) -> None:
        """Search until done or stopped; what no device or pin allows is raised and fails the job with its reason."""
        row = None if job.object_id is None else all_searches().filter(pk=job.object_id).first()
        if row is None:
            return
        planning = planning_of(row)
        SearchRow.objects.filter(pk=row.pk).update(hashes=services.result_hashes(row, planning))
        settings = services.engine_settings(row)
        if job.last_checkpoint is None:
            search = Search(planning.problem, settings, warm_start=plans_to_start_from(row, planning))
            snapshot = search.start()
        else:
            search = Search.resume(planning.problem, settings, job.last_checkpoint)
            snapshot = search.snapshot()
        writer = ProgressWriter(job, row, planning)
        checkpoints = Pace(CHECKPOINT_SECONDS, SHARE / 2, sooner=True)
        writer.offer(snapshot)
        while not search.finished:
            snapshot = search.stop() if job.cancelled else search.step()
            if snapshot.outcome == "running":
                writer.offer(snapshot)
                if checkpoints.due:
                    with checkpoints:
                        job.checkpoint(search.checkpoint())
        writer.write(snapshot)
