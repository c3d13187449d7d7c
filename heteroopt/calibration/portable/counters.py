"""Counters of joules that need no runtime, and the average power over a window."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Callable


class Rapl:
    """The processor packages' counters of Linux's powercap; they need a readable ``energy_uj``."""

    def __init__(self, root: str = "/sys/class/powercap") -> None:
        names = sorted(os.listdir(root)) if os.path.isdir(root) else []
        zones = [os.path.join(root, name) for name in names if name.startswith("intel-rapl:") and name.count(":") == 1]
        self._folders = [zone for zone in zones if _text(zone, "name") != "psys"]  # the platform holds its packages
        self._last = [0] * len(self._folders)
        self._turns = [0] * len(self._folders)

    def joules(self) -> float | None:
        """Joules of all packages since some moment; None where there are none or they cannot be read."""
        total = 0
        try:
            for index, folder in enumerate(self._folders):
                now = _number(folder, "energy_uj")
                if now < self._last[index]:  # the counter starts again from 0
                    self._turns[index] += _number(folder, "max_energy_range_uj")
                self._last[index] = now
                total += now + self._turns[index]
        except (OSError, ValueError):
            return None
        return total * 1e-6 if self._folders else None


def _text(folder: str, name: str) -> str:
    try:
        with open(os.path.join(folder, name)) as file:
            return file.read().strip()
    except OSError:
        return ""


def _number(folder: str, name: str) -> int:
    with open(os.path.join(folder, name)) as file:
        return int(file.read())


class Nvml:
    """The total energy counter of an NVIDIA GPU (Volta or newer), through the driver's own library."""

    def __init__(self, index: int = 0) -> None:
        self._library: Any = None
        try:
            library = ctypes.CDLL("libnvidia-ml.so.1")
            self._handle = ctypes.c_void_p()
            if library.nvmlInit_v2() == 0 and not library.nvmlDeviceGetHandleByIndex_v2(
                index, ctypes.byref(self._handle)
            ):
                self._library = library
        except OSError:
            return

    def joules(self) -> float | None:
        """Joules since the driver was loaded; None without such a GPU."""
        found = ctypes.c_ulonglong()
        if self._library is None or self._library.nvmlDeviceGetTotalEnergyConsumption(
            self._handle, ctypes.byref(found)
        ):
            return None
        return found.value * 1e-3


def power_w(
    joules: Callable[[], float | None], work: Callable[[], Any], window_s: float, clock: Callable[[], float]
) -> float | None:
    """Average watts by a counter of joules while ``work`` is repeated, over at least ``window_s`` seconds."""
    first, begin = joules(), clock()
    while clock() - begin < window_s:
        work()
    last, end = joules(), clock()
    if first is None or last is None or last < first:
        return None
    return (last - first) / (end - begin)
