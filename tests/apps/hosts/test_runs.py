"""Operator maps and precision runs: started on the host that owns the devices, stopped, started after a change."""

import pytest

from apps.accounts.models import Team
from apps.hosts import reporting, runs
from apps.hosts.models import HostDevice, HostRuntime, OperatorMap, PrecisionRun
from apps.hosts.runs import Asker, Side
from apps.jobs import leases
from apps.jobs.models import Job
from tests.apps.hosts.factories import OWNER, device_row, fingerprint, healthy, reported_host
from tests.apps.support import add_model

ROW = {
    "op_type": "Relu", "domain": "", "status": "native", "since_version": 14, "types": ["FLOAT"], "passed": 3,
    "failed": 0, "wrong": 0, "skipped": 0, "reason": {"code": "", "says": "", "case": ""},
}  # fmt: skip


@pytest.fixture
def host(db):
    return reported_host()


def finish_map(row: OperatorMap, version="1.0") -> None:
    """What the runner writes, and the end of its job."""
    body = {"onnx_version": "1.23", "precision": "model", "seconds": 2.5, "operators": [ROW]}
    body["not_supported"] = {"GRU": "no kernel"}
    kept = reporting.keep_fingerprint(fingerprint(version))
    OperatorMap.objects.filter(pk=row.pk).update(body=body, counts={"native": 1}, fingerprint=kept)
    end_job(row.job)


def end_job(job: Job) -> None:
    lease = leases.claim(job.pk, "w")
    assert lease is not None and leases.finish(lease)


def finish_run(run: PrecisionRun, left="1.0", right="1.0") -> None:
    PrecisionRun.objects.filter(pk=run.pk).update(
        body={},
        left_fingerprint=reporting.keep_fingerprint(fingerprint(left)),
        right_fingerprint=reporting.keep_fingerprint(fingerprint(right)),
    )
    end_job(run.job)


def sides(host) -> tuple[Side, Side]:
    return Side(device_row(host, 0)), Side(device_row(host, 1))


def ask(user=None) -> Asker:
    return Asker(Team.objects.get_or_create(name="team")[0], user)


def test_a_map_is_a_job_of_the_hosts_queue_and_its_result_outlives_the_job(host, bob_client):
    body = {"device": str(device_row(host).pk)}
    started = bob_client.post("/api/operator-maps/", body, "json")
    assert (started.status_code, started.json()["state"], started.json()["counts"]) == (202, "queued", {})
    assert bob_client.post("/api/operator-maps/", body, "json").json()["id"] == started.json()["id"]
    row = OperatorMap.objects.get()
    assert (row.job.kind, row.job.queue, row.job.object_id) == ("operator_map", "host.machine", row.pk)
    finish_map(row)
    Job.objects.all().delete()
    (listed,) = bob_client.get("/api/operator-maps/").json()
    assert (listed["state"], listed["counts"], listed["stale"]) == ("done", {"native": 1}, False)
    shown = bob_client.get(f"/api/operator-maps/{row.pk}/").json()
    assert (shown["operators"], shown["seconds"], shown["runtime"]) == ([ROW], 2.5, "sim")
    assert shown["not_supported"] == {"GRU": "no kernel"}


def test_the_list_holds_the_newest_map_and_what_was_started_since(host, alice_client):
    first = runs.start_map(device_row(host), ask())
    finish_map(first)
    second = runs.start_map(device_row(host), ask())
    finish_map(second)
    third = runs.start_map(device_row(host), ask())
    listed = alice_client.get("/api/operator-maps/").json()
    assert [entry["id"] for entry in listed] == [str(second.pk), str(third.pk)]
    assert [entry["state"] for entry in listed] == ["done", "queued"]


def test_stopping_ends_a_waiting_map(host, bob_client, outsider_client):
    row = runs.start_map(device_row(host), ask())
    assert outsider_client.post(f"/api/operator-maps/{row.pk}/stop/").json()["state"] == "stopped"
    row.refresh_from_db()
    assert row.finished_at is not None


def test_nothing_is_started_on_devices_that_get_no_work(host, bob_client):
    body = {"device": str(device_row(host).pk)}

    def refusal():
        answer = bob_client.post("/api/operator-maps/", body, "json")
        return answer.status_code, answer.json()["error"]["code"]

    HostDevice.objects.update(cordoned=True)
    assert refusal() == (409, "device_not_ready")
    HostDevice.objects.update(cordoned=False, state="faulty")
    assert refusal() == (409, "device_not_ready")
    HostDevice.objects.update(state="healthy")
    reporting.release(OWNER)
    assert refusal() == (409, "host_silent")
    assert not Job.objects.exists()


