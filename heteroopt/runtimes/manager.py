"""All runtimes of this host: probes them at start, keeps their processes, marks devices, brings the dead back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from heteroopt.runtimes.canary import canary
from heteroopt.runtimes.configuration import PluginConfiguration
from heteroopt.runtimes.description import DeviceDescription, DeviceState, Reason, RuntimeDescription
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.handle import DeviceHandle
from heteroopt.runtimes.process import RuntimeProcess
from heteroopt.runtimes.protocol import Command
from heteroopt.runtimes.registry import Plugin

WATCH_SECONDS = 0.1
"""How soon the end of the manager itself is noticed; the end of a process is at once."""

CHECK_SECONDS = 2.0
"""How often an idle process is asked whether it still answers."""

RESTART_SECONDS = (0.0, 1.0, 5.0, 30.0, 300.0)
"""How long after its first, second, ... end in a row a plugin is started again; the last one repeats. One that could
not be started waits as after a second end.
"""

PASSING = frozenset({"runtime_timeout", "runtime_died"})
"""Why a start may fail once and not the next time, on a loaded host or after a driver was reset. What a package or a
configuration lacks stays so until a person changes it and starts us again.
"""

CALM_SECONDS = 60.0
"""A plugin that has lived so long counts as started for the first time."""


@dataclass(slots=True)
class RuntimeStatus:
    """What is known of one plugin now. ``state``: ``absent`` (not set up here), ``unusable`` with ``reason``,
    ``healthy``, or ``faulty`` while it is being brought back. ``revision`` grows with every change. ``verified``:
    whether somebody has run the plugin on its hardware.
    """

    name: str
    state: DeviceState = DeviceState.ABSENT
    reason: Reason | None = None
    description: RuntimeDescription | None = None
    starts: int = 0
    revision: int = 0
    cordoned: set[int] = field(default_factory=set)
    verified: bool = True

    def devices(self) -> list[DeviceDescription]:
        """Return the devices with what has happened to them since they were probed."""
        if self.description is None:
            return []
        return [self._device(device) for device in self.description.devices]

    def _device(self, device: DeviceDescription) -> DeviceDescription:
        if self.state in (DeviceState.FAULTY, DeviceState.UNUSABLE) and device.state == DeviceState.HEALTHY:
            return replace(device, state=self.state, reason=self.reason)
        if device.index in self.cordoned and device.state == DeviceState.HEALTHY:
            return replace(device, state=DeviceState.CORDONED)
        return device


class RuntimeManager:
    """The plugins of one host. ``changed``: called (from any thread) with a status whenever one changed."""

    def __init__(self, plugins: Iterable[Plugin], changed: Callable[[RuntimeStatus], None] | None = None) -> None:
        self._keepers = {plugin.name: _Keeper(plugin, changed or (lambda status: None)) for plugin in plugins}

    def start(self) -> None:
        """Start all plugins, each on its own thread; returns at once."""
        for keeper in self._keepers.values():
            keeper.thread.start()

    def wait(self, timeout_s: float) -> bool:
        """Wait until every plugin has been probed once or found unusable; ``False`` if that took too long."""
        end = time.monotonic() + timeout_s
        return all(keeper.probed.wait(max(0.0, end - time.monotonic())) for keeper in self._keepers.values())

    def statuses(self) -> list[RuntimeStatus]:
        """Return what is known of every plugin, by name."""
        return [keeper.status for keeper in self._keepers.values()]

    def status(self, name: str) -> RuntimeStatus:
        """Return one plugin's status. Raises ``RuntimeFault`` ``device_unknown``."""
        return self._keeper(name).status

    def process(self, name: str) -> RuntimeProcess:
        """Return a healthy plugin's process. Raises ``RuntimeFault`` with the reason why there is none."""
        keeper = self._keeper(name)
        process, status = keeper.process, keeper.status
        if process is None or status.state != DeviceState.HEALTHY:
            raise status.reason.error() if status.reason else _not_running(name)
        return process

    def open(self, name: str, index: int) -> DeviceHandle:
        """Open a device. Only healthy devices get work. Raises ``RuntimeFault``."""
        process = self.process(name)
        for device in self.status(name).devices():
            if device.index == index and device.state != DeviceState.HEALTHY:
                raise device.reason.error() if device.reason else _cordoned(device)
        return DeviceHandle(process, index)

    def cordon(self, name: str, index: int, cordoned: bool = True) -> None:
        """Keep work away from a device, or let it have work again."""
        keeper = self._keeper(name)
        (keeper.status.cordoned.add if cordoned else keeper.status.cordoned.discard)(index)
        keeper.tell()

    def stop(self) -> None:
        """End all processes and threads."""
        for keeper in self._keepers.values():
            keeper.interrupt()
        for keeper in self._keepers.values():
            if keeper.thread.is_alive():
                keeper.thread.join()
            keeper.end()

    def _keeper(self, name: str) -> _Keeper:
        if name not in self._keepers:
            raise RuntimeFault("device_unknown", f"There is no runtime {name!r} on this host.", runtime=name)
        return self._keepers[name]


