"""Webhooks of the team; owners."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import current_team, signed_in_user
from apps.accounts.roles import MANAGE
from apps.accounts.serializers import ERRORS, ErrorSerializer, PersonSerializer
from apps.audit.services import get_visible_or_404, record
from apps.reviews import webhooks
from apps.reviews.models import DeliveryState, Webhook
from apps.reviews.notices import EVENTS
from config.parsing import JSONParser


class WebhookAskedSerializer(serializers.Serializer[Any]):
    """A webhook to set."""

    url = serializers.CharField(max_length=1000)
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=[(one, one) for one in EVENTS]), min_length=1, max_length=len(EVENTS)
    )
    active = serializers.BooleanField(required=False, help_text="on by default")


class WebhookSerializer(serializers.Serializer[Any]):
    """A webhook without its secret."""

    id = serializers.UUIDField()
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField())
    active = serializers.BooleanField()
    created_by = PersonSerializer(allow_null=True)
    created_at = serializers.DateTimeField()


class NewWebhookSerializer(WebhookSerializer):
    """A webhook with its new secret, which is shown this once."""

    secret = serializers.CharField()


class DeliveryErrorSerializer(serializers.Serializer[Any]):
    """Why an attempt failed."""

    code = serializers.CharField()
    message = serializers.CharField()


class DeliverySerializer(serializers.Serializer[Any]):
    """One message to a webhook."""

    id = serializers.UUIDField()
    event = serializers.CharField()
    state = serializers.ChoiceField(choices=DeliveryState.choices)
    attempts = serializers.IntegerField()
    status = serializers.IntegerField(allow_null=True, help_text="of the last answer")
    error = DeliveryErrorSerializer(allow_null=True)
    created_at = serializers.DateTimeField()
    tried_at = serializers.DateTimeField(allow_null=True)
    next_at = serializers.DateTimeField(allow_null=True)


def get_webhook(request: Request, webhook_id: uuid.UUID) -> Webhook:
    """One webhook of the caller's team; 404 for any other."""
    return get_visible_or_404(request, Webhook.objects.select_related("team", "created_by"), webhook_id)


class WebhookListView(APIView):
    """The team's webhooks."""

    parser_classes = (JSONParser,)
    read_permission: ClassVar = MANAGE
    write_permission: ClassVar = MANAGE
    people_only = True

    @extend_schema(operation_id="webhooks_list", tags=["team"], responses=WebhookSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the webhooks."""
        found = Webhook.objects.filter(team=current_team(request)).select_related("created_by")
        return Response(WebhookSerializer(found, many=True).data)

    @extend_schema(
        operation_id="webhooks_create",
        tags=["team"],
        request=WebhookAskedSerializer,
        responses={201: NewWebhookSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Set a webhook. Its secret is in this answer only. 400 ``webhook_url``, ``webhook_private``, ..."""
        form = WebhookAskedSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        hook, secret = webhooks.add_webhook(
            current_team(request), signed_in_user(request), url=asked["url"], events=sorted(set(asked["events"]))
        )
        record(request, "webhook.create", hook, details={"url": hook.url, "events": hook.events})
        return Response({**WebhookSerializer(hook).data, "secret": secret}, status=201)


class WebhookView(APIView):
    """One webhook."""

    parser_classes = (JSONParser,)
    write_permission: ClassVar = MANAGE
    people_only = True

    @extend_schema(
        operation_id="webhooks_update",
        tags=["team"],
        request=WebhookAskedSerializer,
        responses={200: WebhookSerializer, **ERRORS},
    )
    def patch(self, request: Request, webhook_id: uuid.UUID) -> Response:
        """Change a webhook's URL or events, or switch it on or off."""
        hook = get_webhook(request, webhook_id)
        form = WebhookAskedSerializer(data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        webhooks.change_webhook(hook, form.validated_data)
        record(request, "webhook.update", hook, details=dict(form.validated_data))
        return Response(WebhookSerializer(hook).data)

    @extend_schema(operation_id="webhooks_delete", tags=["team"], responses={204: None, **ERRORS})
    def delete(self, request: Request, webhook_id: uuid.UUID) -> Response:
        """Delete a webhook with what was sent to it."""
        hook = get_webhook(request, webhook_id)
        record(request, "webhook.delete", hook, details={"url": hook.url})
        hook.delete()
        return Response(status=204)


class WebhookSecretView(APIView):
    """A new secret."""

    write_permission: ClassVar = MANAGE
    people_only = True

    @extend_schema(
        operation_id="webhooks_secret", tags=["team"], request=None, responses={200: NewWebhookSerializer, **ERRORS}
    )
    def post(self, request: Request, webhook_id: uuid.UUID) -> Response:
        """Replace the secret; the new one is in this answer only."""
        hook = get_webhook(request, webhook_id)
        secret = webhooks.new_secret(hook)
        record(request, "webhook.secret", hook)
        return Response({**WebhookSerializer(hook).data, "secret": secret})


class WebhookPingView(APIView):
    """Tries a webhook out."""

    write_permission: ClassVar = MANAGE
    people_only = True

    @extend_schema(
        operation_id="webhooks_ping", tags=["team"], request=None, responses={202: DeliverySerializer, **ERRORS}
    )
    def post(self, request: Request, webhook_id: uuid.UUID) -> Response:
        """Send a message that says nothing but that it arrives."""
        hook = get_webhook(request, webhook_id)
        delivery = webhooks.ping(hook, signed_in_user(request))
        record(request, "webhook.ping", hook)
        return Response(DeliverySerializer(delivery).data, status=202)


class DeliveryListView(generics.GenericAPIView):  # type: ignore[type-arg]
    """What was sent to a webhook."""

    serializer_class = DeliverySerializer
    read_permission: ClassVar = MANAGE
    people_only = True

    @extend_schema(
        operation_id="webhooks_deliveries", tags=["team"], responses={200: DeliverySerializer(many=True), **ERRORS}
    )
    def get(self, request: Request, webhook_id: uuid.UUID) -> Response:
        """List the messages of a webhook, newest first; 200 are kept."""
        hook = get_webhook(request, webhook_id)
        page = self.paginate_queryset(hook.deliveries.defer("body"))
        return self.get_paginated_response(DeliverySerializer(page, many=True).data)
