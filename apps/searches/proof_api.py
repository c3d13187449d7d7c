"""Proofs of a search: start one, and see how far it has come. Its job's stop ends it and keeps the bound."""

from __future__ import annotations

import uuid
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.audit.services import record
from apps.jobs.models import JobState
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.schema import ErrorSerializer, ProblemSerializer, RemarkSerializer
from apps.searches import proofs, solver_plans
from apps.searches.fronts import stored_front
from apps.searches.proof_jobs import proofs_of
from apps.searches.queries import get_search
from config.parsing import JSONParser

PROOF_STATES = ("none", *JobState.values)
PROOF_STATUSES = ("running", "optimal", "feasible", "stopped", "limit")


class ProveSerializer(serializers.Serializer[Any]):
    """Which plan to prove, and for how long at most."""

    plan = serializers.IntegerField(min_value=1, required=False, help_text="number; the fastest by default")
    seconds = serializers.IntegerField(min_value=1, max_value=proofs.MOST_SECONDS, default=proofs.DEFAULT_SECONDS)


class SolverPlanSerializer(serializers.Serializer[Any]):
    """The plan that a proof's solver found, as our decoder runs it."""

    hash = serializers.CharField()
    exec_time_ms = serializers.FloatField()
    number = serializers.IntegerField(allow_null=True, help_text="in the front, once it is there")
    addable = serializers.BooleanField()
    reason = RemarkSerializer(allow_null=True, help_text="why it cannot be added; params may name a plan's number")


class AddSolverPlanSerializer(serializers.Serializer[Any]):
    """Whose plan to add."""

    job = serializers.UUIDField(required=False, help_text="of the proof; the newest one by default")


class AddedPlanSerializer(serializers.Serializer[Any]):
    """Where the plan is now."""

    number = serializers.IntegerField()
    hash = serializers.CharField()
    revision = serializers.IntegerField(help_text="of the front")


class ProofSerializer(serializers.Serializer[Any]):
    """The newest proof of a search; figures are null before the solver has begun."""

    job = serializers.UUIDField(allow_null=True)
    state = serializers.ChoiceField(choices=[(s, s) for s in PROOF_STATES], help_text="of the job; none: no proof yet")
    limit_s = serializers.IntegerField(allow_null=True)
    status = serializers.ChoiceField(
        choices=[(s, s) for s in PROOF_STATUSES],
        allow_null=True,
        help_text="optimal: no plan is faster; feasible: the relaxed model is solved, more time changes nothing",
    )
    exec_time_ms = serializers.FloatField(allow_null=True, help_text="of the plan that is proved")
    lower_bound_ms = serializers.FloatField(allow_null=True, help_text="no plan is faster")
    gap = serializers.FloatField(allow_null=True, help_text="(exec_time - lower_bound) / lower_bound")
    seconds = serializers.FloatField(allow_null=True)
    plan = SolverPlanSerializer(
        allow_null=True, help_text="null until the proof has ended, or if its solver found none"
    )
    error = ProblemSerializer(allow_null=True)


class ProveView(APIView):
    """Starts a proof."""

    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="searches_prove",
        tags=["searches"],
        request=ProveSerializer,
        responses={202: ProofSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, search_id: uuid.UUID) -> Response:
        """Prove how far a plan can be from the fastest possible (at most 250 operators)."""
        search = get_search(request, search_id)
        form = ProveSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        job = proofs.start_proof(search, asking_user(request), asked.get("plan"), asked["seconds"])
        record(request, "search.prove", search, details={"seconds": asked["seconds"]})
        return Response(proofs.proof_body(job), status=202)


class ProofView(APIView):
    """The newest proof."""

    @extend_schema(operation_id="searches_proof", tags=["searches"], responses={200: ProofSerializer, **ERRORS})
    def get(self, request: Request, search_id: uuid.UUID) -> Response:
        """Read bound and gap as they close."""
        return Response(proofs.newest_proof(get_search(request, search_id)))


class AddSolverPlanView(APIView):
    """Adds the plan of a proof's solver to the front."""

    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="searches_add_solver_plan",
        tags=["searches"],
        request=AddSolverPlanSerializer,
        responses={201: AddedPlanSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, search_id: uuid.UUID) -> Response:
        """Add the plan that the solver found, behind the front's plans; 409 with the reason where it adds nothing."""
        search = get_search(request, search_id)
        form = AddSolverPlanSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        rows, asked = proofs_of(search.pk), form.validated_data.get("job")
        number, plan = solver_plans.add_to_front(search, (rows.filter(pk=asked) if asked else rows).first())
        record(request, "search.add_solver_plan", search, details={"number": number, "hash": plan.hash})
        revision = stored_front(search).revision
        return Response({"number": number, "hash": plan.hash, "revision": revision}, status=201)
