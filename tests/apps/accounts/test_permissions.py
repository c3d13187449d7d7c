"""What each role may do, and which team a request works in."""

import pytest
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory, force_authenticate
from rest_framework.views import APIView

from apps.accounts import permissions
from apps.accounts.models import Membership, Team
from apps.accounts.roles import PERMISSIONS, Role
from tests.conftest import join


class Planning(APIView):
    def get(self, request):
        return Response(permissions.current_team(request).name)

    def post(self, request):
        return Response()


class Commenting(Planning):
    write_permission = "comment"


def answer(view, method, user, session=None):
    request = getattr(APIRequestFactory(), method)("/")
    request.session = session or {}
    force_authenticate(request, user)
    return view.as_view()(request)


@pytest.mark.parametrize(
    ("role", "plans", "comments"),
    [("owner", 200, 200), ("planner", 200, 200), ("reviewer", 403, 200), ("viewer", 403, 403)],
)
def test_roles(alice, team, role, plans, comments):
    Membership.objects.filter(user=alice).update(role=role)
    assert answer(Planning, "get", alice).status_code == 200
    assert answer(Planning, "post", alice).status_code == plans
    assert answer(Commenting, "post", alice).status_code == comments


def test_every_role_is_described():
    assert set(PERMISSIONS) == set(Role.values)
    assert set(PERMISSIONS["viewer"]) < set(PERMISSIONS["reviewer"]) < set(PERMISSIONS["owner"])
    assert set(PERMISSIONS["viewer"]) < set(PERMISSIONS["planner"]) < set(PERMISSIONS["owner"])


def test_somebody_without_a_team_may_do_nothing(alice):
    Membership.objects.all().delete()
    assert answer(Planning, "get", alice).status_code == 403


def test_the_session_chooses_the_team(alice, team):
    second = Team.objects.create(name="second")
    join(alice, second, Role.VIEWER)
    assert answer(Planning, "get", alice).data == "team"
    session = {permissions.SESSION_TEAM: str(second.pk)}
    assert answer(Planning, "get", alice, session).data == "second"
    assert answer(Planning, "post", alice, session).status_code == 403


def test_the_session_cannot_choose_somebody_elses_team(alice, other_team):
    assert answer(Planning, "get", alice, {permissions.SESSION_TEAM: str(other_team.pk)}).data == "team"


def test_require_role_and_permission(rf, alice, reviewer):
    for user, allowed in ((alice, True), (reviewer, False)):
        request = rf.get("/")
        request.user = user
        for check in (
            lambda request=request: permissions.require_role(request, "owner", "planner"),
            lambda request=request: permissions.require_permission(request, "plan"),
        ):
            if allowed:
                check()
            else:
                with pytest.raises(exceptions.PermissionDenied):
                    check()
