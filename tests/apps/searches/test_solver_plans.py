"""The plan that a proof's solver found: kept by the worker, offered with a reason, added to the front when asked to."""

import numpy as np
import pytest

from apps.audit.models import AuditEvent
from apps.searches.front_json import upgraded
from apps.searches.models import Search, SearchFront, SolverPlan
from apps.searches.planning import planning_of
from heteroopt.front.front import Front
from heteroopt.search import proof as engine
from heteroopt.simulation.decoder import decode_one
from tests.apps.support import add_model, add_pool, long_model, run_jobs, start_search

SMALL = {"population_size": 16, "generations": 4, "seed": 1}


@pytest.fixture
def search(alice_client):
    found = start_search(alice_client, add_model(alice_client, long_model(3)), add_pool(alice_client), SMALL)
    run_jobs()
    return Search.objects.get(pk=found["id"])


@pytest.fixture
def path(search):
    return f"/api/searches/{search.pk}/"


@pytest.fixture
def fastest(search):
    """``(order, device, summary)`` of the fastest plan, which is taken out of the front as if it had not been found."""
    stored = SearchFront.objects.get(search=search)
    front = Front.from_bytes(bytes(stored.data))
    order, device = front.plans.orders[0], front.plans.devices[0]
    summary = stored.body["plans"][0]
    rows = np.arange(1, len(front))
    rest = Front(
        front.plans.take(rows), front.hashes[1:], True, front.reference, front.lower_bound_ps,
        front.memory_capacity_bytes, front.objectives, tuple(entry.take(rows) for entry in front.further),
    )  # fmt: skip
    stored.data = rest.to_bytes()
    plans = stored.body["plans"][1:]
    stored.body = {**stored.body, "plans": [{**plan, "number": plan["number"] - 1} for plan in plans]}
    stored.save()
    return order, device, summary


def prove(client, path, search, monkeypatch, genome):
    """A proof whose solver finds the plan of ``genome``."""
    schedule = None if genome is None else decode_one(planning_of(search).problem, genome[0], genome[1])
    monkeypatch.setattr(engine.Proof, "solver_plan", lambda self: schedule)
    assert client.post(f"{path}prove/", {"seconds": 20}, "json").status_code == 202
    run_jobs()
    return client.get(f"{path}proof/").json()


def test_the_solvers_plan_joins_behind_the_plans_of_the_front(
    alice_client, bob_client, path, search, fastest, monkeypatch
):
    before = alice_client.get(f"{path}front/").json()
    offer = prove(alice_client, path, search, monkeypatch, fastest)["plan"]
    assert offer == {
        "hash": fastest[2]["hash"], "exec_time_ms": fastest[2]["exec_time_ms"], "number": None, "addable": True,
        "reason": None,
    }  # fmt: skip
    unchanged = alice_client.get(f"{path}front/").json()
    assert (unchanged["revision"], unchanged["plans"]) == (before["revision"], before["plans"])

    added = bob_client.post(f"{path}proof/plan/", {}, "json")
    assert added.status_code == 201
    number = len(before["plans"]) + 1
    assert added.json() == {"number": number, "hash": offer["hash"], "revision": before["revision"] + 1}
    after = alice_client.get(f"{path}front/").json()
    assert after["revision"] == before["revision"] + 1
    assert [plan["hash"] for plan in after["plans"][:-1]] == [plan["hash"] for plan in before["plans"]]
    assert [plan["number"] for plan in after["plans"]] == list(range(1, number + 1))
    assert [plan["from_solver"] for plan in after["plans"]] == [False] * (number - 1) + [True]
    assert after["plans"][-1] == {**fastest[2], "number": number, "from_solver": True}
    assert after["history"] == before["history"]
    shown = alice_client.get(path).json()
    assert (shown["front_revision"], shown["n_plans"]) == (after["revision"], number)
    assert shown["best"]["exec_time_x"] == fastest[2]["exec_time_x"]
    event = AuditEvent.objects.get(action="search.add_solver_plan")
    assert (event.user.username, event.details) == ("bob", {"number": number, "hash": offer["hash"]})

    detail = alice_client.get(f"{path}plans/{number}/").json()
    assert (detail["hash"], detail["from_solver"]) == (offer["hash"], True)
    assert alice_client.get(f"{path}plans/1/", {"hash": offer["hash"]}).json()["number"] == number
    assert alice_client.get(f"{path}plans/{number}/plan.json", {"hash": offer["hash"]}).status_code == 200

    again = bob_client.post(f"{path}proof/plan/", {}, "json")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "plan_in_front")
    offer = alice_client.get(f"{path}proof/").json()["plan"]
    assert (offer["number"], offer["addable"], offer["reason"]["code"]) == (number, False, "in_front")
    assert alice_client.get(f"{path}front/").json() == after


