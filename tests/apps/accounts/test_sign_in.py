"""One-time links, and the first start."""

import datetime
import re

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import Membership, SignInToken, Team, User
from apps.accounts.roles import Role
from apps.accounts.signals import workspace_ready

NOTHING = "/api/jobs/00000000-0000-0000-0000-000000000000/"


def test_a_link_signs_in_once(client, alice):
    token = services.issue_sign_in_token(alice)
    answer = client.get(f"/signin/{token}/")
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert "no-store" in answer["Cache-Control"]
    assert client.get(NOTHING).status_code == 404
    # Opened again by the same browser, it leads to the page and not to an error.
    assert client.get(f"/signin/{token}/").status_code == 302
    client.logout()
    answer = client.get(f"/signin/{token}/")
    assert answer.status_code == 410
    assert "signin_url" in answer.content.decode()
    assert client.get(NOTHING).status_code == 401


def test_a_preview_does_not_use_the_link_up(client, alice):
    token = services.issue_sign_in_token(alice)
    assert client.head(f"/signin/{token}/").status_code == 200
    assert client.get(f"/signin/{token}/").status_code == 302


def test_only_a_hash_is_kept(alice):
    token = services.issue_sign_in_token(alice)
    row = SignInToken.objects.get()
    assert token not in str(vars(row))
    assert re.fullmatch("[0-9a-f]{64}", row.token_hash)


@pytest.mark.parametrize("token", ["x", "0" * 64, "%00"])
def test_an_unknown_link_signs_nobody_in(client, db, token):
    assert client.get(f"/signin/{token}/").status_code == 410


def test_a_link_runs_out(client, alice):
    token = services.issue_sign_in_token(alice, datetime.timedelta(seconds=-1))
    assert client.get(f"/signin/{token}/").status_code == 410
    services.issue_sign_in_token(alice)
    assert SignInToken.objects.filter(expires_at__lt=timezone.now()).count() == 0


def test_a_deactivated_user_is_not_signed_in(client, alice):
    token = services.issue_sign_in_token(alice)
    User.objects.update(is_active=False)
    assert client.get(f"/signin/{token}/").status_code == 410


def test_the_first_start_makes_one_owner_and_one_team(db, django_capture_on_commit_callbacks):
    told = []
    workspace_ready.connect(receiver := lambda team, user, **_: told.append((team.name, user.username)))
    try:
        with django_capture_on_commit_callbacks(execute=True):
            owner = services.ensure_workspace()
            assert services.ensure_workspace() == owner
    finally:
        workspace_ready.disconnect(receiver)
    assert [user.username for user in User.objects.all()] == ["local"]
    assert [team.name for team in Team.objects.all()] == ["local"]
    assert Membership.objects.get().role == Role.OWNER
    assert not owner.has_usable_password()
    assert set(told) == {("local", "local")}


def test_an_existing_owner_is_kept(alice, team):
    assert services.ensure_workspace() == alice
    assert User.objects.count() == 1


def test_a_receiver_that_fails_stops_nothing(alice, caplog):
    def fail(**_):
        raise RuntimeError("no samples")

    workspace_ready.connect(fail)
    try:
        assert services.ensure_workspace() == alice
    finally:
        workspace_ready.disconnect(fail)
    assert "no samples" in caplog.text


def test_signin_url_prints_a_link_that_works(client, alice, bob, capsys, settings):
    call_command("signin_url", user="bob")
    link = capsys.readouterr().out.strip()
    assert link.startswith(f"http://127.0.0.1:{settings.PORT}/signin/")
    client.get(link)
    assert client.session["_auth_user_id"] == str(bob.pk)
    with pytest.raises(CommandError, match="no active user called 'nobody'"):
        call_command("signin_url", user="nobody")


def test_initials():
    assert [User(name=name, username="u").initials for name in ("local", "Ada Lovelace", "a b c", "")] == [
        "L",
        "AL",
        "AB",
        "U",
    ]


def test_signin_url_names_the_server_that_runs(alice, capsys, settings, tmp_path):
    settings.ADDRESS_FILE = tmp_path / "address"
    settings.ADDRESS_FILE.write_text("http://127.0.0.1:8919")
    call_command("signin_url", user="alice")
    assert capsys.readouterr().out.startswith("http://127.0.0.1:8919/signin/")
