"""NVML as this plugin uses it: what does not change (driver, MIG) and how a GPU is now (power, clocks, throttling)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

THROTTLE_REASONS: tuple[tuple[int, str], ...] = (
    (0x02, "application_clocks"),
    (0x04, "power_cap"),
    (0x08, "hardware_slowdown"),
    (0x10, "sync_boost"),
    (0x20, "thermal"),
    (0x40, "hardware_thermal"),
    (0x80, "power_brake"),
    (0x100, "display_clocks"),
)
"""Bits of ``nvmlDeviceGetCurrentClocksEventReasons`` (nvml.h) other than 0x01, "nothing to do"."""

_CLOCK_SM, _TEMPERATURE_GPU, _PROHIBITED = 1, 0, 2


class Nvml:
    """The library, or nothing where it is missing: then its part is left out, and ``missing`` says why."""

    def __init__(self) -> None:
        self._nvml: Any = None
        self.missing = ""
        try:
            import pynvml

            pynvml.nvmlInit()
            self._nvml = pynvml
        except Exception as error:  # the package, the library or the driver behind it
            self.missing = f"{type(error).__name__}: {error}"

    def driver_version(self) -> str:
        """Return the kernel driver's version, "" if unknown."""
        return _text(self._ask("nvmlSystemGetDriverVersion")) if self._nvml else ""

    def device(self, pci_address: str) -> NvmlDevice | None:
        """Return the GPU at an address, ``None`` if NVML does not list it."""
        if self._nvml is None:
            return None
        handle = self._ask("nvmlDeviceGetHandleByPciBusId", pci_address.encode())
        return None if handle is None else NvmlDevice(self._ask, handle)

    def _ask(self, name: str, *arguments: Any) -> Any:
        """Call a function; ``None`` where the device or this version of the library does not have it."""
        function = getattr(self._nvml, name, None)
        if function is None:
            return None
        try:
            return function(*arguments)
        except self._nvml.NVMLError:
            return None


class NvmlDevice:
    """One GPU."""

    def __init__(self, ask: Callable[..., Any], handle: Any) -> None:
        self._ask = ask
        self._handle = handle

    def uuid(self) -> str:
        """Return its name in ``CUDA_VISIBLE_DEVICES``."""
        return _text(self._ask("nvmlDeviceGetUUID", self._handle))

    def mig(self) -> bool | None:
        """Whether it is split into instances now; ``None`` if it cannot be."""
        found = self._ask("nvmlDeviceGetMigMode", self._handle)
        return None if found is None else bool(found[0])

    def prohibited(self) -> bool:
        """Whether its compute mode lets nobody in."""
        return bool(self._ask("nvmlDeviceGetComputeMode", self._handle) == _PROHIBITED)

    def energy_j(self) -> float | None:
        """Joules since the driver was loaded (Volta and newer)."""
        millijoules = self._ask("nvmlDeviceGetTotalEnergyConsumption", self._handle)
        return None if millijoules is None else float(millijoules) / 1000

    def health(self) -> dict[str, float | str]:
        """Return what it tells of itself now; what it does not tell is left out."""
        found: dict[str, float | str] = {}
        for key, name, arguments, scale in (
            ("temperature_c", "nvmlDeviceGetTemperature", (_TEMPERATURE_GPU,), 1.0),
            ("power_w", "nvmlDeviceGetPowerUsage", (), 1000.0),
            ("clock_mhz", "nvmlDeviceGetClockInfo", (_CLOCK_SM,), 1.0),
            ("max_clock_mhz", "nvmlDeviceGetMaxClockInfo", (_CLOCK_SM,), 1.0),
        ):
            value = self._ask(name, self._handle, *arguments)
            if value is not None:
                found[key] = float(value) / scale
        memory = self._ask("nvmlDeviceGetMemoryInfo", self._handle)
        if memory is not None:
            found["memory_used_bytes"] = float(memory.used)
        bits = self._ask("nvmlDeviceGetCurrentClocksEventReasons", self._handle)
        if bits is None:  # its name until driver 535
            bits = self._ask("nvmlDeviceGetCurrentClocksThrottleReasons", self._handle)
        if bits is not None:
            found["throttle"] = ",".join(name for bit, name in THROTTLE_REASONS if int(bits) & bit)
        return found


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
