"""Invitations: owners make links, whoever has one joins."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.contrib.auth import login
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts import invites
from apps.accounts.authentication import SessionAuthentication
from apps.accounts.models import ApiToken, Invite, Membership, User
from apps.accounts.permissions import SESSION_TEAM, current_team, signed_in_user
from apps.accounts.roles import MANAGE
from apps.accounts.serializers import ERRORS, ErrorSerializer
from apps.accounts.team_serializers import (
    AcceptSerializer,
    InvitationSerializer,
    InvitationShownSerializer,
    InviteAskedSerializer,
    InviteSerializer,
    NewInviteSerializer,
)
from apps.audit.models import AuditEvent
from apps.audit.services import get_visible_or_404, record
from config.parsing import JSONParser


class InviteListView(APIView):
    """The team's open invitations."""

    parser_classes = (JSONParser,)
    read_permission: ClassVar = MANAGE
    write_permission: ClassVar = MANAGE
    people_only = True

    @extend_schema(operation_id="invites_list", tags=["team"], responses=InviteSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the invitations that can still be accepted; owners."""
        return Response(InviteSerializer(invites.open_invites(current_team(request)), many=True).data)

    @extend_schema(
        operation_id="invites_create",
        tags=["team"],
        request=InviteAskedSerializer,
        responses={201: NewInviteSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Make an invitation; owners. Its secret is in this answer only."""
        form = InviteAskedSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        invite, secret = invites.make_invite(current_team(request), signed_in_user(request), **form.validated_data)
        record(request, "invite.create", invite, details={"role": invite.role, "max_uses": invite.max_uses})
        shown = InviteSerializer(invite).data
        return Response({**shown, "secret": secret, "path": f"/invite/{secret}"}, status=201)


class InviteView(APIView):
    """One invitation."""

    write_permission: ClassVar = MANAGE
    people_only = True

    @extend_schema(operation_id="invites_delete", tags=["team"], responses={204: None, **ERRORS})
    def delete(self, request: Request, invite_id: uuid.UUID) -> Response:
        """Withdraw an invitation; owners."""
        invite = get_visible_or_404(request, Invite.objects.all(), invite_id)
        invites.revoke(Invite.objects.filter(pk=invite.pk))
        record(request, "invite.revoke", invite)
        return Response(status=204)


class InvitationView(APIView):
    """Shows where an invitation leads."""

    parser_classes = (JSONParser,)
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="invitations_show",
        tags=["team"],
        request=InvitationSerializer,
        responses={200: InvitationShownSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Say which team an invitation leads to, without accepting it. 404 ``invite_gone``."""
        form = InvitationSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        invite = invites.find_invite(form.validated_data["secret"])
        user = request.user if isinstance(request.user, User) else None
        shown = {
            "team": invite.team.name,
            "role": invite.role,
            "invited_by": None if invite.created_by is None else str(invite.created_by),
            "expires_at": invite.expires_at,
            "already_member": user is not None and Membership.objects.filter(user=user, team=invite.team).exists(),
        }
        return Response(InvitationShownSerializer(shown).data)


class AcceptView(APIView):
    """Accepts an invitation."""

    parser_classes = (JSONParser,)
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="invitations_accept",
        tags=["team"],
        request=AcceptSerializer,
        responses={204: None, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Join a team: as who is signed in, or as somebody new, who is then signed in. 404 ``invite_gone``."""
        user = request.user if isinstance(request.user, User) else None
        if user is None:
            # It signs somebody in: another site must not do that in somebody's browser.
            SessionAuthentication().enforce_csrf(request)
        form = AcceptSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked: dict[str, Any] = form.validated_data
        if user is None and not asked["name"]:
            raise serializers.ValidationError({"name": ["Say what you are called."]})
        membership = invites.accept(asked["secret"], user, name=asked["name"], email=asked["email"])
        if user is None:
            login(request._request, membership.user, backend="django.contrib.auth.backends.ModelBackend")
        if not isinstance(request.auth, ApiToken):
            request._request.session[SESSION_TEAM] = str(membership.team_id)
        AuditEvent.objects.create(
            team=membership.team,
            user=membership.user,
            action="member.join",
            object_type="accounts.membership",
            object_id=membership.pk,
            details={"name": str(membership.user), "role": membership.role},
        )
        return Response(status=204)
