"""Saves and removes pools; every save is a new version."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import Max, RestrictedError
from django.utils import timezone

from apps.accounts.models import Team, User
from apps.calibrations.models import Calibration
from apps.calibrations.services import contention_of, transfers_of
from apps.hosts.models import Host
from apps.pools.models import CalibratedDevice, Pool, PoolVersion
from apps.pools.profiled import chosen_profiles, keep_profiles
from heteroopt.devices.pool import DevicePool
from heteroopt.errors import PoolError

UNNAMED = "Pool"


@transaction.atomic
def add_pool(
    team: Team,
    user: User | None,
    pool: DevicePool,
    *,
    sample: str = "",
    host: Host | None = None,
    calibrations: Mapping[str, uuid.UUID] | None = None,
    profiles: Mapping[str, Sequence[uuid.UUID]] | None = None,
) -> Pool:
    """Save a new pool as version 1. Raises as :func:`save_version`."""
    row = Pool.objects.create(team=team, created_by=user, name=pool.name or UNNAMED, sample=sample, host=host)
    return save_version(row, user, pool, calibrations=calibrations, profiles=profiles)


@transaction.atomic
def save_version(
    row: Pool,
    user: User | None,
    pool: DevicePool,
    *,
    calibrations: Mapping[str, uuid.UUID] | None = None,
    profiles: Mapping[str, Sequence[uuid.UUID]] | None = None,
) -> Pool:
    """Save a pool's new state; searches keep the version that they started with. The same state makes no version.

    ``calibrations``: by device which one says what it costs; those of the version before by default, for the devices
    that are still there. Raises ``PoolError`` ``calibration_unknown``, ``calibration_unmeasured``, ``unknown_device``.
    """
    row = Pool.objects.select_for_update(of=("self",)).get(pk=row.pk)
    before = {} if row.version is None else row.version.calibrations
    if calibrations is None:
        names = {device.name for device in pool.devices}
        chosen = {name: one for name, one in before.items() if name in names}
    else:
        chosen = _checked(row.team, pool, calibrations)
        if chosen != before:
            pool = _with_measured_slowdowns(pool, chosen)
            pool = _with_measured_links(pool, {name: one for name, one in chosen.items() if before.get(name) != one})
    spec = {**pool.to_dict(), "name": pool.name or row.name}
    profiled_before = {} if row.version is None else row.version.profiles
    profiled = chosen_profiles(row.team, pool, row.version, profiles)
    if row.version is None or row.version.spec != spec or chosen != before or profiled != profiled_before:
        last = row.versions.aggregate(last=Max("number"))["last"] or 0
        row.version = PoolVersion.objects.create(
            pool=row, number=last + 1, spec=spec, pool_hash=pool.content_hash, created_by=user
        )
        CalibratedDevice.objects.bulk_create(
            CalibratedDevice(version=row.version, device=name, calibration_id=one) for name, one in chosen.items()
        )
        keep_profiles(row.version, profiled)
    row.name = str(spec["name"])
    row.save(update_fields=["version", "name"])
    return row


@transaction.atomic
def choose_calibration(row: Pool, device: str, calibration: uuid.UUID, user: User | None) -> Pool:
    """Let one device use a calibration, beside what the others use now. Raises as :func:`save_version`."""
    row = Pool.objects.select_for_update(of=("self",)).select_related("version").get(pk=row.pk)
    assert row.version is not None
    return save_version(row, user, row.device_pool, calibrations={**row.version.calibrations, device: calibration})


def _with_measured_slowdowns(pool: DevicePool, chosen: Mapping[str, uuid.UUID]) -> DevicePool:
    """The pool with what its calibrations measured of devices that share a memory; what a person sets later stays."""
    from heteroopt.calibration.contention import measured_domains

    sharing = {device.name for device in pool.devices if device.memory_domain is not None}
    found_by = {name: contention_of(one) for name, one in chosen.items() if name in sharing}
    measured = measured_domains(pool, found_by)
    return pool.with_memory_domains(measured) if measured else pool


def _with_measured_links(pool: DevicePool, chosen: Mapping[str, uuid.UUID]) -> DevicePool:
    """The pool with what newly chosen calibrations measured of copies; what a person sets later stays."""
    from heteroopt.calibration.transfers import measured_links

    return measured_links(pool, {name: transfers_of(one) for name, one in chosen.items()})


def _checked(team: Team, pool: DevicePool, given: Mapping[str, uuid.UUID]) -> dict[str, uuid.UUID]:
    """The calibrations of the team that were asked for, each with measurements."""
    known = dict(Calibration.objects.filter(team=team, pk__in=given.values()).values_list("pk", "measured_at"))
    for name, one in given.items():
        pool.index(name)
        if one not in known:
            raise PoolError(
                "calibration_unknown",
                f"There is no such calibration for {name}.",
                hint="Choose one of the list, or calibrate the device.",
                device=name,
            )
        if known[one] is None:
            raise PoolError(
                "calibration_unmeasured",
                f"The calibration for {name} has measured nothing yet.",
                hint="Wait until it is done, then choose it.",
                device=name,
            )
    return dict(given)


def remove_pool(row: Pool) -> None:
    """Delete a pool. If searches used it, or it is a sample (which the next start would load again), it is hidden."""
    hide = row.is_sample
    if not hide:
        try:
            with transaction.atomic():
                row.delete()
        except RestrictedError:
            hide = True
    if hide:
        row.removed_at = timezone.now()
        row.save(update_fields=["removed_at"])
