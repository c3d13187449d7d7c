"""Rows of hosts, runtimes and devices. They belong to the installation, so every team sees the same ones."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from heteroopt.runtimes.description import DeviceState

STATES = [(str(state), str(state)) for state in DeviceState]


class Host(models.Model):
    """A machine whose devices one process keeps; ``owner`` is that process, as heartbeats name it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=60, unique=True)
    queue = models.CharField(max_length=80)
    owner = models.CharField(max_length=120, blank=True)
    first_seen_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    cores = models.PositiveIntegerField(default=0)
    memory_size_bytes = models.PositiveBigIntegerField(default=0)
    versions = models.JSONField(default=dict)
    topology = models.JSONField(null=True, help_text="Topology.to_dict() of the last start")

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Fingerprint(models.Model):
    """What exactly computed: shared objects and versions, kept once however often it is referred to."""

    digest = models.CharField(max_length=16, primary_key=True)
    objects_mapped = models.JSONField(help_text="build-id or hash by file name")
    versions = models.JSONField()
    first_seen_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.digest


class HostRuntime(models.Model):
    """A runtime of a host, as its process was last known."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    host = models.ForeignKey(Host, on_delete=models.CASCADE, related_name="runtimes")
    name = models.CharField(max_length=60)
    state = models.CharField(max_length=10, choices=STATES, default=str(DeviceState.ABSENT))
    reason = models.JSONField(null=True, help_text="code, message, hint, params")
    versions = models.JSONField(default=dict)
    verified = models.BooleanField(default=True, help_text="whether its plugin has ever run on such hardware")
    starts = models.PositiveIntegerField(default=0, help_text="of its process, since the host's process started")
    probed_at = models.DateTimeField(null=True)
    state_since = models.DateTimeField(null=True)
    fingerprint = models.ForeignKey(Fingerprint, null=True, on_delete=models.PROTECT, related_name="+")
    previous_fingerprint = models.ForeignKey(Fingerprint, null=True, on_delete=models.PROTECT, related_name="+")
    fingerprint_changed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("host", "name"), name="hosts_one_runtime_a_name"),)

    def __str__(self) -> str:
        return f"{self.name} on {self.host_id}"


class HostDevice(models.Model):
    """A device of a runtime. ``state`` is what its runtime says; a person's ``cordoned`` stands beside it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    runtime = models.ForeignKey(HostRuntime, on_delete=models.CASCADE, related_name="devices")
    index = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    device_type = models.CharField(max_length=20)
    memory_size_bytes = models.PositiveBigIntegerField(default=0)
    precisions = models.JSONField(default=list)
    capabilities = models.JSONField(default=list)
    position = models.JSONField(default=dict)
    versions = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=STATES)
    reason = models.JSONField(null=True)
    cordoned = models.BooleanField(default=False)
    cordon_note = models.CharField(max_length=200, blank=True)
    cordoned_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    cordoned_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("index",)
        constraints = (models.UniqueConstraint(fields=("runtime", "index"), name="hosts_one_device_an_index"),)

    def __str__(self) -> str:
        return self.name

    @property
    def shown_state(self) -> str:
        """Its state as the page shows it: a cordon covers only what would get work otherwise."""
        healthy = self.state == DeviceState.HEALTHY
        return str(DeviceState.CORDONED) if self.cordoned and healthy else self.state


class DeviceUse(models.Model):
    """That a job ran on a device, and with which fingerprint."""

    job = models.ForeignKey("jobs.Job", on_delete=models.CASCADE, related_name="device_uses")
    device = models.ForeignKey(HostDevice, null=True, on_delete=models.SET_NULL, related_name="uses")
    host_name = models.CharField(max_length=60)
    runtime_name = models.CharField(max_length=60)
    device_name = models.CharField(max_length=200)
    fingerprint = models.ForeignKey(Fingerprint, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = (models.Index(fields=("device", "-at"), name="hosts_use_device_at"),)

    def __str__(self) -> str:
        return f"{self.device_name} with {self.fingerprint_id}"


class Trigger(models.TextChoices):
    """Why something was run."""

    PERSON = "person", "A person asked for it"
    FINGERPRINT = "fingerprint", "The fingerprint of a runtime changed"


class OperatorMap(models.Model):
    """What one device's runtime does with every ONNX operator, as the standard's own node tests showed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    runtime = models.ForeignKey(HostRuntime, on_delete=models.CASCADE, related_name="operator_maps")
    device = models.ForeignKey(HostDevice, null=True, on_delete=models.SET_NULL, related_name="+")
    fingerprint = models.ForeignKey(Fingerprint, null=True, on_delete=models.PROTECT, related_name="+")
    job = models.ForeignKey("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="+")
    trigger = models.CharField(max_length=12, choices=Trigger.choices, default=Trigger.PERSON)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    counts = models.JSONField(default=dict, help_text="operators by status")
    body = models.JSONField(null=True, help_text="OperatorMap.to_json() of the engine")

    class Meta:
        ordering = ("-created_at", "id")
        indexes = (models.Index(fields=("runtime", "-created_at"), name="hosts_map_recent"),)

    def __str__(self) -> str:
        return f"operators of {self.runtime_id}"

    @property
    def device_name(self) -> str:
        """The device's name, ``""`` if it is gone."""
        return self.device.name if self.device is not None else ""


class PrecisionKind(models.TextChoices):
    """What was compared."""

    OPERATORS = "operators", "Operators, one by one"
    MODEL = "model", "A whole model, layer by layer"
    LOSS = "loss", "The loss of a small training, step by step"


class PrecisionRun(models.Model):
    """The same inputs on two devices, compared. ``team``: whose model it is; null for operators and loss, which
    are nobody's."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=10, choices=PrecisionKind.choices)
    team = models.ForeignKey("accounts.Team", null=True, on_delete=models.CASCADE, related_name="+")
    object_id = models.UUIDField(null=True, db_index=True, help_text="the model")
    title = models.CharField(max_length=200, blank=True, help_text="the model's name then")
    left = models.ForeignKey(HostDevice, null=True, on_delete=models.SET_NULL, related_name="+")
    right = models.ForeignKey(HostDevice, null=True, on_delete=models.SET_NULL, related_name="+")
    left_name = models.CharField(max_length=300)
    right_name = models.CharField(max_length=300)
    left_precision = models.CharField(max_length=20, default="model", help_text="model, default, or that of a device")
    right_precision = models.CharField(max_length=20, default="model")
    left_fingerprint = models.ForeignKey(Fingerprint, null=True, on_delete=models.PROTECT, related_name="+")
    right_fingerprint = models.ForeignKey(Fingerprint, null=True, on_delete=models.PROTECT, related_name="+")
    seed = models.PositiveIntegerField(default=0)
    job = models.ForeignKey("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="+")
    trigger = models.CharField(max_length=12, choices=Trigger.choices, default=Trigger.PERSON)
    before = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    summary = models.JSONField(default=dict)
    body = models.JSONField(null=True, help_text="PrecisionRun.to_json() or ModelDrift.to_json() of the engine")

    class Meta:
        ordering = ("-created_at", "id")
        constraints = (
            models.CheckConstraint(
                condition=models.Q(kind__in=(PrecisionKind.OPERATORS, PrecisionKind.LOSS), team=None)
                | models.Q(kind=PrecisionKind.MODEL, team__isnull=False, object_id__isnull=False),
                name="hosts_models_have_a_team",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind}: {self.left_name} against {self.right_name}"
