"""Rows of searches and of the fronts that they found."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models

from apps.jobs.models import JobState
from apps.modelhub.models import Binding
from apps.pools.marks import device_marks, load_pool


class Search(models.Model):
    """One search: what it was asked, and how far its worker has come (its job's row holds the lease)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField(help_text="counts up within the team")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    model = models.ForeignKey("modelhub.Model", on_delete=models.RESTRICT, related_name="searches")
    graph = models.ForeignKey("modelhub.ParsedGraph", on_delete=models.PROTECT, related_name="searches")
    pool_version = models.ForeignKey(
        "pools.PoolVersion",
        null=True,
        on_delete=models.RESTRICT,
        related_name="searches",
        help_text="null: the model is plain tables and brings its own devices",
    )
    settings = models.JSONField(help_text="population_size, generations, seed, ..., fuse, pins, forbidden_devices")
    job = models.OneToOneField("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="search")
    warm_start = models.ForeignKey(
        "self",
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="the search whose front is the start",
    )

    outcome = models.CharField(max_length=24, default="queued")
    generation = models.PositiveIntegerField(default=0)
    generations = models.PositiveIntegerField(default=0)
    hypervolume = models.FloatField(null=True)
    n_plans = models.PositiveIntegerField(default=0)
    evaluations = models.PositiveBigIntegerField(default=0)
    eta_s = models.FloatField(null=True)
    best = models.JSONField(null=True, help_text="least exec_time_x and energy_x on the front")
    epochs = models.JSONField(null=True, help_text="of islands: epochs done and in all, plans that have migrated")
    changes = models.PositiveIntegerField(default=0, help_text="counts every change of this row that a reader can see")
    front_revision = models.PositiveIntegerField(default=0)
    last_number = models.PositiveIntegerField(
        default=0, help_text="highest number given to a plan that joined later; no number is given twice"
    )
    hashes = models.JSONField(null=True, help_text="of model, pool, costs and settings; seed and engine version")

    class Meta:
        ordering = ("-created_at", "id")
        constraints = (models.UniqueConstraint(fields=("team", "number"), name="searches_team_number"),)

    def __str__(self) -> str:
        return f"search {self.number}"

    @property
    def state(self) -> str:
        """``queued``, ``running``, ``done``, ``stopped``, ``failed`` or ``no_feasible``: the job's, told apart."""
        if self.job is None:
            return "failed"
        if self.job.state == JobState.DONE and self.outcome == "no_feasible":
            return "no_feasible"
        # Between two epochs of its islands the job is queued for a moment.
        between = self.job.state == JobState.QUEUED and self.settings.get("islands", 1) > 1 and self.front_revision > 0
        return JobState.RUNNING.value if between or self.job.state == JobState.WAITING else self.job.state

    @property
    def islands_progress(self) -> dict[str, int] | None:
        """Of a search on islands: how many, epochs done and in all (0: not begun), plans that have migrated."""
        count = self.settings.get("islands", 1)
        return None if count == 1 else {"count": count, "epoch": 0, "epochs": 0, "migrated": 0, **(self.epochs or {})}

    @property
    def binding(self) -> Binding | None:
        """The kept binding of the model that has the reading which is searched; ``None`` where none has it (now)."""
        return next((one for one in self.model.bindings.all() if one.graph_id == self.graph_id), None)

    @property
    def is_final(self) -> bool:
        """Whether nothing will change any more."""
        return self.job is None or self.job.is_final

    @property
    def revision(self) -> int:
        """Grows with every change of the search or its job that a watcher may want to see."""
        return self.changes + (self.job.revision if self.job is not None else 0)

    @property
    def model_summary(self) -> dict[str, Any]:
        """Name and size of the model."""
        return {"id": self.model_id, "name": self.model.name, "n_operators": self.graph.summary["n_operators"]}

    @property
    def pool_summary(self) -> dict[str, Any]:
        """Name and devices of the pool, in the version that the search uses."""
        version = self.pool_version
        if version is None:
            pool = load_pool(self.graph.summary["pool"])
            return {
                "id": None,
                "name": pool.name or self.model.name,
                "is_sample": False,
                "version": None,
                "devices": device_marks(pool),
            }
        return {
            "id": version.pool_id,
            "name": version.pool.name,
            "is_sample": version.pool.is_sample,
            "version": version.number,
            "devices": device_marks(load_pool(version.spec)),
        }


class Island(models.Model):
    """One population of a search on islands between two epochs; only the holder of its epoch's job writes ``state``."""

    search = models.ForeignKey(Search, on_delete=models.CASCADE, related_name="islands")
    number = models.PositiveSmallIntegerField()
    epoch = models.PositiveIntegerField(default=0, help_text="epochs that it has finished")
    generation = models.PositiveIntegerField(default=0, help_text="how far it is, for progress only")
    state = models.BinaryField(null=True, help_text="the engine's checkpoint; null: not begun")
    emigrants = models.BinaryField(null=True, help_text="plans that left it after its last epoch")
    immigrants = models.BinaryField(null=True, help_text="plans that join it in its next epoch")

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=("search", "number"), name="searches_island_number"),)

    def __str__(self) -> str:
        return f"island {self.number} of {self.search_id}"


