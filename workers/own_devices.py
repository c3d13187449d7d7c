"""Which device of this host a job may use now, how it is opened, and with which fingerprint it ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from apps.hosts import reporting
from apps.hosts.models import DeviceUse, HostDevice
from heteroopt.runtimes.description import DeviceState
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.fingerprint import Fingerprint
from workers.devices import DeviceKeeper
from workers.handle import JobHandle
from workers.measuring import DeviceRequest, Watcher


def device_request(keeper: DeviceKeeper, row: HostDevice, precision: str = "model") -> DeviceRequest:
    """Return how a device is opened. Raises ``RuntimeFault``: why it gets no work now."""
    keeper.ready(row.runtime.name)
    row.refresh_from_db()
    if row.cordoned:
        raise RuntimeFault(
            "device_cordoned",
            f"{row.name} is kept free of work.",
            hint="Let it have work again on the page of devices.",
            device=row.name,
        )
    if row.state in (DeviceState.ABSENT, DeviceState.UNUSABLE):
        says = str((row.reason or {}).get("message", row.state))
        raise RuntimeFault("device_unusable", f"{row.name} cannot be used: {says}", device=row.name, says=says)
    return DeviceRequest(keeper.configuration(row.runtime.name), row.index, precision)


class JobWatcher(Watcher):
    """Shows a job's watchers how far it is, passes on that it is to stop, and notes what it ran on."""

    def __init__(self, job: JobHandle, rows: Sequence[HostDevice]) -> None:
        self._job = job
        self._rows = rows
        self.fingerprints: list[str] = []

    def opened(self, fingerprints: Sequence[Mapping[str, Any]]) -> None:
        """Write the fingerprint of each device beside the job."""
        for row, data in zip(self._rows, fingerprints, strict=True):
            kept = reporting.keep_fingerprint(Fingerprint.from_dict(data))
            self.fingerprints.append(kept.digest)
            with self._job.transaction():
                DeviceUse.objects.create(
                    job_id=self._job.id,
                    device=row,
                    host_name=row.runtime.host.name,
                    runtime_name=row.runtime.name,
                    device_name=row.name,
                    fingerprint=kept,
                )

    def progress(self, data: Mapping[str, Any]) -> None:
        """Write it to the job's row."""
        self._job.progress({key: data[key] for key in ("done", "total", "phase")})

    def stop_asked(self) -> bool:
        """Whether somebody asked the job to stop."""
        return self._job.cancelled
