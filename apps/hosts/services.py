"""What persons do with devices: keep work away from one, let it work again, forget a host that is gone."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.hosts.models import Host, HostDevice
from apps.hosts.queries import is_alive
from config.refusals import ConflictError


def cordon(device: HostDevice, user: User, *, cordoned: bool, note: str = "") -> bool:
    """Keep work away from a device, or let it have work again; ``False`` if nothing changes.

    Work that is running on it goes on; the process that keeps the device reads the row before the next job.
    """
    changed = HostDevice.objects.filter(pk=device.pk, cordoned=not cordoned).update(
        cordoned=cordoned,
        cordon_note=note if cordoned else "",
        cordoned_by=user if cordoned else None,
        cordoned_at=timezone.now() if cordoned else None,
    )
    device.refresh_from_db()
    return bool(changed)


def forget(host: Host) -> None:
    """Delete a host that will not come back, with its devices and operator maps. Raises 409 ``host_alive``."""
    with transaction.atomic():
        locked = Host.objects.select_for_update().get(pk=host.pk)
        if is_alive(locked):
            raise ConflictError(
                "host_alive",
                f"{host.name} is alive: it would be back at its next heartbeat.",
                hint="Stop its processes first.",
                host=host.name,
            )
        locked.delete()