class InheritedFront(models.Model):
    """The front that a search starts from, as it was when the search was asked for: later changes do not matter."""

    search = models.OneToOneField(Search, primary_key=True, on_delete=models.CASCADE, related_name="inherited")
    data = models.BinaryField(help_text="Front.to_bytes() of the earlier search")
    fuse = models.BooleanField(help_text="whether the earlier search joined small operators")
    pool = models.JSONField(help_text="the earlier search's pool")

    def __str__(self) -> str:
        return f"start of {self.search_id}"


class CalibratedCosts(models.Model):
    """The cost table of a graph on a version of a pool that names calibrations: learned once, the same everywhere."""

    graph = models.ForeignKey("modelhub.ParsedGraph", on_delete=models.CASCADE, related_name="+")
    pool_version = models.ForeignKey("pools.PoolVersion", on_delete=models.CASCADE, related_name="+")
    fuse = models.BooleanField(help_text="whether small operators are joined")
    data = models.BinaryField(help_text="CostTable.to_dict(), packed")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("graph", "pool_version", "fuse"), name="searches_one_cost_table"),
        )

    def __str__(self) -> str:
        return f"costs of {self.graph_id} on {self.pool_version_id}"


class SolverPlan(models.Model):
    """The plan that the solver of a proof found, as our decoder runs it. It joins the front only when asked to."""

    job = models.OneToOneField("jobs.Job", primary_key=True, on_delete=models.CASCADE, related_name="solver_plan")
    search = models.ForeignKey(Search, on_delete=models.CASCADE, related_name="solver_plans")
    order = models.JSONField(help_text="operators in the order in which they are placed")
    device = models.JSONField(help_text="index of each operator's device")
    hash = models.CharField(max_length=64)
    exec_time_ms = models.FloatField()

    def __str__(self) -> str:
        return f"solver's plan of {self.search_id}"


class SearchFront(models.Model):
    """The newest front of a search: as JSON for the page, and as bytes from which any plan is decoded again."""

    search = models.OneToOneField(Search, primary_key=True, on_delete=models.CASCADE, related_name="front")
    revision = models.PositiveIntegerField()
    body = models.JSONField()
    data = models.BinaryField(help_text="Front.to_bytes(): the genomes of all plans and the reference plan")
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"front {self.revision} of {self.search_id}"


class KeptPlan(models.Model):
    """A plan that somebody made by hand and kept beside the front; it never changes, so its hash names it."""

    search = models.ForeignKey(Search, on_delete=models.CASCADE, related_name="kept_plans")
    hash = models.CharField(max_length=64)
    number = models.PositiveIntegerField(help_text="among the search's plans; it stays")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    fuse = models.BooleanField(null=True, help_text="whether its operators are joined ones; null: as the search's")
    base = models.CharField(max_length=64, blank=True, help_text="hash of the plan that it was made from")
    moved = models.PositiveIntegerField(null=True, help_text="operators on another device than in that plan")
    body = models.JSONField(help_text="its summary, without its number")
    data = models.BinaryField(help_text="Front.to_bytes() of this plan alone")

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("search", "hash"), name="searches_kept_plan_once"),
            models.UniqueConstraint(fields=("search", "number"), name="searches_kept_number_once"),
        )

    def __str__(self) -> str:
        return f"kept plan {self.hash[:12]} of {self.search_id}"


class FrontStep(models.Model):
    """What the front was at one generation, to be replayed: objectives only, about fifty a search."""

    search = models.ForeignKey(Search, on_delete=models.CASCADE, related_name="front_steps")
    generation = models.PositiveIntegerField()
    hypervolume = models.FloatField(null=True)
    values = models.JSONField(help_text="a row a plan: its objectives in the order of the search's")

    class Meta:
        ordering = ("generation",)
        constraints = (models.UniqueConstraint(fields=("search", "generation"), name="searches_front_step_once"),)

    def __str__(self) -> str:
        return f"front of {self.search_id} at {self.generation}"
