"""Trial runs of plans: asked for by the model's owner, on the host's queue, seen by the team, refused with a reason."""

import pytest

from apps.audit.models import AuditEvent
from apps.deployments import exports, trials
from apps.deployments.models import PlanTrial
from apps.hosts import reporting
from apps.hosts.models import HostDevice, HostRuntime
from apps.jobs.models import JobState
from apps.searches.fronts import load_plan
from apps.searches.models import Search
from heteroopt.costs.table import COST_SOURCES
from tests.apps.hosts.factories import OWNER, device, fingerprint, healthy, reported_host
from tests.apps.support import add_model, add_pool, run_jobs, start_search
from tests.engine.devices.topology.test_machine import machine

RESULT = {
    "items": 16, "latency_ms": 3.0, "predicted_latency_ms": 2.0, "throughput_per_s": 400.0,
    "predicted_throughput_per_s": 500.0, "whole_ms": 2.5, "same_results": True, "outputs": [],
    "device_memory_bytes": {}, "segments": [],
}  # fmt: skip
SMALL = {"population_size": 16, "generations": 4, "seed": 1}


@pytest.fixture
def host(db, settings):
    settings.JOB_LEASE_SECONDS = 3600  # nobody speaks for it again
    cpu = {"name": "CPU", "device_type": "CPU"}
    return reported_host(
        healthy(device(0, **cpu), device(1, name="GPU", position={"provider": "CUDAExecutionProvider"}),
                name="onnxruntime"),
        healthy(device(0, **cpu), name="openvino"),
    )  # fmt: skip


@pytest.fixture
def plan(alice_client):
    return planned(alice_client)


def planned(client) -> str:
    search = start_search(client, add_model(client), add_pool(client), SMALL)
    run_jobs()
    return f"/api/searches/{search['id']}/plans/1/"


def ask(client, plan, status=202, **body) -> dict:
    answer = client.post(f"{plan}trials/", body, "json")
    assert answer.status_code == status, answer.content
    return answer.json()


def host_device(runtime, index=0) -> str:
    return str(HostDevice.objects.get(runtime__host__name="machine", runtime__name=runtime, index=index).pk)


def test_only_who_may_have_the_model_run_starts_it_and_only_the_team_sees_it(
    host, plan, alice_client, bob_client, viewer_client, outsider_client
):
    assert ask(outsider_client, plan, 404)["error"]["code"] == "not_found"
    assert ask(bob_client, plan, 403)["error"]["code"] == "not_your_model"
    assert ask(viewer_client, plan, 403)
    assert not PlanTrial.objects.exists()
    first = ask(alice_client, plan)
    assert (first["state"], first["host"], first["result"], first["error"]) == ("queued", "machine", None, None)
    assert first["plan_hash"] == alice_client.get(plan).json()["hash"]
    cpu = {"runtime": "onnxruntime", "device": "CPU", "fingerprint": ""}
    assert first["places"] == [{"name": name, **cpu} for name in ("gpu0", "cpu0")]
    assert first["stale"] == []
    row = PlanTrial.objects.get()
    assert (row.job.kind, row.job.queue, row.job.object_id) == ("run_trial", "host.machine", row.pk)
    assert ask(alice_client, plan)["id"] == first["id"]
    one = f"/api/trials/{row.pk}/"
    for client in (bob_client, viewer_client):
        assert client.get(one).status_code == 200
        assert [found["id"] for found in client.get(f"{plan}trials/").json()["results"]] == [first["id"]]
    assert viewer_client.post(f"{one}stop/").status_code == viewer_client.delete(one).status_code == 403
    for answer in (
        outsider_client.get(one),
        outsider_client.delete(one),
        outsider_client.post(f"{one}stop/"),
        outsider_client.get(f"{plan}trials/"),
    ):
        assert answer.status_code == 404
    assert alice_client.post(f"{one}stop/").json()["state"] == "stopped"
    assert alice_client.delete(one).status_code == 204 and not PlanTrial.objects.exists()
    actions = set(AuditEvent.objects.filter(denied=False).values_list("action", flat=True))
    assert {"plan.trial", "trial.stop", "trial.delete"} <= actions


def test_who_uploaded_the_model_may_start_it_too(host, bob_client):
    assert ask(bob_client, planned(bob_client))["state"] == "queued"


def test_devices_of_the_pool_run_where_they_are_told_to(host, plan, alice_client):
    found = ask(alice_client, plan, devices={"gpu0": host_device("openvino")})
    assert {p["name"]: p["runtime"] for p in found["places"]} == {"gpu0": "openvino", "cpu0": "onnxruntime"}
    row = PlanTrial.objects.get()
    assert trials.request_of(row).options == {
        "device.gpu0": "openvino:CPU",
        "device.cpu0": "onnxruntime:CPUExecutionProvider",
    }
    assert len(trials.device_ids(row)) == 2


