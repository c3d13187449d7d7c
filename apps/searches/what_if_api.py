"""Tries moves of operators in a plan, keeps what came of them, and removes what was kept."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.roles import VIEW
from apps.audit.services import record
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.schema import ErrorSerializer
from apps.searches.front_serializers import (
    KeepSerializer,
    MovesSerializer,
    OperatorAlternativesSerializer,
    PlanSummarySerializer,
    WhatIfSerializer,
)
from apps.searches.fronts import StoredPlan, load_plan
from apps.searches.kept import keep_moves, keep_placement, remove_kept
from apps.searches.models import Search
from apps.searches.placement_api import CsvParser
from apps.searches.queries import get_search
from apps.searches.what_if import MOST_MOVES, what_if, what_if_operator
from config.parsing import JSONParser
from heteroopt.errors import PlanError


def _pairs(moves: list[dict[str, Any]]) -> list[tuple[int, int]]:
    if len(moves) > MOST_MOVES:
        raise PlanError(
            "what_if_too_many",
            f"{len(moves)} moves are more than the {MOST_MOVES} that are taken at once.",
            hint="Give a whole placement instead.",
            moves=len(moves),
            most=MOST_MOVES,
        )
    return [(move["operator"], move["device"]) for move in moves]


def _asked(request: Request, search: Search) -> tuple[StoredPlan, list[tuple[int, int]]]:
    form = MovesSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    asked = form.validated_data
    return load_plan(search, 0, asked["base"]), _pairs(asked["moves"])


class WhatIfView(APIView):
    """A plan with some operators elsewhere."""

    parser_classes = (JSONParser,)
    write_permission: ClassVar = VIEW
    """Nothing is stored."""

    @extend_schema(
        operation_id="searches_what_if",
        tags=["searches"],
        request=MovesSerializer,
        responses={200: WhatIfSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, search_id: uuid.UUID) -> Response:
        """Move operators of a plan, in its order, and decode it again; what must share a device comes along."""
        search = get_search(request, search_id)
        return Response(what_if(search, *_asked(request, search)))


class WhatIfOperatorView(APIView):
    """One operator of such a plan."""

    parser_classes = (JSONParser,)
    write_permission: ClassVar = VIEW
    """Nothing is stored."""

    @extend_schema(
        operation_id="searches_what_if_operator",
        tags=["searches"],
        request=MovesSerializer,
        responses={200: OperatorAlternativesSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, search_id: uuid.UUID, index: int) -> Response:
        """Why the operator is where it is after the moves, and what moving it further would change."""
        search = get_search(request, search_id)
        return Response(what_if_operator(search, *_asked(request, search), index))


class KeepView(APIView):
    """Keeps plans that were made by hand."""

    parser_classes = (JSONParser, CsvParser)

    @extend_schema(
        operation_id="searches_keep",
        tags=["searches"],
        request={"application/json": KeepSerializer, "text/csv": OpenApiTypes.STR},
        responses={200: PlanSummarySerializer, 201: PlanSummarySerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, search_id: uuid.UUID) -> Response:
        """Keep a plan beside the front: moves in one of its plans, or a placement (as JSON or CSV).

        It gets a number after those of the front and is read, downloaded and reviewed like them; 200 where the
        search has this plan already.
        """
        from heteroopt.deployment.placement_reader import placement_of, read_placement

        search = get_search(request, search_id)
        data: Any = request.data
        text = data.get("csv") if isinstance(data, dict) else None
        user = asking_user(request)
        if isinstance(text, bytes):
            plan, is_new = keep_placement(search, user, read_placement(text))
        elif isinstance(data, dict) and "placement" in data:
            plan, is_new = keep_placement(search, user, placement_of({"placement": data["placement"]}))
        else:
            form = MovesSerializer(data=data)
            form.is_valid(raise_exception=True)
            asked = form.validated_data
            plan, is_new = keep_moves(search, user, asked["base"], _pairs(asked["moves"]))
        if is_new:
            record(request, "plan.keep", search, details={"plan": plan["hash"]})
        return Response(plan, status=201 if is_new else 200)


class KeptPlanView(APIView):
    """One plan that was kept."""

    @extend_schema(
        operation_id="searches_remove_kept",
        tags=["searches"],
        responses={204: None, 409: ErrorSerializer, **ERRORS},
    )
    def delete(self, request: Request, search_id: uuid.UUID, plan_hash: str) -> Response:
        """Remove a kept plan, with its exports, its trial runs and a review that nobody has used.

        409 ``kept_plan_reviewed`` where it was sent for review or discussed. Plans that were made from it stay.
        """
        search = get_search(request, search_id)
        own = remove_kept(search, plan_hash)
        record(request, "plan.remove_kept", search, details={"plan": own.hash, "number": own.number})
        return Response(status=204)
