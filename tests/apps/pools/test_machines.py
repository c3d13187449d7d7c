"""A host as a pool: offered when it answers, made once, calibrated, and then used by itself."""

from __future__ import annotations

import pytest
from django.utils import timezone

from apps.calibrations import services as calibrations
from apps.calibrations.models import Calibration
from apps.hosts import reporting
from apps.hosts.models import Host
from apps.jobs import services as jobs
from apps.jobs.models import Job
from apps.pools.models import AwaitedCalibration, Pool
from heteroopt.runtimes.description import Capability
from tests.apps.hosts.factories import OWNER, device, healthy, reported_host
from tests.apps.support import add_pool
from tests.engine.devices.topology.test_machine import machine

CPU = {"device_type": "CPU", "capabilities": (Capability.HOST_MEMORY,)}


@pytest.fixture
def host() -> Host:
    """Two cores; ONNX Runtime lists the whole CPU and each of them."""
    listed = [device(0, name="CPU", **CPU)]
    listed += [device(n + 1, name=f"CPU cores {n}", position={"cores": [n]}, **CPU) for n in range(2)]
    found = reported_host(healthy(*listed, name="onnxruntime"))
    reporting.write_topology(found.pk, machine(2).to_dict())
    return Host.objects.get(pk=found.pk)


def offers(client) -> list[dict]:
    return client.get("/api/pools/machines/").json()


def made(client, host) -> dict:
    answer = client.post("/api/pools/machines/", {"host": str(host.pk)}, "json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def calibrate(client, pool, body=None, status=202) -> dict:
    answer = client.post(f"/api/pools/{pool['id']}/calibrate/", body or {"count": 5, "budget_s": 5}, "json")
    assert answer.status_code == status, answer.content
    return answer.json()


def end(job: Job, *, measured: bool) -> None:
    if measured:
        Calibration.objects.filter(job=job).update(measured_at=timezone.now(), bundle=calibrations.pack({}))
    jobs.cancel(job.pk)


def test_a_host_that_answers_is_offered_with_its_core_sets(alice_client, host):
    (offer,) = offers(alice_client)
    assert (offer["name"], offer["pool"]) == ("machine", None)
    assert [(one["name"], one["tag"], one["estimated"], one["place"]) for one in offer["devices"]] == [
        ("cpu0", "C0", True, "onnxruntime:1"), ("cpu1", "C1", True, "onnxruntime:2"),
    ]  # fmt: skip
    reporting.release(OWNER)
    assert offers(alice_client) == []


def test_a_host_without_a_topology_is_refused(alice_client):
    found = reported_host()
    answer = alice_client.post("/api/pools/machines/", {"host": str(found.pk)}, "json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "host_unprobed")
    assert offers(alice_client) == []


def test_one_click_makes_the_pool_once_for_each_team(alice_client, outsider_client, host):
    pool = made(alice_client, host)
    assert pool["host"] == str(host.pk) and pool["name"] == "machine"
    assert {one["memory_domain"] for one in pool["spec"]["devices"]} == {"memory"}
    again = alice_client.post("/api/pools/machines/", {"host": str(host.pk)}, "json")
    assert (again.status_code, again.json()["id"]) == (200, pool["id"])
    assert offers(alice_client)[0]["pool"] == pool["id"]
    assert offers(outsider_client)[0]["pool"] is None
    assert made(outsider_client, host)["id"] != pool["id"]
    alice_client.delete(f"/api/pools/{pool['id']}/")
    assert offers(alice_client)[0]["pool"] is None


def test_calibrating_starts_one_for_each_device_and_each_is_used_when_it_is_done(alice_client, host):
    pool = calibrate(alice_client, made(alice_client, host))
    assert set(pool["awaited"]) == {"cpu0", "cpu1"} and pool["calibrations"] == {}
    rows = {row.device.name: row for row in Calibration.objects.select_related("device", "job")}
    assert set(rows) == {"CPU cores 0", "CPU cores 1"}
    assert calibrate(alice_client, pool)["awaited"] == pool["awaited"]  # those under way are kept
    end(rows["CPU cores 0"].job, measured=True)
    end(rows["CPU cores 1"].job, measured=False)
    now = alice_client.get(f"/api/pools/{pool['id']}/").json()
    assert now["calibrations"] == {"cpu0": str(rows["CPU cores 0"].pk)}
    assert now["awaited"] == {} and now["version"] == 2


def test_a_device_that_went_meanwhile_gets_nothing(alice_client, host):
    pool = made(alice_client, host)
    calibrate(alice_client, pool)
    spec = {**pool["spec"], "devices": pool["spec"]["devices"][:1], "links": []}
    alice_client.put(f"/api/pools/{pool['id']}/", {"spec": spec}, "json")
    for job in Job.objects.all():
        end(job, measured=True)
    now = alice_client.get(f"/api/pools/{pool['id']}/").json()
    assert list(now["calibrations"]) == ["cpu0"] and not AwaitedCalibration.objects.exists()


def test_what_cannot_be_calibrated_says_why(alice_client, outsider_client, viewer_client, host):
    plain = add_pool(alice_client)
    assert calibrate(alice_client, plain, status=409)["error"]["code"] == "pool_no_host_device"
    Pool.objects.filter(pk=plain["id"]).update(sample="x")
    assert calibrate(alice_client, plain, status=409)["error"]["code"] == "pool_sample"
    pool = made(alice_client, host)
    calibrate(outsider_client, pool, status=404)
    calibrate(viewer_client, pool, status=403)
    first = host.runtimes.get().devices.first()
    body = {"devices": {"npu9": str(first.pk)}}
    assert calibrate(alice_client, pool, body, status=400)["error"]["code"] == "unknown_device"
