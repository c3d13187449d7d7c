"""What the training plan resource takes and gives."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.jobs.models import JobState
from apps.modelhub.schema import PersonSerializer, ProblemSerializer
from heteroopt.training.request import MOST_FILE_BYTES, SCHEDULES

SLOT = {"type": "array", "items": {"type": "number"}, "minItems": 5, "maxItems": 5}


GPU_TYPE = {
    "type": "object",
    "properties": {
        "bf16_tflop_per_s": {"type": "number"},
        "memory_gib": {"type": "number"},
        "fast_link_gb_per_s": {"type": "number"},
    },
    "required": ["bf16_tflop_per_s", "memory_gib", "fast_link_gb_per_s"],
}


@extend_schema_field({"type": "object", "additionalProperties": GPU_TYPE, "description": "by name"})
class GpuTypesField(serializers.JSONField):
    """GPU types by name."""


@extend_schema_field({"type": "array", "items": {"type": "object", "additionalProperties": {}}})
class NodesField(serializers.JSONField):
    """Nodes: name, gpu, gpus, count, and the group on each level of the network."""


@extend_schema_field({"type": "object", "additionalProperties": {}})
class TableField(serializers.JSONField):
    """A table of the request, which the engine checks."""


class TrainingRequestSerializer(serializers.Serializer[Any]):
    """Cluster, model and workload, with the keys of the TOML file."""

    name = serializers.CharField(max_length=200, required=False, allow_blank=True)
    gpu = GpuTypesField()
    node = NodesField()
    network = TableField(help_text="network_card_gb_per_s, level, background")
    model = TableField(required=False, help_text="preset, or measures: layers, hidden, feed_forward, heads, ...")
    workload = TableField(
        required=False, help_text=f"sequence, sequences, zero1, schedule ({' or '.join(SCHEDULES)}), degrees, pipelines"
    )


@extend_schema_field(TrainingRequestSerializer)
class RequestField(serializers.JSONField):
    """Passed through to and from the engine, which does the checking."""


class TrainingCreateSerializer(serializers.Serializer[Any]):
    """What to plan: a request, or its TOML text."""

    name = serializers.CharField(max_length=200, required=False)
    request = RequestField(required=False)
    toml = serializers.CharField(max_length=MOST_FILE_BYTES, required=False, trim_whitespace=False)


class TrainingLossSerializer(serializers.Serializer[Any]):
    """What is lost: numbers of GPUs, names of nodes."""

    gpus = serializers.ListField(child=serializers.IntegerField(min_value=0), required=False, max_length=4096)
    nodes = serializers.ListField(child=serializers.CharField(max_length=200), required=False, max_length=4096)


class TrainingStageSerializer(serializers.Serializer[Any]):
    """A stage; seconds are simulated."""

    gpu = serializers.CharField()
    gpus = serializers.ListField(child=serializers.IntegerField())
    layers = serializers.IntegerField()
    micro_batch_s = serializers.FloatField(help_text="one micro-batch forward and backward, simulated")
    busy_share = serializers.FloatField()


@extend_schema_field({"type": "array", "items": SLOT, "nullable": True})
class SlotsField(serializers.JSONField):
    """Stage, micro-batch, 1 forward or 0 backward, start and end in seconds; null where there are too many."""


class TrainingPipelineSerializer(serializers.Serializer[Any]):
    """A pipeline and its simulated step."""

    micro_batches = serializers.IntegerField()
    finish_s = serializers.FloatField(help_text="simulated")
    stages = TrainingStageSerializer(many=True)
    slots = SlotsField(allow_null=True)


class TrainingLinkSerializer(serializers.Serializer[Any]):
    """How long a link is busy, simulated."""

    level = serializers.CharField(help_text="fast_link, network_card, or a level of the network")
    name = serializers.CharField()
    outward = serializers.BooleanField()
    seconds = serializers.FloatField(help_text="simulated")


class TrainingHomogeneousSerializer(serializers.Serializer[Any]):
    """The best plan in which everything is alike."""

    step_s = serializers.FloatField(help_text="simulated")
    pipelines = serializers.IntegerField()
    stages = serializers.IntegerField()
    degree = serializers.IntegerField(help_text="tensor-parallel")


class TrainingMoveSerializer(serializers.Serializer[Any]):
    """What has to move after a loss."""

    lost = serializers.ListField(child=serializers.IntegerField())
    before_step_s = serializers.FloatField(help_text="simulated")
    moved_bytes = serializers.FloatField()
    send_s = serializers.FloatField(help_text="simulated")
    bound_s = serializers.FloatField(help_text="no way to send takes less; simulated")
    point_to_point_s = serializers.FloatField(help_text="of a sender that knows no shared links; simulated")
    links = TrainingLinkSerializer(many=True)


class TrainingResultSerializer(serializers.Serializer[Any]):
    """The plan as it is shown."""

    step_s = serializers.FloatField(help_text="simulated")
    homogeneous = serializers.BooleanField(help_text="the plan is the best homogeneous one")
    pipelines = TrainingPipelineSerializer(many=True)
    links = TrainingLinkSerializer(many=True, help_text="the busiest by activations and their gradients")
    best_homogeneous = TrainingHomogeneousSerializer(allow_null=True)
    moved = TrainingMoveSerializer(allow_null=True, help_text="after a loss only")


class TrainingPlanBriefSerializer(serializers.Serializer[Any]):
    """A training plan in a list."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    created_at = serializers.DateTimeField()
    created_by = PersonSerializer(allow_null=True)
    state = serializers.ChoiceField(choices=JobState.choices)
    model = serializers.CharField(source="request.model.name")
    lost = serializers.ListField(child=serializers.IntegerField(), help_text="GPUs that are gone")
    step_s = serializers.SerializerMethodField(help_text="simulated; null before it is done")

    def get_step_s(self, row: Any) -> float | None:
        """Of the result."""
        return None if row.result is None else float(row.result["step_s"])


class TrainingPlanSerializer(TrainingPlanBriefSerializer):
    """A training plan with its request and result."""

    request = RequestField()
    before = serializers.UUIDField(source="before_id", allow_null=True, help_text="the plan that lost GPUs")
    job = serializers.UUIDField(source="job_id", allow_null=True)
    share = serializers.SerializerMethodField(help_text="of the planning that is done")
    error = serializers.SerializerMethodField()
    result = TrainingResultSerializer(allow_null=True)

    def get_share(self, row: Any) -> float:
        """Of its job."""
        return 0.0 if row.job is None else float(row.job.progress.get("share", 0.0))

    @extend_schema_field(ProblemSerializer(allow_null=True))
    def get_error(self, row: Any) -> Any:
        """Why the job failed."""
        return None if row.job is None else row.job.error
