"""Trial runs of a plan: its segments run for real on a host. Only who may have the model run may ask for one."""

from __future__ import annotations

import uuid
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.audit.services import record
from apps.calibrations.profile_serializers import ModelProfileSerializer
from apps.deployments import trial_feedback, trials
from apps.deployments.queries import get_trial, trials_of
from apps.deployments.trial_serializers import PlanTrialSerializer, TrialStartSerializer
from apps.hosts.queries import get_device, get_host
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.running import refuse_to_run
from apps.modelhub.schema import ErrorSerializer
from apps.searches.front_api import PLAN_HASH, asked_plan
from config.parsing import JSONParser


class PlanTrialsView(generics.GenericAPIView):  # type: ignore[type-arg]
    """The trial runs of a plan."""

    serializer_class = PlanTrialSerializer
    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="plans_trials_list",
        tags=["trials"],
        parameters=[PLAN_HASH],
        responses=PlanTrialSerializer(many=True),
    )
    def get(self, request: Request, search_id: uuid.UUID, number: int) -> Response:
        """List the trial runs of a plan, newest first."""
        search, plan = asked_plan(request, search_id, number)
        page = self.paginate_queryset(trials_of(search, plan.summary["hash"]))
        return self.get_paginated_response(PlanTrialSerializer(page, many=True).data)

    @extend_schema(
        operation_id="plans_trials_create",
        tags=["trials"],
        parameters=[PLAN_HASH],
        request=TrialStartSerializer,
        responses={202: PlanTrialSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, search_id: uuid.UUID, number: int) -> Response:
        """Run the plan's segments on a host; a trial run of the plan that is under way is returned instead."""
        search, plan = asked_plan(request, search_id, number)
        form = TrialStartSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        refuse_to_run(request, search.model)
        asked: dict[str, Any] = form.validated_data
        host = None if asked["host"] is None else get_host(asked["host"])
        chosen = {name: get_device(device) for name, device in asked["devices"].items()}
        row = trials.start_trial(search, plan, asking_user(request), host, chosen)
        record(request, "plan.trial", row, details={"plan": row.plan_hash, "host": row.host_name})
        return Response(PlanTrialSerializer(get_trial(request, row.pk)).data, status=202)


class PlanTrialView(APIView):
    """One trial run."""

    @extend_schema(operation_id="trials_retrieve", tags=["trials"], responses={200: PlanTrialSerializer, **ERRORS})
    def get(self, request: Request, trial_id: uuid.UUID) -> Response:
        """Read a trial run: how far it is, or what was measured beside the prediction."""
        return Response(PlanTrialSerializer(get_trial(request, trial_id)).data)

    @extend_schema(operation_id="trials_delete", tags=["trials"], responses={204: None, **ERRORS})
    def delete(self, request: Request, trial_id: uuid.UUID) -> Response:
        """Delete a trial run; one that is under way is stopped."""
        row = get_trial(request, trial_id)
        record(request, "trial.delete", row, details={"plan": row.plan_hash})
        trials.delete_trial(row)
        return Response(status=204)


class PlanTrialStopView(APIView):
    """Stops one trial run."""

    @extend_schema(
        operation_id="trials_stop", tags=["trials"], request=None, responses={200: PlanTrialSerializer, **ERRORS}
    )
    def post(self, request: Request, trial_id: uuid.UUID) -> Response:
        """Ask it to stop."""
        row = get_trial(request, trial_id)
        if trials.stop_trial(row):
            record(request, "trial.stop", row, details={"plan": row.plan_hash})
        return Response(PlanTrialSerializer(get_trial(request, trial_id)).data)


class PlanTrialProfilesView(APIView):
    """What a trial run measured, as costs."""

    @extend_schema(
        operation_id="trials_take_back",
        tags=["trials"],
        request=None,
        responses={
            200: ModelProfileSerializer(many=True),
            201: ModelProfileSerializer(many=True),
            409: ErrorSerializer,
            **ERRORS,
        },
    )
    def post(self, request: Request, trial_id: uuid.UUID) -> Response:
        """Keep what its segments took as a profile of the model for each device, which a pool can name then."""
        row = get_trial(request, trial_id)
        found, new = trial_feedback.take_back(row, asking_user(request))
        if new:
            made = {one.figures["origin"]["device"]: str(one.pk) for one in found if one.figures}
            record(request, "trial.take_back", row, details={"plan": row.plan_hash, "profiles": made})
        return Response(ModelProfileSerializer(found, many=True).data, status=201 if new else 200)
