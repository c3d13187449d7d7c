"""Rows of training plans."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from apps.jobs.models import JobState


class TrainingPlanRow(models.Model):
    """One plan of parallel training: the request, and the result once its job is done."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    name = models.CharField(max_length=200)
    request = models.JSONField(help_text="as PlanRequest.to_json() writes it")
    before = models.ForeignKey(
        "self", null=True, on_delete=models.CASCADE, related_name="after", help_text="the plan that lost GPUs"
    )
    lost = models.JSONField(default=list, help_text="numbers of all GPUs of the cluster that are gone")
    job = models.OneToOneField("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="training_plan")
    result = models.JSONField(null=True, help_text="report of the plan, the best homogeneous one, what moves")
    plan = models.JSONField(null=True, help_text="the plan file without the annotations")

    class Meta:
        ordering = ("-created_at", "id")
        indexes = (models.Index(fields=("team", "-created_at"), name="training_team_recent"),)

    def __str__(self) -> str:
        return self.name

    @property
    def state(self) -> str:
        """The job's; ``failed`` where it is gone."""
        return JobState.FAILED.value if self.job is None else self.job.state
