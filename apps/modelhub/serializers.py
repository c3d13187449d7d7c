"""What the model resource takes and gives."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.modelhub.models import ModelKind, ModelState
from apps.modelhub.schema import CountsField, PersonSerializer, ProblemSerializer, RemarkSerializer

MAX_DIMENSION = 2**31 - 1


@extend_schema_field(
    {
        "type": "array",
        "nullable": True,
        "items": {"oneOf": [{"type": "integer"}, {"type": "string"}], "nullable": True},
    }
)
class ShapeField(serializers.ListField):
    """Sizes of the dimensions."""


class TensorSerializer(serializers.Serializer[Any]):
    """An input or output of the model; an unknown size of a dimension is null, a symbolic one its name."""

    name = serializers.CharField()
    dtype = serializers.CharField()
    shape = ShapeField(allow_null=True)


class SizedTensorSerializer(TensorSerializer):
    """A tensor between operators, and where its size comes from."""

    size_bytes = serializers.IntegerField()
    size_source = serializers.CharField()


class OperatorReferenceSerializer(serializers.Serializer[Any]):
    """An operator at one end of an edge."""

    index = serializers.IntegerField()
    name = serializers.CharField()


class LinkedTensorSerializer(SizedTensorSerializer):
    """A tensor that an operator reads or writes, and the operators at its ends."""

    producer = OperatorReferenceSerializer(allow_null=True, help_text="null for an input of the model")
    n_consumers = serializers.IntegerField()
    consumers = OperatorReferenceSerializer(many=True, help_text="the first 16 of them")
    is_output = serializers.BooleanField(help_text="whether it is an output of the model")


class DynamicDimSerializer(serializers.Serializer[Any]):
    """A symbolic dimension that can be bound."""

    name = serializers.CharField()
    default = serializers.IntegerField()
    used_by = serializers.ListField(child=serializers.CharField())


class EstimatedTensorSerializer(serializers.Serializer[Any]):
    """A tensor whose size had to be estimated, and why."""

    name = serializers.CharField()
    reason = serializers.CharField()


class ModelSummarySerializer(serializers.Serializer[Any]):
    """Figures of the graph that searches use. FLOPs count 2 for each multiply-accumulate."""

    n_operators = serializers.IntegerField()
    n_edges = serializers.IntegerField()
    n_schedulable = serializers.IntegerField(help_text="operators left after the fusion pre-pass")
    op_types = CountsField()
    parameters = serializers.IntegerField()
    weight_bytes = serializers.IntegerField()
    flops = serializers.IntegerField()
    activation_bytes = serializers.IntegerField()
    opset = serializers.IntegerField()
    ir_version = serializers.IntegerField()
    inputs = TensorSerializer(many=True)
    outputs = TensorSerializer(many=True)
    dynamic_dims = DynamicDimSerializer(many=True)
    n_estimated_tensors = serializers.IntegerField()
    estimated_tensors = EstimatedTensorSerializer(many=True, help_text="the first 100 of them")
    notes = RemarkSerializer(many=True)
    graph_hash = serializers.CharField()


class ModelFileSerializer(serializers.Serializer[Any]):
    """A file of a model that consists of several."""

    name = serializers.CharField()
    size_bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    is_main = serializers.BooleanField(help_text="the model file itself, out of an archive")


class ModelSerializer(serializers.Serializer[Any]):
    """A model of the team."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=ModelKind.choices)
    file_name = serializers.CharField()
    size_bytes = serializers.IntegerField()
    sha256 = serializers.CharField(help_text="of the file, or archive, that was uploaded")
    content_hash = serializers.CharField(help_text="of all its files: models with the same one are the same")
    files = ModelFileSerializer(
        source="files.all", many=True, help_text="data files and unpacked files; none of a single file"
    )
    state = serializers.ChoiceField(choices=ModelState.choices)
    error = ProblemSerializer(allow_null=True)
    job = serializers.UUIDField(source="job_id", allow_null=True)
    is_sample = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    created_by = PersonSerializer(allow_null=True)
    dims = CountsField(source="bound_dims", help_text="values that the symbolic dimensions have in this graph")
    dynamic_dims = DynamicDimSerializer(many=True)
    summary = ModelSummarySerializer(source="graph.summary", allow_null=True)


class ModelUploadSerializer(serializers.Serializer[Any]):
    """A file to upload."""

    file = serializers.FileField(max_length=255, allow_empty_file=True)
    name = serializers.CharField(max_length=200, required=False, allow_blank=True)


class ModelRenameSerializer(serializers.Serializer[Any]):
    """What of a model can be changed."""

    name = serializers.CharField(max_length=200)


class BindDimsSerializer(serializers.Serializer[Any]):
    """Values for symbolic dimensions; those left out become their defaults."""

    dims = CountsField(help_text=f"name to size, 1 to {MAX_DIMENSION}")

    def validate_dims(self, value: dict[str, int]) -> dict[str, int]:
        """Refuse sizes that no tensor has."""
        for name, size in value.items():
            if not 1 <= size <= MAX_DIMENSION:
                raise serializers.ValidationError(f"Dimension {name!r} must be 1 to {MAX_DIMENSION}, not {size}.")
        return value


class OperatorSerializer(serializers.Serializer[Any]):
    """One operator of the graph, before fusion."""

    index = serializers.IntegerField()
    name = serializers.CharField()
    op_type = serializers.CharField()
    op_class = serializers.CharField()
    scope = serializers.CharField(allow_blank=True)
    flops = serializers.IntegerField()
    flops_source = serializers.CharField()
    bytes_read = serializers.IntegerField()
    bytes_written = serializers.IntegerField()
    n_initializers = serializers.IntegerField()
    parameters = serializers.IntegerField(help_text="elements of its initializers")
    weight_bytes = serializers.IntegerField()
    precision = serializers.CharField()
    is_view = serializers.BooleanField()
    n_inputs = serializers.IntegerField()
    inputs = LinkedTensorSerializer(many=True, help_text="the first 32 of them, without initializers")
    n_outputs = serializers.IntegerField()
    outputs = LinkedTensorSerializer(many=True, help_text="the first 32 of them")
    predecessors = serializers.ListField(child=serializers.IntegerField())


class OperatorPageSerializer(serializers.Serializer[Any]):
    """A page of operators in topological order."""

    count = serializers.IntegerField()
    results = OperatorSerializer(many=True)


class EdgeSerializer(serializers.Serializer[Any]):
    """One tensor that one operator writes and another reads."""

    index = serializers.IntegerField()
    source = OperatorReferenceSerializer()  # type: ignore[assignment]  # a field of that name, which DRF takes off the class
    target = OperatorReferenceSerializer()
    tensor = SizedTensorSerializer()


class EdgePageSerializer(serializers.Serializer[Any]):
    """A page of edges, in the order of their readers."""

    count = serializers.IntegerField()
    results = EdgeSerializer(many=True)
