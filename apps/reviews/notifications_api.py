"""What the caller is told: list, count, mark as read."""

from __future__ import annotations

from typing import ClassVar

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import current_team, signed_in_user
from apps.accounts.roles import VIEW
from apps.accounts.serializers import ERRORS
from apps.reviews.models import Notification
from apps.reviews.serializers import MarkReadSerializer, NotificationSerializer, UnreadSerializer
from config.parsing import JSONParser


def mine(request: Request) -> QuerySet[Notification]:
    """The caller's notifications in the current team."""
    return Notification.objects.filter(user=signed_in_user(request), team=current_team(request))


class NotificationListView(generics.GenericAPIView):  # type: ignore[type-arg]
    """The caller's notifications."""

    serializer_class = NotificationSerializer

    @extend_schema(
        operation_id="notifications_list",
        tags=["reviews"],
        parameters=[OpenApiParameter("unread", OpenApiTypes.BOOL, description="those that were not read only")],
        responses=NotificationSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List what one was told, newest first."""
        found = mine(request).select_related("actor", "review__search__model").defer("review__plan")
        if request.query_params.get("unread") == "true":
            found = found.filter(read_at=None)
        page = self.paginate_queryset(found)
        return self.get_paginated_response(NotificationSerializer(page, many=True).data)


class UnreadView(APIView):
    """How many were not read."""

    @extend_schema(operation_id="notifications_unread", tags=["reviews"], responses=UnreadSerializer)
    def get(self, request: Request) -> Response:
        """Count what was not read."""
        return Response({"unread": mine(request).filter(read_at=None).count()})


class MarkReadView(APIView):
    """Marks notifications as read."""

    parser_classes = (JSONParser,)
    write_permission: ClassVar = VIEW

    @extend_schema(
        operation_id="notifications_read",
        tags=["reviews"],
        request=MarkReadSerializer,
        responses={200: UnreadSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Mark one's own notifications as read: those with these ids, or all."""
        form = MarkReadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        found = mine(request).filter(read_at=None)
        if "ids" in form.validated_data:
            found = found.filter(pk__in=form.validated_data["ids"])
        found.update(read_at=timezone.now())
        return Response({"unread": mine(request).filter(read_at=None).count()})
