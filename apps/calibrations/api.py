"""``/api/calibrations/``: what was measured, start, stop, re-check, upload; and what a machine elsewhere needs."""

from __future__ import annotations

import uuid
from pathlib import Path

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import current_team
from apps.audit.services import record
from apps.calibrations import services
from apps.calibrations.casefile import cases_text
from apps.calibrations.queries import get_calibration, visible_calibrations
from apps.calibrations.serializers import (
    CalibrationDetailSerializer,
    CalibrationSerializer,
    CalibrationStartSerializer,
    CalibrationUploadSerializer,
    CasesQuerySerializer,
    CostModelSerializer,
)
from apps.hosts.queries import get_device
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.queries import get_model
from apps.modelhub.schema import ErrorSerializer
from apps.modelhub.text import attachment
from config.parsing import JSONParser
from heteroopt.calibration.single_file import single_file
from heteroopt.errors import CostError
from heteroopt.version import __version__


class CalibrationListView(generics.GenericAPIView):  # type: ignore[type-arg]
    """The team's calibrations."""

    serializer_class = CalibrationSerializer
    parser_classes = (JSONParser,)

    @extend_schema(operation_id="calibrations_list", tags=["calibrations"], responses=CalibrationSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the calibrations, newest first."""
        page = self.paginate_queryset(visible_calibrations(request))
        return self.get_paginated_response(CalibrationSerializer(page, many=True).data)

    @extend_schema(
        operation_id="calibrations_create",
        tags=["calibrations"],
        request=CalibrationStartSerializer,
        responses={202: CalibrationSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Measure a device on its host; a calibration of it that is under way is returned instead."""
        form = CalibrationStartSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        models = [get_model(request, model_id) for model_id in asked["models"]]
        device = get_device(asked["device"])
        row = services.start(
            device, current_team(request), asking_user(request), models,
            count=asked["count"], budget_s=asked["budget_s"],
        )  # fmt: skip
        record(request, "calibration.start", row, details={"device": str(device.pk)})
        return Response(CalibrationSerializer(get_calibration(request, row.pk)).data, status=202)


class CalibrationUploadView(APIView):
    """Calibrations that were measured elsewhere."""

    parser_classes = (MultiPartParser,)

    @extend_schema(
        operation_id="calibrations_upload",
        tags=["calibrations"],
        request={"multipart/form-data": CalibrationUploadSerializer},
        responses={201: CalibrationSerializer, 413: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Upload the file that the calibrator wrote; one that the team has already is returned instead."""
        form = CalibrationUploadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        file = form.validated_data["file"]
        if file.size > services.MAX_BUNDLE_BYTES:
            raise CostError(
                "bundle_too_large",
                f"The calibration has more than {services.MAX_BUNDLE_BYTES} bytes.",
                hint="Calibrate with fewer cases.",
                limit_bytes=services.MAX_BUNDLE_BYTES,
            )
        row = services.upload(file.read(), current_team(request), asking_user(request))
        record(request, "calibration.upload", row, details={"hash": row.bundle_hash})
        return Response(CalibrationSerializer(get_calibration(request, row.pk)).data, status=201)


class CalibrationView(APIView):
    """One calibration."""

    @extend_schema(
        operation_id="calibrations_retrieve",
        tags=["calibrations"],
        responses={200: CalibrationDetailSerializer, **ERRORS},
    )
    def get(self, request: Request, calibration_id: uuid.UUID) -> Response:
        """Read a calibration with its errors by operator type and its parity."""
        return Response(CalibrationDetailSerializer(get_calibration(request, calibration_id)).data)

    @extend_schema(operation_id="calibrations_delete", tags=["calibrations"], responses={204: None, **ERRORS})
    def delete(self, request: Request, calibration_id: uuid.UUID) -> Response:
        """Delete a calibration; pools and searches that used it keep what it measured."""
        row = get_calibration(request, calibration_id)
        record(request, "calibration.delete", row, details={"device": row.device_name, "hash": row.bundle_hash})
        services.remove(row)
        return Response(status=204)


class CalibrationStopView(APIView):
    """Stops one calibration."""

    @extend_schema(
        operation_id="calibrations_stop",
        tags=["calibrations"],
        request=None,
        responses={200: CalibrationSerializer, **ERRORS},
    )
    def post(self, request: Request, calibration_id: uuid.UUID) -> Response:
        """Ask it, or its re-check, to stop; what was measured so far is kept."""
        row = get_calibration(request, calibration_id)
        if services.stop(row):
            record(request, "calibration.stop", row)
        return Response(CalibrationSerializer(get_calibration(request, calibration_id)).data)


class CalibrationRecheckView(APIView):
    """Checks one calibration."""

    @extend_schema(
        operation_id="calibrations_recheck",
        tags=["calibrations"],
        request=None,
        responses={202: CalibrationSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, calibration_id: uuid.UUID) -> Response:
        """Time 20 of its operators again, and say whether the others still hold."""
        row = get_calibration(request, calibration_id)
        services.recheck(row, asking_user(request))
        record(request, "calibration.recheck", row)
        return Response(CalibrationSerializer(get_calibration(request, calibration_id)).data, status=202)


class CalibrationBundleView(APIView):
    """The measurements as a file."""

    @extend_schema(
        operation_id="calibrations_bundle",
        tags=["calibrations"],
        responses={(200, "application/json"): OpenApiTypes.STR, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, calibration_id: uuid.UUID) -> HttpResponse:
        """Download the file that ``heteroopt plan --calibration DEVICE=FILE`` reads."""
        row = get_calibration(request, calibration_id)
        text = services.bundle_bytes(row.pk).decode("utf-8")
        return attachment(text, f"{row.runtime_name}-{row.device_name}", "json", "application/json")


class CostModelsView(APIView):
    """What learns from measurements."""

    @extend_schema(
        operation_id="cost_models_list", tags=["calibrations"], responses={200: CostModelSerializer(many=True)}
    )
    def get(self, request: Request) -> Response:
        """List the kinds of cost models of this installation, and the plugins that are unavailable with the reason."""
        from heteroopt.costs.cost_models import cost_models

        known = cost_models()
        rows: list[dict[str, str]] = [
            {"name": name, "origin": "", "code": "", "message": ""} for name in known.available
        ]
        return Response([*rows, *(one.to_dict() for one in known.unavailable)])


class CalibratorView(APIView):
    """The calibrator."""

    @extend_schema(
        operation_id="calibrations_calibrator",
        tags=["calibrations"],
        responses={(200, "text/x-python"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> HttpResponse:
        """Download the one file that measures a device elsewhere: Python 3.8 or newer, numpy and the runtime."""
        return attachment(single_file(__version__), "calibrator", "py", "text/x-python; charset=utf-8")


class CalibratorCasesView(APIView):
    """What the calibrator measures."""

    @extend_schema(
        operation_id="calibrations_cases",
        tags=["calibrations"],
        parameters=[CasesQuerySerializer],
        responses={(200, "application/json"): OpenApiTypes.STR, **ERRORS},
    )
    def get(self, request: Request) -> HttpResponse:
        """Download the cases: operators of the models that are named (``model``, once each), then a designed spread."""
        query: dict[str, object] = {"model": request.query_params.getlist("model")}
        if "count" in request.query_params:
            query["count"] = request.query_params["count"]
        form = CasesQuerySerializer(data=query)
        form.is_valid(raise_exception=True)
        models = [get_model(request, model_id) for model_id in form.validated_data["model"]]
        text = cases_text(models, form.validated_data["count"])
        name = Path(models[0].name).stem if len(models) == 1 else "calibration"
        return attachment(text, f"{name}-cases", "json", "application/json")