def test_later_proofs_and_warm_starts_know_the_plan(alice_client, path, search, fastest, monkeypatch):
    prove(alice_client, path, search, monkeypatch, fastest)
    number = alice_client.post(f"{path}proof/plan/", {}, "json").json()["number"]
    assert prove(alice_client, path, search, monkeypatch, None)["exec_time_ms"] == fastest[2]["exec_time_ms"]
    body = {"model": str(search.model_id), "pool": str(search.pool_version.pool_id), "warm_start": str(search.pk)}
    body["settings"] = {**SMALL, "generations": 0}
    later = alice_client.post("/api/searches/", body, "json").json()
    run_jobs()
    front = alice_client.get(f"/api/searches/{later['id']}/front/").json()
    assert front["plans"][0]["exec_time_ms"] <= fastest[2]["exec_time_ms"]
    assert number == alice_client.get(f"{path}plans/1/", {"hash": fastest[2]["hash"]}).json()["number"]


def test_a_plan_that_adds_nothing_is_refused_with_its_reason(alice_client, path, search, fastest, monkeypatch):
    problem = planning_of(search).problem
    stored = Front.from_bytes(bytes(SearchFront.objects.get(search=search).data))
    held = (stored.plans.orders[0], stored.plans.devices[0])
    offer = prove(alice_client, path, search, monkeypatch, held)["plan"]
    assert (offer["number"], offer["addable"]) == (1, False)
    assert (offer["reason"]["code"], offer["reason"]["params"]["number"]) == ("in_front", 1)
    # To and fro between the devices: slow, and every tensor is moved.
    slow = (np.arange(problem.n_operators, dtype=np.int32), np.arange(problem.n_operators, dtype=np.int32) % 2)
    offer = prove(alice_client, path, search, monkeypatch, slow)["plan"]
    assert (offer["addable"], offer["reason"]["code"]) == (False, "dominated_by_plan")
    refused = alice_client.post(f"{path}proof/plan/", {}, "json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "plan_cannot_join")
    params = refused.json()["error"]["params"]
    assert (params["detail"], params["number"]) == ("dominated_by_plan", offer["reason"]["params"]["number"])


def test_without_a_plan_there_is_nothing_to_add(alice_client, path, search, monkeypatch):
    refused = alice_client.post(f"{path}proof/plan/", {}, "json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "solver_plan_missing")
    assert prove(alice_client, path, search, monkeypatch, None)["plan"] is None
    refused = alice_client.post(f"{path}proof/plan/", {}, "json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "solver_plan_missing")


def test_only_who_may_plan_adds(viewer_client, outsider_client, alice_client, path, search, fastest, monkeypatch):
    prove(alice_client, path, search, monkeypatch, fastest)
    before = SearchFront.objects.get(search=search).revision
    assert viewer_client.post(f"{path}proof/plan/", {}, "json").status_code == 403
    assert outsider_client.post(f"{path}proof/plan/", {}, "json").status_code == 404
    other = "00000000-0000-4000-8000-000000000000"
    assert alice_client.post(f"{path}proof/plan/", {"job": other}, "json").status_code == 409
    assert SearchFront.objects.get(search=search).revision == before


def test_a_running_search_keeps_its_front(alice_client, path, search, fastest, monkeypatch):
    prove(alice_client, path, search, monkeypatch, fastest)
    Search.objects.get(pk=search.pk).job.__class__.objects.filter(pk=search.job_id).update(state="running")
    assert alice_client.get(f"{path}proof/").json()["plan"] is None
    refused = alice_client.post(f"{path}proof/plan/", {}, "json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "search_running")


def test_the_worker_keeps_what_the_real_solver_finds(alice_client, path, search):
    alice_client.post(f"{path}prove/", {"seconds": 20}, "json")
    run_jobs()
    kept = SolverPlan.objects.filter(search=search).first()
    offer = alice_client.get(f"{path}proof/").json()["plan"]
    if kept is None:
        assert offer is None
        return
    decoded = decode_one(planning_of(search).problem, np.array(kept.order, np.int32), np.array(kept.device, np.int32))
    assert offer["exec_time_ms"] == pytest.approx(decoded.makespan_ps / 1e9)


def test_fronts_stored_before_plans_could_join_are_readable():
    assert upgraded({"measures": [], "plans": [{"number": 1}]})["plans"] == [{"number": 1, "from_solver": False}]
    assert upgraded({"measures": [], "plans": []})["energy_sources"] == []
