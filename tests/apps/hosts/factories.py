"""A host with a runtime and two devices, as the process that keeps them reports it."""

from apps.hosts import reporting
from apps.hosts.models import Host, HostDevice
from apps.hosts.reporting import HostFacts, RuntimeReport
from heteroopt.runtimes.description import DeviceDescription, DeviceState, Reason
from heteroopt.runtimes.fingerprint import make_fingerprint

OWNER = "machine:1"
DIED = Reason("runtime_died", "The process of sim ended: SIGKILL.", "", {"runtime": "sim", "exit": "SIGKILL"})


def facts(name="machine"):
    return HostFacts(name, f"host.{name}", 4, 1 << 34, {"python": "3.11"})


def device(index, **more):
    described = {"name": f"sim{index}", "device_type": "NPU", "memory_size_bytes": 1 << 30, "precisions": ("fp32",)}
    return DeviceDescription(index, **{**described, **more})


def fingerprint(version="1.0"):
    return make_fingerprint({"libsim.so": f"build-id:{version}"}, {"sim": version})


def healthy(*devices, name="sim", version="1.0", starts=1):
    return RuntimeReport(
        name,
        DeviceState.HEALTHY,
        None,
        starts,
        versions={"sim": version},
        fingerprint=fingerprint(version),
        devices=devices or (device(0), device(1)),
    )


def reported_host(*reports, name="machine", owner=OWNER) -> Host:
    host_id = reporting.claim(facts(name), owner)
    assert host_id is not None
    for found in reports or (healthy(),):
        assert reporting.report(host_id, owner, found)
    return Host.objects.get(pk=host_id)


def device_row(host, index=0, runtime="sim") -> HostDevice:
    return HostDevice.objects.get(runtime__host=host, runtime__name=runtime, index=index)
