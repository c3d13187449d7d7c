"""Versions of a model: the team's models of the same name or content, numbered by when each content first came."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class ModelVersion:
    """One upload of a model and its number; uploads of the same content share one."""

    model: Model
    version: int

    @property
    def n_operators(self) -> int | None:
        """Operators of the graph, ``None`` if it was not read."""
        return None if self.model.graph is None else self.model.graph.summary.get("n_operators")

    @property
    def flops(self) -> int | None:
        """FLOP of the graph, 2 for each multiply-accumulate; ``None`` if it was not read."""
        return None if self.model.graph is None else self.model.graph.summary.get("flops")


class ModelVersionSerializer(serializers.Serializer[Any]):
    """One upload of a model."""

    id = serializers.UUIDField(source="model.id")
    version = serializers.IntegerField(help_text="counts up from 1; uploads of the same content share it")
    name = serializers.CharField(source="model.name")
    file_name = serializers.CharField(source="model.file_name")
    content_hash = serializers.CharField(source="model.content_hash")
    size_bytes = serializers.IntegerField(source="model.size_bytes")
    state = serializers.ChoiceField(source="model.state", choices=ModelState.choices)
    created_at = serializers.DateTimeField(source="model.created_at")
    created_by = PersonSerializer(source="model.created_by", allow_null=True)
    dims = CountsField(source="model.bound_dims")
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


def versions(request: Request, model: Model) -> list[ModelVersion]:
    """The newest of them."""
    same = Q(name__iexact=model.name) | Q(content_hash=model.content_hash)
    rows = visible_models(request).filter(same, kind=model.kind).order_by("created_at", "id")
    numbers: dict[str, int] = {}
    for content in rows.values_list("content_hash", flat=True):
        numbers.setdefault(content, len(numbers) + 1)
    found = list(rows.reverse()[:SHOWN])
    if model.pk not in {row.pk for row in found}:
        found.append(get_model(request, model.pk))
    return [ModelVersion(row, numbers[row.content_hash]) for row in found]
