"""Session and templates: what the page asks for first."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth import logout
from django.middleware.csrf import get_token
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import heteroopt
from apps.accounts.members import memberships_of
from apps.accounts.models import Membership, User
from apps.accounts.permissions import current_membership
from apps.modelhub.schema import ErrorSerializer
from apps.pools.serializers import TemplateSerializer
from apps.searches.warming import warm_up_in_background
from apps.web.serializers import SessionSerializer
from heteroopt.devices.templates import list_templates, load_template


class SessionView(APIView):
    """The caller's session."""

    permission_classes = (AllowAny,)

    @extend_schema(operation_id="session_retrieve", tags=["session"], responses=SessionSerializer)
    def get(self, request: Request) -> Response:
        """Say who is signed in and what they may do, and set the CSRF cookie."""
        membership = current_membership(request)
        if membership is not None:
            warm_up_in_background()
        user = request.user if isinstance(request.user, User) else None
        team = None
        if membership is not None:
            team = _team(membership)
        answer = {
            "user": user,
            "team": team,
            "teams": [_team(one) for one in memberships_of(user)],
            "permissions": [] if membership is None else list(membership.permissions),
            "version": heteroopt.__version__,
            "csrf_token": get_token(request._request),
            "max_upload_bytes": settings.MAX_UPLOAD_BYTES,
        }
        response = Response(SessionSerializer(answer).data)
        response["Cache-Control"] = "no-store"
        return response


def _team(membership: Membership) -> dict[str, Any]:
    return {"id": membership.team_id, "name": membership.team.name, "role": membership.role}


class SignOutView(APIView):
    """Ends the session."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="session_sign_out",
        tags=["session"],
        request=None,
        responses={204: None, 403: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Sign out."""
        logout(request._request)
        return Response(status=204)


@cache
def templates() -> tuple[dict[str, Any], ...]:
    """All device templates as the page lists them; read from disk once."""
    listed = []
    for name in list_templates():
        device = load_template(name)
        listed.append(
            {
                "name": name,
                "display_name": device.display_name,
                "vendor": device.vendor,
                "device_type": device.device_type,
                "spec": device.to_dict(),
                "sources": dict(device.sources),
            }
        )
    return tuple(listed)


class TemplateListView(APIView):
    """Device templates."""

    @extend_schema(operation_id="templates_list", tags=["pools"], responses=TemplateSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the device templates with every figure and its source."""
        return Response(TemplateSerializer(templates(), many=True).data)
