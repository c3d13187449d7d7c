"""The process that maps or compares devices: opens them, gives up its rights if a stranger's model is read, and works.

``python -m workers.measuring_child``; :mod:`workers.measuring` starts it. Its devices are in processes of their own,
opened before the rights go.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from heteroopt.errors import HeteroOptError
from heteroopt.precision.comparison import run_operator_regression
from heteroopt.precision.model_drift import compare_model
from heteroopt.precision.operator_map import map_operators
from heteroopt.precision.own_device import OwnDevice
from heteroopt.precision.support import not_supported_by
from heteroopt.precision.training_loss import compare_loss
from heteroopt.progress import Progress
from heteroopt.runtimes.configuration import PluginConfiguration
from workers import calibrating, confinement, trying

CONFINED = "workers.confined_runtime:ConfinedRuntime"
BYTES_PER_MODEL_BYTE = 6
"""How much a model may take in memory: parsed, with shapes, and cut into parts that show their results."""

BYTES_PER_TRIED_BYTE = 12
"""The same for a trial run: parsed, cut, written, read again, loaded whole and in segments."""

_stop = threading.Event()


def main() -> int:
    """Do what the first line of the standard input asks; the last line of the output says what came out."""
    # What a library prints goes to the log, not between the messages.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    request = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_listen, daemon=True).start()

    def say(name: str, value: object) -> None:
        answers.write(json.dumps({name: value}, allow_nan=False).encode() + b"\n")
        answers.flush()

    try:
        say("result", _work(request, say))
    except HeteroOptError as error:
        say("error", error.to_dict())
    return 0


def _work(request: Mapping[str, Any], say: Callable[[str, object], None]) -> dict[str, Any]:
    path = None if request["model"] is None else Path(request["model"])
    tried = request["kind"] == "trial"
    devices = [_device(entry, confined=path is not None and not tried) for entry in request["devices"]]
    try:
        say("fingerprints", [device.fingerprint().to_dict() for device in devices])
        if tried:  # which loads the runtimes itself
            for device in devices:
                device.close()
        data = None
        if path is not None:
            data = path.read_bytes()
            size = len(data) + (trying.copy_data(request["options"], Path(request["scratch"])) if tried else 0)
            each = BYTES_PER_TRIED_BYTE if tried else BYTES_PER_MODEL_BYTE
            _confine(request["memory_bytes"] + each * size, request["scratch"])

        def progress(at: Progress) -> bool:
            say("progress", {"done": at.done, "total": at.total, "phase": at.phase})
            return not _stop.is_set()

        options = dict(request["options"], progress=progress)
        if request["kind"] == "map":
            found = map_operators(devices[0], **options)
            return {**found.to_json(), "not_supported": dict(not_supported_by(found))}
        if request["kind"] == "loss":
            return compare_loss(*devices, **options).to_json()
        if request["kind"] == "calibrate":
            return calibrating.calibrate(devices, options, say)
        if request["kind"] == "recheck":
            return calibrating.check(devices[0], options)
        if tried and data is not None:
            return trying.run_segments(data, Path(request["scratch"]), options)
        if request["kind"] == "profile" and data is not None:
            return calibrating.profile(devices[0], data, options)
        if data is None:
            return run_operator_regression(*devices, **options).to_json()
        return compare_model(data, *devices, **options).to_json()
    finally:
        if path is None:
            for device in devices:
                device.close()


def _device(entry: Mapping[str, Any], *, confined: bool) -> OwnDevice:
    configuration = PluginConfiguration(**entry["configuration"])
    if confined:
        inner = {"plugin": configuration.plugin, "settings": dict(configuration.settings)}
        configuration = replace(configuration, plugin=CONFINED, settings=inner)
    return OwnDevice(configuration, entry["index"], precision=entry["precision"])


def _confine(memory_bytes: int, scratch: str) -> None:
    """From here on no file outside of ``scratch``, no connection, no new process; what the kernel lacks is left out."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    libc = ctypes.CDLL(None, use_errno=True)
    confinement.no_new_privileges(libc)
    # Libraries that keep a cache find a place for it.
    os.environ["HOME"] = os.environ["XDG_CACHE_HOME"] = os.environ["TMPDIR"] = tempfile.tempdir = scratch
    project = str(Path(__file__).resolve().parents[1])
    confinement.confine_files(libc, readable=confinement.code_paths(project), files=(), writable=scratch)
    confinement.refuse_calls(libc)


def _listen() -> None:
    """Note that we are to stop; end with whoever started us."""
    while line := sys.stdin.buffer.readline():
        if line.strip() == b'"stop"':
            _stop.set()
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
