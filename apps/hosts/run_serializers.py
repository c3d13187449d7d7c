"""What operator maps and precision runs give."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.hosts.models import OperatorMap, PrecisionKind, PrecisionRun, Trigger
from apps.hosts.queries import get_device
from apps.hosts.runs import MODEL_PRECISION, Side
from apps.hosts.serializers import AnythingField, CountsField, ReasonSerializer, WordsField
from apps.jobs.models import JobState

OPERATOR_STATUSES = [(s, s) for s in ("native", "composed", "falls_back", "wrong", "unsupported", "not_tested")]

DEVICE_COMPARISONS = [(str(kind), kind.label) for kind in (PrecisionKind.OPERATORS, PrecisionKind.LOSS)]


class RunProgressSerializer(serializers.Serializer[Any]):
    """How far a run is: ``done`` of ``total`` units; null before it has begun."""

    done = serializers.IntegerField()
    total = serializers.IntegerField()
    phase = serializers.CharField()


class RunFieldsSerializer(serializers.Serializer[Any]):
    """What every run says of itself; its state and error are those of its job."""

    id = serializers.UUIDField()
    state = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()
    error = serializers.SerializerMethodField()
    trigger = serializers.ChoiceField(choices=Trigger.choices)
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField(source="created_by.name", allow_null=True, default=None)
    finished_at = serializers.DateTimeField(allow_null=True)

    @extend_schema_field(serializers.ChoiceField(choices=JobState.choices))
    def get_state(self, run: OperatorMap | PrecisionRun) -> str:
        """Of its job; a result outlives that."""
        if run.job is not None:
            return str(run.job.state)
        return str(JobState.DONE if run.finished_at else JobState.FAILED)

    @extend_schema_field(RunProgressSerializer(allow_null=True))
    def get_progress(self, run: OperatorMap | PrecisionRun) -> dict[str, Any] | None:
        """Of its job."""
        return (run.job.progress or None) if run.job is not None else None

    @extend_schema_field(ReasonSerializer(allow_null=True))
    def get_error(self, run: OperatorMap | PrecisionRun) -> dict[str, Any] | None:
        """Of its job."""
        return run.job.error if run.job is not None else None


class OperatorMapSerializer(RunFieldsSerializer):
    """A map without its rows. ``stale``: the runtime's fingerprint is another one now."""

    host = serializers.CharField(source="runtime.host.name")
    runtime = serializers.CharField(source="runtime.name")
    runtime_id = serializers.UUIDField()
    device = serializers.CharField(source="device.name", allow_null=True, default=None)
    device_id = serializers.UUIDField(allow_null=True)
    fingerprint = serializers.CharField(source="fingerprint_id", allow_null=True)
    stale = serializers.SerializerMethodField()
    counts = CountsField(help_text="operators by status; empty before it has ended")

    def get_stale(self, row: OperatorMap) -> bool:
        """Whether it was made with another fingerprint."""
        return row.fingerprint_id is not None and row.fingerprint_id != row.runtime.fingerprint_id


class OperatorReasonSerializer(serializers.Serializer[Any]):
    """Why an operator is not plainly native: a code, what the runtime says, the case that shows it."""

    code = serializers.CharField(allow_blank=True)
    says = serializers.CharField(allow_blank=True)
    case = serializers.CharField(allow_blank=True)


class OperatorSupportSerializer(serializers.Serializer[Any]):
    """One operator; ``passed`` to ``skipped`` count node tests of the standard."""

    op_type = serializers.CharField()
    domain = serializers.CharField(allow_blank=True)
    status = serializers.ChoiceField(choices=OPERATOR_STATUSES)
    since_version = serializers.IntegerField()
    types = serializers.ListField(child=serializers.CharField())
    passed = serializers.IntegerField()
    failed = serializers.IntegerField()
    wrong = serializers.IntegerField()
    skipped = serializers.IntegerField()
    reason = OperatorReasonSerializer()


class OperatorMapDetailSerializer(OperatorMapSerializer):
    """A map with its rows; none before it has ended."""

    onnx_version = serializers.CharField(source="body.onnx_version", default="")
    precision = serializers.CharField(source="body.precision", default="")
    seconds = serializers.FloatField(source="body.seconds", allow_null=True, default=None)
    operators = OperatorSupportSerializer(source="body.operators", many=True, default=list)
    not_supported = WordsField(
        source="body.not_supported",
        allow_null=True,
        default=None,
        help_text="what a pool's device with this map does not run: the reason by operator type",
    )


class MapStartSerializer(serializers.Serializer[Any]):
    """Which device to map."""

    device = serializers.UUIDField()


class PrecisionRunSerializer(RunFieldsSerializer):
    """A comparison without its rows. ``stale``: a runtime of it has another fingerprint now."""

    kind = serializers.ChoiceField(choices=PrecisionKind.choices)
    model = serializers.UUIDField(source="object_id", allow_null=True)
    title = serializers.CharField(allow_blank=True)
    left = serializers.CharField(source="left_name")
    right = serializers.CharField(source="right_name")
    left_precision = serializers.CharField()
    right_precision = serializers.CharField()
    left_id = serializers.UUIDField(allow_null=True)
    right_id = serializers.UUIDField(allow_null=True)
    left_fingerprint = serializers.CharField(source="left_fingerprint_id", allow_null=True)
    right_fingerprint = serializers.CharField(source="right_fingerprint_id", allow_null=True)
    stale = serializers.SerializerMethodField()
    seed = serializers.IntegerField()
    summary = AnythingField()

    def get_stale(self, run: PrecisionRun) -> bool:
        """Whether it was made with other fingerprints."""
        sides = ((run.left, run.left_fingerprint_id), (run.right, run.right_fingerprint_id))
        return any(device and known and device.runtime.fingerprint_id != known for device, known in sides)


class PrecisionRunDetailSerializer(PrecisionRunSerializer):
    """A comparison with its rows, and what the one before it found."""

    body = AnythingField(allow_null=True)
    before = serializers.UUIDField(source="before_id", allow_null=True)


class PrecisionStartSerializer(serializers.Serializer[Any]):
    """Which two devices of one host to compare. Precisions: ``model``, ``default``, or one of the device's."""

    left = serializers.UUIDField()
    right = serializers.UUIDField()
    left_precision = serializers.CharField(max_length=20, default=MODEL_PRECISION)
    right_precision = serializers.CharField(max_length=20, default=MODEL_PRECISION)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)

    def sides(self) -> tuple[Side, Side]:
        """The two sides that were asked for; 404 for a device that is unknown."""
        asked = self.validated_data
        left = Side(get_device(asked["left"]), asked["left_precision"])
        return left, Side(get_device(asked["right"]), asked["right_precision"])


class DeviceComparisonSerializer(PrecisionStartSerializer):
    """What to compare of two devices, if no model: operators one by one, or the loss of a small training."""

    kind = serializers.ChoiceField(choices=DEVICE_COMPARISONS, default=PrecisionKind.OPERATORS)
