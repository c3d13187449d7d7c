"""Profiles: a run of a model on a device with its profiler. Only its owner may ask for one."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import current_team
from apps.audit.services import record
from apps.calibrations import profiles
from apps.calibrations.profile_serializers import ModelProfileSerializer, ProfileStartSerializer
from apps.hosts.queries import get_device
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.queries import get_model
from apps.modelhub.running import refuse_to_run
from apps.modelhub.schema import ErrorSerializer
from apps.modelhub.text import attachment
from config.parsing import JSONParser


class ModelProfilesView(generics.GenericAPIView):  # type: ignore[type-arg]
    """Profiles of one model."""

    serializer_class = ModelProfileSerializer
    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="models_profiles_list", tags=["models"], responses={200: ModelProfileSerializer(many=True)}
    )
    def get(self, request: Request, model_id: uuid.UUID) -> Response:
        """List the model's profiles, newest first."""
        model = get_model(request, model_id)
        page = self.paginate_queryset(profiles.visible_profiles(request).filter(model=model.pk))
        return self.get_paginated_response(ModelProfileSerializer(page, many=True).data)

    @extend_schema(
        operation_id="models_profile",
        tags=["models"],
        request=ProfileStartSerializer,
        responses={202: ModelProfileSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, model_id: uuid.UUID) -> Response:
        """Run the model on a device with its profiler; a profile of it there that is under way is returned instead."""
        model = get_model(request, model_id)
        form = ProfileStartSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        refuse_to_run(request, model)
        device = get_device(form.validated_data["device"])
        row = profiles.start(model, device, current_team(request), asking_user(request))
        record(request, "profile.start", row, details={"model": str(model.pk), "device": str(device.pk)})
        return Response(ModelProfileSerializer(profiles.get_profile(request, row.pk)).data, status=202)


class ProfileListView(generics.GenericAPIView):  # type: ignore[type-arg]
    """The team's profiles."""

    serializer_class = ModelProfileSerializer

    @extend_schema(operation_id="profiles_list", tags=["models"], responses=ModelProfileSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the profiles of all models, newest first."""
        page = self.paginate_queryset(profiles.visible_profiles(request))
        return self.get_paginated_response(ModelProfileSerializer(page, many=True).data)


class ProfileView(APIView):
    """One profile."""

    @extend_schema(operation_id="profiles_retrieve", tags=["models"], responses={200: ModelProfileSerializer, **ERRORS})
    def get(self, request: Request, profile_id: uuid.UUID) -> Response:
        """Read a profile with the operators that take longest."""
        return Response(ModelProfileSerializer(profiles.get_profile(request, profile_id)).data)

    @extend_schema(operation_id="profiles_delete", tags=["models"], responses={204: None, **ERRORS})
    def delete(self, request: Request, profile_id: uuid.UUID) -> Response:
        """Delete a profile; pools and searches that used it keep what it measured."""
        row = profiles.get_profile(request, profile_id)
        record(request, "profile.delete", row, details={"device": row.device_name, "hash": row.profile_hash})
        profiles.remove(row)
        return Response(status=204)


class ProfileStopView(APIView):
    """Stops one profile."""

    @extend_schema(
        operation_id="profiles_stop", tags=["models"], request=None, responses={200: ModelProfileSerializer, **ERRORS}
    )
    def post(self, request: Request, profile_id: uuid.UUID) -> Response:
        """Ask it to stop."""
        row = profiles.get_profile(request, profile_id)
        if profiles.stop(row):
            record(request, "profile.stop", row)
        return Response(ModelProfileSerializer(profiles.get_profile(request, profile_id)).data)


class ProfileFileView(APIView):
    """The profile as a file."""

    @extend_schema(
        operation_id="profiles_file",
        tags=["models"],
        responses={(200, "application/json"): OpenApiTypes.STR, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, profile_id: uuid.UUID) -> HttpResponse:
        """Download the file that ``heteroopt plan --profile DEVICE=FILE`` reads."""
        row = profiles.get_profile(request, profile_id)
        text = profiles.profile_bytes(row.pk).decode("utf-8")
        return attachment(text, f"{row.model.name}-{row.device_name}-profile", "json", "application/json")
