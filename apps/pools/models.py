"""Rows of device pools; every save is a new, unchangeable version."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models

from apps.pools.marks import device_marks, load_pool
from heteroopt.devices.pool import DevicePool


class Pool(models.Model):
    """A device pool of a team; what it holds is in its current version."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    name = models.CharField(max_length=200)
    sample = models.CharField(max_length=50, blank=True, help_text="name of the sample pool that it was loaded from")
    host = models.ForeignKey(
        "hosts.Host", null=True, on_delete=models.SET_NULL, related_name="+", help_text="whose probe it was made from"
    )
    version = models.ForeignKey("PoolVersion", null=True, on_delete=models.SET_NULL, related_name="+")
    removed_at = models.DateTimeField(null=True, help_text="hidden from the team, kept for the searches that used it")

    class Meta:
        ordering = ("-created_at", "id")
        indexes = (models.Index(fields=("team", "-created_at"), name="pools_team_recent"),)

    def __str__(self) -> str:
        return self.name

    @property
    def is_sample(self) -> bool:
        """Whether it came with the product."""
        return self.sample != ""

    @property
    def device_pool(self) -> DevicePool:
        """The pool of the current version, as the engine knows it."""
        assert self.version is not None
        return load_pool(self.version.spec)

    @property
    def devices(self) -> list[dict[str, Any]]:
        """Names and marks of the devices."""
        return device_marks(self.device_pool)

    @property
    def awaited(self) -> dict[str, uuid.UUID]:
        """Calibrations under way that its devices will use, by the name of a device."""
        return {row.device: row.calibration_id for row in self.awaiting.all()}

    @property
    def notes(self) -> list[dict[str, Any]]:
        """What was assumed about the pool."""
        return list(self.device_pool.notes)


class PoolVersion(models.Model):
    """One saved state of a pool, as ``DevicePool.to_dict()`` writes it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    spec = models.JSONField()
    pool_hash = models.CharField(max_length=64, db_index=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=("pool", "number"), name="pools_version_number"),)

    def __str__(self) -> str:
        return f"{self.pool} version {self.number}"

    @property
    def calibrations(self) -> dict[str, uuid.UUID]:
        """Which calibration says what operators cost, by the name of a device."""
        return {row.device: row.calibration_id for row in self.calibrated.all()}

    @property
    def profiles(self) -> dict[str, list[uuid.UUID]]:
        """Which profiles say what operators of their models cost, by the name of a device."""
        found: dict[str, list[uuid.UUID]] = {}
        for row in self.profiled.all():
            found.setdefault(row.device, []).append(row.profile_id)
        return found


class CalibratedDevice(models.Model):
    """That a device of a version of a pool costs what a calibration measured."""

    version = models.ForeignKey(PoolVersion, on_delete=models.CASCADE, related_name="calibrated")
    device = models.CharField(max_length=100, help_text="its name in the pool")
    calibration = models.ForeignKey("calibrations.Calibration", on_delete=models.RESTRICT, related_name="+")

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("version", "device"), name="pools_one_calibration"),)

    def __str__(self) -> str:
        return f"{self.device} of {self.version_id}"


class ProfiledDevice(models.Model):
    """That one model's operators cost, on a device of a version of a pool, what a run of it there showed."""

    version = models.ForeignKey(PoolVersion, on_delete=models.CASCADE, related_name="profiled")
    device = models.CharField(max_length=100, help_text="its name in the pool")
    profile = models.ForeignKey("calibrations.ModelProfile", on_delete=models.RESTRICT, related_name="+")

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("version", "device", "profile"), name="pools_profile_once"),)

    def __str__(self) -> str:
        return f"{self.device} of {self.version_id}"


class AwaitedCalibration(models.Model):
    """That a device of a pool takes a calibration as soon as that has measured something."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="awaiting")
    device = models.CharField(max_length=100, help_text="its name in the pool")
    calibration = models.ForeignKey("calibrations.Calibration", on_delete=models.CASCADE, related_name="+")

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("pool", "device"), name="pools_one_awaited"),)

    def __str__(self) -> str:
        return f"{self.device} of {self.pool_id}"
