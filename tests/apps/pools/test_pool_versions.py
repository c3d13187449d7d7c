"""Versions of a pool, what a change alters, what ran on which, and pools from the text of topology tools."""

from __future__ import annotations

import copy
from unittest import mock

from apps.pools import version_api
from tests.apps.support import add_model, add_pool, called_directly, start_search
from tests.engine.devices.topology import texts

SMALL = {"population_size": 8, "generations": 1, "fuse": False}


def changes(client, pool, body, status=200) -> dict:
    answer = client.post(f"/api/pools/{pool['id']}/changes/", body, "json")
    assert answer.status_code == status, answer.content
    return answer.json()


def faster(pool) -> dict:
    spec = copy.deepcopy(pool["spec"])
    spec["devices"][0]["memory_bandwidth_gb_per_s"] = 2000.0
    return spec


def test_versions_are_listed_and_compared(alice_client, outsider_client):
    pool = add_pool(alice_client)
    path = f"/api/pools/{pool['id']}/"
    alice_client.put(path, {"spec": faster(pool)}, "json")
    rows = alice_client.get(f"{path}versions/").json()["results"]
    assert [(row["number"], row["n_devices"], row["created_by"]["name"]) for row in rows] == [
        (2, 2, "alice"), (1, 2, "alice"),
    ]  # fmt: skip
    assert alice_client.get(f"{path}versions/1/").json() == pool["spec"]
    assert alice_client.get(f"{path}versions/9/").status_code == 404
    found = changes(alice_client, pool, {"before": 1, "after": 2})
    assert found["changes"] == [
        {
            "kind": "device_changed", "where": "gpu0", "field": "memory_bandwidth_gb_per_s",
            "before": 1555.0, "after": 2000.0, "alters": "time",
        }
    ]  # fmt: skip
    assert (found["n_changes"], found["same_plans"]) == (1, False)
    assert outsider_client.get(f"{path}versions/").status_code == 404
    changes(outsider_client, pool, {"before": 1}, status=404)


def test_a_state_that_is_not_saved_is_compared_with_the_current_one(alice_client):
    pool = add_pool(alice_client)
    assert changes(alice_client, pool, {"spec": pool["spec"]})["same_plans"] is True
    assert changes(alice_client, pool, {"spec": faster(pool)})["n_changes"] == 1
    renamed = {**pool["spec"], "name": "other"}
    found = changes(alice_client, pool, {"spec": renamed})
    assert [row["alters"] for row in found["changes"]] == [""] and found["same_plans"] is True
    broken = changes(alice_client, pool, {"spec": {**pool["spec"], "devices": []}}, status=400)
    assert broken["error"]["code"] == "pool_invalid"


def test_searches_of_an_older_version_are_stale(alice_client):
    pool, model = add_pool(alice_client), add_model(alice_client)
    start_search(alice_client, model, pool, SMALL)
    uses = f"/api/pools/{pool['id']}/uses/"
    assert [row["stale"] for row in alice_client.get(uses).json()["searches"]] == [False]
    alice_client.put(f"/api/pools/{pool['id']}/", {"spec": faster(pool)}, "json")
    start_search(alice_client, model, pool, SMALL)
    found = alice_client.get(uses).json()
    assert [(row["version"], row["stale"]) for row in found["searches"]] == [(2, False), (1, True)]
    assert found["versions"] == [{"version": 2, "n_searches": 1}, {"version": 1, "n_searches": 1}]
    renamed = {"spec": {**faster(pool), "name": "another name"}}
    alice_client.put(f"/api/pools/{pool['id']}/", renamed, "json")
    assert [row["stale"] for row in alice_client.get(uses).json()["searches"]] == [False, True]


def test_a_figure_off_by_ten_to_the_five_is_refused_with_its_field(alice_client):
    pool = add_pool(alice_client)
    spec = copy.deepcopy(pool["spec"])
    spec["devices"][0]["memory_bandwidth_gb_per_s"] = 0.01555
    spec["links"] = [{"source": "gpu0", "target": "cpu0", "latency_us": 1e6}]
    answer = alice_client.post("/api/pools/validate/", {"spec": spec}, "json").json()
    assert [(error["field"], error["code"]) for error in answer["errors"]] == [
        ("devices.0.memory_bandwidth_gb_per_s", "implausible"), ("links.0.latency_us", "implausible"),
    ]  # fmt: skip


def read(client, text, status=200, **more) -> dict:
    with mock.patch.object(version_api, "read_in_sandbox", lambda name, payload: called_directly(name, payload, {})):
        answer = client.post("/api/pools/topology/", {"text": text, **more}, "json")
    assert answer.status_code == status, answer.content
    return answer.json()


def test_the_text_of_a_tool_becomes_a_pool_once_every_device_has_a_template(alice_client):
    asked = read(alice_client, texts.OLD)
    assert asked["spec"] is None
    assert {row["kind"] for row in asked["found"]} == {"gpu"} and asked["found"][0]["template"] == ""
    found = read(alice_client, texts.OLD, templates={"gpu": "NVIDIA_A100_40G"}, name="rack 7")
    assert len(found["spec"]["devices"]) == len(asked["found"]) == len(found["devices"])
    assert found["spec"]["name"] == "rack 7" and found["spec"]["links"]
    assert alice_client.get("/api/pools/").json()["count"] == 0
    assert read(alice_client, "no tool prints this", 400)["error"]["code"] == "topology_unreadable"
