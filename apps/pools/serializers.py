"""What the pool resource takes and gives."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.modelhub.schema import NamesField, NumbersField, ParamsField, PersonSerializer, RemarkSerializer
from heteroopt.devices.domains import SLOWDOWN_SOURCES
from heteroopt.devices.pool import IDLE_ENERGY
from heteroopt.devices.spec import DEVICE_TYPES


class PoolDeviceSerializer(serializers.Serializer[Any]):
    """How a device of a pool is named and marked: tag = type letter and index, slot = colour, 1 to 12."""

    name = serializers.CharField()
    tag = serializers.CharField()
    slot = serializers.IntegerField()
    display_name = serializers.CharField()
    device_type = serializers.ChoiceField(choices=[(t, t) for t in DEVICE_TYPES])


@extend_schema_field({"oneOf": [{"type": "string", "enum": ["all"]}, {"type": "array", "items": {"type": "string"}}]})
class OperatorTypesField(serializers.JSONField):
    """``"all"`` or a list of ONNX operator types."""


class DeviceSpecSerializer(serializers.Serializer[Any]):
    """A device: a template with changes, or a full description."""

    name = serializers.CharField(max_length=100)
    template = serializers.CharField(required=False, allow_null=True, allow_blank=True, max_length=100)
    display_name = serializers.CharField(required=False, max_length=200, allow_blank=True)
    vendor = serializers.CharField(required=False, max_length=100, allow_blank=True)
    device_type = serializers.ChoiceField(choices=[(t, t) for t in DEVICE_TYPES], required=False)
    peak_gflop_per_s = NumbersField(required=False, help_text="per precision")
    memory_size_bytes = serializers.IntegerField(required=False)
    memory_bandwidth_gb_per_s = serializers.FloatField(required=False)
    energy_pj_per_flop = NumbersField(required=False, help_text="per precision")
    energy_pj_per_byte = serializers.FloatField(required=False)
    idle_power_w = serializers.FloatField(required=False)
    active_power_w = serializers.FloatField(required=False)
    launch_overhead_us = serializers.FloatField(required=False)
    segment_launch_us = serializers.FloatField(required=False, help_text="to start one segment; 0: as calibrated")
    efficiency = NumbersField(required=False, help_text="fraction of the peak, per operator class")
    bandwidth_efficiency = NumbersField(required=False, help_text="fraction of the bandwidth, per operator class")
    supported_ops = OperatorTypesField(required=False)
    unsupported_ops = serializers.ListField(child=serializers.CharField(max_length=200), required=False)
    memory_cap_bytes = serializers.IntegerField(required=False, allow_null=True)
    workspace_bytes = serializers.IntegerField(required=False)
    cost_per_hour = serializers.FloatField(required=False, allow_null=True)
    memory_domain = serializers.CharField(required=False, allow_null=True, max_length=100)
    sources = NamesField(required=False, help_text="where each figure comes from")


class LinkSpecSerializer(serializers.Serializer[Any]):
    """A link between two devices; both directions unless ``directed``."""

    source = serializers.CharField(max_length=100)  # type: ignore[assignment]
    target = serializers.CharField(max_length=100)
    bandwidth_gb_per_s = serializers.FloatField(required=False, help_text="default by link class, one direction")
    latency_us = serializers.FloatField(required=False)
    energy_pj_per_byte = serializers.FloatField(required=False)
    link_class = serializers.CharField(required=False, max_length=50)
    channel = serializers.CharField(required=False, allow_null=True, max_length=100)
    directed = serializers.BooleanField(required=False)


class MemoryDomainSerializer(serializers.Serializer[Any]):
    """How much devices that share a memory slow each other."""

    slowdown = serializers.FloatField(required=False, help_text="of two memory-bound operators at once, 1 (none) to 16")
    source = serializers.ChoiceField(choices=[(t, t) for t in SLOWDOWN_SOURCES], required=False)  # type: ignore[assignment]


class PoolSpecSerializer(serializers.Serializer[Any]):
    """A pool: devices, links and how it behaves."""

    name = serializers.CharField(max_length=200)
    devices = DeviceSpecSerializer(many=True, allow_empty=True)
    links = LinkSpecSerializer(many=True, required=False)
    default_device = serializers.CharField(required=False, allow_null=True, max_length=100)
    blocking_transfers = serializers.BooleanField(required=False)
    memory_fraction = serializers.FloatField(required=False)
    model_io_on_host = serializers.BooleanField(required=False)
    idle_energy = serializers.ChoiceField(choices=[(t, t) for t in IDLE_ENERGY], required=False)
    memory_domains = serializers.DictField(
        child=MemoryDomainSerializer(), required=False, help_text="by the name that devices give as memory_domain"
    )


@extend_schema_field(PoolSpecSerializer)
class PoolSpecField(serializers.JSONField):
    """Passed through to and from the engine, which does the checking."""


@extend_schema_field(DeviceSpecSerializer)
class DeviceSpecField(serializers.JSONField):
    """A device as the engine writes it."""


@extend_schema_field({"type": "object", "additionalProperties": {"type": "string", "format": "uuid"}})
class CalibrationsField(serializers.DictField):
    """By the name of a device: the calibration that says what operators cost on it."""

    child = serializers.UUIDField()


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": "string", "format": "uuid"}},
    }
)
class ProfilesField(serializers.DictField):
    """By the name of a device: profiles, of a model each, that say what its operators cost there."""

    child = serializers.ListField(child=serializers.UUIDField(), max_length=1000)


class PoolSerializer(serializers.Serializer[Any]):
    """A pool of the team in its current version."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    spec = PoolSpecField(source="version.spec")
    devices = PoolDeviceSerializer(many=True)
    notes = RemarkSerializer(many=True, help_text="what was assumed, such as links by default")
    calibrations = CalibrationsField(source="version.calibrations")
    profiles = ProfilesField(source="version.profiles")
    awaited = CalibrationsField(help_text="calibrations under way that its devices will use")
    host = serializers.UUIDField(source="host_id", allow_null=True, help_text="whose probe it was made from")
    pool_hash = serializers.CharField(source="version.pool_hash")
    version = serializers.IntegerField(source="version.number")
    is_sample = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    created_by = PersonSerializer(allow_null=True)


