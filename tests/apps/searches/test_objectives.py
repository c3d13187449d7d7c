"""The API of objectives: what there is, searches for them, fronts from before there was a choice."""

import pytest

from apps.searches.models import SearchFront
from heteroopt.search.packing import pack, unpack
from tests.apps.support import add_model, add_pool, run_jobs, start_search

SMALL = {"population_size": 16, "generations": 8, "seed": 3}
GOALS = {
    **SMALL,
    "objectives": ["throughput_per_s", "exec_time_ms"],
    "constraints": [{"objective": "energy_j", "max": 1e6}],
    "items_in_flight": 4,
    "arrival_rate_per_s": 100.0,
}


@pytest.fixture
def model(alice_client):
    return add_model(alice_client)


@pytest.fixture
def pool(alice_client):
    return add_pool(alice_client)


def test_objectives_are_listed_for_members_only(alice_client, anonymous_client):
    listed = {entry["key"]: entry for entry in alice_client.get("/api/objectives/").json()}
    assert (listed["energy_j"]["annealing"], listed["step_time_ms"]["annealing"]) == ("value", "bound")
    assert listed["throughput_per_s"] == {
        "key": "throughput_per_s",
        "name": "Throughput (1 / bottleneck)",
        "unit": "1/s",
        "direction": "max",
        "needs": "decode",
        "normalise": "reference",
        "annealing": "value",
    }
    assert listed["latency_p99_ms"]["needs"] == "arrivals"
    assert anonymous_client.get("/api/objectives/").status_code in (401, 403)


def test_a_front_has_the_axes_asked_for_and_every_measure(alice_client, outsider_client, model, pool):
    search = start_search(alice_client, model, pool, GOALS)
    assert search["settings"]["objectives"] == GOALS["objectives"]
    assert search["settings"]["constraints"] == [{"objective": "energy_j", "min": None, "max": 1e6}]
    run_jobs()
    path = f"/api/searches/{search['id']}/front/"
    assert outsider_client.get(path).status_code == 404
    front = alice_client.get(path).json()
    assert [axis["key"] for axis in front["objectives"]] == GOALS["objectives"]
    assert front["objectives"][0]["direction"] == "max"
    keys = {entry["key"]: entry for entry in front["measures"]}
    assert {"pipeline_throughput_per_s", "latency_p99_ms", "peak_memory_bytes", "cost_per_hour"} <= set(keys)
    for plan in front["plans"]:
        assert set(plan["values"]) == set(plan["multiples"]) == set(keys)
        assert plan["values"]["exec_time_ms"] == plan["exec_time_ms"]
        assert plan["multiples"]["throughput_per_s"] == pytest.approx(
            keys["throughput_per_s"]["reference"] / plan["values"]["throughput_per_s"]
        )
        assert plan["values"]["energy_j"] <= 1e6
        assert set(plan["violations"]) == {"latency_p99_ms"}
    one = alice_client.get(f"/api/searches/{search['id']}/plans/1/").json()
    assert one["values"] == front["plans"][0]["values"]


def test_a_search_can_go_by_the_p99_latency_at_its_arrival_rate(alice_client, model, pool):
    rate = 1000.0
    settings = {**SMALL, "objectives": ["latency_p99_ms", "energy_j"], "arrival_rate_per_s": rate}
    settings["constraints"] = [{"objective": "latency_p99_ms", "max": 1e6}]
    search = start_search(alice_client, model, pool, settings)
    run_jobs()
    front = alice_client.get(f"/api/searches/{search['id']}/front/").json()
    assert [axis["key"] for axis in front["objectives"]] == ["latency_p99_ms", "energy_j"]
    for plan in front["plans"]:
        assert plan["values"]["latency_p99_ms"] >= plan["exec_time_ms"]
        assert plan["violations"] == {"latency_p99_ms": 0}


def test_what_no_plan_keeps_is_named(alice_client, model, pool):
    settings = {**SMALL, "constraints": [{"objective": "throughput_per_s", "min": 1e12}]}
    search = start_search(alice_client, model, pool, settings)
    run_jobs()
    assert alice_client.get(f"/api/searches/{search['id']}/").json()["state"] == "no_feasible"
    front = alice_client.get(f"/api/searches/{search['id']}/front/").json()
    said = {message["code"]: message["params"] for message in front["messages"]}
    assert said["constraint_missed"]["objective"] == "throughput_per_s"
    assert said["constraint_missed"]["bound"] == 1e12
    assert not any(plan["feasible"] for plan in front["plans"])


@pytest.mark.parametrize(
    ("goals", "code"),
    [
        ({"objectives": ["latency_p99_ms"]}, "objective_needs_arrivals"),
        ({"objectives": []}, "objectives_invalid"),
        ({"constraints": [{"objective": "energy_j"}]}, "constraint_empty"),
        ({"items_in_flight": 0}, "items_out_of_range"),
        ({"arrival_rate_per_s": 0}, "arrival_rate_out_of_range"),
    ],
)
def test_goals_that_cannot_be(alice_client, model, pool, goals, code):
    body = {"model": model["id"], "pool": pool["id"], "settings": goals}
    answer = alice_client.post("/api/searches/", body, format="json")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code


def test_a_front_that_was_stored_before_there_was_a_choice(alice_client, model, pool):
    search = start_search(alice_client, model, pool, SMALL)
    run_jobs()
    stored = SearchFront.objects.get(search_id=search["id"])
    for name in ("measures", "constraints"):
        del stored.body[name]
    stored.body["objectives"] = [
        {name: axis[name] for name in ("key", "reference", "reference_kind", "constant")}
        for axis in stored.body["objectives"]
    ]
    for plan in stored.body["plans"]:
        for name in ("values", "multiples", "violations"):
            del plan[name]
    header, arrays = unpack(bytes(stored.data))
    for name in ("objectives", "measures", "constraints"):
        del header[name]
    kept = {k: v for k, v in arrays.items() if k != "bottleneck_ps" and not k.startswith(("measure_", "violation_"))}
    stored.data = pack(header, kept)
    stored.save()
    front = alice_client.get(f"/api/searches/{search['id']}/front/").json()
    assert [entry["key"] for entry in front["measures"]] == ["exec_time_ms", "energy_j", "load_balance"]
    assert front["objectives"][1]["unit"] == "J"
    assert front["plans"][0]["values"]["energy_j"] == front["plans"][0]["energy_j"]
    assert alice_client.get(f"/api/searches/{search['id']}/plans/1/").status_code == 200
    download = alice_client.get(f"/api/searches/{search['id']}/plans/1/plan.json")
    assert download.status_code == 200
