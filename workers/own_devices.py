"""Gives a job a device of this host in a process of its own, and notes which fingerprint it ran with."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from apps.hosts import reporting
from apps.hosts.models import DeviceUse, HostDevice
from heteroopt.progress import Progress, ProgressCallback
from heteroopt.runtimes.configuration import PluginConfiguration
from heteroopt.runtimes.description import DeviceState
from heteroopt.runtimes.errors import RuntimeFault
from workers.devices import DeviceKeeper
from workers.handle import JobHandle

if TYPE_CHECKING:
    from heteroopt.precision.own_device import OwnDevice


@contextlib.contextmanager
def borrowed(
    keeper: DeviceKeeper,
    job: JobHandle,
    row: HostDevice,
    *,
    precision: str = "model",
    wrap: Callable[[PluginConfiguration], PluginConfiguration] | None = None,
) -> Iterator[OwnDevice]:
    """Open a device for a job, in a process that only the job uses: what hangs or kills it disturbs nobody else.

    ``wrap`` changes how that process is started.
    Raises ``RuntimeFault``: why the device gets no work, or cannot be opened.
    """
    from heteroopt.precision.own_device import OwnDevice

    _refuse_unready(keeper, row)
    configuration = keeper.configuration(row.runtime.name)
    with OwnDevice(wrap(configuration) if wrap else configuration, row.index, precision=precision) as device:
        note_use(job, row, device)
        yield device


def note_use(job: JobHandle, row: HostDevice, device: OwnDevice) -> None:
    """Write which fingerprint the job ran with on a device."""
    fingerprint = reporting.keep_fingerprint(device.fingerprint())
    with job.transaction():
        DeviceUse.objects.create(
            job_id=job.id,
            device=row,
            host_name=row.runtime.host.name,
            runtime_name=row.runtime.name,
            device_name=row.name,
            fingerprint=fingerprint,
        )


def tell(job: JobHandle) -> ProgressCallback:
    """Show a job's watchers how far it is, and ask the work to stop when they asked for it."""

    def show(progress: Progress) -> bool:
        job.progress({"done": progress.done, "total": progress.total, "phase": progress.phase})
        return not job.cancelled

    return show


def _refuse_unready(keeper: DeviceKeeper, row: HostDevice) -> None:
    """Raise why a device gets no work now."""
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
        raise RuntimeFault("device_unusable", f"{row.name} cannot be used.", device=row.name, says=_says(row))


def _says(row: HostDevice) -> str:
    return str((row.reason or {}).get("message", row.state))
