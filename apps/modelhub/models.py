"""Rows of uploaded models and of the graphs that were read out of them."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models


class ModelKind(models.TextChoices):
    """What kind of file the model came in as."""

    ONNX = "onnx", "ONNX"
    TABLES = "tables", "Plain tables"


class ModelState(models.TextChoices):
    """How far the reading of the file is."""

    PARSING = "parsing", "Parsing"
    NEEDS_DIMS = "needs_dims", "Needs dimensions"
    READY = "ready", "Ready"
    REFUSED = "refused", "Refused"


class ParsedGraph(models.Model):
    """A graph read out of one file with one set of dimensions; never changed, so searches can refer to it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    graph_hash = models.CharField(max_length=64, db_index=True)
    dims = models.JSONField(default=dict)
    given = models.JSONField(default=dict, help_text="what a person said where the file does not")
    summary = models.JSONField()
    data = models.BinaryField(help_text="zlib-compressed JSON of Graph.to_dict(), or of a whole tables document")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.graph_hash[:12]


class Model(models.Model):
    """A model of a team: its file and the graph that searches use."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=8, choices=ModelKind.choices)
    file_name = models.CharField(max_length=255)
    size_bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64, db_index=True, help_text="of the file, or archive, that was uploaded")
    content_hash = models.CharField(
        max_length=64, db_index=True, help_text="of model and data files; of the archive until it is unpacked"
    )
    is_sample = models.BooleanField(default=False)
    state = models.CharField(max_length=12, choices=ModelState.choices, default=ModelState.PARSING)
    error = models.JSONField(null=True, help_text="code, message, hint, params of a refusal")
    dims = models.JSONField(default=dict, help_text="values asked for symbolic dimensions")
    given = models.JSONField(default=dict, help_text="shapes, trips, then_shares and costs that were asked for")
    inspection = models.JSONField(null=True, help_text="what the header says, kept when the graph is refused")
    graph = models.ForeignKey(ParsedGraph, null=True, on_delete=models.SET_NULL, related_name="model_rows")
    job = models.ForeignKey("jobs.Job", null=True, on_delete=models.SET_NULL, related_name="+")
    removed_at = models.DateTimeField(null=True, help_text="hidden from the team, kept for the searches that used it")

    class Meta:
        ordering = ("-created_at", "id")
        indexes = (models.Index(fields=("team", "-created_at"), name="modelhub_team_recent"),)

    def __str__(self) -> str:
        return self.name

    @property
    def bound_dims(self) -> dict[str, int]:
        """Values that the symbolic dimensions have in the graph, or were asked for."""
        dims: dict[str, int] = self.dims if self.graph is None else self.graph.dims
        return dims

    @property
    def stated(self) -> dict[str, Any]:
        """What was given for the graph, or asked for."""
        given: dict[str, Any] = self.given if self.graph is None else self.graph.given
        return given

    @property
    def kept_bindings(self) -> list[Binding]:
        """Readings that are kept under names, oldest first, each with this model."""
        found = list(self.bindings.all())
        for binding in found:
            binding.model = self
        return found

    @property
    def dynamic_dims(self) -> list[dict[str, Any]]:
        """Symbolic dimensions of the file, also when no graph could be made of it."""
        return (self.inspection or {}).get("dynamic_dims", [])  # type: ignore[no-any-return]


class ModelFile(models.Model):
    """A file of a model that consists of several: its external data, or what was in an archive."""

    model = models.ForeignKey(Model, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=255, help_text="location relative to the model file, as that refers to it")
    size_bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64, db_index=True)
    is_main = models.BooleanField(default=False, help_text="the model file itself, unpacked")

    class Meta:
        ordering = ("-is_main", "name")
        constraints = (models.UniqueConstraint(fields=("model", "name"), name="modelhub_one_file_a_name"),)

    def __str__(self) -> str:
        return self.name


class Binding(models.Model):
    """A reading of a model that is kept under a name: its dimensions, what was given, and the graph they make."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    model = models.ForeignKey(Model, on_delete=models.CASCADE, related_name="bindings")
    name = models.CharField(max_length=100)
    graph = models.ForeignKey(ParsedGraph, on_delete=models.PROTECT, related_name="bindings")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("created_at", "id")
        constraints = (models.UniqueConstraint(fields=("model", "name"), name="modelhub_one_binding_a_name"),)

    def __str__(self) -> str:
        return self.name


class Upload(models.Model):
    """A file that arrives in pieces; it becomes a model when it is complete, and is deleted when it is abandoned."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    file_name = models.CharField(max_length=255)
    name = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=8, choices=ModelKind.choices, default=ModelKind.ONNX)
    size_bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64, blank=True, help_text="what the whole file must hash to, if given")
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.file_name
