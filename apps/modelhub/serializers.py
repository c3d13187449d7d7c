"""What the model resource takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.modelhub.models import Binding, ModelKind, ModelState
from apps.modelhub.schema import CountsField, NumbersField, PersonSerializer, ProblemSerializer, RemarkSerializer

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


@extend_schema_field(
    {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer", "minimum": 0}}}
)
class ShapesField(serializers.DictField):
    """Names to shapes."""

    child = serializers.ListField(child=serializers.IntegerField(min_value=0))


def no_questions() -> dict[str, list[object]]:
    """The questions of a graph that was read before there were any."""
    return {"shapes": [], "trips": [], "branches": [], "operators": []}


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


class KnownFieldsSerializer(serializers.Serializer[Any]):
    """Refuses fields that it does not have: a misspelt answer would silently change nothing."""

    def to_internal_value(self, data: Any) -> Any:
        """As usual; raises ``ValidationError`` naming what is unknown."""
        unknown = sorted(set(map(str, data)) - set(self.fields)) if isinstance(data, Mapping) else []
        if unknown:
            known = ", ".join(self.fields)
            raise serializers.ValidationError(
                {name: [f"There is no such field; there are {known}."] for name in unknown}
            )
        return super().to_internal_value(data)


class OperatorCostSerializer(KnownFieldsSerializer):
    """A cost given for an operator, once per run; what is left out stays as the reader has it. FLOP = 2 x MAC."""

    flops = serializers.IntegerField(min_value=0, required=False)
    flops_per_element = serializers.FloatField(min_value=0, required=False, help_text="of the outputs")
    bytes_read = serializers.IntegerField(min_value=0, required=False)
    bytes_written = serializers.IntegerField(min_value=0, required=False)


class GivenSerializer(KnownFieldsSerializer):
    """What a person says where the file does not."""

    shapes = ShapesField(required=False, help_text="tensor to its sizes")
    trips = CountsField(required=False, help_text="name of a Loop or Scan to how often its body runs")
    then_shares = NumbersField(
        required=False, help_text="name of an If to the share of runs of its then branch, 0 to 1"
    )
    costs = serializers.DictField(
        child=OperatorCostSerializer(),
        required=False,
        help_text="domain::Type, or the name of one operator, to its cost",
    )


class OpenShapeSerializer(serializers.Serializer[Any]):
    """A tensor whose shape the file leaves open; ``shape`` once it was given."""

    tensor = serializers.CharField()
    operator = serializers.CharField(allow_blank=True)
    op_type = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True)
    size_bytes = serializers.IntegerField(help_text="what is counted for it meanwhile")
    shape = ShapeField(allow_null=True)


class OpenTripsSerializer(serializers.Serializer[Any]):
    """A loop whose length the file leaves open."""

    operator = serializers.CharField()
    assumed = serializers.IntegerField(help_text="how often its body counts")
    is_given = serializers.BooleanField()
    is_bound = serializers.BooleanField(help_text="whether that is an upper bound: it may stop early")


class OpenBranchSerializer(serializers.Serializer[Any]):
    """A choice between two branches; without a share the larger one counts."""

    operator = serializers.CharField()
    then_share = serializers.FloatField(allow_null=True)


class OpenOperatorSerializer(serializers.Serializer[Any]):
    """A type of operators that is costed by its bytes alone until a cost is given under ``key``."""

    key = serializers.CharField()
    count = serializers.IntegerField()
    is_given = serializers.BooleanField()
    operators = serializers.ListField(child=serializers.CharField(), help_text="the first 5 of them")


class QuestionsSerializer(serializers.Serializer[Any]):
    """What the reader of the file asks a person; at most 100 of each."""

    shapes = OpenShapeSerializer(many=True)
    trips = OpenTripsSerializer(many=True)
    branches = OpenBranchSerializer(many=True)
    operators = OpenOperatorSerializer(many=True)


class BindingSerializer(serializers.Serializer[Any]):
    """A reading of the model that is kept under a name."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    dims = CountsField(source="graph.dims")
    given = GivenSerializer(source="graph.given")
    graph_hash = serializers.CharField(source="graph.graph_hash")
    n_operators = serializers.IntegerField(source="graph.summary.n_operators")
    flops = serializers.IntegerField(source="graph.summary.flops")
    activation_bytes = serializers.IntegerField(source="graph.summary.activation_bytes")
    is_used = serializers.SerializerMethodField(help_text="whether it is the reading that the model shows")
    created_at = serializers.DateTimeField()

    def get_is_used(self, binding: Binding) -> bool:
        """Whether the model shows the same graph."""
        return binding.graph_id == binding.model.graph_id


class BindingNameSerializer(serializers.Serializer[Any]):
    """A name for a binding; without one it is called after its dimensions."""

    name = serializers.CharField(max_length=100, required=False, allow_blank=True, default="")


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
    questions = QuestionsSerializer(default=no_questions, help_text="what the file leaves open")
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
    given = GivenSerializer(source="stated", help_text="what was given for this graph where the file says nothing")
    bindings = BindingSerializer(many=True, source="kept_bindings", help_text="readings that are kept under names")
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
    given = GivenSerializer(required=False, help_text="replaces what was given before; left out, that stays")
    keep_as = serializers.CharField(
        max_length=100, required=False, allow_blank=True, help_text="keep the reading under this name"
    )

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
    workspace_bytes = serializers.IntegerField(
        help_text="held while it runs beside inputs, weights and outputs, by the bodies of control flow"
    )
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
