"""A plan of a front, decoded for the page."""

import pytest

from apps.searches import plan_detail
from tests.apps.support import POOL, add_model, add_pool, long_model, run_jobs, start_search

SMALL = {"population_size": 16, "generations": 4, "seed": 1}


@pytest.fixture
def search(alice_client):
    found = start_search(alice_client, add_model(alice_client, long_model(4)), add_pool(alice_client), SMALL)
    run_jobs()
    return found


def test_every_plan_decodes_to_the_figures_of_the_front(alice_client, search):
    path = f"/api/searches/{search['id']}/"
    front = alice_client.get(f"{path}front/").json()
    for summary in front["plans"]:
        plan = alice_client.get(f"{path}plans/{summary['number']}/").json()
        assert {key: plan[key] for key in summary} == summary
        assert plan["revision"] == front["revision"]
        operators = plan["operators"]
        assert max(op["end_ms"] for op in operators) <= plan["exec_time_ms"]
        assert sorted(op["order"] for op in operators) == list(range(len(operators)))
        assert sum(plan["energy_parts_j"].values()) == pytest.approx(plan["energy_j"])
        for index, device in enumerate(summary["devices"]):
            assert sum(op["device"] == index for op in operators) == device["operators"]
        assert len(plan["transfers"]) == plan["n_transfers"]
        assert sum(hop["size_bytes"] for hop in plan["transfers"]) == plan["transferred_bytes"]
        assert max(memory["peak_bytes"] for memory in plan["memory"]) == plan["peak_memory_bytes"]
        for memory in plan["memory"]:
            assert max(size for _, size in memory["points"]) == memory["peak_bytes"]
            assert memory["points"][0][0] == 0


def test_operators_keep_their_order_and_are_explained(alice_client, search):
    plan = alice_client.get(f"/api/searches/{search['id']}/plans/1/").json()
    by_index = {op["index"]: op for op in plan["operators"]}
    for op in plan["operators"]:
        assert op["reason"]["code"]
        assert [a["device"] for a in op["alternatives"]] == [d for d in range(2) if d != op["device"]]
        assert {a["energy_source"] for a in op["alternatives"]} == {"template"}
        for before in op["predecessors"]:
            assert by_index[before]["end_ms"] <= op["start_ms"]
            assert by_index[before]["order"] < op["order"]
    assert set(plan["critical_path"]) <= set(by_index)
    assert plan["critical_path"]
    for edge in plan["edges"]:
        assert edge["cut"] == (by_index[edge["source"]]["device"] != by_index[edge["target"]]["device"])
    # Fused operators map back to those of the model.
    assert sum(len(op["members"]) for op in plan["operators"]) == search["model"]["n_operators"]


def test_one_operator_is_explained_as_in_the_whole_plan(alice_client, search):
    path = f"/api/searches/{search['id']}/plans/1/"
    plan = alice_client.get(path).json()
    for op in plan["operators"][:3]:
        one = alice_client.get(f"{path}operators/{op['index']}/").json()
        assert one == {key: op[key] for key in ("index", "name", "reason", "alternatives")}
    assert alice_client.get(f"{path}operators/9999/").status_code == 404


def test_large_graphs_leave_the_explanations_for_later(alice_client, search, monkeypatch):
    monkeypatch.setattr(plan_detail, "MOST_OPERATORS", 3)
    plan = alice_client.get(f"/api/searches/{search['id']}/plans/1/").json()
    assert all(op["reason"] is None and op["alternatives"] is None for op in plan["operators"])
    assert alice_client.get(f"/api/searches/{search['id']}/plans/1/operators/0/").json()["reason"]


def test_a_plan_is_found_by_its_hash_wherever_it_is(alice_client, search):
    path = f"/api/searches/{search['id']}/"
    plans = alice_client.get(f"{path}front/").json()["plans"]
    found = alice_client.get(f"{path}plans/1/", {"hash": plans[-1]["hash"]}).json()
    assert found["number"] == plans[-1]["number"]
    gone = alice_client.get(f"{path}plans/1/", {"hash": "f" * 64})
    assert (gone.status_code, gone.json()["error"]["code"]) == (409, "plan_gone")
    for number in (0, len(plans) + 1):
        assert alice_client.get(f"{path}plans/{number}/").status_code == 404


def test_what_an_operator_map_took_off_a_device_says_why(alice_client):
    first, second, *rest = POOL["devices"]
    sources = {**second.get("sources", {}), "unsupported_ops.MatMul": "not supported by sim 1: no kernel"}
    devices = [first, {**second, "unsupported_ops": ["MatMul"], "sources": sources}, *rest]
    pool = add_pool(alice_client, {**POOL, "devices": devices})
    found = start_search(alice_client, add_model(alice_client), pool, SMALL)
    run_jobs()
    plan = alice_client.get(f"/api/searches/{found['id']}/plans/1/").json()
    refused = [
        a for op in plan["operators"] if op["op_type"] == "MatMul" for a in op["alternatives"] if a["device"] == 1
    ]
    assert {(a["code"], a["because"]) for a in refused} == {("not_supported", "not supported by sim 1: no kernel")}
