"""The model resource."""

from __future__ import annotations

import uuid
from typing import Any, Protocol

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.models import User
from apps.accounts.permissions import current_team
from apps.audit.services import record
from apps.modelhub import services
from apps.modelhub.graphs import load_graph
from apps.modelhub.models import ModelKind
from apps.modelhub.operators import edge_page, operator_page
from apps.modelhub.queries import get_model, visible_models
from apps.modelhub.schema import ErrorSerializer
from apps.modelhub.serializers import (
    BindDimsSerializer,
    EdgePageSerializer,
    ModelRenameSerializer,
    ModelSerializer,
    ModelUploadSerializer,
    OperatorPageSerializer,
)
from config.refusals import ConflictError
from heteroopt.graph.graph import Graph

ERRORS = {400: ErrorSerializer, 403: ErrorSerializer, 404: ErrorSerializer}


def asking_user(request: Request) -> User:
    """The signed-in user; the permission class lets nobody else through."""
    user = request.user
    assert isinstance(user, User)
    return user


class ModelListView(generics.GenericAPIView):  # type: ignore[type-arg]
    """The team's models."""

    serializer_class = ModelSerializer
    parser_classes = (MultiPartParser,)

    @extend_schema(operation_id="models_list", tags=["models"], responses=ModelSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the models, newest first."""
        page = self.paginate_queryset(visible_models(request))
        return self.get_paginated_response(ModelSerializer(page, many=True).data)

    @extend_schema(
        operation_id="models_create",
        tags=["models"],
        request={"multipart/form-data": ModelUploadSerializer},
        responses={201: ModelSerializer, 413: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Upload an ONNX file. A worker reads it; until then the state is ``parsing``."""
        return Response(_uploaded(request, ModelKind.ONNX), status=201)


class TablesView(APIView):
    """Plain tables."""

    parser_classes = (MultiPartParser,)

    @extend_schema(
        operation_id="tables_create",
        tags=["models"],
        request={"multipart/form-data": ModelUploadSerializer},
        responses={201: ModelSerializer, 413: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Upload plain tables (JSON): operators, edges, devices, links and measured costs. They need no other pool."""
        return Response(_uploaded(request, ModelKind.TABLES), status=201)


def _uploaded(request: Request, kind: ModelKind) -> dict[str, object]:
    """Add the uploaded file as a model and return it."""
    form = ModelUploadSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    file, name = form.validated_data["file"], form.validated_data.get("name", "")
    model = services.add_model(current_team(request), asking_user(request), file, kind=kind, name=name)
    record(request, "model.create", model)
    return ModelSerializer(get_model(request, model.id)).data


class ModelView(APIView):
    """One model."""

    @extend_schema(operation_id="models_retrieve", tags=["models"], responses={200: ModelSerializer, **ERRORS})
    def get(self, request: Request, model_id: uuid.UUID) -> Response:
        """Read a model."""
        return Response(ModelSerializer(get_model(request, model_id)).data)

    @extend_schema(
        operation_id="models_update",
        tags=["models"],
        request=ModelRenameSerializer,
        responses={200: ModelSerializer, **ERRORS},
    )
    def patch(self, request: Request, model_id: uuid.UUID) -> Response:
        """Rename a model."""
        model = get_model(request, model_id)
        form = ModelRenameSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response(ModelSerializer(services.rename(model, form.validated_data["name"])).data)

    @extend_schema(operation_id="models_delete", tags=["models"], responses={204: None, **ERRORS})
    def delete(self, request: Request, model_id: uuid.UUID) -> Response:
        """Delete a model; searches that used it keep what they found."""
        model = get_model(request, model_id)
        record(request, "model.delete", model, details={"name": model.name, "sha256": model.sha256})
        services.remove_model(model)
        return Response(status=204)


class ModelBindView(APIView):
    """Symbolic dimensions of a model."""

    @extend_schema(
        operation_id="models_bind",
        tags=["models"],
        request=BindDimsSerializer,
        responses={202: ModelSerializer, **ERRORS},
    )
    def post(self, request: Request, model_id: uuid.UUID) -> Response:
        """Bind symbolic dimensions, answer what else the file leaves open, and read it again."""
        model = get_model(request, model_id)
        form = BindDimsSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        services.bind_dims(model, asked["dims"], asked.get("given"), keep_as=asked.get("keep_as", ""))
        return Response(ModelSerializer(get_model(request, model_id)).data, status=202)


def paged(matched: str) -> list[OpenApiParameter]:
    """Parameters of a list of parts of a graph; ``matched`` says what a query is looked for in."""
    return [
        OpenApiParameter("offset", OpenApiTypes.INT, description="first one to list"),
        OpenApiParameter("limit", OpenApiTypes.INT, description="at most 1,000; 100 by default"),
        OpenApiParameter("q", OpenApiTypes.STR, description=matched),
    ]


class GraphQuerySerializer(serializers.Serializer[Any]):
    """Which operators or edges to list."""

    offset = serializers.IntegerField(min_value=0, default=0)
    limit = serializers.IntegerField(min_value=1, max_value=1000, default=100)
    q = serializers.CharField(required=False, allow_blank=True, max_length=200, trim_whitespace=False, default="")


class ModelOperatorsView(APIView):
    """Operators of a model."""

    @extend_schema(
        operation_id="models_operators",
        tags=["models"],
        parameters=paged("part of a name, type, class or scope"),
        responses={200: OperatorPageSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, model_id: uuid.UUID) -> Response:
        """List operators in topological order, before fusion."""
        return graph_page(request, model_id, operator_page)


class ModelEdgesView(APIView):
    """Edges of a model."""

    @extend_schema(
        operation_id="models_edges",
        tags=["models"],
        parameters=paged("part of the name of an operator or of the tensor"),
        responses={200: EdgePageSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, model_id: uuid.UUID) -> Response:
        """List edges between operators, before fusion, in the order of their readers."""
        return graph_page(request, model_id, edge_page)


class Pager(Protocol):
    """Lists a part of a graph."""

    def __call__(self, graph: Graph, *, offset: int, limit: int, query: str) -> dict[str, Any]: ...


def graph_page(request: Request, model_id: uuid.UUID, page: Pager) -> Response:
    """The page that is asked for, of the graph of a model that the caller may see."""
    model = get_model(request, model_id)
    form = GraphQuerySerializer(data=request.query_params)
    form.is_valid(raise_exception=True)
    if model.graph_id is None:
        raise ConflictError(
            "model_not_ready", "The model has not been read yet, or was refused.", hint="See its state."
        )
    wanted = form.validated_data
    graph = load_graph(model.graph_id)
    return Response(page(graph, offset=wanted["offset"], limit=wanted["limit"], query=wanted["q"]))
