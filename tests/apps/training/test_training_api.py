"""Training plans through the API: planned in a job, lost GPUs, files, wrong requests, another team."""

import copy

import pytest

from apps.audit.models import AuditEvent
from apps.jobs.models import Job, JobState
from apps.training.models import TrainingPlanRow
from heteroopt.training.plan_file import read_plan_file
from heteroopt.training.profile import published_profile
from tests.apps.support import run_jobs

REQUEST = {
    "name": "small",
    "gpu": {
        "fast": {"bf16_tflop_per_s": 990, "memory_gib": 80, "fast_link_gb_per_s": 400},
        "slow": {"bf16_tflop_per_s": 900, "memory_gib": 96, "fast_link_gb_per_s": 900},
    },
    "node": [{"name": "one", "gpu": "fast", "gpus": 2}, {"name": "two", "gpu": "slow", "gpus": 2}],
    "network": {"network_card_gb_per_s": 50},
    "model": {"name": "tiny", "layers": 6, "hidden": 2048, "feed_forward": 5632, "heads": 16},
    "workload": {"sequence": 2048, "sequences": 8, "degrees": [1, 2], "least_pipelines": 2, "zero1": False},
}
TOML = """
[gpu.fast]
bf16_tflop_per_s = 990
memory_gib = 80
fast_link_gb_per_s = 400
[[node]]
gpu = "fast"
gpus = 2
[network]
network_card_gb_per_s = 50
"""


def planned(client, request=None):
    answer = client.post("/api/training-plans/", {"request": request or REQUEST}, "json")
    assert answer.status_code == 201, answer.content
    assert answer.json()["state"] == "queued"
    run_jobs()
    return client.get(f"/api/training-plans/{answer.json()['id']}/").json()


def test_a_plan_with_its_timeline_links_and_comparison(alice_client, bob_client):
    plan = planned(alice_client)
    assert (plan["name"], plan["model"], plan["state"], plan["lost"]) == ("small", "tiny", "done", [])
    result = plan["result"]
    assert sum(one["micro_batches"] for one in result["pipelines"]) == 8
    for one in result["pipelines"]:
        assert sum(stage["layers"] for stage in one["stages"]) == 6
        assert len(one["slots"]) == 2 * one["micro_batches"] * len(one["stages"])
        assert max(slot[4] for slot in one["slots"]) == pytest.approx(one["finish_s"])
        assert all(0 < stage["busy_share"] <= 1 for stage in one["stages"])
    assert result["step_s"] <= result["best_homogeneous"]["step_s"]
    assert result["moved"] is None
    # Of the whole team.
    listed = bob_client.get("/api/training-plans/").json()["results"]
    assert [(one["id"], one["step_s"]) for one in listed] == [(plan["id"], result["step_s"])]
    assert bob_client.get(f"/api/training-plans/{plan['id']}/").json() == plan


def test_a_lost_gpu_is_a_plan_of_its_own(alice_client):
    plan = planned(alice_client)
    after = alice_client.post(f"/api/training-plans/{plan['id']}/lose/", {"gpus": [3]}, "json").json()
    run_jobs()
    after = alice_client.get(f"/api/training-plans/{after['id']}/").json()
    assert (after["state"], after["before"], after["lost"]) == ("done", plan["id"], [3])
    moved = after["result"]["moved"]
    assert moved["lost"] == [3]
    assert moved["before_step_s"] == plan["result"]["step_s"]
    assert after["result"]["best_homogeneous"]["step_s"] >= after["result"]["step_s"]
    assert 0 <= moved["bound_s"] <= moved["send_s"] * (1 + 1e-9)
    used = {gpu for one in after["result"]["pipelines"] for stage in one["stages"] for gpu in stage["gpus"]}
    assert used <= {0, 1, 2}


def test_what_nobody_holds_is_named_in_the_refusal(alice_client):
    alone = copy.deepcopy(REQUEST)
    alone["workload"].update(pipelines=1, least_pipelines=1)
    plan = planned(alice_client, alone)
    after = alice_client.post(f"/api/training-plans/{plan['id']}/lose/", {"nodes": ["two"]}, "json").json()
    assert after["lost"] == [2, 3]
    run_jobs()
    after = alice_client.get(f"/api/training-plans/{after['id']}/").json()
    assert (after["state"], after["error"]["code"], after["result"]) == ("failed", "shards_lost", None)
    assert "layer" in after["error"]["params"]["tensors"]
    for body, code in (({"gpus": [44]}, "gpu_unknown"), ({"nodes": ["x"]}, "node_unknown")):
        answer = alice_client.post(f"/api/training-plans/{plan['id']}/lose/", body, "json")
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    answer = alice_client.post(f"/api/training-plans/{after['id']}/lose/", {"gpus": [0]}, "json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "training_plan_not_ready")


def test_the_exported_file_is_one_that_the_command_reads(alice_client, tmp_path):
    plan = planned(alice_client)
    answer = alice_client.get(f"/api/training-plans/{plan['id']}/export/")
    assert "small.json" in answer["Content-Disposition"]
    path = tmp_path / "plan.json"
    path.write_bytes(answer.content)
    assert len(answer.json()["tensors"]) == 6 * 9 + 3
    asked, found = read_plan_file(path, published_profile())
    assert asked.to_json() == plan["request"]
    assert found.step_s == plan["result"]["step_s"]


def test_toml_is_read_and_wrong_requests_are_named(alice_client):
    read = alice_client.post("/api/training-plans/read/", {"toml": TOML}, "json").json()
    assert read["model"]["name"] == "llama-32b"
    assert read["node"] == [{"name": "node 0", "gpu": "fast", "gpus": 2}]
    wrong = {**REQUEST, "model": {"preset": "gpt-9"}}
    for body, code in (
        ({"toml": "x ="}, "cluster_format"),
        ({"request": {**REQUEST, "node": []}}, "cluster_format"),
        ({"request": wrong}, "training_request"),
        ({"request": {**REQUEST, "model": {"preset": ["gpt-9"]}}}, "training_request"),
        ({"request": {**REQUEST, "network": {"network_card_gb_per_s": 10**400}}}, "cluster_format"),
        ({"request": []}, "training_body"),
        ({}, "training_body"),
    ):
        for path in ("/api/training-plans/read/", "/api/training-plans/"):
            answer = alice_client.post(path, body, "json")
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, code), (path, body)
    assert not TrainingPlanRow.objects.exists()


def test_deleting_takes_what_was_planned_after_it_and_stops_jobs(alice_client):
    plan = planned(alice_client)
    after = alice_client.post(f"/api/training-plans/{plan['id']}/lose/", {"gpus": [3]}, "json").json()
    assert alice_client.delete(f"/api/training-plans/{plan['id']}/").status_code == 204
    assert not TrainingPlanRow.objects.exists()
    assert Job.objects.get(pk=after["job"]).state == JobState.STOPPED
    assert AuditEvent.objects.filter(action="training.delete").count() == 1


def test_an_outsider_sees_none(alice_client, outsider_client):
    plan = planned(alice_client)
    assert outsider_client.get("/api/training-plans/").json()["results"] == []
    for method, path in (("get", ""), ("delete", ""), ("get", "export/"), ("post", "lose/")):
        assert getattr(outsider_client, method)(f"/api/training-plans/{plan['id']}/{path}").status_code == 404
    assert AuditEvent.objects.filter(denied=True).count() == 4
