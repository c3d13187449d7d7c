"""What profiles of models take and give."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.calibrations.models import ModelProfile
from apps.hosts.run_serializers import RunProgressSerializer
from apps.hosts.serializers import ReasonSerializer
from apps.jobs.models import JobState
from apps.modelhub.schema import PersonSerializer
from heteroopt.costs.profile import KINDS


class LongestOperatorSerializer(serializers.Serializer[Any]):
    """An operator of the model by its position and the tensor that it makes."""

    index = serializers.IntegerField()
    output = serializers.CharField(allow_blank=True)
    time_ms = serializers.FloatField()


class ProfileOriginSerializer(serializers.Serializer[Any]):
    """The trial run that a profile was taken from; all empty for a run with the profiler."""

    trial = serializers.UUIDField(allow_null=True, default=None)
    plan_number = serializers.IntegerField(allow_null=True, default=None)
    plan = serializers.CharField(allow_blank=True, default="", help_text="its hash")
    device = serializers.CharField(allow_blank=True, default="", help_text="of the pool")
    runs = serializers.IntegerField(allow_null=True, default=None)


class ProfileFiguresSerializer(serializers.Serializer[Any]):
    """``total_ms``: of the model without the profiler, or of a trial run's segments. ``spread``: half the width of each
    operator's interval.
    """

    kind = serializers.ChoiceField(choices=KINDS, default="profile")
    origin = ProfileOriginSerializer(default=dict)

    total_ms = serializers.FloatField()
    minimum_ms = serializers.FloatField()
    scale = serializers.FloatField(
        help_text="what the profiler's figures, or those predicted, were multiplied with to add up to the total"
    )
    matched = serializers.FloatField(help_text="share of the profiled time that was found in the model")
    spread = serializers.FloatField()
    n_operators = serializers.IntegerField()
    operators_profiled = serializers.IntegerField()
    longest = LongestOperatorSerializer(many=True)


class ModelProfileSerializer(serializers.Serializer[Any]):
    """A profile without its operators. ``stale``: the runtime has another fingerprint now."""

    id = serializers.UUIDField()
    model = serializers.UUIDField(source="model_id")
    model_name = serializers.CharField(source="model.name")
    current = serializers.SerializerMethodField(help_text="it is of the reading that the model shows now")
    device_id = serializers.UUIDField(allow_null=True)
    host = serializers.CharField(source="host_name", allow_blank=True)
    runtime = serializers.CharField(source="runtime_name")
    device = serializers.CharField(source="device_name")
    created_at = serializers.DateTimeField()
    created_by = PersonSerializer(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    measured_at = serializers.DateTimeField(allow_null=True)
    profile_hash = serializers.CharField(allow_blank=True)
    fingerprint = serializers.CharField(allow_blank=True)
    state = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()
    error = serializers.SerializerMethodField()
    stale = serializers.SerializerMethodField()
    figures = ProfileFiguresSerializer(allow_null=True)

    @extend_schema_field(serializers.BooleanField())
    def get_current(self, row: ModelProfile) -> bool:
        """Whether searches of the model as it is read now can use it."""
        return row.graph_id == row.model.graph_id

    @extend_schema_field(serializers.ChoiceField(choices=JobState.choices))
    def get_state(self, row: ModelProfile) -> str:
        """Of its job; a result outlives that."""
        if row.job is not None:
            return str(row.job.state)
        return str(JobState.DONE if row.measured_at else JobState.FAILED)

    @extend_schema_field(RunProgressSerializer(allow_null=True))
    def get_progress(self, row: ModelProfile) -> dict[str, Any] | None:
        """Of its job."""
        return (row.job.progress or None) if row.job is not None else None

    @extend_schema_field(ReasonSerializer(allow_null=True))
    def get_error(self, row: ModelProfile) -> dict[str, Any] | None:
        """Of its job."""
        return row.job.error if row.job is not None else None

    @extend_schema_field(serializers.BooleanField())
    def get_stale(self, row: ModelProfile) -> bool:
        """Whether it was made with another fingerprint."""
        now = "" if row.device is None else row.device.runtime.fingerprint_id or ""
        return bool(row.fingerprint and now and now != row.fingerprint)


class ProfileStartSerializer(serializers.Serializer[Any]):
    """Which device of a host runs the model."""

    device = serializers.UUIDField()
