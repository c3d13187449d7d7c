"""Proofs of a search: start, result, stop, refusals."""

import pytest

from apps.audit.models import AuditEvent
from apps.jobs.models import Job
from heteroopt.search import proof as engine
from tests.apps.support import add_model, add_pool, long_model, run_jobs, start_search

SMALL = {"population_size": 16, "generations": 4, "seed": 1}


@pytest.fixture
def search(alice_client):
    found = start_search(alice_client, add_model(alice_client, long_model(3)), add_pool(alice_client), SMALL)
    run_jobs()
    return found


@pytest.fixture
def path(search):
    return f"/api/searches/{search['id']}/"


def test_a_proof_raises_the_bound_of_the_front(alice_client, path):
    assert alice_client.get(f"{path}proof/").json()["state"] == "none"
    before = alice_client.get(f"{path}front/").json()
    assert "proved" not in before["lower_bound"]
    started = alice_client.post(f"{path}prove/", {"seconds": 20}, "json")
    assert started.status_code == 202
    assert (started.json()["state"], started.json()["limit_s"], started.json()["gap"]) == ("queued", 20, None)
    again = alice_client.post(f"{path}prove/", {}, "json").json()
    assert again["job"] == started.json()["job"]
    run_jobs()
    proof = alice_client.get(f"{path}proof/").json()
    assert proof["state"] == "done"
    assert proof["status"] in ("optimal", "feasible")
    fastest = before["plans"][0]
    assert proof["exec_time_ms"] == fastest["exec_time_ms"]
    assert before["lower_bound"]["exec_time_ms"] <= proof["lower_bound_ms"] <= fastest["exec_time_ms"]
    assert proof["gap"] == pytest.approx(proof["exec_time_ms"] / proof["lower_bound_ms"] - 1)
    after = alice_client.get(f"{path}front/").json()
    assert after["lower_bound"]["exec_time_ms"] == proof["lower_bound_ms"]
    assert AuditEvent.objects.filter(action="search.prove").exists()


def test_a_stopped_proof_keeps_its_bound(alice_client, path, monkeypatch):
    job = alice_client.post(f"{path}prove/", {"plan": 2}, "json").json()["job"]
    real = engine.Proof.run

    def stop_at_once(self, limit_s, on_progress):
        alice_client.post(f"/api/jobs/{job}/stop/")
        return real(self, limit_s, on_progress=lambda state: on_progress(state) and False)

    monkeypatch.setattr(engine.Proof, "run", stop_at_once)
    run_jobs()
    proof = alice_client.get(f"{path}proof/").json()
    assert proof["lower_bound_ms"] > 0
    assert proof["exec_time_ms"] == alice_client.get(f"{path}plans/2/").json()["exec_time_ms"]


def test_deleting_a_search_stops_its_proof(alice_client, path):
    job = alice_client.post(f"{path}prove/", {}, "json").json()["job"]
    assert alice_client.delete(path).status_code == 204
    assert Job.objects.get(pk=job).state == "stopped"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [({"plan": 999}, 404, "not_found"), ({"plan": 0}, 400, "invalid"), ({"seconds": 601}, 400, "invalid")],
)
def test_what_cannot_be_is_refused(alice_client, path, body, status, code):
    answer = alice_client.post(f"{path}prove/", body, "json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_large_graphs_and_missing_solvers_are_said(alice_client, path, monkeypatch):
    monkeypatch.setattr(engine, "MOST_OPERATORS", 3)
    answer = alice_client.post(f"{path}prove/", {}, "json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "proof_too_large")
    monkeypatch.setattr(engine, "MOST_OPERATORS", 250)
    monkeypatch.setattr(engine, "find_spec", lambda _: None)
    answer = alice_client.post(f"{path}prove/", {}, "json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "proof_unavailable")
