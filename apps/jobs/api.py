"""``/api/jobs/``: where a job is, and a request that it stop."""

from __future__ import annotations

import uuid
from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.audit.services import get_visible_or_404, record
from apps.jobs import services
from apps.jobs.models import Job


class JobSerializer(serializers.ModelSerializer[Job]):
    """A job without its checkpoint and its lease."""

    class Meta:
        model = Job
        fields: ClassVar = [
            "id",
            "kind",
            "object_id",
            "state",
            "attempt",
            "cancel_requested",
            "progress",
            "revision",
            "error",
            "created_at",
            "started_at",
            "finished_at",
        ]
        read_only_fields = fields


def visible_job(request: Request, job_id: uuid.UUID) -> Job:
    """Return the current team's job without its checkpoint, or raise 404."""
    return get_visible_or_404(request, Job.objects.defer("checkpoint"), job_id)


class JobView(APIView):
    """One job."""

    @extend_schema(operation_id="jobs_retrieve", responses=JobSerializer)
    def get(self, request: Request, job_id: uuid.UUID) -> Response:
        """Return where the job is."""
        return Response(JobSerializer(visible_job(request, job_id)).data)


class JobStopView(APIView):
    """Stops one job."""

    @extend_schema(operation_id="jobs_stop", request=None, responses=JobSerializer)
    def post(self, request: Request, job_id: uuid.UUID) -> Response:
        """Ask the job to stop and keep what it has; no effect on one that has ended."""
        job = visible_job(request, job_id)
        if services.cancel(job.pk):
            record(request, "job.stop", job)
        job.refresh_from_db()
        return Response(JobSerializer(job).data)
