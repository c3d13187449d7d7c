"""What depends on a model: the searches that used it and the plans that they found, shown before it is deleted."""

from __future__ import annotations

import uuid
from typing import Any

from django.db.models import Sum
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.jobs.models import JobState
from apps.modelhub.api import ERRORS
from apps.modelhub.queries import get_model
from apps.searches.queries import all_searches
from apps.searches.serializers import STATES

SHOWN = 20


class ModelUseSerializer(serializers.Serializer[Any]):
    """A search that used the model."""

    id = serializers.UUIDField()
    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=STATES)
    pool = serializers.CharField(source="pool_summary.name")
    pool_is_sample = serializers.BooleanField(source="pool_summary.is_sample")
    n_plans = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class ModelUsesSerializer(serializers.Serializer[Any]):
    """Everything that depends on a model."""

    n_searches = serializers.IntegerField()
    n_running = serializers.IntegerField(help_text="searches that are not over yet")
    n_plans = serializers.IntegerField(help_text="placements that those searches found")
    searches = ModelUseSerializer(many=True, help_text="the newest 20 of them")


class ModelUsesView(APIView):
    """What depends on a model."""

    @extend_schema(operation_id="models_uses", tags=["models"], responses={200: ModelUsesSerializer, **ERRORS})
    def get(self, request: Request, model_id: uuid.UUID) -> Response:
        """Count the searches and placements that depend on a model; deleting it keeps them."""
        model = get_model(request, model_id)
        searches = all_searches().filter(model=model).order_by("-created_at")
        found = {
            "n_searches": searches.count(),
            "n_running": searches.filter(job__state__in=(JobState.QUEUED, JobState.RUNNING)).count(),
            "n_plans": searches.aggregate(sum=Sum("n_plans"))["sum"] or 0,
            "searches": list(searches[:SHOWN]),
        }
        return Response(ModelUsesSerializer(found).data)
