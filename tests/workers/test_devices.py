"""The process that keeps a host's devices: reports, survives its runtimes, and hands the host on when it is killed."""

import os
import signal
from pathlib import Path

import pytest

from apps.hosts.models import Host, HostDevice, HostRuntime
from apps.jobs import services as jobs
from apps.jobs.models import JobState, WorkerHeartbeat
from heteroopt.runtimes.registry import SHIPPED
from tests.workers.backends import team, wait_for
from tests.workers.services import wait_until


def runtimes_folder(folder: Path, *enabled: str) -> Path:
    """A host's own configuration that switches every runtime off but those named."""
    for shipped in SHIPPED.glob("*/device_config.yaml"):
        lines = [line for line in shipped.read_text().splitlines() if not line.startswith(("enabled", "probe_timeout"))]
        own = folder / shipped.parent.name
        own.mkdir(parents=True, exist_ok=True)
        wanted = "true" if own.name in enabled else "false"
        own.joinpath(shipped.name).write_text("\n".join([*lines, f"enabled: {wanted}", "probe_timeout_s: 60"]))
    return folder


def children(pid: int) -> list[int]:
    """The processes of a process's runtimes."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if parent == pid and b"heteroopt.runtimes.host" in command:
                found.append(int(entry.name))
    return found


@pytest.fixture
def host_worker(backend, tmp_path):
    backend.environment["HETEROOPT_RUNTIMES_DIR"] = str(runtimes_folder(tmp_path, "simulated"))
    backend.environment["HETEROOPT_HOST_NAME"] = "machine"
    return lambda: backend.start("worker", "--host")


def state(runtime: str = "simulated") -> tuple[str, int]:
    return HostRuntime.objects.filter(name=runtime).values_list("state", "starts").first() or ("", 0)


def test_a_killed_runtime_is_back_and_a_killed_keeper_hands_the_host_on(backend, host_worker):
    first = host_worker()
    wait_until(lambda: state() == ("healthy", 1), what="the simulated runtime is healthy")
    host = Host.objects.get()
    assert (host.name, host.queue, host.owner.endswith(f":{first.pid}")) == ("machine", "host.machine", True)
    assert HostDevice.objects.get().state == "healthy"
    wait_until(lambda: state("onnxruntime")[0] == "absent", what="what is switched off is said")
    fingerprint = HostRuntime.objects.get(name="simulated").fingerprint
    assert fingerprint is not None and fingerprint.versions["python"]

    (plugin,) = children(first.pid)
    os.kill(plugin, signal.SIGKILL)
    wait_until(lambda: state() == ("healthy", 2), what="the runtime is back")
    assert first.poll() is None

    # Nothing to do, but only this process listens to the queue.
    job = jobs.submit("operator_map", team=team(), queue=host.queue)
    wait_for(job, lambda job: job.state == JobState.DONE)

    second = host_worker()
    backend.kill(first.pid)
    wait_until(lambda: Host.objects.get().owner.endswith(f":{second.pid}"), what="the second one has the host")
    wait_until(lambda: state() == ("healthy", 1), what="the runtime runs there")
    # The same libraries: nothing has changed.
    assert HostRuntime.objects.get(name="simulated").previous_fingerprint is None
    beats = WorkerHeartbeat.objects.filter(name=Host.objects.get().owner, role="devices")
    wait_until(beats.exists, what="it takes jobs")
    second.send_signal(signal.SIGTERM)
    assert second.wait(timeout=30) == 0
    assert Host.objects.get().owner == ""
    assert children(second.pid) == []
