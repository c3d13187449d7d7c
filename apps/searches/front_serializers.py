"""What the front and a plan of it look like to the page."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.modelhub.schema import NumbersField, RemarkSerializer
from apps.pools.serializers import PoolDeviceSerializer
from apps.searches.serializers import STATES, ConstraintSerializer

DIRECTIONS = ("min", "max")
NEEDS = ("decode", "pipeline", "arrivals")
NORMALISED = ("reference", "range")
ANNEALING = ("value", "bound", "none")
REFERENCE_KINDS = ("default", "fastest_single", "least_overflow")
RELATIONS = ("does_not_fit", "equal", "dominated", "dominates", "non_dominated")
ORDER_SOURCES = ("given", "critical_path_rank")
ALTERNATIVE_CODES = ("ok", "not_supported", "forbidden", "pinned", "exceeds_memory")


class DescribedSerializer(serializers.Serializer[Any]):
    """A figure of plans: what it is called and which way is better."""

    key = serializers.CharField()
    name = serializers.CharField(help_text="in English")
    unit = serializers.CharField(allow_blank=True, help_text="an SI symbol, bytes, or nothing")
    direction = serializers.ChoiceField(choices=[(d, d) for d in DIRECTIONS])


class RegisteredObjectiveSerializer(DescribedSerializer):
    """An objective that the server knows."""

    needs = serializers.ChoiceField(
        choices=[(n, n) for n in NEEDS],
        help_text="one decode, the simulated pipeline, or arrivals at a rate (which a search must be given)",
    )
    normalise = serializers.ChoiceField(choices=[(n, n) for n in NORMALISED])
    annealing = serializers.ChoiceField(
        choices=[(n, n) for n in ANNEALING],
        help_text="how the polish of the best plans works towards it: by its value, by a bound or an estimate, or not "
        "at all (a plugin's), so that its best plans come from variation and selection alone",
    )


class ObjectiveSerializer(DescribedSerializer):
    """An objective of the search, in the order of the axes, and the value that multiples refer to."""

    reference = serializers.FloatField()
    reference_kind = serializers.ChoiceField(choices=[(k, k) for k in REFERENCE_KINDS])
    constant = serializers.BooleanField()


class MeasureSerializer(DescribedSerializer):
    """A figure that every plan of the front has in ``values`` and ``multiples``."""

    needs = serializers.ChoiceField(choices=[(n, n) for n in NEEDS])
    reference = serializers.FloatField()
    constant = serializers.BooleanField()


class DefaultPlanSerializer(serializers.Serializer[Any]):
    """The plan that normalises the others, usually everything on the default device."""

    exec_time_ms = serializers.FloatField()
    energy_j = serializers.FloatField()
    load_balance = serializers.FloatField()
    feasible = serializers.BooleanField()
    kind = serializers.ChoiceField(choices=[(k, k) for k in REFERENCE_KINDS])
    device = serializers.CharField(allow_null=True, help_text="name of the device; null if it is no single-device plan")
    overflow_bytes = serializers.IntegerField()


class LowerBoundSerializer(serializers.Serializer[Any]):
    """What no plan can be better than; ``proved`` where a proof has raised it."""

    exec_time_ms = serializers.FloatField()
    proved = serializers.BooleanField(required=False)


class PlanDeviceSerializer(serializers.Serializer[Any]):
    """Work of one device in a plan, in the order of the pool; ``share`` is busy time over makespan."""

    operators = serializers.IntegerField()
    busy_ms = serializers.FloatField()
    share = serializers.FloatField()


class KeptSerializer(serializers.Serializer[Any]):
    """Where a plan that was kept by hand comes from."""

    by = serializers.CharField(allow_null=True)
    at = serializers.DateTimeField()
    base = serializers.CharField(allow_null=True, help_text="hash of the plan that it was made from")
    moved = serializers.IntegerField(allow_null=True, help_text="operators on another device than in that plan")


class PlanSummarySerializer(serializers.Serializer[Any]):
    """One plan of the front; ``_x`` are multiples of the reference."""

    number = serializers.IntegerField(help_text="of a plan that joined later it stays, and none is given twice")
    exec_time_ms = serializers.FloatField()
    energy_j = serializers.FloatField()
    load_balance = serializers.FloatField()
    exec_time_x = serializers.FloatField()
    energy_x = serializers.FloatField()
    load_balance_x = serializers.FloatField()
    values = NumbersField(help_text="by the key of each measure, in its unit")
    multiples = NumbersField(help_text="of the reference, by the key of each measure; below 1 is better")
    violations = NumbersField(
        help_text="of measures that some plans cannot have: 0, or the share of the arrival rate that is missing"
    )
    peak_memory_bytes = serializers.IntegerField(help_text="largest peak of any device's memory")
    transferred_bytes = serializers.IntegerField()
    n_transfers = serializers.IntegerField()
    overflow_bytes = serializers.IntegerField()
    feasible = serializers.BooleanField()
    hash = serializers.CharField()
    from_solver = serializers.BooleanField(help_text="found by the solver of a proof, and added to the front")
    devices = PlanDeviceSerializer(many=True)
    kept = KeptSerializer(required=False, help_text="of plans that were kept by hand: no search found them")


class FrontSerializer(serializers.Serializer[Any]):
    """The newest front of a search, sorted by time; plans that were added later stand behind."""

    revision = serializers.IntegerField()
    generation = serializers.IntegerField()
    generations = serializers.IntegerField()
    state = serializers.ChoiceField(choices=[(s, s) for s in STATES])
    hypervolume = serializers.FloatField(allow_null=True)
    evaluations = serializers.IntegerField()
    archive_size = serializers.IntegerField()
    objectives = ObjectiveSerializer(many=True)
    measures = MeasureSerializer(many=True)
    constraints = ConstraintSerializer(many=True)
    default_plan = DefaultPlanSerializer()
    lower_bound = LowerBoundSerializer()
    devices = PoolDeviceSerializer(many=True)
    energy_sources = serializers.ListField(
        child=serializers.CharField(), help_text="of the plans' operators; empty where it is not known"
    )
    knee = serializers.IntegerField(allow_null=True, help_text="number of the knee plan")
    next_number = serializers.IntegerField(help_text="of the next plan that is kept; no number is given twice")
    history = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField(), min_length=3, max_length=3),
        help_text="[generation, hypervolume, number of plans]",
    )
    messages = RemarkSerializer(many=True)
    plans = PlanSummarySerializer(many=True)


class AlternativeSerializer(serializers.Serializer[Any]):
    """What moving one operator to one other device would change; figures are null where it is impossible."""

    device = serializers.IntegerField(help_text="index in the pool")
    code = serializers.ChoiceField(choices=[(c, c) for c in ALTERNATIVE_CODES])
    delta_time_ms = serializers.FloatField(allow_null=True)
    delta_energy_j = serializers.FloatField(allow_null=True)
    energy_source = serializers.CharField(help_text="of the operator's energy on that device")
    delta_load_balance = serializers.FloatField(allow_null=True)
    delta_transferred_bytes = serializers.IntegerField(allow_null=True)
    overflow_bytes = serializers.IntegerField(allow_null=True)
    because = serializers.CharField(
        required=False, allow_blank=True, help_text="of not_supported: what an operator map of the device found"
    )


class PlanOperatorSerializer(serializers.Serializer[Any]):
    """One operator of a plan; ``index`` is its place in the fused graph, ``order`` its place in the plan."""

    index = serializers.IntegerField()
    name = serializers.CharField()
    op_type = serializers.CharField()
    op_class = serializers.CharField()
    scope = serializers.CharField(allow_blank=True)
    is_view = serializers.BooleanField()
    flops = serializers.IntegerField(help_text="2 per multiply-accumulate")
    bytes_moved = serializers.IntegerField(help_text="read and written by the operator itself")
    device = serializers.IntegerField()
    order = serializers.IntegerField()
    start_ms = serializers.FloatField()
    end_ms = serializers.FloatField()
    time_ms = serializers.FloatField()
    energy_j = serializers.FloatField()
    cost_source = serializers.CharField()
    time_low_ms = serializers.FloatField(help_text="90 % of operators like it take at least this")
    time_high_ms = serializers.FloatField()
    energy_source = serializers.CharField()
    predecessors = serializers.ListField(child=serializers.IntegerField())
    members = serializers.ListField(child=serializers.CharField())
    reason = RemarkSerializer(allow_null=True)
    alternatives = AlternativeSerializer(many=True, allow_null=True)


class TransferSerializer(serializers.Serializer[Any]):
    """One hop of a tensor; stores are device indices, -1 is the implicit host."""

    tensor = serializers.CharField()
    source = serializers.IntegerField()  # type: ignore[assignment]
    target = serializers.IntegerField()
    channel = serializers.IntegerField()
    start_ms = serializers.FloatField()
    end_ms = serializers.FloatField()
    size_bytes = serializers.IntegerField()


class MemoryCurveSerializer(serializers.Serializer[Any]):
    """Occupation of one memory over the run."""

    device = serializers.CharField(help_text="names of the devices that share it; host for the implicit host")
    limit_bytes = serializers.IntegerField(allow_null=True, help_text="null: unlimited")
    peak_bytes = serializers.IntegerField()
    points = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2),
        help_text="[ms, bytes] at each change",
    )


class PlanEdgeSerializer(serializers.Serializer[Any]):
    """A tensor from one operator of the plan to another; ``cut`` where their devices differ."""

    source = serializers.IntegerField()  # type: ignore[assignment]
    target = serializers.IntegerField()
    size_bytes = serializers.IntegerField()
    cut = serializers.BooleanField()


class SegmentFiguresSerializer(serializers.Serializer[Any]):
    """Runs of operators that each device is handed as one program, and what crosses their borders for one item."""

    count = serializers.IntegerField()
    cut_edges = serializers.IntegerField(help_text="tensors handed to another device, each reading segment counted")
    cut_bytes = serializers.IntegerField(help_text="once for each device")
    launch_ms = serializers.FloatField(help_text="of all segments; part of the devices' busy times")
    copied_weight_bytes = serializers.IntegerField(help_text="of weights that several segments hold")


class PlanDetailSerializer(PlanSummarySerializer):
    """A plan decoded: when and where each operator runs, why, and what moves."""

    revision = serializers.IntegerField(help_text="revision of the front that the plan was taken from")
    operators = PlanOperatorSerializer(many=True)
    edges = PlanEdgeSerializer(many=True)
    transfers = TransferSerializer(many=True)
    memory = MemoryCurveSerializer(many=True)
    segments = SegmentFiguresSerializer()
    critical_path = serializers.ListField(child=serializers.IntegerField())
    energy_parts_j = serializers.DictField(
        child=serializers.FloatField(), help_text="operators, transfers, idle; they add up to energy_j"
    )


class PlacementRowSerializer(serializers.Serializer[Any]):
    """Where one operator runs; all operators have an ``order``, or none."""

    operator = serializers.CharField(help_text="name, of the operator table or of the model")
    device = serializers.CharField(help_text="name")
    order = serializers.IntegerField(min_value=0, required=False)


class PlacementSerializer(serializers.Serializer[Any]):
    """A placement made by hand: every operator of the plan, or every operator of the model."""

    placement = PlacementRowSerializer(many=True)


class PositionSerializer(serializers.Serializer[Any]):
    """Where a plan stands against the front; lists hold plan numbers."""

    relation = serializers.ChoiceField(choices=[(r, r) for r in RELATIONS])
    dominated_by = serializers.ListField(child=serializers.IntegerField())
    dominates = serializers.ListField(child=serializers.IntegerField())
    equal_to = serializers.ListField(child=serializers.IntegerField(), help_text="plans with the same values")


class EvaluatedPlanSerializer(PlanDetailSerializer):
    """A placement made by hand, decoded like a plan of the front; it is not stored."""

    number = serializers.IntegerField(allow_null=True, help_text="null: no plan of the front")
    revision = serializers.IntegerField(allow_null=True, help_text="of the front compared with; null before the first")
    order_source = serializers.ChoiceField(choices=[(s, s) for s in ORDER_SOURCES])
    unfused = serializers.BooleanField(
        help_text="evaluated on the model's own operators: it splits fused ones, or its table was made without fusion"
    )
    position = PositionSerializer(allow_null=True)
    messages = RemarkSerializer(many=True)


class MoveSerializer(serializers.Serializer[Any]):
    """One operator sent to another device."""

    operator = serializers.IntegerField(min_value=0, help_text="index in the plan")
    device = serializers.IntegerField(min_value=0, help_text="index in the pool")


class MovesSerializer(serializers.Serializer[Any]):
    """A plan and what is moved in it; later moves win."""

    base = serializers.CharField(max_length=64, help_text="hash of a plan of the search")
    moves = MoveSerializer(many=True, allow_empty=False)


class WhatIfSerializer(PlanSummarySerializer):
    """The plan after its moves: figures, the operators that moved, and times of all; the rest is as in the base."""

    number = serializers.IntegerField(allow_null=True, help_text="null: no plan of the front")
    revision = serializers.IntegerField(allow_null=True)
    base = serializers.CharField()
    moved = PlanOperatorSerializer(many=True)
    start_ms = serializers.ListField(child=serializers.FloatField(), help_text="by operator index")
    end_ms = serializers.ListField(child=serializers.FloatField())
    transfers = TransferSerializer(many=True)
    memory = MemoryCurveSerializer(many=True)
    critical_path = serializers.ListField(child=serializers.IntegerField())
    energy_parts_j = serializers.DictField(child=serializers.FloatField())
    position = PositionSerializer(allow_null=True)


class KeepSerializer(serializers.Serializer[Any]):
    """What to keep: moves in a plan, or a whole placement; one of the two."""

    base = serializers.CharField(max_length=64, required=False)
    moves = MoveSerializer(many=True, required=False)
    placement = PlacementRowSerializer(many=True, required=False)


class FrontStepSerializer(serializers.Serializer[Any]):
    """The front at one generation."""

    generation = serializers.IntegerField()
    hypervolume = serializers.FloatField(allow_null=True)
    values = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()), help_text="a row a plan, a column an objective"
    )


class FrontStepsSerializer(serializers.Serializer[Any]):
    """How the front came about."""

    objectives = serializers.ListField(child=serializers.CharField())
    steps = FrontStepSerializer(many=True)


class OperatorAlternativesSerializer(serializers.Serializer[Any]):
    """Reason and alternatives of one operator of a plan."""

    index = serializers.IntegerField()
    name = serializers.CharField()
    reason = RemarkSerializer()
    alternatives = AlternativeSerializer(many=True)
