"""Hosts belong to the installation: every team reads them, owners keep work away from devices."""

import pytest

from apps.audit.models import AuditEvent
from apps.hosts import reporting
from apps.hosts.models import Host, HostDevice
from tests.apps.hosts.factories import OWNER, device_row, fingerprint, healthy, reported_host


@pytest.fixture
def host(db):
    return reported_host()


@pytest.mark.parametrize("who", ["alice", "bob", "viewer", "outsider"])
def test_members_of_any_team_read_hosts_runtimes_and_devices(host, who, request):
    found = request.getfixturevalue(f"{who}_client").get("/api/hosts/").json()
    assert (found["shared"], [entry["name"] for entry in found["hosts"]]) == (False, ["machine"])
    (runtime,) = found["hosts"][0]["runtimes"]
    assert (runtime["name"], runtime["state"], runtime["fingerprint"]) == ("sim", "healthy", fingerprint().hash)
    assert [(d["name"], d["state"], d["precisions"]) for d in runtime["devices"]] == [
        ("sim0", "healthy", ["fp32"]),
        ("sim1", "healthy", ["fp32"]),
    ]


def test_a_changed_fingerprint_names_what_changed(host, alice_client):
    reporting.report(host.pk, OWNER, healthy(version="1.1"))
    (runtime,) = alice_client.get(f"/api/hosts/{host.pk}/").json()["runtimes"]
    assert runtime["changes"][0] == {"kind": "version", "name": "sim", "before": "1.0", "after": "1.1"}
    kept = alice_client.get(f"/api/fingerprints/{runtime['fingerprint']}/").json()
    assert kept["objects"] == {"libsim.so": "build-id:1.1"}
    assert alice_client.get("/api/fingerprints/none/").status_code == 404


def test_an_owner_keeps_work_away_and_lets_it_back(host, alice_client):
    path = f"/api/devices/{device_row(host).pk}/cordon/"
    shown = alice_client.post(path, {"cordoned": True, "note": "fan"}, "json").json()
    assert (shown["state"], shown["cordoned_by"], shown["cordon_note"]) == ("cordoned", "alice", "fan")
    alice_client.post(path, {"cordoned": True}, "json")
    shown = alice_client.post(path, {"cordoned": False}, "json").json()
    assert (shown["state"], shown["cordoned_by"], shown["cordon_note"]) == ("healthy", None, "")
    events = AuditEvent.objects.order_by("at").values_list("action", "details__device", "details__note")
    assert list(events) == [("device.cordon", "sim0", "fan"), ("device.uncordon", "sim0", "")]


@pytest.mark.parametrize("who", ["bob", "reviewer", "viewer"])
def test_others_may_not(host, who, request):
    client = request.getfixturevalue(f"{who}_client")
    assert client.post(f"/api/devices/{device_row(host).pk}/cordon/", {"cordoned": True}, "json").status_code == 403
    assert client.delete(f"/api/hosts/{host.pk}/").status_code == 403
    assert not HostDevice.objects.filter(cordoned=True).exists()


def test_only_a_silent_host_can_be_forgotten(host, alice_client):
    answer = alice_client.delete(f"/api/hosts/{host.pk}/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "host_alive")
    reporting.release(OWNER)
    assert alice_client.delete(f"/api/hosts/{host.pk}/").status_code == 204
    assert not Host.objects.exists()
    assert alice_client.get(f"/api/hosts/{host.pk}/").status_code == 404
