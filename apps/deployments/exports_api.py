"""Exports of a plan: which formats there are, archives made in jobs, downloads and links that end."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import FileResponse, Http404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.audit.models import AuditEvent
from apps.audit.services import record
from apps.deployments import archives, exports
from apps.deployments.models import PlanExport
from apps.deployments.queries import exports_of, get_export
from apps.deployments.serializers import (
    ExportCreateSerializer,
    ExportFormatsSerializer,
    ExportLinkSerializer,
    PlanExportSerializer,
)
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.schema import ErrorSerializer
from apps.searches.front_api import PLAN_HASH, asked_plan
from config.parsing import JSONParser

ZIP = {(200, "application/zip"): OpenApiTypes.BINARY}


class ExportFormatsView(APIView):
    """The formats of a plan."""

    @extend_schema(
        operation_id="plans_formats",
        tags=["downloads"],
        parameters=[PLAN_HASH],
        responses={200: ExportFormatsSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, search_id: uuid.UUID, number: int) -> Response:
        """List every format with what it needs and can express, and why this plan cannot be written in it."""
        search, plan = asked_plan(request, search_id, number)
        return Response(exports.formats_of(search, plan))


class PlanExportsView(generics.GenericAPIView):  # type: ignore[type-arg]
    """The exports of a plan."""

    serializer_class = PlanExportSerializer
    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="plans_exports_list",
        tags=["downloads"],
        parameters=[PLAN_HASH],
        responses=PlanExportSerializer(many=True),
    )
    def get(self, request: Request, search_id: uuid.UUID, number: int) -> Response:
        """List the exports of a plan, newest first."""
        search, plan = asked_plan(request, search_id, number)
        page = self.paginate_queryset(exports_of(search, plan.summary["hash"]))
        return self.get_paginated_response(PlanExportSerializer(page, many=True).data)

    @extend_schema(
        operation_id="plans_exports_create",
        tags=["downloads"],
        parameters=[PLAN_HASH],
        request=ExportCreateSerializer,
        responses={202: PlanExportSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, search_id: uuid.UUID, number: int) -> Response:
        """Write the plan in a format, in a job; the archive has a manifest with checksums and where all is from."""
        search, plan = asked_plan(request, search_id, number)
        form = ExportCreateSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked: dict[str, Any] = form.validated_data
        row = exports.start_export(search, plan, asking_user(request), asked["format"], asked["options"])
        record(request, "plan.export", row, details={"plan": row.plan_hash, "format": row.format})
        return Response(PlanExportSerializer(get_export(request, row.pk)).data, status=202)


class PlanExportView(APIView):
    """One export."""

    @extend_schema(operation_id="exports_retrieve", tags=["downloads"], responses={200: PlanExportSerializer, **ERRORS})
    def get(self, request: Request, export_id: uuid.UUID) -> Response:
        """Read an export: its state, and what its archive holds."""
        return Response(PlanExportSerializer(get_export(request, export_id)).data)

    @extend_schema(operation_id="exports_delete", tags=["downloads"], responses={204: None, **ERRORS})
    def delete(self, request: Request, export_id: uuid.UUID) -> Response:
        """Delete an export and its archive."""
        row = get_export(request, export_id)
        record(request, "export.delete", row, details={"plan": row.plan_hash, "format": row.format})
        exports.delete_export(row)
        return Response(status=204)


class ExportFileView(APIView):
    """The archive of an export, for members of the team."""

    @extend_schema(
        operation_id="exports_download", tags=["downloads"], responses={**ZIP, 409: ErrorSerializer, **ERRORS}
    )
    def get(self, request: Request, export_id: uuid.UUID) -> FileResponse:
        """Download the archive."""
        row = get_export(request, export_id)
        answer = _file(row)
        record(request, "plan.download", row, details={"plan": row.plan_hash, "format": row.format})
        return answer


class ExportLinkView(APIView):
    """Links that lend an archive."""

    @extend_schema(
        operation_id="exports_link",
        tags=["downloads"],
        request=None,
        responses={201: ExportLinkSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, export_id: uuid.UUID) -> Response:
        """Make an address from which whoever has it can download the archive for 15 minutes."""
        row = get_export(request, export_id)
        exports.ready_archive(row)
        token, expires_at = archives.link_token(row)
        record(request, "export.link", row, details={"plan": row.plan_hash, "format": row.format})
        url = request.build_absolute_uri(reverse("export-lent", args=(token,)))
        return Response(ExportLinkSerializer({"url": url, "expires_at": expires_at}).data, status=201)


class LentExportView(APIView):
    """The archive of an export, for whoever has a link to it."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="exports_lent", tags=["downloads"], auth=[], responses={**ZIP, 404: ErrorSerializer})
    def get(self, request: Request, token: str) -> FileResponse:
        """Download the archive through a link; 404 once the link has ended."""
        row = archives.export_of(token)
        if row is None:
            raise Http404
        answer = _file(row)
        AuditEvent.objects.create(
            team_id=row.team_id,
            user=None,
            action="plan.download",
            object_type=row._meta.label_lower,
            object_id=row.pk,
            details={"plan": row.plan_hash, "format": row.format, "link": True},
        )
        return answer


def _file(row: PlanExport) -> FileResponse:
    path = exports.ready_archive(row)
    answer = FileResponse(path.open("rb"), as_attachment=True, filename=archives.file_name(row))
    answer["Content-Type"] = "application/zip"
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Cache-Control"] = "private, no-store"
    return answer
