"""Who is asking, for which team, and whether their role allows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.http import HttpRequest
from rest_framework import exceptions
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from apps.accounts.models import ApiToken, Membership, Team, User
from apps.accounts.roles import PLAN, VIEW

if TYPE_CHECKING:
    from rest_framework.views import APIView

SESSION_TEAM = "team"


def current_membership(request: HttpRequest | Request) -> Membership | None:
    """Return the signed-in user's membership in the team chosen in their session, else in their first team.

    A token belongs to one team. Looked up once per request.
    """
    plain: Any = getattr(request, "_request", request)
    if not hasattr(plain, "_membership"):
        plain._membership = _find_membership(request)
    return cast("Membership | None", plain._membership)


def _find_membership(request: HttpRequest | Request) -> Membership | None:
    user = request.user
    if not isinstance(user, User) or not user.is_active:
        return None
    mine = Membership.objects.select_related("team", "user").filter(user=user).order_by("created_at", "id")
    token = getattr(request, "auth", None)
    if isinstance(token, ApiToken):
        return mine.filter(team_id=token.team_id).first()
    chosen = request.session.get(SESSION_TEAM) if hasattr(request, "session") else None
    return (mine.filter(team_id=chosen).first() if chosen else None) or mine.first()


def current_team(request: HttpRequest | Request) -> Team:
    """Return the team that the request works in; 403 ``no_team`` for a user without any."""
    membership = current_membership(request)
    if membership is None:
        raise exceptions.PermissionDenied("You are not a member of a team.", code="no_team")
    return membership.team


def require_permission(request: HttpRequest | Request, permission: str) -> None:
    """Raise 403 unless the caller's role has ``permission`` (a word of :mod:`apps.accounts.roles`)."""
    membership = current_membership(request)
    if membership is None or permission not in membership.permissions:
        raise exceptions.PermissionDenied("Your role does not allow this.", code="permission_denied")


def require_role(request: HttpRequest | Request, *roles: str) -> None:
    """Raise 403 unless the caller has one of ``roles`` in the current team."""
    membership = current_membership(request)
    if membership is None or membership.role not in roles:
        raise exceptions.PermissionDenied("Your role does not allow this.", code="permission_denied")


def signed_in_user(request: Request) -> User:
    """Return the caller, where the permission class lets nobody else through."""
    user = request.user
    assert isinstance(user, User)
    return user


class TeamPermission(BasePermission):
    """Default of every API view: members read; writing needs the view's ``write_permission`` (``plan`` by default).

    A view can ask for a ``read_permission`` of its own, and with ``people_only`` (``people_write``: only where it
    writes) keep programs out that come with a token, so that a token that leaked cannot make others.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        membership = current_membership(request)
        if membership is None:
            return False
        reads = request.method in SAFE_METHODS
        if isinstance(request.auth, ApiToken):
            if getattr(view, "people_only", False) or (not reads and getattr(view, "people_write", False)):
                raise exceptions.PermissionDenied("Only people may do this, signed in.", code="token_not_allowed")
            if not reads and request.auth.scope != ApiToken.Scope.WRITE:
                raise exceptions.PermissionDenied("The token may only read.", code="token_reads_only")
        needed: Any = getattr(view, "read_permission", VIEW) if reads else getattr(view, "write_permission", PLAN)
        return needed in membership.permissions
