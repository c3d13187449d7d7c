"""The team: roles, the last owner, leaving, invitations, the audit log, the teams of one person."""

import datetime

import pytest
from django.utils import timezone

from apps.accounts.models import ApiToken, Invite, Membership, User
from apps.accounts.roles import Role
from apps.audit.models import AuditEvent
from tests.conftest import join, signed_in


def code(answer):
    return answer.status_code, answer.json()["error"]["code"]


def member(client, name):
    return next(one for one in client.get("/api/team/members/").json() if one["user"]["name"] == name)


def invited(client, **asked):
    answer = client.post("/api/team/invites/", {"role": "reviewer", **asked}, "json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def accept(client, invite, **who):
    return client.post("/api/invitations/accept/", {"secret": invite["secret"], **who}, "json")


def test_owners_change_roles_and_remove_members(alice_client, bob_client, bob, team):
    found = member(alice_client, "bob")
    path = f"/api/team/members/{found['id']}/"
    assert alice_client.patch(path, {"role": "reviewer"}, "json").json()["role"] == "reviewer"
    assert bob_client.get("/api/session/").json()["permissions"] == ["view", "comment", "approve"]
    assert code(bob_client.patch(path, {"role": "owner"}, "json")) == (403, "permission_denied")
    invite = invited(alice_client)
    Invite.objects.update(created_by=bob)
    bob_client.post("/api/tokens/", {"name": "ci", "scope": "write"}, "json")
    assert alice_client.delete(path).status_code == 204
    assert ApiToken.objects.get().revoked_at is not None
    assert accept(bob_client, invite).status_code == 404
    assert bob_client.get("/api/session/").json()["team"] is None
    said = {one.action: one.details for one in AuditEvent.objects.filter(team=team)}
    assert said["member.role"] == {"name": "bob", "before": "planner", "after": "reviewer"}
    assert said["member.remove"]["name"] == "bob"


def test_a_team_keeps_an_owner(alice_client, bob_client, alice, bob):
    mine = f"/api/team/members/{member(alice_client, 'alice')['id']}/"
    for answer in (
        alice_client.patch(mine, {"role": "viewer"}, "json"),
        alice_client.delete(mine),
        alice_client.post("/api/team/leave/"),
    ):
        assert code(answer) == (409, "last_owner")
    his = f"/api/team/members/{member(alice_client, 'bob')['id']}/"
    alice_client.patch(his, {"role": "owner"}, "json")
    assert alice_client.post("/api/team/leave/").status_code == 204
    assert code(bob_client.post("/api/team/leave/")) == (409, "last_owner")
    assert list(Membership.objects.values_list("user__username", "role")) == [("bob", "owner")]


def test_an_owner_who_cannot_sign_in_any_more_does_not_count(alice_client, team):
    gone = join(User.objects.create(username="gone", name="gone", is_active=False), team, Role.OWNER)
    assert gone.memberships.count() == 1
    assert code(alice_client.post("/api/team/leave/")) == (409, "last_owner")


def test_somebody_new_joins_by_an_invitation_once(alice_client, anonymous_client, team, db):
    invite = invited(alice_client, note="Carol")
    assert invite["path"] == f"/invite/{invite['secret']}"
    shown = anonymous_client.post("/api/invitations/show/", {"secret": invite["secret"]}, "json").json()
    assert (shown["team"], shown["role"], shown["invited_by"]) == ("team", "reviewer", "alice")
    assert code(accept(anonymous_client, invite)) == (400, "invalid")
    answer = accept(anonymous_client, invite, name="  Carol\n Jones ", email="carol@example.org")
    assert answer.status_code == 204
    session = anonymous_client.get("/api/session/").json()
    assert (session["user"]["name"], session["team"]["role"]) == ("Carol Jones", "reviewer")
    assert member(alice_client, "Carol Jones")["email"] == "carol@example.org"
    assert invite["secret"] not in str(list(Invite.objects.values()))
    assert AuditEvent.objects.get(action="member.join").team == team
    assert alice_client.get("/api/team/invites/").json() == []
    assert accept(signed_in(User.objects.create(username="d", name="d")), invite).status_code == 404


def test_a_member_of_another_team_joins_and_chooses_the_team(alice_client, outsider_client, team, other_team):
    invite = invited(alice_client, role="viewer", max_uses=2)
    assert accept(outsider_client, invite).status_code == 204
    session = outsider_client.get("/api/session/").json()
    assert session["team"]["name"] == "team"
    assert {one["name"] for one in session["teams"]} == {"team", "other team"}
    assert code(accept(outsider_client, invite)) == (409, "already_member")
    assert Invite.objects.get().uses == 1
    assert outsider_client.post("/api/session/team/", {"team": str(other_team.pk)}, "json").status_code == 204
    assert outsider_client.get("/api/session/").json()["team"]["role"] == "owner"
    assert alice_client.post("/api/session/team/", {"team": str(other_team.pk)}, "json").status_code == 404


@pytest.mark.parametrize("how", ["expired", "revoked", "used", "unknown"])
def test_an_invitation_that_does_not_hold_says_so(alice_client, anonymous_client, how):
    invite = invited(alice_client)
    if how == "expired":
        Invite.objects.update(expires_at=timezone.now() - datetime.timedelta(seconds=1))
    elif how == "revoked":
        assert alice_client.delete(f"/api/team/invites/{invite['id']}/").status_code == 204
    elif how == "used":
        Invite.objects.update(uses=1)
    else:
        invite["secret"] = "nothing"
    before = User.objects.count()
    assert code(accept(anonymous_client, invite, name="Eve")) == (404, "invite_gone")
    assert code(anonymous_client.post("/api/invitations/show/", {"secret": invite["secret"]}, "json"))[0] == 404
    assert User.objects.count() == before


def test_an_address_that_somebody_has_is_not_given_twice(alice_client, anonymous_client, alice):
    alice_client.patch("/api/session/profile/", {"email": "Alice@example.org"}, "json")
    answer = accept(anonymous_client, invited(alice_client), name="Eve", email="alice@EXAMPLE.org")
    assert code(answer) == (409, "email_taken")


def test_accepting_needs_the_csrf_token(alice_client, db):
    from rest_framework.test import APIClient

    invite = invited(alice_client)
    assert accept(APIClient(enforce_csrf_checks=True), invite, name="Eve").status_code == 403


def test_only_owners_invite_and_read_the_log(bob_client, alice_client):
    assert code(bob_client.post("/api/team/invites/", {"role": "viewer"}, "json")) == (403, "permission_denied")
    assert code(bob_client.get("/api/audit/")) == (403, "permission_denied")
    assert code(bob_client.patch("/api/team/", {"self_approval": True}, "json")) == (403, "permission_denied")
    alice_client.patch("/api/team/", {"name": "Planners"}, "json")
    (event,) = alice_client.get("/api/audit/", {"action": "team."}).json()["results"]
    assert (event["action"], event["user"]["name"], event["details"]) == ("team.update", "alice", {"name": "Planners"})
    assert alice_client.get("/api/audit/", {"denied": "true"}).json()["count"] == 0


def test_the_log_of_another_team_is_not_shown(alice_client, outsider_client):
    alice_client.patch("/api/team/", {"name": "secret name"}, "json")
    assert outsider_client.get("/api/audit/").json()["count"] == 0


def test_a_link_for_another_browser_signs_in_once(alice_client, anonymous_client):
    made = alice_client.post("/api/session/sign-in-link/").json()
    assert anonymous_client.get(made["path"]).status_code == 302
    assert anonymous_client.get("/api/session/").json()["user"]["name"] == "alice"
    from rest_framework.test import APIClient

    assert APIClient().get(made["path"]).status_code == 410
