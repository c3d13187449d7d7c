"""Which profiles of models a version of a pool costs operators by."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from apps.accounts.models import Team
from apps.calibrations.models import ModelProfile
from apps.pools.models import PoolVersion, ProfiledDevice
from heteroopt.devices.pool import DevicePool
from heteroopt.errors import PoolError

Profiles = dict[str, list[uuid.UUID]]


def chosen_profiles(
    team: Team, pool: DevicePool, before: PoolVersion | None, given: Mapping[str, Sequence[uuid.UUID]] | None
) -> Profiles:
    """What was asked for, or where nothing was, the profiles of the version before for the devices still there.

    Raises ``PoolError`` ``unknown_device``, ``profile_unknown``, ``profile_unmade``, ``profile_twice``.
    """
    if given is None:
        names = {device.name for device in pool.devices}
        kept = {} if before is None else before.profiles
        return {name: ids for name, ids in kept.items() if name in names}
    wanted = {one for ids in given.values() for one in ids}
    known = {row.pk: row for row in ModelProfile.objects.filter(team=team, pk__in=wanted).defer("body")}
    for name, ids in given.items():
        pool.index(name)
        graphs = set()
        for one in ids:
            row = known.get(one)
            if row is None:
                raise PoolError(
                    "profile_unknown",
                    f"There is no such profile for {name}.",
                    hint="Choose one of the list, or profile the model.",
                    device=name,
                )
            if row.measured_at is None:
                raise PoolError(
                    "profile_unmade",
                    f"The profile for {name} has not been made yet.",
                    hint="Wait until it is done, then choose it.",
                    device=name,
                )
            if row.graph_id in graphs:
                raise PoolError(
                    "profile_twice",
                    f"Two profiles of one model are given for {name}.",
                    hint="Choose one of them.",
                    device=name,
                )
            graphs.add(row.graph_id)
    return {name: list(ids) for name, ids in given.items() if ids}


def keep_profiles(version: PoolVersion, profiles: Profiles) -> None:
    """Write them beside a new version."""
    ProfiledDevice.objects.bulk_create(
        ProfiledDevice(version=version, device=name, profile_id=one) for name, ids in profiles.items() for one in ids
    )


def profiles_for(version: PoolVersion, graph_id: uuid.UUID) -> dict[str, uuid.UUID]:
    """The profile of one reading of a model on each device that has one."""
    rows = version.profiled.filter(profile__graph=graph_id).values_list("device", "profile_id")
    return dict(rows)
