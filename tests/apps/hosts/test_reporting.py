"""What the process that keeps a host's devices writes, and who may write it."""

import dataclasses

import pytest
from django.conf import settings
from django.db.models.functions import Now

from apps.hosts import reporting
from apps.hosts.models import Fingerprint, Host, HostDevice, HostRuntime
from apps.hosts.queries import is_alive
from apps.jobs.clock import later
from heteroopt.runtimes.description import DeviceState
from tests.apps.hosts.factories import DIED, OWNER, device, device_row, facts, healthy, reported_host

pytestmark = pytest.mark.django_db


def test_a_host_has_one_speaker_until_that_falls_silent():
    host = reported_host()
    assert reporting.claim(facts(), "machine:2") is None
    assert not reporting.beat(host.pk, "machine:2")
    assert reporting.report(host.pk, "machine:2", healthy(version="9")) is None
    Host.objects.update(seen_at=later(-settings.JOB_LEASE_SECONDS))
    assert reporting.claim(facts(), "machine:2") == host.pk
    assert reporting.report(host.pk, OWNER, healthy(version="9")) is None
    assert HostRuntime.objects.get().versions == {"sim": "1.0"}


def test_a_released_host_is_free_at_once():
    host = reported_host()
    reporting.release("machine:3")
    assert reporting.claim(facts(), "machine:2") is None
    reporting.release(OWNER)
    host.refresh_from_db()
    assert not is_alive(host)
    assert reporting.claim(facts(), "machine:2") == host.pk


def test_a_host_is_alive_within_one_lease():
    host = reported_host()
    assert is_alive(host)
    Host.objects.update(seen_at=later(-settings.JOB_LEASE_SECONDS - 1))
    host.refresh_from_db()
    assert not is_alive(host)
    reporting.beat(host.pk, OWNER)
    host.refresh_from_db()
    assert is_alive(host)


def test_a_crash_marks_the_devices_and_keeps_what_is_known_of_them():
    host = reported_host()
    crashed = dataclasses.replace(
        healthy(), state=DeviceState.FAULTY, reason=DIED, versions=None, fingerprint=None,
        devices=[dataclasses.replace(device(i), state=DeviceState.FAULTY, reason=DIED) for i in range(2)],
    )  # fmt: skip
    reporting.report(host.pk, OWNER, crashed)
    runtime = HostRuntime.objects.get()
    assert (runtime.state, runtime.reason["code"]) == ("faulty", "runtime_died")
    assert (runtime.versions, runtime.fingerprint.versions) == ({"sim": "1.0"}, {"sim": "1.0"})
    assert {row.shown_state for row in HostDevice.objects.all()} == {"faulty"}
    reporting.report(host.pk, OWNER, healthy(starts=2))
    runtime.refresh_from_db()
    assert (runtime.state, runtime.reason, runtime.starts) == ("healthy", None, 2)
    assert {row.shown_state for row in HostDevice.objects.all()} == {"healthy"}


def test_devices_of_a_runtime_that_cannot_start_are_unusable_and_one_that_is_gone_is_absent():
    host = reported_host()
    reporting.report(host.pk, OWNER, healthy(device(0)))
    assert [device_row(host, index).state for index in (0, 1)] == ["healthy", "absent"]
    unusable = dataclasses.replace(healthy(), state=DeviceState.UNUSABLE, reason=DIED, devices=())
    reporting.report(host.pk, OWNER, unusable)
    assert [device_row(host, index).state for index in (0, 1)] == ["unusable", "unusable"]
    assert device_row(host).reason["code"] == "runtime_died"
    reporting.forget_runtimes(host.pk, ["another"])
    assert [device_row(host, index).state for index in (0, 1)] == ["absent", "absent"]


def test_a_cordon_stays_over_crashes_and_starts_and_covers_only_what_works():
    host = reported_host()
    HostDevice.objects.filter(index=0).update(cordoned=True, cordoned_at=Now())
    assert reporting.cordoned_devices(host.pk) == {"sim": {0}}
    told = dataclasses.replace(device(0), state=DeviceState.CORDONED)
    reporting.report(host.pk, OWNER, healthy(told, device(1)))
    assert [device_row(host, index).shown_state for index in (0, 1)] == ["cordoned", "healthy"]
    reporting.report(host.pk, OWNER, healthy(dataclasses.replace(device(0), state=DeviceState.FAULTY, reason=DIED)))
    assert device_row(host).shown_state == "faulty"


def test_a_changed_fingerprint_is_kept_beside_the_one_before():
    host = reported_host()
    reporting.report(host.pk, OWNER, healthy())
    runtime = HostRuntime.objects.get()
    assert (runtime.previous_fingerprint, runtime.fingerprint_changed_at) == (None, None)
    reporting.report(host.pk, OWNER, healthy(version="1.1"))
    runtime.refresh_from_db()
    before, now = (reporting.fingerprint_value(f) for f in (runtime.previous_fingerprint, runtime.fingerprint))
    assert before.changes_to(now) == [
        {"kind": "version", "name": "sim", "before": "1.0", "after": "1.1"},
        {"kind": "object", "name": "libsim.so", "before": "build-id:1.0", "after": "build-id:1.1"},
    ]
    assert runtime.fingerprint_changed_at is not None
    # Two hosts with the same libraries share the row.
    reported_host(name="twin", owner="twin:1")
    assert Fingerprint.objects.count() == 2
