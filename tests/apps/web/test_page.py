"""The page itself: index, headers, session, templates, sample workspace."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.accounts.services import create_team, create_user
from apps.modelhub.models import Model
from apps.pools.models import Pool
from apps.web import samples, views
from heteroopt.devices.templates import list_templates
from heteroopt.graph.samples import onnx_light_model
from tests.apps.support import run_jobs
from tests.conftest import signed_in

DOCUMENT = b'<!doctype html><script type="module" src="/static/web/assets/main-abc.js"></script><div id="root"></div>'


@pytest.fixture
def built(tmp_path, monkeypatch):
    (tmp_path / "index.html").write_bytes(DOCUMENT)
    monkeypatch.setattr(views, "BUILT", tmp_path)


@pytest.mark.parametrize("path", ["/", "/searches/1/", "/models/x?tab=2", "/nothing/here"])
def test_every_page_is_the_built_document_without_inline_scripts(built, anonymous_client, path):
    answer = anonymous_client.get(path)
    assert (answer.status_code, answer.content) == (200, DOCUMENT)
    policy = answer["Content-Security-Policy"]
    assert "script-src 'self';" in policy and "connect-src 'self'" in policy
    assert "unsafe" not in policy.split("script-src")[1].split(";")[0]
    assert "no-cache" in answer["Cache-Control"]
    assert "heteroopt_csrf" in answer.cookies


def test_a_page_that_is_not_built_says_how_to_build_it(anonymous_client, tmp_path, monkeypatch):
    monkeypatch.setattr(views, "BUILT", tmp_path)
    answer = anonymous_client.get("/")
    assert answer.status_code == 503
    assert "./run setup" in answer.content.decode()


def test_unknown_api_paths_are_json_404(built, alice_client):
    answer = alice_client.get("/api/nothing/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
    assert alice_client.post("/nothing/").status_code == 405
    assert alice_client.get("/favicon.ico").status_code == 301


def test_the_session_says_who_is_there_and_what_they_may(anonymous_client, viewer_client, alice_client, team):
    nobody = anonymous_client.get("/api/session/").json()
    assert (nobody["user"], nobody["team"], nobody["permissions"]) == (None, None, [])
    viewer = viewer_client.get("/api/session/").json()
    assert viewer["team"] == {"id": str(team.id), "name": "team", "role": "viewer"}
    assert viewer["permissions"] == ["view"]
    alice = alice_client.get("/api/session/").json()
    assert (alice["user"]["name"], alice["user"]["initials"]) == ("alice", "A")
    assert "manage" in alice["permissions"]
    assert alice["version"] == "0.1.0"


def test_changes_need_the_csrf_token_of_the_session(alice):
    client = signed_in(alice, enforce_csrf_checks=True)
    token = client.get("/api/session/").json()["csrf_token"]
    assert client.post("/api/session/sign-out/").status_code == 403
    assert client.post("/api/session/sign-out/", headers={"X-CSRFToken": token}).status_code == 204
    assert client.get("/api/session/").json()["user"] is None


def test_templates_have_every_figure_and_its_source(alice_client):
    listed = alice_client.get("/api/templates/").json()
    assert [entry["name"] for entry in listed] == list(list_templates())
    a100 = next(entry for entry in listed if entry["name"] == "NVIDIA_A100_40G")
    assert a100["device_type"] == "GPU"
    assert a100["spec"]["memory_size_bytes"] == 40_000_000_000
    assert a100["sources"]


class TestSamples:
    @pytest.fixture
    def owner(self, db, monkeypatch, django_capture_on_commit_callbacks):
        # One small model stands for all five, which the engine's tests read.
        monkeypatch.setattr(samples, "LIGHT_MODELS", ("inception_v1",))
        monkeypatch.setattr(samples, "bert_encoder", lambda: onnx_light_model("squeezenet").read_bytes())
        owner = create_user("owner")
        with django_capture_on_commit_callbacks(execute=True):
            create_team("first", owner)
        return owner

    def test_a_new_team_starts_with_models_that_are_read_and_pools(self, owner):
        client = signed_in(owner)
        models = client.get("/api/models/").json()["results"]
        assert [(m["name"], m["state"], m["is_sample"]) for m in models] == [
            ("inception_v1", "ready", True),
            ("bert_base_encoder", "ready", True),
        ]
        assert models[0]["summary"]["n_operators"] == 143
        pools = client.get("/api/pools/").json()["results"]
        assert len(pools) == 4
        assert [device["device_type"] for device in pools[0]["devices"]] == ["GPU", "GPU", "CPU", "NPU"]

    def test_one_click_starts_a_search_of_them(self, owner, monkeypatch):
        client = signed_in(owner)
        answer = client.post("/api/searches/sample/")
        assert answer.status_code == 201
        assert answer.json()["model"]["name"] == "inception_v1"
        run_jobs()
        search = client.get(f"/api/searches/{answer.json()['id']}/").json()
        assert (search["state"], search["n_plans"]) == ("done", 128)
        assert search["best"]["exec_time_x"] < 1

    def test_they_are_loaded_once_and_stay_deleted_until_they_are_asked_for(self, owner):
        client = signed_in(owner)
        for kind in ("models", "pools"):
            for entry in client.get(f"/api/{kind}/").json()["results"]:
                assert client.delete(f"/api/{kind}/{entry['id']}/").status_code == 204
        refused = client.post("/api/searches/sample/")
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "samples_missing")
        said = StringIO()
        call_command("load_samples", "--keep-deleted", stdout=said)
        assert said.getvalue() == "0 loaded, 0 brought back.\n"
        assert client.get("/api/models/").json()["count"] == 0
        call_command("load_samples", stdout=said)
        assert client.get("/api/models/").json()["count"] == 2
        assert client.get("/api/pools/").json()["count"] == 4
        assert Model.objects.count() == 2
        assert Pool.objects.count() == 4

    def test_a_sample_that_was_brought_back_can_be_bound_and_searched(self, owner):
        client = signed_in(owner)
        model = client.get("/api/models/").json()["results"][0]
        client.delete(f"/api/models/{model['id']}/")
        call_command("load_samples", stdout=StringIO())
        assert client.get(f"/api/models/{model['id']}/").json()["summary"] == model["summary"]
        assert client.post("/api/searches/sample/").status_code == 201


def test_samples_need_a_team(db):
    with pytest.raises(CommandError):
        call_command("load_samples")
