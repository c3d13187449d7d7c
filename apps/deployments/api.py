"""Downloads of a plan and of a front."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.audit.services import record
from apps.deployments import services
from apps.modelhub.api import ERRORS
from apps.modelhub.schema import ErrorSerializer
from apps.modelhub.text import attachment
from apps.searches.front_api import PLAN_HASH
from apps.searches.fronts import load_plan
from apps.searches.queries import get_search


class PlanJsonView(APIView):
    """A plan as JSON."""

    @extend_schema(
        operation_id="plans_json",
        tags=["downloads"],
        parameters=[PLAN_HASH],
        responses={(200, "application/json"): OpenApiTypes.OBJECT, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, search_id: uuid.UUID, number: int) -> HttpResponse:
        """Download a plan: the documented, versioned JSON with hashes of everything that it depends on."""
        search = get_search(request, search_id)
        plan = load_plan(search, number, request.query_params.get("hash"))
        text = services.plan_json(search, plan)
        record(request, "plan.download", search, details={"plan": plan.summary["hash"], "format": "json"})
        name = f"{search.model.name}-search{search.number}-plan{plan.summary['number']}"
        return attachment(text, name, "json", "application/json")


class OperatorsCsvView(APIView):
    """The operator table of a plan as CSV."""

    @extend_schema(
        operation_id="plans_operators_csv",
        tags=["downloads"],
        parameters=[PLAN_HASH],
        responses={(200, "text/csv"): OpenApiTypes.STR, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, search_id: uuid.UUID, number: int) -> HttpResponse:
        """Download the operator table: device, order, start, end, time, energy, reason."""
        search = get_search(request, search_id)
        plan = load_plan(search, number, request.query_params.get("hash"))
        text = services.operators_csv(search, plan)
        record(request, "plan.download", search, details={"plan": plan.summary["hash"], "format": "csv"})
        name = f"{search.model.name}-search{search.number}-plan{plan.summary['number']}-operators"
        return attachment(text, name, "csv", "text/csv; charset=utf-8")


class TraceView(APIView):
    """The schedule of a plan as a trace."""

    @extend_schema(
        operation_id="plans_trace",
        tags=["downloads"],
        parameters=[PLAN_HASH],
        responses={(200, "application/json"): OpenApiTypes.OBJECT, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, search_id: uuid.UUID, number: int) -> HttpResponse:
        """Download the schedule as Chrome trace JSON, which Perfetto and chrome://tracing open."""
        search = get_search(request, search_id)
        plan = load_plan(search, number, request.query_params.get("hash"))
        text = services.trace_json(search, plan)
        record(request, "plan.download", search, details={"plan": plan.summary["hash"], "format": "trace"})
        name = f"{search.model.name}-search{search.number}-plan{plan.summary['number']}-trace"
        return attachment(text, name, "json", "application/json")


class ReportView(APIView):
    """A report of a plan."""

    @extend_schema(
        operation_id="plans_report",
        tags=["downloads"],
        parameters=[PLAN_HASH],
        responses={(200, "text/html"): OpenApiTypes.STR, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, search_id: uuid.UUID, number: int) -> HttpResponse:
        """Download one HTML file with front, timeline, operators, reasons and hashes that opens without a network."""
        search = get_search(request, search_id)
        plan = load_plan(search, number, request.query_params.get("hash"))
        text = services.report_html(search, plan)
        record(request, "plan.download", search, details={"plan": plan.summary["hash"], "format": "report"})
        name = f"{search.model.name}-search{search.number}-plan{plan.summary['number']}-report"
        return attachment(text, name, "html", "text/html; charset=utf-8")


class FrontCsvView(APIView):
    """All plans of a front as CSV."""

    @extend_schema(
        operation_id="searches_front_csv",
        tags=["downloads"],
        responses={(200, "text/csv"): OpenApiTypes.STR, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, search_id: uuid.UUID) -> HttpResponse:
        """Download the table of all plans with absolute values and multiples, at full precision."""
        search = get_search(request, search_id)
        text = services.front_csv(search)
        record(request, "front.download", search)
        return attachment(text, f"{search.model.name}-search{search.number}-front", "csv", "text/csv; charset=utf-8")
