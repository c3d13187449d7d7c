"""Saves and removes pools; every save is a new version."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max, RestrictedError
from django.utils import timezone

from apps.accounts.models import Team, User
from apps.pools.models import Pool, PoolVersion
from heteroopt.devices.pool import DevicePool

UNNAMED = "Pool"


@transaction.atomic
def add_pool(team: Team, user: User | None, pool: DevicePool, *, sample: str = "") -> Pool:
    """Save a new pool as version 1."""
    row = Pool.objects.create(team=team, created_by=user, name=pool.name or UNNAMED, sample=sample)
    return save_version(row, user, pool)


@transaction.atomic
def save_version(row: Pool, user: User | None, pool: DevicePool) -> Pool:
    """Save a pool's new state; searches keep the version that they started with. The same state makes no version."""
    row = Pool.objects.select_for_update(of=("self",)).get(pk=row.pk)
    spec = {**pool.to_dict(), "name": pool.name or row.name}
    if row.version is None or row.version.spec != spec:
        last = row.versions.aggregate(last=Max("number"))["last"] or 0
        row.version = PoolVersion.objects.create(
            pool=row, number=last + 1, spec=spec, pool_hash=pool.content_hash, created_by=user
        )
    row.name = str(spec["name"])
    row.save(update_fields=["version", "name"])
    return row


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