class PoolWriteSerializer(serializers.Serializer[Any]):
    """A pool to save."""

    spec = PoolSpecField()
    name = serializers.CharField(max_length=200, required=False)
    calibrations = CalibrationsField(required=False, help_text="left out: as in the version before")
    profiles = ProfilesField(required=False, help_text="left out: as in the version before")


class PoolImportSerializer(serializers.Serializer[Any]):
    """A pool as TOML: a file, or its text."""

    file = serializers.FileField(required=False, max_length=255, allow_empty_file=True)
    toml = serializers.CharField(required=False, max_length=1_000_000, trim_whitespace=False, allow_blank=True)


class FieldErrorSerializer(serializers.Serializer[Any]):
    """What is wrong with one field of a pool; ``field`` is a path such as ``devices.0.idle_power_w``."""

    field = serializers.CharField(allow_blank=True)
    code = serializers.CharField()
    message = serializers.CharField()
    params = ParamsField()


class PoolCheckSerializer(serializers.Serializer[Any]):
    """Result of a check; with no errors also the marks and the links that the pool would have."""

    valid = serializers.BooleanField()
    errors = FieldErrorSerializer(many=True)  # type: ignore[assignment]
    spec = PoolSpecField(allow_null=True, help_text="with every default filled in")
    devices = PoolDeviceSerializer(many=True)
    notes = RemarkSerializer(many=True)


class TemplateSerializer(serializers.Serializer[Any]):
    """A device template that ships with the product."""

    name = serializers.CharField()
    display_name = serializers.CharField()
    vendor = serializers.CharField()
    device_type = serializers.ChoiceField(choices=[(t, t) for t in DEVICE_TYPES])
    spec = DeviceSpecField()
    sources = NamesField()
