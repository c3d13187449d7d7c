"""Paths of the jobs app."""

from django.urls import path

from apps.jobs.api import JobStopView, JobView
from apps.jobs.health import healthz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("api/jobs/<uuid:job_id>/", JobView.as_view(), name="job"),
    path("api/jobs/<uuid:job_id>/stop/", JobStopView.as_view(), name="job-stop"),
]
