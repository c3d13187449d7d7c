"""The process of one plugin: loads the vendor's library, answers commands over a socket until that closes.

Started by ``process.RuntimeProcess`` as ``python -m heteroopt.runtimes.host`` with two inherited sockets. It imports
no other vendor's library, and nothing of the engine but this package, so that two vendors never meet in one process.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from heteroopt.errors import HeteroOptError
from heteroopt.runtimes import regions
from heteroopt.runtimes.description import RuntimeDescription
from heteroopt.runtimes.device import Device
from heteroopt.runtimes.errors import RuntimeFault, handle_unknown
from heteroopt.runtimes.fingerprint import take_fingerprint
from heteroopt.runtimes.plugin import Runtime
from heteroopt.runtimes.protocol import Channel, Command
from heteroopt.runtimes.streams import Event, as_fault

OK, FAILED = 0, 1

GRACE_SECONDS = 2.0
"""How long a command may still run when nobody waits for its answer any more."""


class Host:
    """Answers the commands of one user, one at a time."""

    def __init__(self, runtime: Runtime, channel: Channel, descriptors: socket.socket) -> None:
        self._runtime = runtime
        self._channel = channel
        self._descriptors = descriptors
        self._regions = regions.Regions()
        self._devices: dict[int, Device] = {}
        self._next_device = 1
        self._handlers: list[Callable[..., Any]] = [getattr(self, f"_{command.name.lower()}") for command in Command]

    def serve(self) -> None:
        """Answer until the other end closes."""
        while (message := self._channel.receive()) is not None:
            number, command, arguments = message
            try:
                self._channel.send([number, *self._answer(command, arguments)])
            except RuntimeFault as error:  # an answer that is too long
                self._channel.send([number, FAILED, error.to_dict()])

    def _answer(self, command: int, arguments: list[Any]) -> tuple[int, Any]:
        try:
            return OK, self._handlers[command](*arguments)
        except HeteroOptError as error:
            return FAILED, error.to_dict()
        except Exception as error:  # a vendor's library may raise anything; the process and its other devices go on
            return FAILED, as_fault(error).to_dict()

    def _batch(self, commands: list[list[Any]]) -> list[Any]:
        """Commands ``[command, arguments]`` in order, up to the first that fails; returns ``[status, answer]`` each."""
        handlers = self._handlers
        answers: list[Any] = []
        for command, arguments in commands:
            try:
                answers.append(handlers[command](*arguments))
            except Exception as error:  # as above
                return [answers, as_fault(error).to_dict()]
        return [answers, None]

    def _ping(self, value: Any = None) -> Any:
        return value

    def _describe(self) -> dict[str, Any]:
        return RuntimeDescription(
            self._runtime.name,
            dict(self._runtime.versions()),
            tuple(self._runtime.probe()),
            take_fingerprint(self._runtime.versions()).hash,
        ).to_dict()

    def _fingerprint(self) -> dict[str, Any]:
        return take_fingerprint(self._runtime.versions()).to_dict()

    def _open(self, index: int) -> int:
        number = self._next_device
        self._devices[number] = Device(self._runtime.open(index))
        self._next_device += 1
        return number

    def _close(self, device: int) -> None:
        self._device(device).close()
        del self._devices[device]

    def _alloc(self, device: int, size_bytes: int) -> int:
        return self._device(device).alloc(size_bytes)

    def _free(self, device: int, buffer: int) -> None:
        self._device(device).free(buffer)

    def _adopt(self, device: int, region: int, offset: int, size_bytes: int) -> int:
        return self._device(device).adopt(self._regions.slice(region, offset, size_bytes))

    def _copy_h2d(
        self, device: int, buffer: int, offset: int, region: int, region_offset: int, size_bytes: int, stream: int
    ) -> Event:
        source = self._regions.slice(region, region_offset, size_bytes)
        return self._device(device).copy_h2d(buffer, offset, source, stream)

    def _copy_d2h(
        self, device: int, buffer: int, offset: int, region: int, region_offset: int, size_bytes: int, stream: int
    ) -> Event:
        target = self._regions.slice(region, region_offset, size_bytes)
        return self._device(device).copy_d2h(buffer, offset, target, stream)

    def _copy_d2d(
        self, device: int, source: int, source_offset: int, target: int, target_offset: int, size: int, stream: int
    ) -> Event:
        return self._device(device).copy_d2d(source, source_offset, target, target_offset, size, stream)

    def _load(self, device: int, region: int, offset: int, size_bytes: int, options: Mapping[str, Any]) -> int:
        return self._device(device).load(bytes(self._regions.slice(region, offset, size_bytes)), options)

    def _unload(self, device: int, program: int) -> None:
        self._device(device).unload(program)

    def _details(self, device: int, program: int) -> dict[str, Any]:
        return dict(self._device(device).details(program))

    def _launch(self, device: int, program: int, inputs: list[Any], outputs: list[Any], stream: int) -> Event:
        return self._device(device).launch(program, inputs, outputs, stream)

    def _time_runs(
        self, device: int, program: int, inputs: list[Any], outputs: list[Any], count: int, timeout_s: float
    ) -> list[float]:
        return self._device(device).time_runs(program, inputs, outputs, count, timeout_s)

    def _profile(
        self, device: int, program: int, inputs: list[Any], outputs: list[Any], count: int, timeout_s: float
    ) -> list[dict[str, Any]]:
        return [asdict(row) for row in self._device(device).profile(program, inputs, outputs, count, timeout_s)]

    def _health(self, device: int) -> dict[str, float | str]:
        return dict(self._device(device).health())

    def _energy(self, device: int) -> float | None:
        return self._device(device).energy_j()

    def _create_stream(self, device: int) -> int:
        return self._device(device).create_stream()

    def _record(self, device: int, stream: int) -> Event:
        return self._device(device).record(stream)

    def _wait_event(self, device: int, stream: int, event: list[int]) -> Event:
        return self._device(device).wait_event(stream, Event(*event))

    def _done(self, device: int, stream: int, sequence: int) -> bool:
        return self._device(device).done(Event(stream, sequence))

    def _synchronize(self, device: int, event: list[int], timeout_s: float | None) -> None:
        self._device(device).synchronize(Event(*event), timeout_s)

    def _elapsed(self, device: int, stream: int, sequence: int) -> float | None:
        return self._device(device).elapsed_s(Event(stream, sequence))

    def _reset_stream(self, device: int, stream: int) -> Event:
        return self._device(device).reset_stream(stream)

    def _memory(self, device: int) -> dict[str, int]:
        return asdict(self._device(device).memory())

    def _share(self, region: int, size_bytes: int) -> None:
        self._regions.add(region, regions.receive(self._descriptors, size_bytes))

    def _unshare(self, region: int) -> None:
        self._regions.drop(region)

    def _device(self, number: int) -> Device:
        device = self._devices.get(number)
        if device is None:
            raise handle_unknown("device", number)
        return device


def load_runtime(path: str, settings: Mapping[str, Any]) -> Runtime:
    """Import ``module:class`` and make the runtime. Raises ``RuntimeFault`` ``runtime_load_failed`` with the reason."""
    module, _, name = path.partition(":")
    try:
        made = getattr(importlib.import_module(module), name)(settings)
    except HeteroOptError:
        raise
    except Exception as error:  # an import of a vendor's library fails in many ways
        raise RuntimeFault(
            "runtime_load_failed",
            f"{path} could not be loaded: {type(error).__name__}: {error}",
            hint="Install the package that it names, or set the interpreter of this runtime in its configuration.",
            path=path,
            kind=type(error).__name__,
            says=str(error)[:1000],
        ) from error
    if not isinstance(made, Runtime):
        raise RuntimeFault("runtime_load_failed", f"{path} is no Runtime.", path=path, kind="TypeError", says=path)
    return made


def end_with_user(connection: socket.socket) -> None:
    """End this process soon after its user is gone, also where a command hangs in the vendor's library."""
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)
    poll.poll()
    threading.Event().wait(GRACE_SECONDS)
    os._exit(0)


def main(arguments: list[str]) -> int:
    """``PLUGIN SETTINGS_JSON COMMANDS_FD DESCRIPTORS_FD``: first message says whether the plugin loaded."""
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal ends our user, which then closes the socket
    path, settings, commands_fd, descriptors_fd = arguments
    channel = Channel(socket.socket(fileno=int(commands_fd)))
    descriptors = socket.socket(fileno=int(descriptors_fd))
    threading.Thread(target=end_with_user, args=(channel.socket,), daemon=True).start()
    try:
        runtime = load_runtime(path, json.loads(settings))
    except HeteroOptError as error:
        channel.send([0, FAILED, error.to_dict()])
        return 1
    channel.send([0, OK, runtime.name])
    Host(runtime, channel, descriptors).serve()
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # streams may hang in a vendor's library; nothing here is worth waiting for
