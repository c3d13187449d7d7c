"""Calibrations of a team: started, uploaded, judged, gone stale, named by pools, and used by searches."""

import json
import time
from datetime import timedelta
from unittest import mock

import pytest
from django.utils import timezone

from apps.audit.models import AuditEvent
from apps.calibrations import services
from apps.calibrations.models import Calibration
from apps.hosts import reporting
from apps.hosts.models import HostDevice
from apps.jobs.models import Job
from apps.searches.models import CalibratedCosts, Search
from heteroopt.costs.bundle import bundle_hash
from heteroopt.runtimes.description import Capability
from tests.apps.hosts.factories import OWNER, device, device_row, fingerprint, healthy, reported_host
from tests.apps.support import POOL, add_model, add_pool, called_directly, run_jobs, start_search, upload
from tests.engine.costs import measured
from workers.host_runners.calibration import _beside as beside
from workers.runners import judge_calibration

SMALL = {"population_size": 8, "generations": 1, "fuse": False}


@pytest.fixture(scope="module")
def content() -> dict:
    """Of 90 operators, measured an hour ago."""
    made = {**measured.bundle(90), "measured_at": int(time.time()) - 3600}
    return {**made, "hash": bundle_hash(made)}


def send(client, content: dict, status=201) -> dict:
    with mock.patch.object(services, "read_in_sandbox", lambda name, payload: called_directly(name, payload, {})):
        answer = client.post("/api/calibrations/upload/", {"file": upload(json.dumps(content).encode())}, "multipart")
    assert answer.status_code == status, answer.content
    return answer.json()


def directly(function, payload, *, tick):
    return called_directly(function, payload, {})


def judged(client, content: dict) -> dict:
    row = send(client, content)
    with mock.patch.object(judge_calibration, "run_in_sandbox", directly):
        run_jobs()
    return client.get(f"/api/calibrations/{row['id']}/").json()


def of_host(client, device, version="1.0", **columns) -> Calibration:
    """One that a host has finished."""
    row = Calibration.objects.get(pk=client.post("/api/calibrations/", {"device": str(device.pk)}, "json").json()["id"])
    found = {
        "measured_at": timezone.now(), "fingerprint": fingerprint(version).hash, "bundle": services.pack({"a": 1}),
    }  # fmt: skip
    Calibration.objects.filter(pk=row.pk).update(**{**found, **columns})
    row.refresh_from_db()
    return row


def shown(client, row: Calibration) -> dict:
    return client.get(f"/api/calibrations/{row.pk}/").json()


def test_an_upload_is_judged_by_a_job_and_comes_back_as_it_was(alice_client, content):
    found = judged(alice_client, content)
    assert (found["state"], found["source"], found["runtime"], found["device"]) == ("done", "upload", "made-up", "d0")
    assert (found["n_rows"], found["freshness"], found["stale_reasons"]) == (len(content["rows"]), "fresh", [])
    assert found["held_out"]["n"] == len(content["rows"]) and found["held_out"]["mape"] < 0.2
    by_group = found["figures"]["held_out"]["by_group"]
    assert sum(rows["roofline"]["n"] for rows in by_group.values()) == len(content["rows"])
    assert len(found["figures"]["held_out"]["parity"]) == len(content["rows"])
    assert json.loads(alice_client.get(f"/api/calibrations/{found['id']}/bundle/").content) == content
    assert send(alice_client, content)["id"] == found["id"]


def test_a_changed_file_and_one_that_is_too_large_are_refused(alice_client, content):
    changed = {**content, "launch_overhead_s": 1.0}
    assert send(alice_client, changed, 400)["error"]["code"] == "bundle_changed"
    rows = [{**content["rows"][0], "median_s": -1.0}]
    assert send(alice_client, {**content, "rows": rows}, 400)["error"]["params"]["where"] == "rows[0].median_s"
    with mock.patch.object(services, "MAX_BUNDLE_BYTES", 100):
        assert send(alice_client, content, 400)["error"]["code"] == "bundle_too_large"
    for data in (b"\xff\xfe{", b""):
        answer = alice_client.post("/api/calibrations/upload/", {"file": upload(data)}, "multipart")
        assert answer.json()["error"]["code"] == "bundle_unreadable"
    assert not Calibration.objects.exists()


