"""Paths of the downloads."""

from django.urls import path

from apps.deployments import api

urlpatterns = [
    path("searches/<uuid:search_id>/plans/<int:number>/plan.json", api.PlanJsonView.as_view(), name="plan-json"),
    path(
        "searches/<uuid:search_id>/plans/<int:number>/operators.csv",
        api.OperatorsCsvView.as_view(),
        name="plan-operators-csv",
    ),
    path("searches/<uuid:search_id>/plans/<int:number>/trace.json", api.TraceView.as_view(), name="plan-trace"),
    path("searches/<uuid:search_id>/plans/<int:number>/report.html", api.ReportView.as_view(), name="plan-report"),
    path("searches/<uuid:search_id>/front.csv", api.FrontCsvView.as_view(), name="front-csv"),
]
