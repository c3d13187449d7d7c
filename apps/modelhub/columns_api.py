"""The graph of a model in one answer, for drawing."""

from __future__ import annotations

import uuid
from typing import Any

from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.modelhub.api import ERRORS
from apps.modelhub.columns import graph_columns
from apps.modelhub.graphs import load_graph
from apps.modelhub.queries import get_model
from apps.modelhub.schema import ErrorSerializer
from config.refusals import ConflictError

_FORMAT = 1
"""Part of the entity tag: raise it when the same graph is answered otherwise than before."""


class Whole(serializers.ListField):
    """Whole numbers, 0 or more."""

    child = serializers.IntegerField(min_value=0)


class Texts(serializers.ListField):
    """Texts."""

    child = serializers.CharField(allow_blank=True)


class OperatorColumnsSerializer(serializers.Serializer[Any]):
    """One list per property, in topological order."""

    name = Texts()
    op_type = Whole(help_text="places in op_types")
    op_class = Whole(help_text="places in op_classes")
    scope = Whole(help_text="places in scopes")
    flops = Whole(help_text="FLOP = 2 x MAC")
    bytes_moved = Whole(help_text="bytes read and written")


class EdgeColumnsSerializer(serializers.Serializer[Any]):
    """One list per property, in the order of the readers."""

    source = Whole()  # type: ignore[assignment]  # a field of that name, which DRF takes off the class
    target = Whole(help_text="places of the operators")
    size_bytes = Whole()


class GraphColumnsSerializer(serializers.Serializer[Any]):
    """The operators of a graph, before fusion, and the edges between them."""

    graph_hash = serializers.CharField()
    op_types = Texts()
    op_classes = Texts()
    scopes = Texts()
    operators = OperatorColumnsSerializer()
    edges = EdgeColumnsSerializer()


class ModelGraphView(APIView):
    """The graph of a model."""

    @extend_schema(
        operation_id="models_graph",
        tags=["models"],
        responses={200: GraphColumnsSerializer, 304: None, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, model_id: uuid.UUID) -> HttpResponseBase:
        """Read the whole graph as columns. Its entity tag is the graph's hash, so that an unchanged one is not sent."""
        model = get_model(request, model_id)
        if model.graph is None:
            raise ConflictError(
                "model_not_ready", "The model has not been read yet, or was refused.", hint="See its state."
            )
        etag = f'"{model.graph.graph_hash}-{_FORMAT}"'
        unchanged = get_conditional_response(request._request, etag=etag)
        response = unchanged or Response(graph_columns(load_graph(model.graph.id), model.graph.graph_hash))
        response["ETag"] = etag
        response["Cache-Control"] = "private, no-cache"
        return response
