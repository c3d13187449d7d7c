"""Has a process of its own map or compare devices for a job: what it loads and what kills it stays there.

The child is :mod:`workers.measuring_child`. One JSON object a line goes each way: the request, then ``stop`` to the
child; ``fingerprints``, ``progress``, and at last ``result`` or ``error`` from it.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from heteroopt.runtimes.configuration import PluginConfiguration
from heteroopt.runtimes.errors import RuntimeFault

LOOK_SECONDS = 0.25
GRACE_SECONDS = 60.0
"""How long a child that was asked to stop may take for what it is at."""

MOST_LINE_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """A device that the child opens."""

    configuration: PluginConfiguration
    index: int
    precision: str = "model"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON-able form."""
        return {"configuration": asdict(self.configuration), "index": self.index, "precision": self.precision}


class Watcher:
    """What the caller wants to hear while the child works."""

    def opened(self, fingerprints: Sequence[Mapping[str, Any]]) -> None:
        """The devices are open; ``Fingerprint.to_dict`` of each."""

    def progress(self, data: Mapping[str, Any]) -> None:
        """``{"done", "total", "phase"}``; 0 of 0 in phase ``start`` until the runtime runs."""

    def checkpoint(self, state: dict[str, Any]) -> None:
        """What a later ``calibrate`` would go on from."""

    def stop_asked(self) -> bool:
        """Asked four times a second; what it raises ends the child and passes through."""
        return False


def measure(
    kind: str,
    devices: Sequence[DeviceRequest],
    watcher: Watcher,
    *,
    options: Mapping[str, Any] | None = None,
    model: Path | None = None,
) -> dict[str, Any]:
    """Run ``kind`` (``map``, ``operators``, ``model``, ``loss``, ``calibrate``, ``recheck``, ``profile``, ``trial``)
    in a child. Return its JSON form.

    ``model``: a file that somebody uploaded; the child may then do nothing but compute. Raises what the child raises,
    and ``RuntimeFault`` ``measuring_died``; also when it goes on for a minute after it was asked to stop.
    """
    with tempfile.TemporaryDirectory(prefix="measuring-", dir=settings.TEMPORARY_DIR) as scratch:
        request = {
            "kind": kind,
            "devices": [device.to_dict() for device in devices],
            "options": dict(options or {}),
            "model": None if model is None else str(model),
            "memory_bytes": settings.SANDBOX_MEMORY_BYTES,
            "scratch": scratch,
        }
        watcher.progress({"done": 0, "total": 0, "phase": "start"})
        with _child() as process:
            stopped_at: float | None = None
            _send(process, request)
            for message in _messages(process):
                if stopped_at is None and watcher.stop_asked():
                    stopped_at = time.monotonic()
                    _send(process, "stop")
                if stopped_at is not None and time.monotonic() - stopped_at > GRACE_SECONDS:
                    break
                if message is None:
                    continue
                if "result" in message:
                    result: dict[str, Any] = message["result"]
                    return result
                _tell(message, watcher)
    raise RuntimeFault(
        "measuring_died",
        "The process that measured the device ended before it was done.",
        hint="It may need more memory than the machine has. The workers' log says more.",
    )


def _tell(message: Mapping[str, Any], watcher: Watcher) -> None:
    if "error" in message:
        raise RuntimeFault.from_dict(message["error"])
    if "fingerprints" in message:
        watcher.opened(message["fingerprints"])
    elif "progress" in message:
        watcher.progress(message["progress"])
    elif "checkpoint" in message:
        watcher.checkpoint(message["checkpoint"])


@contextlib.contextmanager
def _child() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "workers.measuring_child"],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        # The runtimes' processes see their user go, and end.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _send(process: subprocess.Popen[bytes], message: object) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()


def _messages(process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any] | None]:
    """Yield what the child says, and ``None`` now and then; ends when the child has, or says nonsense."""
    assert process.stdout is not None
    descriptor, pending = process.stdout.fileno(), bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        yield None
        while True:
            if not selector.select(LOOK_SECONDS):
                yield None
                continue
            data = os.read(descriptor, 1 << 16)
            if not data or len(pending) > MOST_LINE_BYTES:
                return
            pending += data
            while (end := pending.find(b"\n")) >= 0:
                line, pending = bytes(pending[:end]), pending[end + 1 :]
                yield _parsed(line)


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(line, parse_constant=_refuse)
    except ValueError:
        return None  # a library that prints
    return message if isinstance(message, dict) else None


def _refuse(constant: str) -> Callable[[], object]:
    raise ValueError(constant)
