"""Keeps the devices of this host: starts its runtimes, writes every change of theirs into rows, gives jobs a device."""

from __future__ import annotations

import logging
import queue
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from apps.hosts import reporting, runs
from apps.hosts.reporting import HostFacts, RuntimeReport
from apps.jobs.heartbeats import process_name
from heteroopt.runtimes.configuration import PluginConfiguration
from heteroopt.runtimes.description import DeviceState
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.fingerprint import Fingerprint
from heteroopt.runtimes.manager import RuntimeManager, RuntimeStatus
from heteroopt.runtimes.protocol import Command
from heteroopt.runtimes.registry import Plugin, find_plugins
from workers.machine import facts, is_running, topology

log = logging.getLogger(__name__)

PROBE_SECONDS = 60.0
"""How long a job waits for the first probe of a runtime."""


class DeviceKeeper:
    """The runtimes of this host and the thread that speaks for it.

    ``start`` returns at once. While another process speaks for the host, this one waits for it to fall silent and keeps
    no runtime. The database may go away: what was not written is written when it is back.
    """

    def __init__(
        self,
        plugins: Sequence[Plugin] | None = None,
        machine: Callable[[], HostFacts] = facts,
        probe: Callable[[], Mapping[str, Any]] = topology,
    ) -> None:
        self._machine = machine
        self._probe = probe
        self._topology: Mapping[str, Any] | None = None
        self._plugins = find_plugins(settings.RUNTIMES_DIR) if plugins is None else list(plugins)
        self._owner = process_name()
        self._changed: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._unwritten: set[str] = set()
        self._written = {plugin.name: threading.Event() for plugin in self._plugins}
        self._fingerprints: dict[tuple[str, int], Fingerprint] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="devices", daemon=True)
        self.manager: RuntimeManager | None = None
        self.host_id: uuid.UUID | None = None

    def start(self) -> None:
        """Claim the host and start its runtimes, on a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """End the runtimes, and let the next process have the host."""
        self._ended.set()
        self._changed.put("")
        if self._thread.is_alive():
            self._thread.join(timeout=10.0)
        self._end_runtimes()

    def ready(self, runtime: str) -> RuntimeManager:
        """Return the manager once a runtime was probed and its rows say so. Raises ``RuntimeFault``."""
        event = self._written.get(runtime)
        if event is None or not event.wait(PROBE_SECONDS) or self.manager is None:
            raise RuntimeFault("device_unknown", f"There is no runtime {runtime!r} on this host.", runtime=runtime)
        return self.manager

    def obey_cordons(self) -> None:
        """Tell the runtimes which devices persons keep work away from."""
        if self.manager is None or self.host_id is None:
            return
        cordoned = reporting.cordoned_devices(self.host_id)
        for status in self.manager.statuses():
            wanted = cordoned.get(status.name, set())
            for index in wanted ^ set(status.cordoned):
                self.manager.cordon(status.name, index, index in wanted)

    def configuration(self, runtime: str) -> PluginConfiguration:
        """Return how a runtime's process is started. Raises ``RuntimeFault``: why it cannot be."""
        for plugin in self._plugins:
            if plugin.name == runtime and plugin.configuration is not None and plugin.configuration.enabled:
                return plugin.configuration
        raise RuntimeFault(
            "runtime_not_running",
            f"{runtime} is not running on this host.",
            hint="Set it up in its device_config.yaml, or wait until it has been started again.",
            runtime=runtime,
        )

    def _run(self) -> None:
        try:
            while not self._ended.is_set():
                if self.host_id is None:
                    self._try(self._claim)
                    if self.host_id is None:
                        self._ended.wait(settings.JOB_RENEW_SECONDS)
                        continue
                self._collect(settings.JOB_RENEW_SECONDS)
                self._try(self._tell)
            self._end_runtimes()
            self._try(lambda: reporting.release(self._owner))
        finally:
            connection.close()

    def _claim(self) -> None:
        machine = self._machine()
        other = reporting.owner_of(machine.name)
        if not is_running(other, self._owner):
            reporting.release(other)
        self.host_id = reporting.claim(machine, self._owner)
        if self.host_id is None:
            log.warning("Another process keeps the devices of %s: %s", machine.name, other)
            return
        reporting.forget_runtimes(self.host_id, [plugin.name for plugin in self._plugins])
        self.manager = RuntimeManager(self._plugins, lambda status: self._changed.put(status.name))
        self.manager.start()
        threading.Thread(target=self._look_around, name="topology", daemon=True).start()

    def _look_around(self) -> None:
        """Vendors' tools can hang for seconds: the runtimes do not wait for them."""
        self._topology = self._probe()
        self._changed.put("")

    def _collect(self, seconds: float) -> None:
        """Wait for a change, at most that long, and take what else has changed meanwhile."""
        try:
            self._unwritten.add(self._changed.get(timeout=seconds))
            while True:
                self._unwritten.add(self._changed.get_nowait())
        except queue.Empty:
            self._unwritten.discard("")

    def _tell(self) -> None:
        manager, host_id = self.manager, self.host_id
        if manager is None or host_id is None or self._ended.is_set():
            return
        if not reporting.beat(host_id, self._owner):
            self._lose()
            return
        self.obey_cordons()
        if self._topology is not None:
            reporting.write_topology(host_id, self._topology)
            self._topology = None
        for name in sorted(self._unwritten):
            status = manager.status(name)
            written = reporting.report(host_id, self._owner, self._report(status, manager))
            if written is None:
                self._lose()
                return
            self._unwritten.discard(name)
            self._written[name].set()
            if status.state == DeviceState.HEALTHY:
                runs.rerun_after_change(written)

    def _report(self, status: RuntimeStatus, manager: RuntimeManager) -> RuntimeReport:
        described = status.description if status.state == DeviceState.HEALTHY else None
        return RuntimeReport(
            name=status.name,
            state=status.state,
            reason=status.reason,
            starts=status.starts,
            verified=status.verified,
            versions=None if described is None else described.versions,
            fingerprint=self._take_fingerprint(status, manager),
            # One that could not be started again has none, whatever it listed before.
            devices=status.devices() if status.state in (DeviceState.HEALTHY, DeviceState.FAULTY) else (),
        )

    def _take_fingerprint(self, status: RuntimeStatus, manager: RuntimeManager) -> Fingerprint | None:
        """Once a start, after the canaries: a job may load more, and that is no change of what is installed."""
        key = (status.name, status.starts)
        if key not in self._fingerprints and status.state == DeviceState.HEALTHY:
            try:
                data = manager.process(status.name).call(Command.FINGERPRINT)
            except RuntimeFault:
                return None
            self._fingerprints[key] = Fingerprint.from_dict(data)
        return self._fingerprints.get(key)

    def _lose(self) -> None:
        log.warning("Another process keeps the devices of this host now")
        self._end_runtimes()
        self.host_id = None
        for event in self._written.values():
            event.clear()

    def _end_runtimes(self) -> None:
        manager, self.manager = self.manager, None
        if manager is not None:
            manager.stop()

    def _try(self, act: Callable[[], object]) -> None:
        try:
            act()
        except (DatabaseError, InterfaceError) as error:
            log.warning("The state of the devices is not written: %s", error)
            connection.close()


_keeper: list[DeviceKeeper] = []


def provide(keeper: DeviceKeeper) -> None:
    """Called once by the process that keeps this host's devices, before it takes jobs."""
    _keeper[:] = [keeper]


def this_host() -> DeviceKeeper:
    """The keeper of the process that the caller runs in."""
    return _keeper[0]
