"""Downloads of a plan and of a front."""

from __future__ import annotations

import uuid
from collections.abc import Callable

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
from apps.searches.front_api import PLAN_HASH, asked_plan
from apps.searches.fronts import StoredPlan
from apps.searches.models import Search
from apps.searches.queries import get_search


class _Wanted:
    """The plan that a request asks for. Raises 404 and 409 as ``asked_plan`` does."""

    def __init__(self, request: Request, search_id: uuid.UUID, number: int) -> None:
        self._request = request
        self._search, self._plan = asked_plan(request, search_id, number)

    def download(
        self, write: Callable[[Search, StoredPlan], str], kind: str, ending: str, content_type: str
    ) -> HttpResponse:
        """What ``write`` makes of the plan as a file, with an audit row; ``ending`` of the name: ``-trace.json``."""
        search, summary = self._search, self._plan.summary
        text = write(search, self._plan)
        record(self._request, "plan.download", search, details={"plan": summary["hash"], "format": kind})
        own, suffix = ending.rsplit(".", 1)
        name = f"{search.model.name}-search{search.number}-plan{summary['number']}{own}"
        return attachment(text, name, suffix, content_type)


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
        plan = _Wanted(request, search_id, number)
        return plan.download(services.plan_json, "json", ".json", "application/json")


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
        plan = _Wanted(request, search_id, number)
        return plan.download(services.operators_csv, "csv", "-operators.csv", "text/csv; charset=utf-8")


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
        plan = _Wanted(request, search_id, number)
        return plan.download(services.trace_json, "trace", "-trace.json", "application/json")


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
        plan = _Wanted(request, search_id, number)
        return plan.download(services.report_html, "report", "-report.html", "text/html; charset=utf-8")


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
