"""A device in a plugin process that belongs to one comparison: what kills or hangs it disturbs nobody else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from heteroopt.runtimes.canary import canary
from heteroopt.runtimes.configuration import PluginConfiguration
from heteroopt.runtimes.description import DeviceDescription, DeviceState, RuntimeDescription
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.fingerprint import Fingerprint
from heteroopt.runtimes.handle import DeviceHandle
from heteroopt.runtimes.process import START_SECONDS, RuntimeProcess
from heteroopt.runtimes.protocol import Command
from heteroopt.runtimes.registry import find_plugins


class OwnDevice:
    """One device of a plugin, in a process of its own that is started when needed, and again after it died.

    ``precision``: what programs are loaded with unless a comparison asks for another one: ``"model"``, the name of a
    precision, or ``"default"`` for what the runtime does when nobody asks. ``options``: more that every program is
    loaded with.
    """

    def __init__(
        self,
        configuration: PluginConfiguration,
        index: int = 0,
        *,
        precision: str = "model",
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.configuration = configuration
        self.index = index
        self.precision = precision
        self.options = dict(options or {})
        self.starts = 0
        self._process: RuntimeProcess | None = None
        self._handle: DeviceHandle | None = None
        self._runtime: RuntimeDescription | None = None
        self._fingerprint: Fingerprint | None = None

    @classmethod
    def named(
        cls, runtime: str, index: int = 0, *, precision: str = "model", host_folder: Path | None = None
    ) -> OwnDevice:
        """Return a device of the plugin with that name. Raises ``RuntimeFault`` where there is none, or why not."""
        plugins = {plugin.name: plugin for plugin in find_plugins(host_folder)}
        plugin = plugins.get(runtime)
        if plugin is None:
            raise RuntimeFault(
                "device_unknown",
                f"There is no runtime {runtime!r} on this host.",
                hint=f"Known are {', '.join(sorted(plugins))}.",
                runtime=runtime,
            )
        if plugin.configuration is None:
            reason = plugin.reason
            if reason is not None:
                raise reason.error()
            raise RuntimeFault("runtime_not_running", f"{runtime} is not set up here.", runtime=runtime)
        return cls(plugin.configuration, index, precision=precision)

    @property
    def runtime(self) -> str:
        """The plugin's name."""
        return self.configuration.name

    def handle(self) -> DeviceHandle:
        """Return the open device, in a new process if there is none alive.

        Raises ``RuntimeFault``: why the plugin cannot be started or the device cannot be used.
        """
        if self._handle is not None and self._process is not None and self._process.alive:
            return self._handle
        self._end()
        asked = self.configuration
        process = RuntimeProcess(
            asked.name,
            asked.plugin,
            interpreter=asked.interpreter or None,
            settings=asked.settings,
            environment=asked.environment,
        )
        self._process = process
        self.starts += 1
        try:
            process.start(max(START_SECONDS, asked.probe_timeout_s))
            if self._runtime is None:
                described = process.call(Command.DESCRIBE, timeout_s=START_SECONDS)
                self._runtime = RuntimeDescription.from_dict(described)
            self._refuse_unusable()
            self._handle = DeviceHandle(process, self.index)
            if self._fingerprint is None:
                reason = canary(self._handle, START_SECONDS)
                if reason is not None:
                    raise reason.error()
                taken = process.call(Command.FINGERPRINT, timeout_s=START_SECONDS)
                self._fingerprint = Fingerprint.from_dict(taken)
        except RuntimeFault:
            self._end()
            raise
        return self._handle

    def description(self) -> DeviceDescription:
        """Return the device as its runtime describes it."""
        self.handle()
        return self._described()

    def fingerprint(self) -> Fingerprint:
        """Return what exactly computes here, taken after the device ran its first program."""
        self.handle()
        assert self._fingerprint is not None
        return self._fingerprint

    def identity(self) -> dict[str, Any]:
        """Return ``{"runtime", "version", "device", "index", "precision", "versions", "fingerprint"}``, JSON-able.

        ``version``: of the package that gives the runtime its name, "" if it has none; ``fingerprint``: its hash.
        """
        device, fingerprint = self.description(), self.fingerprint()
        versions = dict(self._runtime.versions) if self._runtime else {}
        return {
            "runtime": self.runtime,
            "version": versions.get(self.runtime, next(iter(versions.values()), "")),
            "device": device.name,
            "index": self.index,
            "precision": self.precision,
            "versions": versions,
            "fingerprint": fingerprint.hash,
        }

    def load(self, model: bytes, options: Mapping[str, Any] | None = None, timeout_s: float = 120.0) -> int:
        """Load a program with this device's precision, unless ``options`` say otherwise."""
        asked = {"precision": self.precision, "optimise": "all", **self.options, **(options or {})}
        return self.handle().load(model, asked, timeout_s)

    def kill(self, reason: RuntimeFault | None = None) -> None:
        """End the process at once, as one does with a device that hangs; ``handle`` starts another one."""
        if self._process is not None and self._process.alive:
            self._process.kill(reason)

    def close(self) -> None:
        """End the process."""
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _end(self) -> None:
        process, self._process, self._handle = self._process, None, None
        if process is not None:
            process.close()

    def _described(self) -> DeviceDescription:
        devices = self._runtime.devices if self._runtime is not None else ()
        for device in devices:
            if device.index == self.index:
                return device
        raise RuntimeFault(
            "device_unknown",
            f"{self.runtime} has no device {self.index} here.",
            hint=f"It has {len(devices)}; they count from 0.",
            runtime=self.runtime,
            device=self.index,
        )

    def _refuse_unusable(self) -> None:
        device = self._described()
        if device.state != DeviceState.HEALTHY and device.reason is not None:
            raise device.reason.error()
