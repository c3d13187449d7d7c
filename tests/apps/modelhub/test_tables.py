"""Plain tables: uploaded, read in the sandbox, searched with their own devices and costs."""

import json

import pytest

from tests.apps.support import add_pool, run_jobs, start_search, upload

TABLES = {
    "format": "heteroopt-tables-1",
    "name": "measured",
    "devices": [
        {"name": "fast", "device_type": "GPU", "memory_size_bytes": 10**9},
        {"name": "slow", "device_type": "CPU", "memory_size_bytes": 10**9},
    ],
    "links": [{"source": "fast", "target": "slow", "bandwidth_gb_per_s": 10, "latency_us": 1}],
    "options": {"model_io_on_host": False},
    "operators": [
        {"name": "a", "time_ms": {"fast": 1.0, "slow": 4.0}, "energy_j": {"fast": 0.5, "slow": 0.1}},
        {"name": "b", "time_ms": {"fast": 2.0, "slow": 5.0}, "energy_j": {"fast": 0.5, "slow": 0.1}},
        {"name": "c", "time_ms": {"slow": 1.0}, "energy_j": {"slow": 0.1}},
    ],
    "edges": [
        {"source": "a", "target": "b", "size_bytes": 1000},
        {"source": "b", "target": "c", "size_bytes": 10_000_000},
    ],
}


@pytest.fixture
def model(alice_client):
    file = upload(json.dumps(TABLES).encode(), "measured.json")
    answer = alice_client.post("/api/tables/", {"file": file}, "multipart")
    assert answer.status_code == 201, answer.content
    run_jobs(sandbox=True)
    model = alice_client.get(f"/api/models/{answer.json()['id']}/").json()
    assert model["state"] == "ready", model["error"]
    return model


def test_tables_are_a_model_with_its_own_pool(alice_client, model):
    assert (model["kind"], model["name"]) == ("tables", "measured")
    assert (model["summary"]["n_operators"], model["summary"]["n_edges"]) == (3, 2)
    operators = alice_client.get(f"/api/models/{model['id']}/operators/").json()["results"]
    assert [op["name"] for op in operators] == ["a", "b", "c"]


def test_a_search_of_tables_uses_the_given_costs(alice_client, model):
    search = start_search(alice_client, model, None, {"generations": 5})
    assert search["pool"]["id"] is None
    assert [device["tag"] for device in search["pool"]["devices"]] == ["G0", "C0"]
    run_jobs()
    assert alice_client.get(f"/api/searches/{search['id']}/").json()["state"] == "done"
    front = alice_client.get(f"/api/searches/{search['id']}/front/").json()
    # a and b on the fast device, then 10 MB over 10 GB/s and 1 us, then c: 1 + 2 + 1.001 + 1 ms.
    assert front["plans"][0]["exec_time_ms"] == pytest.approx(5.001)
    plan = alice_client.get(f"/api/searches/{search['id']}/plans/1/").json()
    assert [op["device"] for op in plan["operators"]] == [0, 0, 1]
    assert {op["cost_source"] for op in plan["operators"]} == {"given"}
    assert plan["operators"][2]["reason"]["code"] == "only_supported_here"


def test_a_pool_beside_the_tables_own_is_refused(alice_client, model):
    body = {"model": model["id"], "pool": add_pool(alice_client)["id"]}
    assert alice_client.post("/api/searches/", body, "json").json()["error"]["code"] == "pool_not_used"


def test_dimensions_cannot_be_bound(alice_client, model):
    answer = alice_client.post(f"/api/models/{model['id']}/bind/", {"dims": {"N": 2}}, "json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_dimension")
