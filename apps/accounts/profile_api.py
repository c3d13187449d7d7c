"""What belongs to the caller alone: name, address, the team that they work in, a link for another browser."""

from __future__ import annotations

from typing import ClassVar

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.models import Membership, User
from apps.accounts.permissions import SESSION_TEAM, signed_in_user
from apps.accounts.roles import VIEW
from apps.accounts.serializers import ERRORS, ErrorSerializer
from apps.accounts.services import OTHER_BROWSER_LIFETIME, issue_sign_in_token
from apps.accounts.team_serializers import ChosenTeamSerializer, ProfileSerializer, SignInLinkSerializer
from apps.audit.services import record
from config.parsing import JSONParser
from config.refusals import ConflictError


class ProfileView(APIView):
    """The caller's name and address."""

    parser_classes = (JSONParser,)
    write_permission: ClassVar = VIEW
    people_only = True

    @extend_schema(operation_id="profile_retrieve", tags=["session"], responses=ProfileSerializer)
    def get(self, request: Request) -> Response:
        """Read one's own name and address."""
        return Response(ProfileSerializer(signed_in_user(request)).data)

    @extend_schema(
        operation_id="profile_update",
        tags=["session"],
        request=ProfileSerializer,
        responses={200: ProfileSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def patch(self, request: Request) -> Response:
        """Change one's own name or address. 409 ``email_taken``."""
        user = signed_in_user(request)
        form = ProfileSerializer(data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        email = form.validated_data.get("email", "")
        if email and User.objects.filter(email__iexact=email).exclude(pk=user.pk).exists():
            raise ConflictError("email_taken", "Somebody else has this address.", hint="Give another one.")
        for name, value in form.validated_data.items():
            setattr(user, name, value)
        user.save(update_fields=list(form.validated_data))
        record(request, "profile.update", user)
        return Response(ProfileSerializer(user).data)


class ChosenTeamView(APIView):
    """The team that the session works in."""

    parser_classes = (JSONParser,)
    write_permission: ClassVar = VIEW
    people_only = True

    @extend_schema(
        operation_id="session_choose_team",
        tags=["session"],
        request=ChosenTeamSerializer,
        responses={204: None, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Work in another one of one's teams from now on."""
        form = ChosenTeamSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        team_id = form.validated_data["team"]
        if not Membership.objects.filter(user=signed_in_user(request), team_id=team_id).exists():
            raise Http404
        request._request.session[SESSION_TEAM] = str(team_id)
        return Response(status=204)


class SignInLinkView(APIView):
    """A link for another browser."""

    write_permission: ClassVar = VIEW
    people_only = True

    @extend_schema(
        operation_id="session_sign_in_link", tags=["session"], request=None, responses={201: SignInLinkSerializer}
    )
    def post(self, request: Request) -> Response:
        """Make a link that signs the caller in once, in another browser, within ten minutes."""
        user = signed_in_user(request)
        secret = issue_sign_in_token(user, OTHER_BROWSER_LIFETIME)
        record(request, "session.link", user)
        shown = {"path": f"/signin/{secret}/", "expires_at": timezone.now() + OTHER_BROWSER_LIFETIME}
        return Response(SignInLinkSerializer(shown).data, status=201)
