"""A host's runtimes: what is said of each at start, and what happens when one dies, hangs or is wrong."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from heteroopt.runtimes import manager
from heteroopt.runtimes.configuration import PluginConfiguration
from heteroopt.runtimes.description import DeviceState, Reason
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.manager import RuntimeManager, RuntimeStatus
from heteroopt.runtimes.process import RuntimeProcess, last_words
from heteroopt.runtimes.registry import Plugin

SIMULATED = "heteroopt.runtimes.plugins.simulated.runtime:SimulatedRuntime"
PATIENCE_SECONDS = 60.0


def plugin(name: str = "p", path: str = SIMULATED, timeout_s: float = 30.0, **more: Any) -> Plugin:
    return Plugin(name, Path(), PluginConfiguration(name, path, probe_timeout_s=timeout_s, **more))


class Watched:
    """A manager and what it said, with a way to wait for something to become true."""

    def __init__(self, *plugins: Plugin) -> None:
        self.said: list[tuple[str, DeviceState]] = []
        self._changed = threading.Condition()
        self.manager = RuntimeManager(plugins, self._note)
        self.manager.start()

    def _note(self, status: RuntimeStatus) -> None:
        with self._changed:
            self.said.append((status.name, status.state))
            self._changed.notify_all()

    def until(self, true: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(true, PATIENCE_SECONDS), self.said


@pytest.fixture
def watch() -> Iterator[Callable[..., Watched]]:
    made: list[Watched] = []

    def make(*plugins: Plugin) -> Watched:
        made.append(Watched(*plugins))
        assert made[-1].manager.wait(PATIENCE_SECONDS)
        return made[-1]

    yield make
    for watched in made:
        watched.manager.stop()


def states(watched: Watched, name: str = "p") -> list[DeviceState]:
    return [device.state for device in watched.manager.status(name).devices()]


def test_a_device_is_healthy_only_if_it_computes_rightly(watch):
    watched = watch(plugin(settings={"devices": [{}, {"wrong_results": True}, {"unusable": "no power"}]}))
    assert states(watched) == [DeviceState.HEALTHY, DeviceState.UNUSABLE, DeviceState.UNUSABLE]
    _, wrong, off = watched.manager.status("p").devices()
    assert wrong.reason is not None
    assert wrong.reason.code == "canary_wrong"
    assert off.reason is not None
    assert (off.reason.code, off.reason.message) == ("device_unusable", "no power")
    watched.manager.open("p", 0).close()
    with pytest.raises(RuntimeFault, match="no power"):
        watched.manager.open("p", 2)


def test_a_device_that_kills_or_hangs_the_process_spoils_no_other(watch):
    devices = [{"crash_on": "MatMul"}, {"hang_on": "MatMul"}, {}]
    watched = watch(plugin(timeout_s=4.0, settings={"devices": devices}))
    assert states(watched) == [DeviceState.UNUSABLE, DeviceState.UNUSABLE, DeviceState.HEALTHY]
    codes = [device.reason.code for device in watched.manager.status("p").devices() if device.reason]
    assert codes == ["runtime_died", "runtime_timeout"]
    watched.manager.open("p", 2).close()


@pytest.mark.parametrize(
    ("made", "code", "says"),
    [
        (plugin(path="no.such.module:Runtime"), "runtime_load_failed", "No module named 'no'"),
        (plugin(path="heteroopt.runtimes.streams:Stream"), "runtime_load_failed", "Runtime"),
        (plugin(interpreter="/no/such/python"), "runtime_load_failed", "/no/such/python"),
        (plugin(interpreter="/bin/false"), "runtime_died", "exit code 1"),
        (plugin(timeout_s=0.2, interpreter=str(Path(__file__).parent / "sleeps.sh")), "runtime_timeout", "0.2 s"),
        (plugin(settings={"devices": [{"colour": "red"}]}), "runtime_load_failed", "colour"),
        (Plugin("p", Path(), None, Reason("runtime_configuration", "bad file")), "runtime_configuration", "bad file"),
    ],
)
def test_a_runtime_that_cannot_be_used_says_why(watch, made, code, says):
    watched = watch(made)
    status = watched.manager.status("p")
    assert status.state == DeviceState.UNUSABLE
    assert status.reason is not None
    assert status.reason.code == code
    assert says in status.reason.message
    with pytest.raises(RuntimeFault) as caught:
        watched.manager.open("p", 0)
    assert caught.value.code == code


def test_one_bad_runtime_does_not_touch_the_others(watch):
    watched = watch(plugin("bad", interpreter="/bin/false"), plugin("good"), plugin("off", enabled=False))
    assert [status.state for status in watched.manager.statuses()] == [
        DeviceState.UNUSABLE,
        DeviceState.HEALTHY,
        DeviceState.ABSENT,
    ]


def test_a_runtime_that_hangs_in_its_probe_delays_nobody(watch):
    hanging = plugin("hanging", timeout_s=4.0, settings={"probe_delay_s": 3600})
    watched = watch(hanging, plugin("good"))
    status = watched.manager.status("hanging")
    assert status.state == DeviceState.UNUSABLE
    assert status.reason is not None
    assert status.reason.code == "runtime_timeout"
    assert ("good", DeviceState.HEALTHY) in watched.said
    watched.manager.open("good", 0).close()


def test_a_process_that_ends_by_itself_is_told_with_its_last_words():
    assert last_words("loading\nno linker found.\n\nFatal Python error: Aborted\n\nThread 1:\n") == "no linker found"
    assert last_words("Fatal Python error: Segmentation fault") == ""
    assert last_words("") == ""


def test_a_killed_process_comes_back(watch):
    watched = watch(plugin())
    handle = watched.manager.open("p", 0)
    os.kill(handle.process.pid, signal.SIGKILL)
    with pytest.raises(RuntimeFault, match="SIGKILL"):
        handle.alloc(1)
    watched.until(lambda: watched.said[-2:] == [("p", DeviceState.FAULTY), ("p", DeviceState.HEALTHY)])
    assert watched.manager.status("p").starts == 2
    watched.manager.open("p", 0).close()


def test_a_process_that_stopped_answering_is_noticed_although_nobody_asks_it(watch, monkeypatch):
    monkeypatch.setattr(manager, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(RuntimeProcess.check, "__defaults__", (2.0,))
    watched = watch(plugin())
    os.kill(watched.manager.process("p").pid, signal.SIGSTOP)
    watched.until(lambda: ("p", DeviceState.FAULTY) in watched.said)
    watched.until(lambda: watched.said[-1] == ("p", DeviceState.HEALTHY))
    watched.manager.open("p", 0).close()


def test_a_start_that_failed_in_passing_is_tried_again(watch, monkeypatch, tmp_path):
    monkeypatch.setattr(manager, "RESTART_SECONDS", (0.0, 0.05))
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\ntest -e {tmp_path}/mended || exit 1\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    watched = watch(plugin(interpreter=str(python)))
    assert watched.said[-1] == ("p", DeviceState.UNUSABLE)
    (tmp_path / "mended").touch()
    watched.until(lambda: watched.said[-1] == ("p", DeviceState.HEALTHY))
    watched.manager.open("p", 0).close()


def test_what_cannot_be_started_at_all_is_not_tried_again(watch):
    watched = watch(plugin(path="no.such.module:Runtime"))
    watched.manager._keeper("p").thread.join(PATIENCE_SECONDS)
    assert watched.manager.status("p").starts == 1


def test_nobody_waits_for_a_hanging_start_to_stop():
    held = RuntimeManager([plugin(timeout_s=600.0, settings={"probe_delay_s": 3600})])
    held.start()
    keeper = held._keeper("p")
    while keeper._starting is None:
        keeper.stopping.wait(0.01)
    held.stop()
    assert not keeper.thread.is_alive()


def test_a_spare_process_takes_over_and_is_replaced(watch):
    watched = watch(plugin(spare=True))
    spare = watched.manager._keeper("p")._spare.pid
    os.kill(watched.manager.process("p").pid, signal.SIGKILL)
    watched.until(lambda: watched.manager.status("p").starts == 2 and watched.said[-1] == ("p", DeviceState.HEALTHY))
    assert watched.manager.process("p").pid == spare
    watched.manager.open("p", 0).close()
    new = watched.manager._keeper("p")._spare.pid
    assert new != spare
    watched.manager.stop()
    assert not Path(f"/proc/{new}").exists()


def test_a_spare_process_that_ended_is_not_used(watch):
    watched = watch(plugin(spare=True))
    watched.manager._keeper("p")._spare.kill()
    os.kill(watched.manager.process("p").pid, signal.SIGKILL)
    watched.until(lambda: watched.manager.status("p").starts == 2 and watched.said[-1] == ("p", DeviceState.HEALTHY))
    watched.manager.open("p", 0).close()


def test_while_it_is_away_its_devices_are_faulty_with_the_reason(watch):
    watched = watch(plugin(settings={"devices": [{}, {"unusable": "no power"}], "probe_delay_s": 0.5}))
    os.kill(watched.manager.process("p").pid, signal.SIGSEGV)
    watched.until(lambda: ("p", DeviceState.FAULTY) in watched.said)
    first, second = watched.manager.status("p").devices()
    assert (first.state, second.state) == (DeviceState.FAULTY, DeviceState.UNUSABLE)
    assert first.reason is not None
    assert first.reason.params["exit"] == "SIGSEGV"
    with pytest.raises(RuntimeFault, match="SIGSEGV"):
        watched.manager.process("p")
    watched.until(lambda: watched.said[-1] == ("p", DeviceState.HEALTHY))


def test_a_cordoned_device_gets_no_work_until_it_is_let_back(watch):
    watched = watch(plugin(settings={"devices": [{"name": "a"}, {"name": "b"}]}))
    watched.manager.cordon("p", 0)
    assert states(watched) == [DeviceState.CORDONED, DeviceState.HEALTHY]
    with pytest.raises(RuntimeFault) as caught:
        watched.manager.open("p", 0)
    assert caught.value.code == "device_cordoned"
    os.kill(watched.manager.process("p").pid, signal.SIGKILL)
    watched.until(lambda: watched.manager.status("p").starts == 2 and watched.said[-1] == ("p", DeviceState.HEALTHY))
    assert states(watched) == [DeviceState.CORDONED, DeviceState.HEALTHY]
    watched.manager.cordon("p", 0, cordoned=False)
    watched.manager.open("p", 0).close()


def test_no_process_outlives_its_user():
    script = (
        "from pathlib import Path\n"
        "from heteroopt.runtimes.process import RuntimeProcess\n"
        f"process = RuntimeProcess('p', {SIMULATED!r})\n"
        "process.start()\n"
        "print(process.pid, flush=True)\n"
        "import os; os.kill(os.getpid(), 9)\n"
    )
    import subprocess

    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    child = int(ran.stdout)
    gone = threading.Event()
    for _ in range(600):
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            break
        gone.wait(0.1)
    else:
        pytest.fail(f"process {child} is still there")