class _Keeper:
    """One plugin: its process, and the thread that watches it."""

    def __init__(self, plugin: Plugin, changed: Callable[[RuntimeStatus], None]) -> None:
        self.status = RuntimeStatus(plugin.name)
        if plugin.configuration is not None:
            self.status.verified = plugin.configuration.verified
        self.process: RuntimeProcess | None = None
        self._spare: RuntimeProcess | None = None
        self._starting: RuntimeProcess | None = None
        self.probed = threading.Event()
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._keep, args=(plugin,), name=f"runtime-{plugin.name}", daemon=True)
        self._changed = changed

    def tell(self) -> None:
        self.status.revision += 1
        self._changed(self.status)

    def interrupt(self) -> None:
        """Let the thread end soon, also where it waits for a plugin that hangs in its start."""
        self.stopping.set()
        starting = self._starting
        if starting is not None:
            starting.kill(_not_running(starting.name))

    def end(self) -> None:
        for process in (self.process, self._spare):
            if process is not None:
                process.close()
        self.process = self._spare = None

    def _keep(self, plugin: Plugin) -> None:
        configuration = plugin.configuration
        if configuration is None or not configuration.enabled:
            self._set(DeviceState.UNUSABLE if plugin.reason else DeviceState.ABSENT, plugin.reason)
            self.probed.set()
            return
        failures = 0
        while not self.stopping.is_set():
            begin = time.monotonic()
            self._start(configuration)
            self.probed.set()
            if self.process is not None:
                self._watch(self.process)
                if self.stopping.is_set():
                    return
                self._mark_dead()
                failures = 1 if time.monotonic() - begin > CALM_SECONDS else failures + 1
            elif self.status.reason is not None and self.status.reason.code in PASSING:
                failures = max(failures + 1, 2)
            else:
                return
            self.stopping.wait(RESTART_SECONDS[min(failures, len(RESTART_SECONDS)) - 1])

    def _watch(self, process: RuntimeProcess) -> None:
        """Return when the process has ended, was ended because it does not answer, or we are stopping."""
        checked = time.monotonic()
        while not self.stopping.is_set() and not process.wait_for_end(WATCH_SECONDS):
            if time.monotonic() - checked > CHECK_SECONDS:
                process.check()
                checked = time.monotonic()

    def _start(self, configuration: PluginConfiguration) -> None:
        """Start, probe and try every device; on failure the status says why, and there is no process.

        A device whose canary kills the process, or hangs, is unusable; the others are tried in a new process.
        """
        self.status.starts += 1
        tried: dict[int, Reason | None] = {}
        while True:
            process: RuntimeProcess | None = None
            try:
                process = self._ready(configuration)
                data = process.call(Command.DESCRIBE, timeout_s=configuration.probe_timeout_s)
                description = RuntimeDescription.from_dict(data)
                devices = tuple(_try(process, device, tried, configuration) for device in description.devices)
            except _DiedInCanary:
                continue
            except RuntimeFault as error:
                self._starting = None
                if process is not None:
                    process.close()
                self.process = None
                missing = error.code == "runtime_absent"
                self._set(DeviceState.ABSENT if missing else DeviceState.UNUSABLE, Reason.of(error))
                return
            self._starting = None
            self.process = process
            self.status.description = replace(description, devices=devices, verified=configuration.verified)
            if configuration.spare and devices and not self.stopping.is_set():
                with suppress(RuntimeFault):  # then the next start launches one, and says what is wrong
                    self._spare = _launched(configuration)
            self._set(DeviceState.HEALTHY if devices else DeviceState.ABSENT, None)
            return

    def _ready(self, configuration: PluginConfiguration) -> RuntimeProcess:
        """Return a process that has loaded the plugin: the spare one if it still lives, otherwise a new one."""
        spare, self._spare = self._spare, None
        if spare is not None and not spare.alive:
            spare.close()
            spare = None
        process = self._starting = spare or _launched(configuration)
        if self.stopping.is_set():
            process.kill(_not_running(process.name))
        try:
            process.start(configuration.probe_timeout_s)
        except RuntimeFault:
            process.close()
            raise
        return process

    def _mark_dead(self) -> None:
        process = self.process
        if process is None:
            return
        try:
            process.call(Command.PING)
            reason = Reason.of(_not_running(process.name))
        except RuntimeFault as error:
            reason = Reason.of(error)
        self.process = None
        self._set(DeviceState.FAULTY, reason)
        process.close()

    def _set(self, state: DeviceState, reason: Reason | None) -> None:
        self.status.state, self.status.reason = state, reason
        self.tell()


class _DiedInCanary(Exception):
    """The process is gone; what it died of is noted with the device."""


def _launched(configuration: PluginConfiguration) -> RuntimeProcess:
    return RuntimeProcess(
        configuration.name,
        configuration.plugin,
        interpreter=configuration.interpreter or None,
        settings=configuration.settings,
        environment=configuration.environment,
    )


def _try(
    process: RuntimeProcess,
    device: DeviceDescription,
    tried: dict[int, Reason | None],
    configuration: PluginConfiguration,
) -> DeviceDescription:
    if device.state != DeviceState.HEALTHY:
        return device
    if device.index not in tried:
        try:
            handle = DeviceHandle(process, device.index)
            tried[device.index] = canary(handle, configuration.probe_timeout_s)
            handle.close()
        except RuntimeFault as error:
            tried[device.index] = Reason.of(error)
            if not process.alive:
                process.close()
                raise _DiedInCanary from error
    reason = tried[device.index]
    return device if reason is None else replace(device, state=DeviceState.UNUSABLE, reason=reason)


def _not_running(name: str) -> RuntimeFault:
    return RuntimeFault(
        "runtime_not_running",
        f"{name} is not running on this host.",
        hint="Set it up in its device_config.yaml, or wait until it has been started again.",
        runtime=name,
    )


def _cordoned(device: DeviceDescription) -> RuntimeFault:
    return RuntimeFault(
        "device_cordoned",
        f"{device.name} is kept free of work.",
        hint="Let it have work again on the page of devices.",
        device=device.name,
    )
