"""What the host resources give."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.hosts.models import STATES, Host, HostDevice, HostRuntime
from apps.hosts.queries import is_alive
from apps.hosts.reporting import fingerprint_value

CHANGE_KINDS = [("version", "version"), ("object", "object")]


@extend_schema_field({"type": "object", "additionalProperties": {}})
class AnythingField(serializers.JSONField):
    """An object whose form the engine defines."""


@extend_schema_field({"type": "object", "additionalProperties": {"type": "string"}})
class WordsField(serializers.DictField):
    """Names to words."""

    child = serializers.CharField(trim_whitespace=False, allow_blank=True)


@extend_schema_field({"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}})
class CountsField(serializers.DictField):
    """Names to whole numbers."""

    child = serializers.IntegerField(min_value=0)


class ReasonSerializer(serializers.Serializer[Any]):
    """Why something cannot be used; the page words it by ``code``."""

    code = serializers.CharField()
    message = serializers.CharField()
    hint = serializers.CharField(allow_blank=True)
    params = AnythingField()


class FingerprintChangeSerializer(serializers.Serializer[Any]):
    """What differs between two fingerprints; ``""`` where it is absent."""

    kind = serializers.ChoiceField(choices=CHANGE_KINDS)
    name = serializers.CharField()
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)


class HostDeviceSerializer(serializers.ModelSerializer[HostDevice]):
    """A device of a runtime."""

    state = serializers.ChoiceField(source="shown_state", choices=STATES)
    reason = ReasonSerializer(allow_null=True)
    precisions = serializers.ListField(child=serializers.CharField())
    capabilities = serializers.ListField(child=serializers.CharField())
    position = AnythingField()
    versions = WordsField()
    cordoned_by = serializers.CharField(source="cordoned_by.name", allow_null=True, default=None)

    class Meta:
        model = HostDevice
        fields = (
            "id", "index", "name", "device_type", "memory_size_bytes", "precisions", "capabilities", "position",
            "versions", "state", "reason", "cordoned", "cordon_note", "cordoned_by", "cordoned_at",
        )  # fmt: skip
        read_only_fields = fields


class HostRuntimeSerializer(serializers.ModelSerializer[HostRuntime]):
    """A runtime of a host with its devices; ``changes``: what its last change of fingerprint changed."""

    state = serializers.ChoiceField(choices=STATES)
    reason = ReasonSerializer(allow_null=True)
    versions = WordsField()
    fingerprint = serializers.CharField(source="fingerprint_id", allow_null=True)
    previous_fingerprint = serializers.CharField(source="previous_fingerprint_id", allow_null=True)
    changes = serializers.SerializerMethodField()
    devices = HostDeviceSerializer(many=True)

    class Meta:
        model = HostRuntime
        fields = (
            "id", "name", "state", "reason", "state_since", "versions", "verified", "starts", "probed_at",
            "fingerprint", "previous_fingerprint", "fingerprint_changed_at", "changes", "devices",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(FingerprintChangeSerializer(many=True))
    def get_changes(self, runtime: HostRuntime) -> list[dict[str, str]]:
        """From the fingerprint before to the one now."""
        if runtime.previous_fingerprint is None or runtime.fingerprint is None:
            return []
        return fingerprint_value(runtime.previous_fingerprint).changes_to(fingerprint_value(runtime.fingerprint))


class HostSerializer(serializers.ModelSerializer[Host]):
    """A host; its devices get work only while it is alive."""

    alive = serializers.SerializerMethodField()
    versions = WordsField()
    topology = AnythingField(allow_null=True)
    runtimes = HostRuntimeSerializer(many=True)

    class Meta:
        model = Host
        fields = (
            "id", "name", "queue", "alive", "first_seen_at", "seen_at", "started_at", "cores", "memory_size_bytes",
            "versions", "topology", "runtimes",
        )  # fmt: skip
        read_only_fields = fields

    def get_alive(self, host: Host) -> bool:
        """Whether it was heard within one lease time."""
        return is_alive(host)


class HostsSerializer(serializers.Serializer[Any]):
    """All hosts, and how another one joins."""

    hosts = HostSerializer(many=True)
    shared = serializers.BooleanField(help_text="whether other machines can join: PostgreSQL and Redis are used")
    kept_here = serializers.BooleanField(help_text="whether this server starts the process that keeps its devices")


class CordonSerializer(serializers.Serializer[Any]):
    """Whether work is kept away from a device, and why."""

    cordoned = serializers.BooleanField()
    note = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")


class FingerprintSerializer(serializers.Serializer[Any]):
    """A fingerprint: shared objects by file name with build-id or hash, and versions by package."""

    digest = serializers.CharField()
    objects = WordsField(source="objects_mapped")
    versions = WordsField()
    first_seen_at = serializers.DateTimeField()
