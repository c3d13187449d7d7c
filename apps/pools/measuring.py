"""Calibrates the devices of a pool: starts what is missing, and lets each device use it once it has measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction

from apps.accounts.models import User
from apps.calibrations import services as calibrations
from apps.calibrations.models import Calibration
from apps.hosts.models import HostDevice
from apps.modelhub.models import Model
from apps.pools.machines import devices_of
from apps.pools.models import AwaitedCalibration, Pool
from apps.pools.services import choose_calibration
from config.refusals import ConflictError
from heteroopt.errors import PoolError


def calibrate(
    row: Pool,
    user: User | None,
    devices: Mapping[str, HostDevice] | None,
    models: Sequence[Model],
    *,
    count: int,
    budget_s: int,
) -> None:
    """Start a calibration for each named device of the pool; by default for all that the pool's host has.

    Each device uses its calibration as soon as that is done, as a version of the pool. Raises 409 ``pool_sample``,
    ``pool_no_host_device``; and as :func:`apps.calibrations.services.start`.
    """
    if row.is_sample:
        raise ConflictError(
            "pool_sample",
            "A sample pool stays as it is.",
            hint="Duplicate it, and calibrate the copy.",
        )
    chosen = devices_of(row) if devices is None else dict(devices)
    for name in chosen:
        row.device_pool.index(name)
    if not chosen:
        raise ConflictError(
            "pool_no_host_device",
            f"No host here has a device of {row.name}.",
            hint="Choose a host's device for one of them, or measure elsewhere and upload the file.",
            pool=row.name,
        )
    for name, device in chosen.items():
        started = calibrations.start(device, row.team, user, models, count=count, budget_s=budget_s)
        AwaitedCalibration.objects.update_or_create(pool=row, device=name, defaults={"calibration": started})


def settle(calibration: Calibration) -> None:
    """Let the devices that waited for a calibration use it; one that measured nothing is waited for no longer."""
    for waiting in AwaitedCalibration.objects.select_related("pool__team").filter(calibration=calibration):
        with transaction.atomic():
            if calibration.measured_at is not None and waiting.pool.removed_at is None:
                try:
                    with transaction.atomic():
                        choose_calibration(waiting.pool, waiting.device, calibration.pk, calibration.created_by)
                except PoolError:  # the device was removed or renamed meanwhile
                    pass
            waiting.delete()
