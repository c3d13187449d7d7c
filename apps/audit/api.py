"""``/api/audit/``: who did what in the team, newest first."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.permissions import current_team
from apps.accounts.roles import MANAGE
from apps.accounts.serializers import ParamsField, PersonSerializer
from apps.audit.models import AuditEvent


class AuditEventSerializer(serializers.Serializer[Any]):
    """One act, or with ``denied`` the refused attempt at one."""

    id = serializers.UUIDField()
    at = serializers.DateTimeField()
    user = PersonSerializer(allow_null=True)
    action = serializers.CharField()
    object_type = serializers.CharField()
    object_id = serializers.UUIDField(allow_null=True)
    denied = serializers.BooleanField()
    details = ParamsField()


class AuditListView(generics.GenericAPIView):  # type: ignore[type-arg]
    """The team's audit log."""

    serializer_class = AuditEventSerializer
    read_permission: ClassVar = MANAGE
    people_only = True

    @extend_schema(
        operation_id="audit_list",
        tags=["team"],
        parameters=[
            OpenApiParameter("action", OpenApiTypes.STR, description="start of the action: review, member.role"),
            OpenApiParameter("denied", OpenApiTypes.BOOL, description="refused attempts only"),
        ],
        responses=AuditEventSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List the acts of the team's members; owners."""
        events = AuditEvent.objects.filter(team=current_team(request)).select_related("user").order_by("-at", "-id")
        action = request.query_params.get("action", "")
        if action:
            events = events.filter(action__startswith=action[:60])
        if request.query_params.get("denied") == "true":
            events = events.filter(denied=True)
        page = self.paginate_queryset(events)
        return self.get_paginated_response(AuditEventSerializer(page, many=True).data)