def hashed(content: dict, **changes) -> dict:
    made = {**content, **changes}
    return {**made, "hash": bundle_hash(made)}


def test_a_file_of_another_format_and_one_without_measurements_say_so(alice_client, content):
    error = send(alice_client, hashed(content, format="heteroopt-calibration-0"), 400)["error"]
    assert (error["code"], error["params"]["where"]) == ("bundle_invalid", "format")
    assert "heteroopt-calibration-0" in error["message"] and content["format"] in error["message"]
    assert send(alice_client, hashed(content, rows=[]), 400)["error"]["code"] == "bundle_empty"
    assert not Calibration.objects.exists()


def test_a_clock_that_is_ahead_does_not_keep_a_calibration_fresh_for_ever(alice_client, content):
    row = send(alice_client, hashed(content, measured_at=4_000_000_000))
    kept = Calibration.objects.get(pk=row["id"])
    assert kept.measured_at <= timezone.now()
    Calibration.objects.filter(pk=kept.pk).update(measured_at=kept.measured_at - timedelta(days=91))
    assert shown(alice_client, kept)["freshness"] == "stale"


def test_the_sandbox_reads_an_upload(alice_client, content):
    row = alice_client.post("/api/calibrations/upload/", {"file": upload(json.dumps(content).encode())}, "multipart")
    assert row.json()["n_rows"] == len(content["rows"])


def test_a_host_measures_on_its_own_queue_once_at_a_time(alice_client, bob_client):
    device = device_row(reported_host())
    model = add_model(alice_client)
    body = {"device": str(device.pk), "models": [model["id"]], "budget_s": 30, "count": 50}
    first = alice_client.post("/api/calibrations/", body, "json")
    assert (first.status_code, first.json()["state"], first.json()["freshness"]) == (202, "queued", None)
    assert bob_client.post("/api/calibrations/", body, "json").json()["id"] == first.json()["id"]
    row = Calibration.objects.get()
    assert (row.job.kind, row.job.queue, row.job.object_id) == ("calibrate_device", "host.machine", row.pk)
    assert row.settings == {"models": [model["id"]], "count": 50, "budget_s": 30, "seed": 0}
    assert alice_client.get(f"/api/calibrations/{row.pk}/bundle/").status_code == 409
    stopped = bob_client.post(f"/api/calibrations/{row.pk}/stop/")
    assert (stopped.status_code, stopped.json()["state"]) == (200, "stopped")
    assert alice_client.post("/api/calibrations/", body, "json").json()["id"] != str(row.pk)