def test_two_devices_of_one_host_are_compared(host, bob_client):
    left, right = (str(device_row(host, index).pk) for index in (0, 1))
    shown = bob_client.post("/api/precision-runs/", {"left": left, "right": right, "seed": 3}, "json").json()
    assert (shown["kind"], shown["left"], shown["right"], shown["seed"]) == ("operators", "sim · sim0", "sim · sim1", 3)
    assert bob_client.post("/api/precision-runs/", {"left": left, "right": left}, "json").status_code == 409
    other = {"left": left, "right": left, "right_precision": "default"}
    assert bob_client.post("/api/precision-runs/", other, "json").json()["right_precision"] == "default"
    answer = bob_client.post("/api/precision-runs/", {**other, "right_precision": "fp8"}, "json")
    assert answer.json()["error"]["code"] == "precision_unknown"
    away = str(device_row(reported_host(name="away", owner="away:1")).pk)
    answer = bob_client.post("/api/precision-runs/", {"left": left, "right": away}, "json")
    assert answer.json()["error"]["code"] == "devices_apart"
    assert PrecisionRun.objects.count() == 2


def test_a_training_is_compared_and_again_after_a_change(host, bob_client):
    left, right = (str(device_row(host, index).pk) for index in (0, 1))
    body = {"left": left, "right": right, "kind": "loss"}
    shown = bob_client.post("/api/precision-runs/", body, "json").json()
    assert (shown["kind"], shown["model"], Job.objects.get().kind) == ("loss", None, "precision_loss")
    # Operators on the same devices are another comparison.
    assert bob_client.post("/api/precision-runs/", {**body, "kind": "operators"}, "json").json()["id"] != shown["id"]
    assert bob_client.post("/api/precision-runs/", {**body, "kind": "model"}, "json").status_code == 400
    finish_run(PrecisionRun.objects.get(pk=shown["id"]))
    runtime = reporting.report(host.pk, OWNER, healthy(version="2.0"))
    assert runs.rerun_after_change(runtime) == 1
    newest = PrecisionRun.objects.first()
    assert (newest.kind, newest.trigger, str(newest.before_id)) == ("loss", "fingerprint", shown["id"])


def test_a_new_fingerprint_starts_again_what_was_measured_with_the_old_one_once(host):
    finish_map(runs.start_map(device_row(host), ask()))
    finish_run(runs.start_operators(*sides(host), ask()))
    runtime = HostRuntime.objects.get()
    assert runs.rerun_after_change(runtime) == 0
    runtime = reporting.report(host.pk, OWNER, healthy(version="2.0"))
    assert runs.rerun_after_change(runtime) == 2
    newest_map, newest_run = OperatorMap.objects.first(), PrecisionRun.objects.first()
    assert (newest_map.trigger, newest_run.trigger) == ("fingerprint", "fingerprint")
    assert newest_run.before is not None
    # While they are under way, and after they failed, nothing more is started.
    assert runs.rerun_after_change(runtime) == 0
    for job in Job.objects.filter(state="queued"):
        lease = leases.claim(job.pk, "w")
        leases.fail(lease, {"code": "runtime_died", "message": "", "hint": "", "params": {}})
    assert runs.rerun_after_change(runtime) == 0
    assert OperatorMap.objects.count() == 2


def test_a_model_is_compared_by_its_owner_and_seen_by_its_team_only(
    host, alice_client, bob_client, reviewer_client, outsider_client
):
    model = add_model(alice_client)
    body = {"left": str(device_row(host, 0).pk), "right": str(device_row(host, 1).pk)}
    path = f"/api/models/{model['id']}/precision-runs/"
    assert outsider_client.post(path, body, "json").status_code == 404
    refused = bob_client.post(path, body, "json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_your_model")
    shown = alice_client.post(path, body, "json").json()
    assert (shown["kind"], shown["model"], shown["title"]) == ("model", model["id"], "model")
    operators = runs.start_operators(*sides(host), ask())
    for client, seen in ((reviewer_client, {shown["id"], str(operators.pk)}), (outsider_client, {str(operators.pk)})):
        assert {entry["id"] for entry in client.get("/api/precision-runs/").json()["results"]} == seen
    for act in ("", "stop/"):
        answer = getattr(outsider_client, "post" if act else "get")(f"/api/precision-runs/{shown['id']}/{act}")
        assert answer.status_code == 404
    assert Job.objects.get(object_id=shown["id"]).state == "queued"
    # What a person uploaded, they may also have run.
    own = add_model(bob_client, name="bobs.onnx")
    assert bob_client.post(f"/api/models/{own['id']}/precision-runs/", body, "json").status_code == 202
