"""Pools of hosts as they were probed: what each would be, and the one that was made of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from apps.accounts.models import Team, User
from apps.hosts.models import Host, HostDevice
from apps.hosts.queries import all_hosts, is_alive
from apps.pools import services
from apps.pools.models import Pool
from apps.pools.queries import all_pools
from config.refusals import ConflictError
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.topology import FoundDevice, Topology, found_on, machine_pool
from heteroopt.runtimes.description import Capability, DeviceState
from heteroopt.runtimes.registry import MADE_UP


@dataclass(frozen=True, slots=True)
class Offer:
    """A host that answers, the pool that it would be, and the team's newest pool that was made of it."""

    host: Host
    pool: DevicePool
    made: Pool | None


def offers(team: Team) -> list[Offer]:
    """One for each host that answers and was probed."""
    made: dict[object, Pool] = {}
    for row in all_pools().filter(team=team, host__isnull=False).order_by("created_at"):
        made[row.host_id] = row
    hosts = [host for host in all_hosts() if is_alive(host) and host.topology is not None]
    return [Offer(host, pool_of(host), made.get(host.pk)) for host in hosts]


def make(host: Host, team: Team, user: User | None) -> tuple[Pool, bool]:
    """Save a host's pool; the team's pool that was made of it before is returned instead, with ``False``.

    Raises 409 ``host_unprobed``.
    """
    if host.topology is None:
        raise ConflictError(
            "host_unprobed",
            f"{host.name} has not been probed yet.",
            hint="Wait a few seconds: it is probed when its process starts.",
            host=host.name,
        )
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        before = all_pools().filter(team=team, host=host).order_by("-created_at").first()
        if before is not None:
            return before, False
        return services.add_pool(team, user, pool_of(host), host=host), True


def pool_of(host: Host) -> DevicePool:
    """The pool of a host's last probe, with what its runtimes list now. Raises ``PoolError``."""
    topology = Topology.from_dict(host.topology)
    found = [
        FoundDevice(
            place=f"{device.runtime.name}:{device.index}",
            name=device.name,
            device_type=device.device_type,
            memory_size_bytes=device.memory_size_bytes,
            cores=tuple(int(core) for core in device.position.get("cores", ())),
            pci_address=str(device.position.get("pci_address", "")),
            shares_memory=Capability.HOST_MEMORY in device.capabilities,
        )
        for device in _usable(host)
    ]
    return machine_pool(topology, found, name=host.name)


def devices_of(row: Pool) -> dict[str, HostDevice]:
    """The host's devices that a pool's devices are, by name; none for a pool that was not made of a host."""
    if row.host is None:
        return {}
    places = {f"{device.runtime.name}:{device.index}": device for device in _usable(row.host)}
    named = {device.name: found_on(device) for device in row.device_pool.devices}
    return {name: places[place] for name, place in named.items() if place in places}


def _usable(host: Host) -> Iterable[HostDevice]:
    rows = HostDevice.objects.filter(runtime__host=host, state=DeviceState.HEALTHY).exclude(runtime__name__in=MADE_UP)
    return rows.select_related("runtime__host").order_by("runtime__name", "index")
