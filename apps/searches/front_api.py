"""Fronts and plans of a search."""

from __future__ import annotations

import uuid

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.modelhub.api import ERRORS
from apps.modelhub.schema import ErrorSerializer
from apps.searches.front_serializers import (
    FrontSerializer,
    FrontStepsSerializer,
    OperatorAlternativesSerializer,
    PlanDetailSerializer,
)
from apps.searches.fronts import StoredPlan, front_body, load_plan
from apps.searches.models import Search
from apps.searches.plan_detail import operator_detail, plan_detail
from apps.searches.queries import get_search

PLAN_HASH = OpenApiParameter(
    "hash",
    OpenApiTypes.STR,
    description="hash of the plan that is meant: while a search runs, numbers move with every front",
)


def asked_plan(request: Request, search_id: uuid.UUID, number: int) -> tuple[Search, StoredPlan]:
    """The search and the plan that an address means, with its ``hash`` if it has one. Raises what ``get_search`` and
    ``load_plan`` raise.
    """
    search = get_search(request, search_id)
    return search, load_plan(search, number, request.query_params.get("hash"))


class FrontView(APIView):
    """The front of a search."""

    @extend_schema(
        operation_id="searches_front",
        tags=["searches"],
        responses={200: FrontSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, search_id: uuid.UUID) -> Response:
        """Read the newest front, by time, plans added later behind; 409 ``no_front_yet`` before the first one."""
        search = get_search(request, search_id)
        return Response(front_body(search))


class FrontStepsView(APIView):
    """How the front of a search came about."""

    @extend_schema(
        operation_id="searches_front_steps", tags=["searches"], responses={200: FrontStepsSerializer, **ERRORS}
    )
    def get(self, request: Request, search_id: uuid.UUID) -> Response:
        """Read the front at about fifty generations, to replay how it came about; none for searches made before."""
        search = get_search(request, search_id)
        steps = list(search.front_steps.values("generation", "hypervolume", "values"))
        return Response({"objectives": search.settings.get("objectives", []), "steps": steps})


class PlanView(APIView):
    """One plan of a front."""

    @extend_schema(
        operation_id="searches_plan",
        tags=["searches"],
        parameters=[PLAN_HASH],
        responses={200: PlanDetailSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, search_id: uuid.UUID, number: int) -> Response:
        """Decode a plan: when and where every operator runs, why, and what moving it would change."""
        search, plan = asked_plan(request, search_id, number)
        return Response(plan_detail(search, plan))


class PlanOperatorView(APIView):
    """One operator of a plan."""

    @extend_schema(
        operation_id="searches_plan_operator",
        tags=["searches"],
        parameters=[PLAN_HASH],
        responses={200: OperatorAlternativesSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, search_id: uuid.UUID, number: int, index: int) -> Response:
        """Why the operator is where it is, and what moving it to each other device would change."""
        search, plan = asked_plan(request, search_id, number)
        return Response(operator_detail(search, plan, index))
