"""A runtime that opens a model somebody uploaded: once its device is open, its process may do nothing but compute.

Loaded by the runtime's own process (:mod:`heteroopt.runtimes.host`), around the plugin that it stands for.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from heteroopt.runtimes.description import DeviceDescription
from heteroopt.runtimes.plugin import Driver, Runtime
from workers import confinement

DEVICE_FILES = ("/dev", "/proc", "/sys", "/etc/OpenCL")
"""What drivers read while they compute."""


class ConfinedRuntime(Runtime):
    """The plugin of ``settings["plugin"]``; opening a device takes the process's rights away for good.

    What the kernel does not offer is left out; sockets, new processes and files outside are refused where it does.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        module, _, name = str(settings["plugin"]).partition(":")
        self._inner: Runtime = getattr(importlib.import_module(module), name)(settings["settings"])
        self.name = self._inner.name
        self._confined = False

    def versions(self) -> Mapping[str, str]:
        """Return the plugin's versions."""
        return self._inner.versions()

    def probe(self) -> Sequence[DeviceDescription]:
        """List the plugin's devices."""
        return self._inner.probe()

    def open(self, index: int) -> Driver:
        """Open a device, and take the rights away."""
        driver = self._inner.open(index)
        if not self._confined:
            self._confined = True
            _confine()
        return driver


def _confine() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    confinement.no_new_privileges(libc)
    project = str(Path(__file__).resolve().parents[1])
    scratch = tempfile.mkdtemp(prefix="runtime-")
    os.environ["TMPDIR"] = tempfile.tempdir = scratch
    readable = [*confinement.code_paths(project), *DEVICE_FILES]
    confinement.confine_files(libc, readable=readable, files=(), writable=scratch)
    confinement.refuse_calls(libc)
