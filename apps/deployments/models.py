"""Rows of exports (a plan written in a format that an engine loads, as one archive) and of trial runs of plans."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from apps.jobs.models import JobState


class PlanExport(models.Model):
    """One export of one plan. Its job writes the archive and what it holds; the file's name is the row's id."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    search = models.ForeignKey("searches.Search", on_delete=models.CASCADE, related_name="exports")
    plan_hash = models.CharField(max_length=64)
    plan_number = models.PositiveIntegerField(help_text="when it was asked for")
    format = models.CharField(max_length=40)
    options = models.JSONField(default=dict)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    job = models.OneToOneField("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="plan_export")
    manifest = models.JSONField(null=True, help_text="of the archive, without the list of operators")
    sha256 = models.CharField(max_length=64, blank=True, help_text="of the archive")
    size_bytes = models.PositiveBigIntegerField(null=True)

    class Meta:
        ordering = ("-created_at", "id")
        indexes = (models.Index(fields=("search", "plan_hash", "-created_at"), name="export_of_plan"),)

    def __str__(self) -> str:
        return f"{self.format} of plan {self.plan_number}"

    @property
    def state(self) -> str:
        """The job's; ``done`` where the archive is there and the job's row is gone, ``failed`` where neither is."""
        if self.job is not None:
            return self.job.state
        return JobState.DONE.value if self.sha256 else JobState.FAILED.value


class PlanTrial(models.Model):
    """One trial run of a plan's segments on a host. ``result`` is null until it has been made."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    search = models.ForeignKey("searches.Search", on_delete=models.CASCADE, related_name="trials")
    plan_hash = models.CharField(max_length=64)
    plan_number = models.PositiveIntegerField(help_text="when it was asked for")
    host = models.ForeignKey("hosts.Host", null=True, on_delete=models.SET_NULL, related_name="+")
    host_name = models.CharField(max_length=60)
    places = models.JSONField(help_text="by device of the pool: id and name of the host's device, option of the format")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    job = models.OneToOneField("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="plan_trial")
    result = models.JSONField(null=True, help_text="TrialReport.to_dict() of the engine")

    class Meta:
        ordering = ("-created_at", "id")
        indexes = (models.Index(fields=("search", "plan_hash", "-created_at"), name="trial_of_plan"),)

    def __str__(self) -> str:
        return f"trial of plan {self.plan_number} on {self.host_name}"

    @property
    def state(self) -> str:
        """The job's; ``done`` where there is a result and the job's row is gone, ``failed`` where neither is."""
        if self.job is not None:
            return self.job.state
        return JobState.FAILED.value if self.result is None else JobState.DONE.value
