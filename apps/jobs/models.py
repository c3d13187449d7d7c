"""The row that says everything about a job, and the heartbeat of each worker."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models


class JobState(models.TextChoices):
    """Where a job is; the last three are final."""

    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    WAITING = "waiting", "Waiting for its parts"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    STOPPED = "stopped", "Stopped"


FINAL_STATES = (JobState.DONE, JobState.FAILED, JobState.STOPPED)


class Job(models.Model):
    """One piece of work. Whoever holds the current ``fencing_token`` may write; everybody else has lost it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="jobs")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    kind = models.CharField(max_length=40)
    # What it works on: a model version, a search, ...
    object_id = models.UUIDField(null=True, db_index=True)
    payload = models.JSONField(default=dict)
    queue = models.CharField(max_length=80)
    # The job that this one is a part of: it waits until all its parts have ended, and is queued again then.
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="parts")
    state = models.CharField(max_length=8, choices=JobState.choices, default=JobState.QUEUED)

    lease_owner = models.CharField(max_length=120, blank=True)
    lease_expires_at = models.DateTimeField(null=True)
    fencing_token = models.PositiveBigIntegerField(default=0)
    attempt = models.PositiveSmallIntegerField(default=0)
    cancel_requested = models.BooleanField(default=False)

    progress = models.JSONField(default=dict)
    # Grows with every change that a watcher may want to see.
    revision = models.PositiveBigIntegerField(default=1)
    checkpoint = models.BinaryField(null=True)
    error = models.JSONField(null=True)

    # When the reaper is to ring for a queued job (null: at once), and how often it has been rung for.
    ring_after = models.DateTimeField(null=True)
    rings = models.PositiveSmallIntegerField(default=0)

    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (
            models.Index(fields=["state", "lease_expires_at"], name="job_state_lease"),
            models.Index(fields=["team", "-created_at"], name="job_team_created"),
        )
        constraints = (models.CheckConstraint(condition=models.Q(state__in=JobState.values), name="job_state_known"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.id} {self.state}"

    @property
    def is_final(self) -> bool:
        """Whether nothing will change any more."""
        return self.state in FINAL_STATES


class WorkerHeartbeat(models.Model):
    """When each worker process was last seen alive."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120, unique=True)
    role = models.CharField(max_length=10)
    started_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.role} {self.name}"
