"""Paths of the downloads."""

from django.urls import path

from apps.deployments import api, exports_api, trials_api

urlpatterns = [
    path("searches/<uuid:search_id>/plans/<int:number>/plan.json", api.PlanJsonView.as_view(), name="plan-json"),
    path(
        "searches/<uuid:search_id>/plans/<int:number>/operators.csv",
        api.OperatorsCsvView.as_view(),
        name="plan-operators-csv",
    ),
    path("searches/<uuid:search_id>/plans/<int:number>/trace.json", api.TraceView.as_view(), name="plan-trace"),
    path("searches/<uuid:search_id>/plans/<int:number>/report.html", api.ReportView.as_view(), name="plan-report"),
    path(
        "searches/<uuid:search_id>/plans/<int:number>/formats/",
        exports_api.ExportFormatsView.as_view(),
        name="plan-formats",
    ),
    path(
        "searches/<uuid:search_id>/plans/<int:number>/exports/",
        exports_api.PlanExportsView.as_view(),
        name="plan-exports",
    ),
    path(
        "searches/<uuid:search_id>/plans/<int:number>/trials/",
        trials_api.PlanTrialsView.as_view(),
        name="plan-trials",
    ),
    path("trials/<uuid:trial_id>/", trials_api.PlanTrialView.as_view(), name="trial"),
    path("trials/<uuid:trial_id>/stop/", trials_api.PlanTrialStopView.as_view(), name="trial-stop"),
    path("trials/<uuid:trial_id>/profiles/", trials_api.PlanTrialProfilesView.as_view(), name="trial-profiles"),
    path("exports/<uuid:export_id>/", exports_api.PlanExportView.as_view(), name="export"),
    path("exports/<uuid:export_id>/download/", exports_api.ExportFileView.as_view(), name="export-download"),
    path("exports/<uuid:export_id>/link/", exports_api.ExportLinkView.as_view(), name="export-link"),
    path("lent-exports/<str:token>/", exports_api.LentExportView.as_view(), name="export-lent"),
    path("searches/<uuid:search_id>/front.csv", api.FrontCsvView.as_view(), name="front-csv"),
]