def test_a_set_of_cores_keeps_to_its_cores(plan, alice_client, settings):
    settings.JOB_LEASE_SECONDS = 3600
    position = {"provider": "CPUExecutionProvider", "cores": [2, 3]}
    reported_host(
        healthy(device(0, name="CPU", device_type="CPU"),
                device(1, name="CPU cores 2,3", device_type="CPU", position=position), name="onnxruntime")
    )  # fmt: skip
    ask(alice_client, plan, devices={"cpu0": host_device("onnxruntime", 1)})
    assert trials.request_of(PlanTrial.objects.get()).options == {
        "device.gpu0": "onnxruntime:CPUExecutionProvider",
        "device.cpu0": "onnxruntime:CPUExecutionProvider",
        "cores.cpu0": "2,3",
    }


def test_a_pool_that_was_made_of_a_host_runs_on_its_own_devices(alice_client, settings):
    settings.JOB_LEASE_SECONDS = 3600
    sets = [device(1 + n, name=f"CPU cores {n}", device_type="CPU", position={"cores": [n]}) for n in (0, 1)]
    found = reported_host(healthy(device(0, name="CPU", device_type="CPU"), *sets, name="onnxruntime"))
    reporting.write_topology(found.pk, machine(2).to_dict())
    made = alice_client.post("/api/pools/machines/", {"host": str(found.pk)}, "json").json()
    search = start_search(alice_client, add_model(alice_client), made, SMALL)
    run_jobs()
    started = ask(alice_client, f"/api/searches/{search['id']}/plans/1/")
    assert {p["name"]: p["device"] for p in started["places"]} == {"cpu0": "CPU cores 0", "cpu1": "CPU cores 1"}


def done(client, plan, factor=2.0):
    """A trial run whose segments took ``factor`` times their prediction."""
    one = f"/api/trials/{ask(client, plan)['id']}/"
    row = PlanTrial.objects.get()
    request = trials.request_of(row)
    schedule, pool = request.plan.schedule, request.plan.pool
    segments = []
    for part in request.partition.segments:
        ms = float((schedule.finish_ps - schedule.start_ps)[list(part.operators)].sum()) / 1e9
        segments.append(
            {"index": part.index, "device": pool.devices[part.device].name, "operators": len(part.members),
             "predicted_ms": ms, "measured_ms": factor * ms, "memory_bytes": 0, "predicted_start_ms": 0.0,
             "predicted_finish_ms": ms, "measured_start_ms": 0.0}
        )  # fmt: skip
    kept = reporting.keep_fingerprint(fingerprint("2.0"))
    places = trials.with_fingerprints(row, {str(pk): kept.digest for pk in trials.device_ids(row)})
    result = {**RESULT, "plan": row.plan_hash, "segments": segments}
    PlanTrial.objects.update(result=result, places=places)
    return one, row, request


def test_what_a_trial_measured_becomes_costs_that_a_pool_can_name_and_drop_again(
    host, plan, alice_client, bob_client, viewer_client, outsider_client
):
    one, row, request = done(alice_client, plan)
    assert viewer_client.post(f"{one}profiles/").status_code == 403
    assert outsider_client.post(f"{one}profiles/").status_code == 404
    answer = bob_client.post(f"{one}profiles/")  # may calibrate
    assert answer.status_code == 201, answer.content
    used = {request.plan.pool.devices[segment.device].name for segment in request.partition.segments}
    by_device = {made["figures"]["origin"]["device"]: made for made in answer.json()}
    assert set(by_device) == used
    for made in by_device.values():
        assert made["figures"]["kind"] == "trial" and made["figures"]["scale"] == pytest.approx(2.0)
        assert made["figures"]["origin"]["trial"] == str(row.pk) and made["figures"]["origin"]["runs"] == 16
        assert (made["state"], made["runtime"], made["fingerprint"]) == ("done", "onnxruntime", fingerprint("2.0").hash)
    again = alice_client.post(f"{one}profiles/")
    assert again.status_code == 200 and {made["id"] for made in again.json()} == {m["id"] for m in answer.json()}
    assert AuditEvent.objects.filter(action="trial.take_back", denied=False).count() == 1
    assert set(alice_client.get(one).json()["profiles"]) == {made["id"] for made in answer.json()}

    before = alice_client.get(f"{plan}").json()
    pool_id = str(row.search.pool_version.pool_id)
    pool = alice_client.get(f"/api/pools/{pool_id}/").json()
    name, made = next(iter(by_device.items()))
    chosen = {"spec": pool["spec"], "profiles": {name: [made["id"]]}}
    changed = alice_client.put(f"/api/pools/{pool_id}/", chosen, "json")
    assert changed.status_code == 200, changed.content
    search = start_search(alice_client, {"id": str(row.search.model_id)}, pool, SMALL)
    run_jobs()

    def told(search_id):
        found = Search.objects.get(pk=search_id)
        plan = exports.export_request(found, load_plan(found, 1, None), {}, None).plan
        column = plan.pool.index(name)
        return plan.costs.time_ps[:, column], {COST_SOURCES[code] for code in plan.costs.source[:, column]}

    new, sources = told(search["id"])
    old, old_sources = told(row.search_id)
    assert "trial" in sources and "trial" not in old_sources
    assert new == pytest.approx(2 * old, abs=2)
    assert alice_client.get(f"{plan}").json() == before  # an earlier search keeps its costs
    assert alice_client.delete(f"/api/profiles/{made['id']}/").status_code == 204
    assert made["id"] not in alice_client.get(one).json()["profiles"]


