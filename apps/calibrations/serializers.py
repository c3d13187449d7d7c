"""What calibrations take and give."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.calibrations.freshness import changes, freshness
from apps.calibrations.models import Calibration, Source
from apps.calibrations.services import DEFAULT_BUDGET_S, DEFAULT_CASES
from apps.hosts.run_serializers import RunProgressSerializer
from apps.hosts.serializers import AnythingField, FingerprintChangeSerializer, ReasonSerializer
from apps.jobs.models import Job, JobState
from apps.modelhub.schema import PersonSerializer, RemarkSerializer

FRESHNESS = [(s, s) for s in ("fresh", "stale")]
VERDICTS = [(s, s) for s in ("holds", "shifted", "changed")]
MOST_CASES = 5000
MOST_MODELS = 20


class AccuracySerializer(serializers.Serializer[Any]):
    """Of ``n`` predictions: mean relative error, its median, share within 30 %, rank correlation."""

    n = serializers.IntegerField()
    mape = serializers.FloatField()
    median = serializers.FloatField()
    within_30 = serializers.FloatField()
    spearman = serializers.FloatField()


class RecheckSerializer(serializers.Serializer[Any]):
    """What timing some operators again said: ``factor`` is the median of the new times over the old ones."""

    verdict = serializers.ChoiceField(choices=VERDICTS)
    factor = serializers.FloatField()
    agreeing = serializers.IntegerField()
    n = serializers.IntegerField()
    at = serializers.IntegerField(help_text="seconds since 1970")


class CalibrationSerializer(serializers.Serializer[Any]):
    """A calibration without its rows. ``state`` is of its job; ``freshness`` is null until something was measured."""

    id = serializers.UUIDField()
    source = serializers.ChoiceField(choices=Source.choices)  # type: ignore[assignment]
    device_id = serializers.UUIDField(allow_null=True)
    host = serializers.CharField(source="host_name", allow_blank=True)
    runtime = serializers.CharField(source="runtime_name")
    device = serializers.CharField(source="device_name")
    device_type = serializers.CharField(source="device.device_type", allow_null=True, default=None)
    created_at = serializers.DateTimeField()
    created_by = PersonSerializer(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    measured_at = serializers.DateTimeField(allow_null=True)
    n_rows = serializers.IntegerField()
    bundle_hash = serializers.CharField(allow_blank=True)
    fingerprint = serializers.CharField(allow_blank=True)
    state = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()
    error = serializers.SerializerMethodField()
    freshness = serializers.SerializerMethodField()
    stale_reasons = serializers.SerializerMethodField()
    held_out = serializers.SerializerMethodField()
    flags = serializers.SerializerMethodField()
    flagged = serializers.SerializerMethodField()
    checking = serializers.SerializerMethodField()
    check_error = serializers.SerializerMethodField()
    check_result = RecheckSerializer(allow_null=True)

    @extend_schema_field(serializers.ChoiceField(choices=JobState.choices))
    def get_state(self, row: Calibration) -> str:
        """Of its job; measurements outlive that."""
        if row.job is not None:
            return str(row.job.state)
        return str(JobState.DONE if row.measured_at else JobState.FAILED)

    @extend_schema_field(RunProgressSerializer(allow_null=True))
    def get_progress(self, row: Calibration) -> dict[str, Any] | None:
        """Of its job."""
        return (row.job.progress or None) if row.job is not None else None

    @extend_schema_field(ReasonSerializer(allow_null=True))
    def get_error(self, row: Calibration) -> dict[str, Any] | None:
        """Of its job."""
        return row.job.error if row.job is not None else None

    @extend_schema_field(serializers.ChoiceField(choices=FRESHNESS, allow_null=True))
    def get_freshness(self, row: Calibration) -> str | None:
        """Whether its measurements are still current."""
        return freshness(row).state or None

    @extend_schema_field(RemarkSerializer(many=True))
    def get_stale_reasons(self, row: Calibration) -> list[dict[str, Any]]:
        """Why they are not."""
        return freshness(row).reasons

    @extend_schema_field(AccuracySerializer(allow_null=True))
    def get_held_out(self, row: Calibration) -> dict[str, Any] | None:
        """Error on operators that were not learned from; null where too little was measured to judge."""
        judged = (row.figures or {}).get("held_out")
        return None if judged is None else judged["used"]

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_flags(self, row: Calibration) -> list[str]:
        """Of the device while it was measured: ``throttling``, ``unstable``."""
        return list((row.figures or {}).get("flags", []))

    @extend_schema_field(serializers.IntegerField())
    def get_flagged(self, row: Calibration) -> int:
        """Rows with a flag."""
        return int((row.figures or {}).get("flagged", 0))

    @extend_schema_field(serializers.BooleanField())
    def get_checking(self, row: Calibration) -> bool:
        """Whether a re-check is under way."""
        return row.check_job is not None and not row.check_job.is_final

    @extend_schema_field(ReasonSerializer(allow_null=True))
    def get_check_error(self, row: Calibration) -> dict[str, Any] | None:
        """Why the last re-check failed."""
        job: Job | None = row.check_job
        return job.error if job is not None else None


class CalibrationDetailSerializer(CalibrationSerializer):
    """With its figures, as the engine's ``DeviceCostModel.summary`` gives them, and what changed since."""

    figures = AnythingField(allow_null=True)
    settings = AnythingField()
    changes = serializers.SerializerMethodField()

    @extend_schema_field(FingerprintChangeSerializer(many=True))
    def get_changes(self, row: Calibration) -> list[dict[str, str]]:
        """Between the runtime that measured and the runtime now."""
        return changes(row)


class CalibrationStartSerializer(serializers.Serializer[Any]):
    """Which device of a host, whose operators first, and for how long."""

    device = serializers.UUIDField()
    models = serializers.ListField(child=serializers.UUIDField(), max_length=MOST_MODELS, default=list)
    count = serializers.IntegerField(min_value=1, max_value=MOST_CASES, default=DEFAULT_CASES)
    budget_s = serializers.IntegerField(min_value=5, max_value=3600, default=DEFAULT_BUDGET_S)


class CalibrationUploadSerializer(serializers.Serializer[Any]):
    """A file that the calibrator wrote."""

    file = serializers.FileField(max_length=255, allow_empty_file=True)


class CasesQuerySerializer(serializers.Serializer[Any]):
    """Whose operators come first."""

    model = serializers.ListField(child=serializers.UUIDField(), max_length=MOST_MODELS, default=list)
    count = serializers.IntegerField(min_value=1, max_value=MOST_CASES, default=DEFAULT_CASES)


class CostModelSerializer(serializers.Serializer[Any]):
    """A kind of cost model; ``code`` and ``message`` say why a plugin is unavailable, and are empty of the others."""

    name = serializers.CharField()
    origin = serializers.CharField(allow_blank=True, help_text="distribution and object of a plugin that failed")
    code = serializers.CharField(allow_blank=True)
    message = serializers.CharField(allow_blank=True)
