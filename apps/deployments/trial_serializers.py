"""What the resource of trial runs takes and gives."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.deployments.models import PlanTrial
from apps.deployments.trial_feedback import taken_back
from apps.deployments.trials import staleness
from apps.hosts.run_serializers import RunProgressSerializer
from apps.hosts.serializers import ReasonSerializer
from apps.jobs.models import JobState
from apps.modelhub.schema import PersonSerializer


class TrialStartSerializer(serializers.Serializer[Any]):
    """Where the plan runs: ONNX Runtime's CPU of a host, but for the devices that are named."""

    host = serializers.UUIDField(
        required=False, allow_null=True, default=None, help_text="by default one that is there"
    )
    devices = serializers.DictField(
        child=serializers.UUIDField(), required=False, default=dict, help_text="device of a host by that of the pool"
    )


class TrialPlaceSerializer(serializers.Serializer[Any]):
    """What stood for a device of the pool."""

    name = serializers.CharField(help_text="of the pool's device")
    runtime = serializers.CharField()
    device = serializers.CharField(help_text="of the host")
    fingerprint = serializers.CharField(allow_blank=True, help_text="of the runtime when it ran; empty until then")


class TrialStaleSerializer(serializers.Serializer[Any]):
    """What has changed since: ``fingerprint_changed`` with the runtime, the fingerprint before and that of now."""

    code = serializers.CharField()
    params = serializers.DictField(child=serializers.CharField())


class TrialSegmentSerializer(serializers.Serializer[Any]):
    """A segment; starts are after the start of the item, measured times medians of items that ran alone."""

    index = serializers.IntegerField()
    device = serializers.CharField()
    operators = serializers.IntegerField()
    predicted_ms = serializers.FloatField()
    measured_ms = serializers.FloatField()
    memory_bytes = serializers.IntegerField(help_text="what loading and running it once added, weights included")
    predicted_start_ms = serializers.FloatField()
    predicted_finish_ms = serializers.FloatField()
    measured_start_ms = serializers.FloatField()


class TrialOutputSerializer(serializers.Serializer[Any]):
    """An output of the model beside that of the model in one piece, on the same inputs."""

    name = serializers.CharField()
    distance = serializers.FloatField(
        allow_null=True, help_text="largest difference over the largest magnitude; null where it is wrong altogether"
    )
    tolerance = serializers.FloatField()
    constant = serializers.BooleanField(help_text="all its elements are equal, so that it proves nothing")
    within = serializers.BooleanField()


class TrialResultSerializer(serializers.Serializer[Any]):
    """Measured beside predicted. ``whole_ms``: the model in one piece on ONNX Runtime's CPU."""

    items = serializers.IntegerField()
    latency_ms = serializers.FloatField()
    predicted_latency_ms = serializers.FloatField()
    throughput_per_s = serializers.FloatField()
    predicted_throughput_per_s = serializers.FloatField()
    whole_ms = serializers.FloatField()
    same_results = serializers.BooleanField()
    random_weights = serializers.IntegerField(
        default=0, help_text="how many weights of the file were all alike, and random in the run"
    )
    segments = TrialSegmentSerializer(many=True)
    outputs = TrialOutputSerializer(many=True)
    device_memory_bytes = serializers.DictField(child=serializers.IntegerField())


class PlanTrialSerializer(serializers.ModelSerializer[PlanTrial]):
    """A trial run, and what it found once it is done."""

    state = serializers.ChoiceField(choices=JobState.choices, read_only=True)
    created_by = PersonSerializer(read_only=True, allow_null=True)
    host = serializers.CharField(source="host_name", read_only=True)
    places = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()
    error = serializers.SerializerMethodField()
    stale = serializers.SerializerMethodField()
    profiles = serializers.SerializerMethodField(help_text="that its figures were taken back into")
    result = TrialResultSerializer(read_only=True, allow_null=True)

    class Meta:
        model = PlanTrial
        fields = ("id", "plan_hash", "plan_number", "created_at", "created_by", "state", "host", "places", "progress",
                  "error", "stale", "profiles", "result")  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(TrialPlaceSerializer(many=True))
    def get_places(self, trial: PlanTrial) -> list[dict[str, str]]:
        """Devices of the pool, and what stood for them."""
        return [
            {
                "name": name, "runtime": place["runtime"], "device": place["device"],
                "fingerprint": place.get("fingerprint", ""),
            }
            for name, place in trial.places.items()
        ]  # fmt: skip

    @extend_schema_field(RunProgressSerializer(allow_null=True))
    def get_progress(self, trial: PlanTrial) -> dict[str, Any] | None:
        """Of its job."""
        return (trial.job.progress or None) if trial.job is not None else None

    @extend_schema_field(ReasonSerializer(allow_null=True))
    def get_error(self, trial: PlanTrial) -> dict[str, Any] | None:
        """Why it failed."""
        return None if trial.job is None else trial.job.error

    @extend_schema_field(TrialStaleSerializer(many=True))
    def get_stale(self, trial: PlanTrial) -> list[dict[str, Any]]:
        """Why the figures may no longer hold; empty while nothing has changed."""
        return staleness(trial)

    @extend_schema_field(serializers.ListField(child=serializers.UUIDField()))
    def get_profiles(self, trial: PlanTrial) -> list[str]:
        """Ids, by device of the pool; empty where nobody took them back, or they were removed."""
        return [] if trial.result is None else [str(pk) for pk in taken_back(trial).values_list("pk", flat=True)]