def test_a_trial_without_figures_has_nothing_to_take_back(host, plan, alice_client):
    one = f"/api/trials/{ask(alice_client, plan)['id']}/"
    answer = alice_client.post(f"{one}profiles/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "trial_unfinished")


def test_a_trial_is_stale_once_its_runtime_has_another_fingerprint(host, plan, alice_client):
    one = f"/api/trials/{ask(alice_client, plan)['id']}/"
    row = PlanTrial.objects.get()
    cpu = HostDevice.objects.get(pk=host_device("onnxruntime"))
    before, after = (reporting.keep_fingerprint(fingerprint(text)) for text in ("2.0", "3.0"))
    PlanTrial.objects.update(result=RESULT, places=trials.with_fingerprints(row, {str(cpu.pk): before.digest}))
    HostRuntime.objects.filter(name="onnxruntime").update(fingerprint=before)
    shown = alice_client.get(one).json()
    assert shown["stale"] == []
    assert {p["fingerprint"] for p in shown["places"]} == {before.digest}
    HostRuntime.objects.filter(name="onnxruntime").update(fingerprint=after)
    params = {"runtime": "onnxruntime", "before": before.digest, "after": after.digest}
    assert alice_client.get(one).json()["stale"] == [{"code": "fingerprint_changed", "params": params}]


def test_what_cannot_be_run_is_refused_with_the_reason(host, plan, alice_client):
    other = reported_host(healthy(device(0, device_type="CPU"), name="onnxruntime"), name="other", owner="other:1")
    apart = str(HostDevice.objects.get(runtime__host=other).pk)
    for devices, code in (
        ({"nothing": host_device("openvino")}, "trial_device_unknown"),
        ({"gpu0": host_device("onnxruntime", 1)}, "trial_device_confined"),
        ({"gpu0": host_device("openvino"), "cpu0": apart}, "trial_devices_apart"),
        ({"gpu0": "floppy"}, "invalid"),
    ):
        assert ask(alice_client, plan, 400, devices=devices)["error"]["code"] == code
    assert ask(alice_client, plan, 404, host="00000000-0000-4000-8000-000000000000")
    HostDevice.objects.filter(pk=host_device("onnxruntime")).update(cordoned=True)
    assert ask(alice_client, plan, 409, host=str(host.pk))["error"]["code"] == "device_not_ready"
    assert not PlanTrial.objects.exists()


def test_without_a_host_nothing_is_started(plan, alice_client):
    assert ask(alice_client, plan, 409)["error"]["code"] == "trial_no_host"


def test_a_host_that_fell_silent_runs_nothing(host, plan, alice_client):
    reporting.release(OWNER)
    assert ask(alice_client, plan, 409)["error"]["code"] == "trial_no_host"
    assert ask(alice_client, plan, 409, host=str(host.pk))["error"]["code"] == "host_silent"


def test_only_the_newest_are_kept_and_a_result_outlives_its_job(host, plan, alice_client, monkeypatch):
    monkeypatch.setattr(trials, "KEPT_TRIALS", 1)
    first = ask(alice_client, plan)["id"]
    alice_client.post(f"/api/trials/{first}/stop/")
    second = ask(alice_client, plan)["id"]
    assert [one["id"] for one in alice_client.get(f"{plan}trials/").json()["results"]] == [second]
    PlanTrial.objects.get().job.delete()
    assert PlanTrial.objects.get().state == JobState.FAILED
    PlanTrial.objects.update(result={})
    assert PlanTrial.objects.get().state == JobState.DONE
