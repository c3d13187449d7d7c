"""The training plan resource."""

from __future__ import annotations

import json
import uuid
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import current_team
from apps.audit.services import record
from apps.jobs.sandbox import read_in_sandbox
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.schema import ErrorSerializer
from apps.modelhub.text import attachment
from apps.training import services
from apps.training.queries import get_plan, visible_plans
from apps.training.serializers import (
    TrainingCreateSerializer,
    TrainingLossSerializer,
    TrainingPlanBriefSerializer,
    TrainingPlanSerializer,
    TrainingRequestSerializer,
)
from config.parsing import JSONParser
from config.refusals import ConflictError
from heteroopt.training.errors import TrainingError
from heteroopt.training.request import PlanRequest, request_from

READ_CLUSTER = "apps.training.reading:read_cluster"
"""Called in the sandbox; the workers allow it by this name."""


def _asked(data: dict[str, Any]) -> PlanRequest:
    """The request of a body, of which the engine names what is wrong."""
    given, text = data.get("request"), data.get("toml")
    if (given is None) == (text is None):
        raise TrainingError(
            "training_body", "Send either a request or its TOML text.", hint="Use the field request or toml."
        )
    if text is not None:
        given = read_in_sandbox(READ_CLUSTER, {"text": text})
    if not isinstance(given, dict):
        raise TrainingError("training_body", "The request is not an object.", hint="Use the field request or toml.")
    return request_from(given)


class TrainingPlanListView(generics.GenericAPIView):  # type: ignore[type-arg]
    """The team's training plans."""

    serializer_class = TrainingPlanBriefSerializer
    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="training_plans_list", tags=["training"], responses=TrainingPlanBriefSerializer(many=True)
    )
    def get(self, request: Request) -> Response:
        """List the training plans, newest first."""
        page = self.paginate_queryset(visible_plans(request))
        return self.get_paginated_response(TrainingPlanBriefSerializer(page, many=True).data)

    @extend_schema(
        operation_id="training_plans_create",
        tags=["training"],
        request=TrainingCreateSerializer,
        responses={201: TrainingPlanSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Plan training of a transformer on unlike GPUs, in a job."""
        form = TrainingCreateSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = _asked(form.validated_data)
        row = services.start_plan(
            current_team(request), asking_user(request), asked, form.validated_data.get("name", "")
        )
        record(request, "training.create", row)
        return Response(TrainingPlanSerializer(get_plan(request, row.pk)).data, status=201)


class TrainingPlanView(APIView):
    """One training plan."""

    @extend_schema(
        operation_id="training_plans_retrieve", tags=["training"], responses={200: TrainingPlanSerializer, **ERRORS}
    )
    def get(self, request: Request, plan_id: uuid.UUID) -> Response:
        """Read a training plan; all seconds are simulated."""
        return Response(TrainingPlanSerializer(get_plan(request, plan_id)).data)

    @extend_schema(operation_id="training_plans_delete", tags=["training"], responses={204: None, **ERRORS})
    def delete(self, request: Request, plan_id: uuid.UUID) -> Response:
        """Delete a training plan and those that were made after losses of it."""
        row = get_plan(request, plan_id)
        record(request, "training.delete", row, details={"name": row.name})
        services.delete_plan(row)
        return Response(status=204)


class TrainingLossView(APIView):
    """What if."""

    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="training_plans_lose",
        tags=["training"],
        request=TrainingLossSerializer,
        responses={201: TrainingPlanSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, plan_id: uuid.UUID) -> Response:
        """Plan again without some GPUs or nodes: the new plan and what moves, or the shards that nobody holds."""
        row = get_plan(request, plan_id)
        form = TrainingLossSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        lost = form.validated_data
        after = services.start_after_loss(row, asking_user(request), lost.get("gpus", []), lost.get("nodes", []))
        record(request, "training.lose", row, details={"lost": after.lost[:50]})
        return Response(TrainingPlanSerializer(get_plan(request, after.pk)).data, status=201)


class TrainingExportView(APIView):
    """A plan file."""

    @extend_schema(
        operation_id="training_plans_export",
        tags=["training"],
        responses={(200, "application/json"): OpenApiTypes.OBJECT, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, plan_id: uuid.UUID) -> HttpResponse:
        """Download the plan with the annotation of every weight, as `heteroopt training plan --out` writes it."""
        row = get_plan(request, plan_id)
        if row.plan is None:
            raise ConflictError(
                "training_plan_not_ready",
                "This plan has not been made yet.",
                hint="Wait until it is done, or plan again.",
            )
        text = json.dumps(services.exported(row), indent=1, ensure_ascii=False, allow_nan=False)
        return attachment(text, row.name, "json", "application/json; charset=utf-8")


class TrainingReadView(APIView):
    """Reads cluster files."""

    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="training_plans_read",
        tags=["training"],
        request=TrainingCreateSerializer,
        responses={200: TrainingRequestSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Check a request or its TOML text, and return it with every default filled in."""
        form = TrainingCreateSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response(_asked(form.validated_data).to_json())
