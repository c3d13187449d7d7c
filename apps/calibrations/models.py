"""Rows of calibrations. The measurements stand in the row: a host's disk is not that of the web server."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models


class Source(models.TextChoices):
    """Where it was measured."""

    HOST = "host", "On a host here"
    UPLOAD = "upload", "Elsewhere, and uploaded"


class Calibration(models.Model):
    """Measurements of one device, for one team. ``bundle`` is null until something was measured."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    source = models.CharField(max_length=6, choices=Source.choices)
    device = models.ForeignKey("hosts.HostDevice", null=True, on_delete=models.SET_NULL, related_name="+")
    host_name = models.CharField(max_length=300, blank=True)
    runtime_name = models.CharField(max_length=300)
    device_name = models.CharField(max_length=300)
    settings = models.JSONField(default=dict, help_text="models, count, seed, budget_s")
    job = models.ForeignKey("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="+")

    bundle = models.BinaryField(null=True, help_text="the calibrator's file, compressed")
    bundle_hash = models.CharField(max_length=64, blank=True)
    fingerprint = models.CharField(max_length=300, blank=True, help_text="of the runtime that measured")
    measured_at = models.DateTimeField(null=True)
    n_rows = models.PositiveIntegerField(default=0)
    figures = models.JSONField(null=True, help_text="errors on held-out operators, flags, refusals; parity")
    check_job = models.ForeignKey("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="+")
    check_result = models.JSONField(null=True, help_text="verdict, factor, agreeing, rows, fingerprint, at")
    removed_at = models.DateTimeField(null=True, help_text="hidden from the team, kept for the pools that used it")

    class Meta:
        ordering = ("-created_at", "id")
        indexes = (models.Index(fields=("team", "-created_at"), name="calibrations_team_recent"),)

    def __str__(self) -> str:
        return f"calibration of {self.device_name} through {self.runtime_name}"


class ModelProfile(models.Model):
    """A run of one model on one device with its runtime's profiler. ``body`` is null until it has been made."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    model = models.ForeignKey("modelhub.Model", on_delete=models.CASCADE, related_name="profiles")
    graph = models.ForeignKey(
        "modelhub.ParsedGraph",
        on_delete=models.PROTECT,
        related_name="profiles",
        help_text="the reading that was profiled",
    )
    device = models.ForeignKey("hosts.HostDevice", null=True, on_delete=models.SET_NULL, related_name="+")
    host_name = models.CharField(max_length=300, blank=True)
    runtime_name = models.CharField(max_length=300)
    device_name = models.CharField(max_length=300)
    job = models.ForeignKey("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="+")

    body = models.BinaryField(null=True, help_text="the engine's profile, compressed")
    profile_hash = models.CharField(max_length=64, blank=True)
    fingerprint = models.CharField(max_length=300, blank=True, help_text="of the runtime that ran it")
    measured_at = models.DateTimeField(null=True)
    figures = models.JSONField(null=True, help_text="total, scale, share that was found, interval, longest operators")
    removed_at = models.DateTimeField(null=True, help_text="hidden from the team, kept for the pools that used it")

    class Meta:
        ordering = ("-created_at", "id")
        indexes = (models.Index(fields=("team", "-created_at"), name="profiles_team_recent"),)

    def __str__(self) -> str:
        return f"profile of {self.model_id} on {self.device_name}"
