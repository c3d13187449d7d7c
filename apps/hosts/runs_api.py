"""``/api/operator-maps/`` and ``/api/precision-runs/``: what is known, what is under way, start and stop."""

from __future__ import annotations

import uuid

from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import current_team
from apps.audit.services import record
from apps.hosts import runs
from apps.hosts.api import asking_user
from apps.hosts.models import PrecisionKind
from apps.hosts.queries import get_device, get_map, get_run, newest_maps, visible_runs
from apps.hosts.run_serializers import (
    DeviceComparisonSerializer,
    MapStartSerializer,
    OperatorMapDetailSerializer,
    OperatorMapSerializer,
    PrecisionRunDetailSerializer,
    PrecisionRunSerializer,
)
from apps.hosts.runs import Asker
from apps.jobs import services as jobs
from config.parsing import JSONParser


class OperatorMapListView(APIView):
    """Maps of every device."""

    parser_classes = (JSONParser,)

    @extend_schema(operation_id="operator_maps_list", tags=["hosts"], responses=OperatorMapSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List each device's newest finished map, and what was started since."""
        return Response(OperatorMapSerializer(newest_maps(), many=True).data)

    @extend_schema(
        operation_id="operator_maps_create",
        tags=["hosts"],
        request=MapStartSerializer,
        responses={202: OperatorMapSerializer},
    )
    def post(self, request: Request) -> Response:
        """Run ONNX's node tests on a device; a map that is under way is returned instead."""
        form = MapStartSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        device = get_device(form.validated_data["device"])
        row = runs.start_map(device, Asker(current_team(request), asking_user(request)))
        record(request, "operator_map.start", row, details={"device": str(device.pk)})
        return Response(OperatorMapSerializer(get_map(row.pk)).data, status=202)


class OperatorMapView(APIView):
    """One map."""

    @extend_schema(operation_id="operator_maps_retrieve", tags=["hosts"], responses=OperatorMapDetailSerializer)
    def get(self, request: Request, map_id: uuid.UUID) -> Response:
        """Read a map with its rows."""
        return Response(OperatorMapDetailSerializer(get_map(map_id)).data)


class OperatorMapStopView(APIView):
    """Stops one map."""

    @extend_schema(operation_id="operator_maps_stop", tags=["hosts"], request=None, responses=OperatorMapSerializer)
    def post(self, request: Request, map_id: uuid.UUID) -> Response:
        """Ask it to stop; what was found so far is kept."""
        row = get_map(map_id)
        if row.job_id is not None and jobs.cancel(row.job_id):
            record(request, "operator_map.stop", row)
        return Response(OperatorMapSerializer(get_map(map_id)).data)


class PrecisionRunListView(generics.GenericAPIView):  # type: ignore[type-arg]
    """Comparisons."""

    serializer_class = PrecisionRunSerializer
    parser_classes = (JSONParser,)

    @extend_schema(operation_id="precision_runs_list", tags=["hosts"], responses=PrecisionRunSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List comparisons of operators, of training and of the team's models, newest first."""
        page = self.paginate_queryset(visible_runs(request))
        return self.get_paginated_response(PrecisionRunSerializer(page, many=True).data)

    @extend_schema(
        operation_id="precision_runs_create",
        tags=["hosts"],
        request=DeviceComparisonSerializer,
        responses={202: PrecisionRunSerializer},
    )
    def post(self, request: Request) -> Response:
        """Compare two devices of one host. Models: ``/api/models/{model_id}/precision-runs/``."""
        form = DeviceComparisonSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        left, right = form.sides()
        asker = Asker(current_team(request), asking_user(request))
        start = runs.start_loss if form.validated_data["kind"] == PrecisionKind.LOSS else runs.start_operators
        run = start(left, right, asker, seed=form.validated_data["seed"])
        record(request, "precision.start", run)
        return Response(PrecisionRunSerializer(get_run(request, run.pk)).data, status=202)


class PrecisionRunView(APIView):
    """One comparison."""

    @extend_schema(operation_id="precision_runs_retrieve", tags=["hosts"], responses=PrecisionRunDetailSerializer)
    def get(self, request: Request, run_id: uuid.UUID) -> Response:
        """Read a comparison with its rows."""
        return Response(PrecisionRunDetailSerializer(get_run(request, run_id)).data)


class PrecisionRunStopView(APIView):
    """Stops one comparison."""

    @extend_schema(operation_id="precision_runs_stop", tags=["hosts"], request=None, responses=PrecisionRunSerializer)
    def post(self, request: Request, run_id: uuid.UUID) -> Response:
        """Ask it to stop; what was found so far is kept."""
        run = get_run(request, run_id)
        if run.job_id is not None and jobs.cancel(run.job_id):
            record(request, "precision.stop", run)
        return Response(PrecisionRunSerializer(get_run(request, run_id)).data)
