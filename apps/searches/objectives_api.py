"""The objectives that a search may be about."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.modelhub.api import ERRORS
from apps.searches.front_serializers import RegisteredObjectiveSerializer


class ObjectivesView(APIView):
    """The objectives of this installation."""

    @extend_schema(
        operation_id="objectives_list",
        tags=["searches"],
        responses={200: RegisteredObjectiveSerializer(many=True), **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """List the objectives, ours first, then those of plugins."""
        from heteroopt.search.columns import annealing_of
        from heteroopt.simulation.objectives import objectives

        known = objectives().available.values()
        return Response([{**objective.to_dict(), "annealing": annealing_of(objective)} for objective in known])
