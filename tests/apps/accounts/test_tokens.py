"""Personal tokens: scopes, expiry, revocation, one team, and what only people may do."""

import datetime

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from apps.accounts.models import ApiToken, Membership
from tests.apps.support import POOL
from tests.conftest import join


def made(client, **asked):
    answer = client.post("/api/tokens/", {"name": "ci", "scope": "read", **asked}, "json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def bearer(secret):
    client = APIClient(enforce_csrf_checks=True)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def code(answer):
    return answer.status_code, answer.json()["error"]["code"]


def test_a_token_reads_or_writes_by_its_scope(bob_client):
    reads, writes = bearer(made(bob_client)["secret"]), bearer(made(bob_client, scope="write")["secret"])
    for client in (reads, writes):
        assert client.get("/api/pools/").status_code == 200
    assert code(reads.post("/api/pools/", {"spec": POOL}, "json")) == (403, "token_reads_only")
    assert writes.post("/api/pools/", {"spec": POOL}, "json").status_code == 201


def test_it_can_no_more_than_its_owner(viewer_client):
    writes = bearer(made(viewer_client, scope="write")["secret"])
    assert code(writes.post("/api/pools/", {"spec": POOL}, "json")) == (403, "permission_denied")


def test_the_secret_is_shown_once_and_only_its_hash_is_kept(bob_client, alice_client):
    token = made(bob_client)
    assert token["secret"].startswith("hopt_") and token["secret"].startswith(token["start"])
    assert token["secret"] not in str(list(ApiToken.objects.values()))
    (listed,) = bob_client.get("/api/tokens/").json()
    assert "secret" not in listed and listed["last_used_at"] is None
    bearer(token["secret"]).get("/api/pools/")
    assert bob_client.get("/api/tokens/").json()[0]["last_used_at"] is not None
    assert alice_client.get("/api/tokens/").json() == []


@pytest.mark.parametrize(
    ("secret", "refused"), [("hopt_nothing", "token_unknown"), ("", "token_unknown"), ("ü", "token_unknown")]
)
def test_an_unknown_token_is_refused(db, secret, refused):
    answer = bearer(secret).get("/api/pools/")
    assert code(answer) == (401, refused)
    assert answer["WWW-Authenticate"] == "Bearer"


def test_an_expired_or_revoked_token_is_refused(bob_client, alice_client):
    token = made(bob_client, days=1)
    ApiToken.objects.update(expires_at=timezone.now() - datetime.timedelta(seconds=1))
    assert code(bearer(token["secret"]).get("/api/pools/")) == (401, "token_expired")
    other = made(bob_client)
    assert alice_client.delete(f"/api/tokens/{other['id']}/").status_code == 404
    assert bob_client.delete(f"/api/tokens/{other['id']}/").status_code == 204
    assert code(bearer(other["secret"]).get("/api/pools/")) == (401, "token_revoked")


def test_somebody_who_is_no_member_or_not_active_gets_nothing(bob_client, bob):
    secret = made(bob_client)["secret"]
    Membership.objects.filter(user=bob).delete()
    assert code(bearer(secret).get("/api/pools/")) == (403, "permission_denied")
    bob.is_active = False
    bob.save()
    assert code(bearer(secret).get("/api/pools/")) == (401, "token_unknown")


def test_it_belongs_to_the_team_that_it_was_made_in(bob_client, bob, other_team):
    secret = made(bob_client)["secret"]
    join(bob, other_team, "owner")
    assert bearer(secret).get("/api/team/").json()["name"] == "team"
    assert bearer(secret).get("/api/session/").json()["team"]["name"] == "team"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/api/tokens/"),
        ("post", "/api/tokens/"),
        ("post", "/api/team/invites/"),
        ("post", "/api/team/leave/"),
        ("patch", "/api/team/"),
        ("get", "/api/audit/"),
        ("get", "/api/webhooks/"),
        ("post", "/api/session/sign-in-link/"),
        ("patch", "/api/session/profile/"),
    ],
)
def test_what_only_people_may_do(alice_client, method, path):
    client = bearer(made(alice_client, scope="write")["secret"])
    assert code(getattr(client, method)(path)) == (403, "token_not_allowed")


def test_a_cookie_beside_a_wrong_token_does_not_help(bob_client):
    bob_client.credentials(HTTP_AUTHORIZATION="Bearer hopt_wrong")
    assert bob_client.get("/api/pools/").status_code == 401


@pytest.mark.parametrize("asked", [{"days": 0}, {"days": 400}, {"scope": "all"}, {"name": " "}])
def test_what_a_token_cannot_be(bob_client, asked):
    answer = bob_client.post("/api/tokens/", {"name": "ci", "scope": "read", **asked}, "json")
    assert code(answer) == (400, "invalid")
