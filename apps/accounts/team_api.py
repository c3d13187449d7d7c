"""The team: its rules, its members, and leaving it."""

from __future__ import annotations

import uuid
from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts import members
from apps.accounts.models import Membership
from apps.accounts.permissions import current_membership, current_team
from apps.accounts.roles import MANAGE, VIEW
from apps.accounts.serializers import ERRORS, ErrorSerializer
from apps.accounts.team_serializers import MemberSerializer, RoleSerializer, TeamSerializer
from apps.audit.services import get_visible_or_404, record
from config.parsing import JSONParser


class TeamView(APIView):
    """The caller's team."""

    parser_classes = (JSONParser,)
    write_permission: ClassVar = MANAGE
    people_write = True

    @extend_schema(operation_id="team_retrieve", tags=["team"], responses=TeamSerializer)
    def get(self, request: Request) -> Response:
        """Read the team's name and its rules for approvals."""
        return Response(TeamSerializer(current_team(request)).data)

    @extend_schema(operation_id="team_update", tags=["team"], request=TeamSerializer, responses=TeamSerializer)
    def patch(self, request: Request) -> Response:
        """Change the team's name or its rules; owners."""
        team = current_team(request)
        form = TeamSerializer(data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        for name, value in form.validated_data.items():
            setattr(team, name, value)
        team.save(update_fields=list(form.validated_data))
        record(request, "team.update", team, details=dict(form.validated_data))
        return Response(TeamSerializer(team).data)


class MemberListView(APIView):
    """The members of the team."""

    @extend_schema(operation_id="members_list", tags=["team"], responses=MemberSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the members in the order in which they joined."""
        return Response(MemberSerializer(members.members(current_team(request)), many=True).data)


class MemberView(APIView):
    """One member."""

    parser_classes = (JSONParser,)
    write_permission: ClassVar = MANAGE
    people_only = True

    def _get(self, request: Request, member_id: uuid.UUID) -> Membership:
        return get_visible_or_404(request, Membership.objects.select_related("user", "team"), member_id)

    @extend_schema(
        operation_id="members_update",
        tags=["team"],
        request=RoleSerializer,
        responses={200: MemberSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def patch(self, request: Request, member_id: uuid.UUID) -> Response:
        """Give a member another role; owners. 409 ``last_owner``."""
        membership = self._get(request, member_id)
        form = RoleSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        before = membership.role
        membership = members.change_role(membership, form.validated_data["role"])
        details = {"name": str(membership.user), "before": before, "after": membership.role}
        record(request, "member.role", membership, details=details)
        return Response(MemberSerializer(membership).data)

    @extend_schema(operation_id="members_delete", tags=["team"], responses={204: None, 409: ErrorSerializer, **ERRORS})
    def delete(self, request: Request, member_id: uuid.UUID) -> Response:
        """Take a member out of the team, with their tokens and the invitations that they gave; owners."""
        membership = self._get(request, member_id)
        details = {"name": str(membership.user), "role": membership.role}
        members.remove_member(membership)
        record(request, "member.remove", membership.team, details=details)
        return Response(status=204)


class LeaveView(APIView):
    """Leaves the team."""

    write_permission: ClassVar = VIEW
    people_only = True

    @extend_schema(operation_id="team_leave", tags=["team"], request=None, responses={204: None, 409: ErrorSerializer})
    def post(self, request: Request) -> Response:
        """Leave the team. 409 ``last_owner``."""
        membership = current_membership(request)
        assert membership is not None
        details = {"name": str(membership.user), "role": membership.role}
        members.remove_member(membership)
        record(request, "member.leave", membership.team, details=details)
        return Response(status=204)
