"""Evaluates a placement made by hand within a search."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import IO, Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.roles import VIEW
from apps.modelhub.api import ERRORS
from apps.searches.evaluation import evaluate_placement
from apps.searches.front_serializers import EvaluatedPlanSerializer, PlacementSerializer
from apps.searches.queries import get_search
from config.parsing import JSONParser


class CsvParser(BaseParser):
    """Bytes of a CSV text; at most one byte more than the engine reads, which then refuses them."""

    media_type = "text/csv"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The body as it is, under ``csv``."""
        from heteroopt.deployment.placement_reader import MAX_PLACEMENT_BYTES

        return {"csv": bytes(stream.read(MAX_PLACEMENT_BYTES + 1))}


class EvaluatePlacementView(APIView):
    """A placement against the front of a search."""

    parser_classes = (JSONParser, CsvParser)
    write_permission: ClassVar = VIEW
    """Nothing is stored: whoever may read plans may ask what a placement of their own would do."""

    @extend_schema(
        operation_id="searches_evaluate",
        tags=["searches"],
        request={"application/json": PlacementSerializer, "text/csv": OpenApiTypes.STR},
        responses={200: EvaluatedPlanSerializer, **ERRORS},
    )
    def post(self, request: Request, search_id: uuid.UUID) -> Response:
        """Decode a placement like a plan of the front and say where it stands; the operator table is taken as CSV."""
        from heteroopt.deployment.placement_reader import placement_of, read_placement

        search = get_search(request, search_id)
        data: Any = request.data
        text = data.get("csv") if isinstance(data, dict) else None
        rows = read_placement(text) if isinstance(text, bytes) else placement_of(data)
        return Response(evaluate_placement(search, rows))
