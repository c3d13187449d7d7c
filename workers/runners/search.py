"""Runs a search: seeds at once, then generation after generation, written to its row as it improves."""

from __future__ import annotations

import time

from django.db.models import F
from django.utils import timezone

from apps.searches import services
from apps.searches.front_json import best_multiples, front_json
from apps.searches.models import FrontStep, SearchFront
from apps.searches.models import Search as SearchRow
from apps.searches.planning import Planning, planning_of
from apps.searches.queries import all_searches
from apps.searches.warm_starts import plans_to_start_from
from heteroopt.front.front import Front
from heteroopt.kernels import one_at_a_time
from heteroopt.search.search import Search
from heteroopt.search.snapshot import FrontSnapshot
from workers.handle import JobHandle
from workers.islands import next_epoch
from workers.pace import CHECKPOINT_SECONDS, SHARE, WRITE_SECONDS, Pace
from workers.registry import register

STEPS = 50
"""About how many fronts of a search are kept for its replay."""
QUICK_STEPS = 20
"""About how many are kept of a search that ends between two writes: each is worked out for the replay alone."""


class ProgressWriter:
    """Writes fronts to the rows of one search; only the holder of the job's lease gets through."""

    def __init__(self, job: JobHandle, row: SearchRow, planning: Planning) -> None:
        self.job, self.row, self.planning = job, row, planning
        self.pace = Pace(WRITE_SECONDS, SHARE)
        self.began_at = time.monotonic()
        self.began_with: int | None = None
        steps = FrontStep.objects.filter(search=row).order_by("-generation")
        self.last_step: int | None = steps.values_list("generation", flat=True).first()
        self.unwritten: list[FrontSnapshot] = []
        if row.settings.get("islands", 1) > 1 and job.started_at is not None:
            # Of islands each epoch's end is written by a new attempt: the pace is that since the search began.
            self.began_at -= (timezone.now() - job.started_at).total_seconds()
            self.began_with = 0

    def offer(self, snapshot: FrontSnapshot) -> None:
        """Write the front if it is time and watchers have not seen this generation before (after a resume)."""
        if self.began_with is None:
            self.began_with = snapshot.generation
        if self.pace.due and (snapshot.generation > self.row.generation or self.row.front_revision == 0):
            self.write(snapshot)
        elif self._is_step(snapshot, QUICK_STEPS):
            self.unwritten.append(snapshot)
            self.last_step = snapshot.generation

    def write(self, snapshot: FrontSnapshot) -> None:
        """Write the front and the progress in one transaction."""
        with self.pace:
            front = Front.from_snapshot(snapshot, self.planning.problem)
            steps = [(one, Front.from_snapshot(one, self.planning.problem)) for one in self.unwritten]
            if self._is_step(snapshot, STEPS):
                steps.append((snapshot, front))
                self.last_step = snapshot.generation
            body = front_json(front, snapshot, self.planning.pool, self.planning.problem, self.planning.costs)
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
                    for one, shown in steps:
                        self._remember(shown, one)
            self.unwritten.clear()

    def _is_step(self, snapshot: FrontSnapshot, steps: int) -> bool:
        """Whether the replay needs this generation: not where one close by is kept."""
        if self.last_step is None or snapshot.outcome != "running":
            return True
        return snapshot.generation >= self.last_step + max(1, snapshot.generations // steps)

    def _remember(self, front: Front, snapshot: FrontSnapshot) -> None:
        """Keep the objectives of this front for the replay."""
        FrontStep.objects.update_or_create(
            search=self.row,
            generation=snapshot.generation,
            defaults={
                "hypervolume": snapshot.hypervolume,
                "values": [[float(f"{value:.6g}") for value in row] for row in front.values.tolist()],
            },
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

        with one_at_a_time():
            warm_up()

    def run(self, job: JobHandle) -> None:
        """Search until done or stopped; what no device or pin allows is raised and fails the job with its reason."""
        row = None if job.object_id is None else all_searches().filter(pk=job.object_id).first()
        if row is None:
            return
        planning = planning_of(row)
        SearchRow.objects.filter(pk=row.pk).update(hashes=services.result_hashes(row, planning))
        settings = services.engine_settings(row)
        writer = ProgressWriter(job, row, planning)
        if settings.islands > 1:
            next_epoch(job, row, planning, settings, writer.write)
            return
        if job.last_checkpoint is None:
            search = Search(planning.problem, settings, warm_start=plans_to_start_from(row, planning))
            snapshot = search.start()
        else:
            search = Search.resume(planning.problem, settings, job.last_checkpoint)
            snapshot = search.snapshot()
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
