"""Versions of a model: the team's models of the same name or content, numbered by when each content first came."""

from __future__ import annotations

import uuid
from typing import Any

from django.db.models import Q
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.modelhub.api import ERRORS
from apps.modelhub.models import Model, ModelState
from apps.modelhub.queries import get_model, visible_models
from apps.modelhub.schema import CountsField, PersonSerializer

SHOWN = 100


class ModelVersionSerializer(serializers.Serializer[Any]):
    """One upload of a model."""

    id = serializers.UUIDField()
    version = serializers.IntegerField(help_text="counts up from 1; uploads of the same content share it")
    name = serializers.CharField()
    file_name = serializers.CharField()
    content_hash = serializers.CharField()
    size_bytes = serializers.IntegerField()
    state = serializers.ChoiceField(choices=ModelState.choices)
    created_at = serializers.DateTimeField()
    created_by = PersonSerializer(allow_null=True)
    dims = CountsField(source="bound_dims")
    n_operators = serializers.IntegerField(allow_null=True)
    flops = serializers.IntegerField(allow_null=True)


class ModelVersionsView(APIView):
    """Versions of a model."""

    @extend_schema(
        operation_id="models_versions",
        tags=["models"],
        responses={200: ModelVersionSerializer(many=True), **ERRORS},
    )
    def get(self, request: Request, model_id: uuid.UUID) -> Response:
        """List the uploads of the same name or content, newest first, this one among them."""
        model = get_model(request, model_id)
        return Response(ModelVersionSerializer(versions(request, model), many=True).data)


def versions(request: Request, model: Model) -> list[Model]:
    """The newest of them, each with its ``version``, ``n_operators`` and ``flops``."""
    same = Q(name__iexact=model.name) | Q(content_hash=model.content_hash)
    rows = visible_models(request).filter(same, kind=model.kind).order_by("created_at", "id")
    numbers: dict[str, int] = {}
    for content in rows.values_list("content_hash", flat=True):
        numbers.setdefault(content, len(numbers) + 1)
    found = list(rows.reverse()[:SHOWN])
    if model.pk not in {row.pk for row in found}:
        found.append(get_model(request, model.pk))
    for row in found:
        summary = {} if row.graph is None else row.graph.summary
        row.version = numbers[row.content_hash]  # type: ignore[attr-defined]
        row.n_operators, row.flops = summary.get("n_operators"), summary.get("flops")  # type: ignore[attr-defined]
    return found
