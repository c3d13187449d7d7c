"""A search on islands as jobs: one per island and epoch, and between two epochs the search's own job.

The search's job never waits in a worker. Each time it runs it puts together what the islands have found, shows it, lets
plans migrate and makes the next epoch's jobs, all in one transaction; then it waits in the database. The last of them
to end queues it again (:func:`apps.jobs.leases.wake`).
"""

from __future__ import annotations

import json
from collections.abc import Callable

from django.db.models import F, Sum

from apps.jobs import services as jobs
from apps.jobs.models import Job, JobState
from apps.searches.models import Island
from apps.searches.models import Search as SearchRow
from apps.searches.planning import Planning
from apps.searches.warm_starts import plans_to_start_from
from heteroopt.errors import HeteroOptError
from heteroopt.search.islands import count_plans, emigrants, epoch_end, epochs, migrated, run_epoch, start_epoch, united
from heteroopt.search.search import Search
from heteroopt.search.settings import SearchSettings
from heteroopt.search.snapshot import FrontSnapshot
from workers.handle import JobHandle, StopAsked
from workers.pace import CHECKPOINT_SECONDS, SHARE, WRITE_SECONDS, Pace

ISLAND = "search_island"


def next_epoch(
    job: JobHandle,
    row: SearchRow,
    planning: Planning,
    settings: SearchSettings,
    write: Callable[[FrontSnapshot], None],
) -> None:
    """Show what the islands have found so far, and make the jobs of the next epoch, or end the search."""
    problem = planning.problem
    if job.last_checkpoint is None:
        first = start_epoch(problem, settings, 0, None, None, plans_to_start_from(row, planning))
        islands = [Island(search=row, number=number) for number in range(settings.islands)]
        islands[0].state = first.checkpoint()
        history: list[tuple[int, float, int]] = []
    else:
        islands = list(Island.objects.filter(search=row))
        history = [(int(g), float(h), int(n)) for g, h, n in json.loads(job.last_checkpoint)]
    _raise_failure(job)
    union = united(problem, settings, [bytes(island.state) for island in islands if island.state is not None], history)
    snapshot = union.stop() if job.cancelled else union.snapshot()
    write(snapshot)
    if union.finished:
        with job.transaction():
            _show_epochs(row, islands, settings, problem.n_operators, 0)
    else:
        try:
            _make_jobs(job, row, islands, snapshot, settings, problem.n_operators)
        except StopAsked:
            write(union.stop())


def _make_jobs(
    job: JobHandle,
    row: SearchRow,
    islands: list[Island],
    snapshot: FrontSnapshot,
    settings: SearchSettings,
    n_operators: int,
) -> None:
    """Let plans migrate, make one job per island, and leave the search's job to them."""
    leaving = [bytes(island.emigrants) for island in islands if island.emigrants is not None]
    arriving: list[bytes | None] = [None] * len(islands)
    if len(leaving) == len(islands):
        arriving = list(migrated(leaving))
    with job.transaction():
        Job.objects.filter(parent=job.id).delete()
        for island, immigrants in zip(islands, arriving, strict=True):
            island.immigrants = immigrants
            if island._state.adding:
                island.save(force_insert=True)
            else:
                Island.objects.filter(pk=island.pk).update(immigrants=immigrants)
            jobs.submit(
                ISLAND,
                team=row.team,
                created_by=row.created_by,
                object_id=row.pk,
                payload={"island": island.number, "epoch": island.epoch},
                parent=job.id,
            )
        moved = sum(count_plans(plans) for plans in arriving if plans is not None)
        _show_epochs(row, islands, settings, n_operators, moved)
        job.wait(json.dumps(snapshot.history).encode())


def _show_epochs(row: SearchRow, islands: list[Island], settings: SearchSettings, n_operators: int, moved: int) -> None:
    """Let the search's row say how many epochs all islands have done, and that so many more plans have migrated."""
    before = SearchRow.objects.filter(pk=row.pk).values_list("epochs", flat=True).first() or {}
    shown = {
        "epoch": min(island.epoch for island in islands),
        "epochs": epochs(settings, n_operators),
        "migrated": before.get("migrated", 0) + moved,
    }
    SearchRow.objects.filter(pk=row.pk).update(epochs=shown, changes=F("changes") + 1)


def _raise_failure(job: JobHandle) -> None:
    """Fail the search as the first of its islands' jobs that failed."""
    failed = Job.objects.filter(parent=job.id, state=JobState.FAILED).order_by("created_at").first()
    if failed is not None:
        error = failed.error or {}
        raise HeteroOptError(error["code"], error["message"], hint=error["hint"], **error["params"])


class EpochRunner:
    """One island's epoch; goes on from its checkpoint bit-identically, and does nothing that has been done."""

    def __init__(self, job: JobHandle, row: SearchRow, planning: Planning, settings: SearchSettings) -> None:
        self.job, self.row, self.planning, self.settings = job, row, planning, settings
        self.number, self.epoch = int(job.payload["island"]), int(job.payload["epoch"])
        self.writes = Pace(WRITE_SECONDS, SHARE)
        self.checkpoints = Pace(CHECKPOINT_SECONDS, SHARE / 2, sooner=True)

    def run(self) -> None:
        """Run the epoch, or as much of it as there is time for before the search is stopped, and keep its state."""
        island = Island.objects.filter(search=self.row, number=self.number).first()
        if island is None or island.epoch != self.epoch:
            return
        problem, n = self.planning.problem, self.planning.problem.n_operators
        state = self.job.last_checkpoint
        if state is None:
            kept = None if island.state is None else bytes(island.state)
            arriving = None if island.immigrants is None else bytes(island.immigrants)
            warm = None if kept is not None else plans_to_start_from(self.row, self.planning)
            search = start_epoch(problem, self.settings, self.number, kept, arriving, warm)
        else:
            search = start_epoch(problem, self.settings, self.number, state, None)
        run_epoch(search, epoch_end(self.settings, n, self.epoch), self._go_on)
        with self.job.transaction():
            Island.objects.filter(pk=island.pk).update(
                state=search.checkpoint(),
                emigrants=emigrants(search),
                immigrants=None,
                epoch=self.epoch + 1,
                generation=search.generation,
            )
            self._show_progress(search)

    def _go_on(self, search: Search) -> bool:
        if self.job.cancelled:
            return False
        if self.writes.due:
            with self.writes, self.job.transaction():
                Island.objects.filter(search=self.row, number=self.number).update(generation=search.generation)
                self._show_progress(search)
        if self.checkpoints.due:
            with self.checkpoints:
                self.job.checkpoint(search.checkpoint())
        return True

    def _show_progress(self, search: Search) -> None:
        """Let the search's row show the generation that the islands have reached on average."""
        total = Island.objects.filter(search=self.row).aggregate(sum=Sum("generation"))["sum"] or 0
        reached = total // self.settings.islands
        SearchRow.objects.filter(pk=self.row.pk, generation__lt=reached).update(
            generation=reached, changes=F("changes") + 1
        )