def test_a_silent_host_measures_nothing(alice_client):
    device = device_row(reported_host())
    reporting.release(OWNER)
    answer = alice_client.post("/api/calibrations/", {"device": str(device.pk)}, "json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "host_silent")


def test_another_fingerprint_or_age_makes_it_stale_and_a_recheck_that_holds_makes_it_fresh(alice_client):
    host = reported_host()
    row = of_host(alice_client, device_row(host))
    assert shown(alice_client, row)["freshness"] == "fresh"
    reporting.report(host.pk, OWNER, healthy(version="2.0"))
    found = shown(alice_client, row)
    assert (found["freshness"], [reason["code"] for reason in found["stale_reasons"]]) == (
        "stale", ["fingerprint_changed"],
    )  # fmt: skip
    assert {"kind": "version", "name": "sim", "before": "1.0", "after": "2.0"} in found["changes"]
    asked = alice_client.post(f"/api/calibrations/{row.pk}/recheck/")
    assert (asked.status_code, asked.json()["checking"]) == (202, True)
    assert Job.objects.get(kind="recheck_calibration").queue == "host.machine"
    alice_client.post(f"/api/calibrations/{row.pk}/recheck/")
    assert Job.objects.filter(kind="recheck_calibration").count() == 1
    check = {"verdict": "holds", "factor": 1.01, "agreeing": 20, "n": 20, "rows": [], "at": int(time.time())}
    row.check_result = {**check, "fingerprint": fingerprint("2.0").hash}
    row.save()
    assert shown(alice_client, row)["freshness"] == "fresh"
    row.check_result = {**row.check_result, "verdict": "shifted", "factor": 1.4}
    row.save()
    codes = [reason["code"] for reason in shown(alice_client, row)["stale_reasons"]]
    assert codes == ["fingerprint_changed", "recheck_shifted"]
    old = of_host(alice_client, device_row(host, 1), "2.0", measured_at=timezone.now() - timedelta(days=91))
    assert shown(alice_client, old)["stale_reasons"] == [
        {"code": "too_old", "params": {"days": 91, "limit_days": 90}}
    ]  # fmt: skip


def test_an_upload_cannot_be_rechecked_here(alice_client, content):
    row = send(alice_client, content)
    answer = alice_client.post(f"/api/calibrations/{row['id']}/recheck/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "calibration_not_here")


def test_outsiders_see_nothing_and_team_mates_everything(alice_client, bob_client, outsider_client, content):
    row = send(alice_client, content)
    path = f"/api/calibrations/{row['id']}/"
    assert bob_client.get(path).json()["bundle_hash"] == content["hash"]
    assert [one["id"] for one in bob_client.get("/api/calibrations/").json()["results"]] == [row["id"]]
    assert outsider_client.get("/api/calibrations/").json()["results"] == []
    tries = [
        outsider_client.get(path), outsider_client.delete(path), outsider_client.get(f"{path}bundle/"),
        outsider_client.post(f"{path}stop/"), outsider_client.post(f"{path}recheck/"),
    ]  # fmt: skip
    assert {answer.status_code for answer in tries} == {404}
    assert AuditEvent.objects.filter(denied=True, object_id=row["id"]).count() == 5
    model = add_model(alice_client)
    assert outsider_client.get("/api/calibrations/cases/", {"model": model["id"], "count": 3}).status_code == 404
    body = {"device": str(device_row(reported_host()).pk), "models": [model["id"]]}
    assert outsider_client.post("/api/calibrations/", body, "json").status_code == 404
    theirs = {"spec": POOL, "calibrations": {"gpu0": row["id"]}}
    assert outsider_client.post("/api/pools/", theirs, "json").json()["error"]["code"] == "calibration_unknown"
    assert send(outsider_client, content)["id"] != row["id"]
    assert bob_client.delete(path).status_code == 204
    assert alice_client.get(path).status_code == 404


def test_what_a_machine_elsewhere_needs_can_be_downloaded(alice_client):
    text = alice_client.get("/api/calibrations/calibrator/").content.decode()
    assert compile(text, "calibrator.py", "exec") and "def main" in text
    model = add_model(alice_client)
    file = json.loads(alice_client.get("/api/calibrations/cases/", {"model": model["id"], "count": 3}).content)
    own = [case["facts"]["op_types"] for case in file["cases"] if case["from_model"]]
    assert len(own) >= 3 and all(types[0] == "MatMul" for types in own)
    assert alice_client.get("/api/calibrations/cases/", {"count": 0}).status_code == 400


def test_searches_cost_operators_by_the_calibration_that_their_pool_names(alice_client, content):
    model, pool = add_model(alice_client), add_pool(alice_client)
    plain = start_search(alice_client, model, pool, SMALL)
    row = judged(alice_client, content)
    body = {"spec": pool["spec"], "calibrations": {"gpu0": row["id"]}}
    saved = alice_client.put(f"/api/pools/{pool['id']}/", body, "json").json()
    assert (saved["version"], saved["calibrations"]) == (2, {"gpu0": row["id"]})
    assert alice_client.put(f"/api/pools/{pool['id']}/", {"spec": pool["spec"]}, "json").json()["version"] == 2
    search = start_search(alice_client, model, pool, SMALL)
    run_jobs()
    sources = {}
    for one in (plain, search):
        path = f"/api/searches/{one['id']}/"
        number = alice_client.get(f"{path}front/").json()["plans"][0]["number"]
        detail = alice_client.get(f"{path}plans/{number}/").json()
        names = ["gpu0", "cpu0"]
        used = {(names[op["device"]], op["cost_source"]) for op in detail["operators"] if not op["is_view"]}
        sources[one["id"]] = used
        for op in detail["operators"]:
            assert op["time_low_ms"] <= op["time_ms"] <= op["time_high_ms"]
    assert {source for _, source in sources[plain["id"]]} == {"roofline"}
    assert {source for name, source in sources[search["id"]] if name == "gpu0"} <= {"learned", "fitted", "measured"}
    assert CalibratedCosts.objects.count() == 1
    hashes = {row.hashes["costs"] for row in Search.objects.filter(pk__in=[plain["id"], search["id"]])}
    assert len(hashes) == 2
    assert alice_client.delete(f"/api/calibrations/{row['id']}/").status_code == 204
    assert Calibration.objects.get().removed_at is not None
    dropped = {"spec": pool["spec"], "calibrations": {}}
    assert alice_client.put(f"/api/pools/{pool['id']}/", dropped, "json").json()["calibrations"] == {}


def test_a_pool_names_only_what_has_measured_something(alice_client):
    device = device_row(reported_host())
    row = alice_client.post("/api/calibrations/", {"device": str(device.pk)}, "json").json()
    asked = alice_client.post("/api/pools/", {"spec": POOL, "calibrations": {"gpu0": row["id"]}}, "json")
    assert asked.json()["error"]["code"] == "calibration_unmeasured"
    Calibration.objects.update(measured_at=timezone.now())
    asked = alice_client.post("/api/pools/", {"spec": POOL, "calibrations": {"gpu7": row["id"]}}, "json")
    assert asked.json()["error"]["code"] == "unknown_device"


def test_a_pool_takes_over_what_its_calibrations_measured_of_a_shared_memory(alice_client, content):
    measured_too = {**content, "contention": {"beside": "cores 1", "memory": 2.5, "compute": 1.1}}
    row = send(alice_client, {**measured_too, "hash": bundle_hash(measured_too)})
    shared = [{**device, "memory_domain": "ram", "memory_size_bytes": 10**9} for device in POOL["devices"]]
    spec = {**POOL, "devices": shared}
    saved = alice_client.post("/api/pools/", {"spec": spec, "calibrations": {"gpu0": row["id"]}}, "json").json()
    assert saved["spec"]["memory_domains"] == {"ram": {"slowdown": 2.5, "source": "measured"}}
    edited = {**saved["spec"], "memory_domains": {"ram": {"slowdown": 1.5, "source": "given"}}}
    kept = alice_client.put(f"/api/pools/{saved['id']}/", {"spec": edited}, "json").json()
    assert kept["spec"]["memory_domains"]["ram"]["slowdown"] == 1.5
    wrong = {**saved["spec"], "memory_domains": {"ram": {"slowdown": 99}}}
    refused = alice_client.put(f"/api/pools/{saved['id']}/", {"spec": wrong}, "json").json()
    wrong_field = refused["error"]["params"]["errors"][0]
    assert (wrong_field["code"], wrong_field["field"]) == ("out_of_range", "memory_domains")


def test_a_pool_takes_over_what_its_calibrations_measured_of_copies(alice_client, content):
    fit = {"latency_s": 4e-6, "bytes_per_s": 5e9, "residual": 0.02, "worst": 0.1, "samples": [[4096, 5e-6, 4.8192e-6]]}
    measured_too = {**content, "transfers": {"h2d": fit, "d2h": {**fit, "latency_s": 1e-5}}}
    row = send(alice_client, {**measured_too, "hash": bundle_hash(measured_too)})
    asked = {"spec": POOL, "calibrations": {"gpu0": row["id"]}}
    saved = alice_client.post("/api/pools/", asked, "json").json()
    links = {(link["source"], link["target"]): link for link in saved["spec"]["links"]}
    assert {ends: (link["latency_us"], link["bandwidth_gb_per_s"]) for ends, link in links.items()} == {
        ("cpu0", "gpu0"): (pytest.approx(4.0), pytest.approx(5.0)),
        ("gpu0", "cpu0"): (pytest.approx(10.0), pytest.approx(5.0)),
    }
    edited = {**saved["spec"], "links": [{**link, "latency_us": 7.0} for link in saved["spec"]["links"]]}
    calibrations = {"gpu0": row["id"], "cpu0": row["id"]}
    kept = alice_client.put(f"/api/pools/{saved['id']}/", {"spec": edited, "calibrations": calibrations}, "json").json()
    assert {link["latency_us"] for link in kept["spec"]["links"]} == {7.0}


def test_copies_between_two_calibrated_devices_are_the_sum_of_their_legs(alice_client, outsider_client, content):
    fit = {"latency_s": 4e-6, "bytes_per_s": 5e9, "residual": 0.02, "worst": 0.1, "samples": [[4096, 5e-6, 4.8192e-6]]}
    measured_too = {**content, "transfers": {"h2d": fit, "d2h": {**fit, "latency_s": 1e-5}}}
    row = send(alice_client, {**measured_too, "hash": bundle_hash(measured_too)})
    devices = [*POOL["devices"], {**POOL["devices"][0], "name": "gpu9"}]
    calibrations = {"gpu0": row["id"], "gpu9": row["id"]}
    asked = {"spec": {**POOL, "devices": devices}, "calibrations": calibrations}
    path = f"/api/pools/{alice_client.post('/api/pools/', asked, 'json').json()['id']}/transfers/"
    pairs = {(one["source"], one["target"]): one for one in alice_client.get(path).json()}
    assert {ends: one["path"] for ends, one in pairs.items()} == {
        ("gpu0", "gpu9"): "composed", ("gpu9", "gpu0"): "composed", ("cpu0", "gpu0"): "measured",
        ("gpu0", "cpu0"): "measured", ("cpu0", "gpu9"): "measured", ("gpu9", "cpu0"): "measured",
    }  # fmt: skip
    (one,) = alice_client.get(f"{path}?source=gpu0&target=gpu9").json()
    assert one == pairs["gpu0", "gpu9"]
    assert (one["fit"]["latency_s"], one["fit"]["bytes_per_s"]) == (pytest.approx(14e-6), pytest.approx(2.5e9))
    assert one["fit"]["samples"] == [[4096, 1e-5, pytest.approx(9.6384e-6)]]
    assert one["fit"]["worst"] == pytest.approx(0.03616)
    assert alice_client.get(f"{path}?source=gpu0&target=gone").json() == []
    assert outsider_client.get(path).status_code == 404


@pytest.mark.django_db
def test_a_device_is_measured_beside_the_next_that_computes_in_the_same_memory():
    shares = {"device_type": "CPU", "capabilities": (Capability.HOST_MEMORY,)}
    cores = [device(at, **shares, position={"cores": [at]}) for at in (1, 2)]
    host = reported_host(healthy(device(0, **shares), *cores, device(3)))
    whole, first, second, own_memory = (device_row(host, at) for at in range(4))
    assert (beside(first), beside(second)) == (second, first)
    assert beside(own_memory) is None
    # It computes on the cores of the others.
    assert beside(whole) is None
    HostDevice.objects.filter(pk=second.pk).update(cordoned=True)
    assert beside(first) is None
    gpu = device(4, **{**shares, "device_type": "GPU"})
    assert reporting.report(host.pk, OWNER, healthy(device(0, **shares), *cores, device(3), gpu))
    assert beside(whole) == device_row(host, 4)
