"""What the export resource takes and gives."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.deployments.archives import file_name
from apps.deployments.exports import approval_now
from apps.deployments.models import PlanExport
from apps.jobs.models import JobState
from apps.modelhub.schema import PersonSerializer, ProblemSerializer
from apps.reviews.models import STANDINGS
from apps.reviews.queries import approval_of
from apps.reviews.serializers import StaleReasonSerializer
from apps.reviews.standing import Approval
from heteroopt.deployment.approval import NOT_APPROVED


class ExportOptionSerializer(serializers.Serializer[Any]):
    """An option of a format; a name that ends in ``.*`` stands for one a device."""

    name = serializers.CharField()
    meaning = serializers.CharField()
    default = serializers.CharField(allow_blank=True)


class ExportFormatSerializer(serializers.Serializer[Any]):
    """A format, and why this plan cannot be written in it (empty where it can)."""

    key = serializers.CharField()
    engine = serializers.CharField()
    versions = serializers.CharField()
    needs_model = serializers.BooleanField()
    expresses = serializers.ListField(child=serializers.CharField())
    reads_back = serializers.BooleanField(help_text="whether the engine's real placement can be compared with the plan")
    options = ExportOptionSerializer(many=True)
    refusals = ProblemSerializer(many=True)


class UnavailableFormatSerializer(serializers.Serializer[Any]):
    """A plugin that cannot be used, and why."""

    name = serializers.CharField()
    origin = serializers.CharField()
    code = serializers.CharField()
    message = serializers.CharField()


class ExportFormatsSerializer(serializers.Serializer[Any]):
    """The formats of a plan, and how the plan is cut into segments."""

    segments = serializers.IntegerField()
    cut_edges = serializers.IntegerField(help_text="tensors handed to a segment on another device")
    cut_bytes = serializers.IntegerField(help_text="bytes of one item that change their device between segments")
    formats = ExportFormatSerializer(many=True)
    unavailable = UnavailableFormatSerializer(many=True)


@extend_schema_field({"type": "object", "additionalProperties": {"type": "string"}})
class OptionsField(serializers.DictField):
    """Options by name."""

    child = serializers.CharField(max_length=1000, allow_blank=True, trim_whitespace=False)


class ExportCreateSerializer(serializers.Serializer[Any]):
    """What to export."""

    format = serializers.CharField(max_length=40, help_text="key of a format")
    options = OptionsField(required=False, default=dict)

    def validate_options(self, options: dict[str, str]) -> dict[str, str]:
        """At most 300 of them."""
        if len(options) > 300:
            raise serializers.ValidationError("At most 300 options.", code="max_length")
        return options


@extend_schema_field({"type": "object", "additionalProperties": {}, "nullable": True})
class ManifestField(serializers.JSONField):
    """The archive's ``manifest.json`` without segments and operators: hashes, coverage, notes, files, approval."""


class ApprovalNowSerializer(serializers.Serializer[Any]):
    """What has become of the approval that an archive bears."""

    holds = serializers.BooleanField(
        help_text="whether that very approval stands, with nothing changed beneath the plan"
    )
    state = serializers.ChoiceField(choices=[(one, one) for one in STANDINGS], help_text="of the plan's review now")
    by = serializers.ListField(child=serializers.CharField(), help_text="who approves the plan now")
    at = serializers.DateTimeField(allow_null=True)
    reasons = StaleReasonSerializer(many=True, help_text="what changed beneath the plan since it was approved")


class PlanExportSerializer(serializers.ModelSerializer[PlanExport]):
    """An export, and what its archive holds once it is written."""

    state = serializers.ChoiceField(choices=JobState.choices, read_only=True)
    created_by = PersonSerializer(read_only=True, allow_null=True)
    job = serializers.UUIDField(source="job_id", read_only=True, allow_null=True)
    error = serializers.SerializerMethodField()
    options = OptionsField(read_only=True)
    manifest = ManifestField(read_only=True)
    file_name = serializers.SerializerMethodField()
    approval_now = serializers.SerializerMethodField()

    class Meta:
        model = PlanExport
        fields = ("id", "format", "options", "plan_hash", "plan_number", "created_at", "created_by", "state", "job",
                  "error", "manifest", "sha256", "size_bytes", "file_name", "approval_now")  # fmt: skip
        read_only_fields = fields

    @cached_property
    def _approvals(self) -> dict[tuple[Any, str], Approval | None]:
        """What reviews say now, by search and plan; a list is of one plan."""
        return {}

    @extend_schema_field(ProblemSerializer(allow_null=True))
    def get_error(self, export: PlanExport) -> dict[str, Any] | None:
        """Why it failed."""
        return None if export.job is None else export.job.error

    def get_file_name(self, export: PlanExport) -> str:
        """What the download is called."""
        return file_name(export)

    @extend_schema_field(ApprovalNowSerializer(allow_null=True))
    def get_approval_now(self, export: PlanExport) -> dict[str, Any] | None:
        """What has become of the approval in the manifest; null where there is none. Asked once for each plan."""
        if export.manifest is None or export.manifest.get("approval") == NOT_APPROVED:
            return None
        plan = (export.search_id, export.plan_hash)
        if plan not in self._approvals:
            self._approvals[plan] = approval_of(export.search, export.plan_hash)
        return approval_now(export, self._approvals[plan])


class ExportLinkSerializer(serializers.Serializer[Any]):
    """An address that whoever has it can download from, for a short time."""

    url = serializers.CharField()
    expires_at = serializers.DateTimeField()
