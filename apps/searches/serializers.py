"""What the search resource takes and gives: requests, state and progress."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.modelhub.schema import NamesField, PersonSerializer, ProblemSerializer
from apps.pools.serializers import PoolDeviceSerializer
from heteroopt.search.settings import SearchSettings

STATES = ("queued", "running", "done", "stopped", "failed", "no_feasible")
OUTCOMES = ("queued", "running", "done", "stopped", "no_feasible", "single_plan", "exhausted")
MAX_SAFE_SEED = 2**53 - 1
GOALS = ("objectives", "constraints", "items_in_flight", "micro_batches", "arrival_rate_per_s")
"""Settings that say what is optimised and within which bounds."""


class ConstraintSerializer(serializers.Serializer[Any]):
    """A bound on an objective, in its unit; one of both ends is given."""

    objective = serializers.CharField(max_length=100, help_text="key of an objective that can be searched for")
    min = serializers.FloatField(required=False, allow_null=True)
    max = serializers.FloatField(required=False, allow_null=True)


class SearchSettingsAskedSerializer(serializers.Serializer[Any]):
    """How to search; whatever is left out takes its default for the size of the graph."""

    population_size = serializers.IntegerField(min_value=4, max_value=10_000, required=False)
    generations = serializers.IntegerField(min_value=0, max_value=1_000_000, required=False)
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SAFE_SEED, required=False)
    mutation_prob = serializers.FloatField(min_value=0, max_value=1, required=False)
    makespan_cap = serializers.FloatField(
        min_value=1, max_value=1e6, required=False, allow_null=True, help_text="multiple of the default plan's time"
    )
    islands = serializers.IntegerField(
        min_value=1, max_value=64, required=False, help_text="populations that exchange plans, each on any worker"
    )
    fuse = serializers.BooleanField(required=False, help_text="join small operators with their producer first")
    pins = NamesField(required=False, help_text="operator name to device name")
    forbidden_devices = serializers.ListField(child=serializers.CharField(max_length=100), required=False)
    objectives = serializers.ListField(
        child=serializers.CharField(max_length=100),
        required=False,
        max_length=16,
        help_text="one to three keys, in the order of the axes",
    )
    constraints = serializers.ListField(child=ConstraintSerializer(), required=False, max_length=64)
    items_in_flight = serializers.IntegerField(required=False, allow_null=True, help_text="of the simulated pipeline")
    micro_batches = serializers.IntegerField(required=False, allow_null=True, help_text="of a training step")
    arrival_rate_per_s = serializers.FloatField(
        required=False, allow_null=True, help_text="items per second, for the P99 latency of the finished front"
    )


class SearchCreateSerializer(serializers.Serializer[Any]):
    """A search to start; a model of plain tables brings its own pool."""

    model = serializers.UUIDField()
    binding = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="a kept binding of the model; by default the reading that the search to start from has of the same "
        "model, else what the model shows",
    )
    pool = serializers.UUIDField(required=False, allow_null=True)
    settings = SearchSettingsAskedSerializer(required=False)
    warm_start = serializers.UUIDField(
        required=False, allow_null=True, help_text="an earlier search of the same model, whose front is the start"
    )


class SearchSettingsSerializer(serializers.Serializer[Any]):
    """The settings that a search runs with, every default filled in."""

    population_size = serializers.IntegerField()
    generations = serializers.IntegerField()
    seed = serializers.IntegerField()
    mutation_prob = serializers.FloatField()
    makespan_cap = serializers.FloatField(allow_null=True, help_text="multiple of the default plan's time")
    islands = serializers.IntegerField(default=1)
    fuse = serializers.BooleanField()
    pins = NamesField(help_text="operator name to device name")
    forbidden_devices = serializers.ListField(child=serializers.CharField())
    objectives = serializers.ListField(child=serializers.CharField(), help_text="keys, in the order of the axes")
    constraints = ConstraintSerializer(many=True)
    items_in_flight = serializers.IntegerField(allow_null=True)
    micro_batches = serializers.IntegerField(allow_null=True)
    arrival_rate_per_s = serializers.FloatField(allow_null=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Settings that were stored before there was a choice of objectives had the default ones."""
        return super().to_representation({**settings_defaults(), **instance})


def settings_defaults() -> dict[str, Any]:
    """Defaults of the settings that say what is optimised."""
    defaults = SearchSettings().to_dict()
    return {name: defaults[name] for name in GOALS}


class SearchModelSerializer(serializers.Serializer[Any]):
    """The model that is searched."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    n_operators = serializers.IntegerField()


class SearchPoolSerializer(serializers.Serializer[Any]):
    """The pool that is searched; ``id`` is null where the model brought its own."""

    id = serializers.UUIDField(allow_null=True)
    name = serializers.CharField()
    is_sample = serializers.BooleanField()
    version = serializers.IntegerField(allow_null=True)
    devices = PoolDeviceSerializer(many=True)


class WarmStartSerializer(serializers.Serializer[Any]):
    """The search whose front another one started from."""

    id = serializers.UUIDField()
    number = serializers.IntegerField()


class BestSerializer(serializers.Serializer[Any]):
    """Least multiples of the reference on the front."""

    exec_time_x = serializers.FloatField(allow_null=True)
    energy_x = serializers.FloatField(allow_null=True)


class IslandsSerializer(serializers.Serializer[Any]):
    """How far the islands of a search are; all of them have done ``epoch`` epochs of ``epochs`` (0: not begun)."""

    count = serializers.IntegerField()
    epoch = serializers.IntegerField()
    epochs = serializers.IntegerField()
    migrated = serializers.IntegerField(help_text="plans that have moved from one island to the next, all epochs")


class SearchBindingSerializer(serializers.Serializer[Any]):
    """The kept binding of the model that is searched."""

    id = serializers.UUIDField()
    name = serializers.CharField()


class SearchProgressSerializer(serializers.Serializer[Any]):
    """State and progress of a search; also the data of each event of its stream."""

    id = serializers.UUIDField()
    number = serializers.IntegerField()
    settings = SearchSettingsSerializer()
    state = serializers.ChoiceField(choices=[(s, s) for s in STATES])
    outcome = serializers.ChoiceField(choices=[(s, s) for s in OUTCOMES])
    generation = serializers.IntegerField()
    generations = serializers.IntegerField()
    hypervolume = serializers.FloatField(allow_null=True)
    n_plans = serializers.IntegerField()
    evaluations = serializers.IntegerField()
    eta_s = serializers.FloatField(allow_null=True)
    attempt = serializers.IntegerField(source="job.attempt", default=0, help_text="how many workers took it so far")
    revision = serializers.IntegerField()
    front_revision = serializers.IntegerField(help_text="0: no front yet")
    error = ProblemSerializer(source="job.error", allow_null=True)
    best = BestSerializer(allow_null=True)
    islands = IslandsSerializer(source="islands_progress", allow_null=True, help_text="null: one population")
    created_at = serializers.DateTimeField()
    created_by = PersonSerializer(allow_null=True)
    started_at = serializers.DateTimeField(source="job.started_at", allow_null=True)
    finished_at = serializers.DateTimeField(source="job.finished_at", allow_null=True)


class SearchSerializer(SearchProgressSerializer):
    """A search with its model and pool."""

    job = serializers.UUIDField(source="job_id", allow_null=True)
    model = SearchModelSerializer(source="model_summary")
    binding = SearchBindingSerializer(
        allow_null=True, help_text="null where the reading that is searched is not kept under a name"
    )
    pool = SearchPoolSerializer(source="pool_summary")
    warm_start = WarmStartSerializer(allow_null=True, help_text="null too where that search was deleted")
