"""What the process that keeps a host's devices writes: which host it is, that it lives, what its runtimes are."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from apps.hosts.models import Fingerprint, Host, HostDevice, HostRuntime
from apps.jobs.clock import later
from heteroopt.runtimes.description import DeviceDescription, DeviceState, Reason
from heteroopt.runtimes.fingerprint import Fingerprint as FingerprintValue


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What a machine says of itself at each start."""

    name: str
    queue: str
    cores: int
    memory_size_bytes: int
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RuntimeReport:
    """A runtime as its keeper sees it now. ``fingerprint`` and ``versions`` are left out while nothing runs."""

    name: str
    state: DeviceState
    reason: Reason | None
    starts: int
    verified: bool = True
    versions: Mapping[str, str] | None = None
    fingerprint: FingerprintValue | None = None
    devices: Sequence[DeviceDescription] = field(default_factory=tuple)


def claim(facts: HostFacts, owner: str) -> uuid.UUID | None:
    """Make ``owner`` the process that speaks for a host; ``None`` while another one that is alive does."""
    host, _ = Host.objects.get_or_create(name=facts.name, defaults={"queue": facts.queue, "seen_at": Now()})
    free = Q(owner="") | Q(owner=owner) | Q(seen_at__lte=later(-settings.JOB_LEASE_SECONDS))
    won = Host.objects.filter(free, pk=host.pk).update(
        owner=owner,
        queue=facts.queue,
        seen_at=Now(),
        started_at=Now(),
        cores=facts.cores,
        memory_size_bytes=facts.memory_size_bytes,
        versions=dict(facts.versions),
    )
    return host.pk if won else None


def write_topology(host_id: uuid.UUID, topology: Mapping[str, Any]) -> None:
    """Keep how a host is built, as ``Topology.to_dict`` gives it; that of an earlier start stays until then."""
    Host.objects.filter(pk=host_id).update(topology=dict(topology))


def owner_of(name: str) -> str:
    """Return which process speaks for a host, or ``""``."""
    return Host.objects.filter(name=name).values_list("owner", flat=True).first() or ""


def beat(host_id: uuid.UUID, owner: str) -> bool:
    """Note that a host is alive; ``False`` if another process speaks for it now."""
    return bool(Host.objects.filter(pk=host_id, owner=owner).update(seen_at=Now()))


def release(owner: str) -> None:
    """Let the next process have the host: this one has ended, or is known to be dead."""
    if owner:
        Host.objects.filter(owner=owner).update(owner="")


def report(host_id: uuid.UUID, owner: str, found: RuntimeReport) -> HostRuntime | None:
    """Write a runtime and its devices; ``None`` if another process speaks for the host now.

    A device that is no longer listed stays as ``absent``, so that what ran on it can still be named.
    """
    with transaction.atomic():
        if not Host.objects.select_for_update().filter(pk=host_id, owner=owner).exists():
            return None
        runtime, _ = HostRuntime.objects.select_for_update().get_or_create(host_id=host_id, name=found.name)
        if runtime.state != found.state or runtime.state_since is None:
            runtime.state_since = timezone.now()
        runtime.state = str(found.state)
        runtime.reason = found.reason.to_dict() if found.reason else None
        runtime.starts = found.starts
        runtime.verified = found.verified
        if found.versions is not None:
            runtime.versions = dict(found.versions)
            runtime.probed_at = timezone.now()
        if found.fingerprint is not None:
            _note_fingerprint(runtime, found.fingerprint)
        runtime.save()
        _write_devices(runtime, found)
    return runtime


def forget_runtimes(host_id: uuid.UUID, known: Sequence[str]) -> None:
    """Mark runtimes whose plugin is no longer installed as absent."""
    gone = HostRuntime.objects.filter(host=host_id).exclude(name__in=known)
    HostDevice.objects.filter(runtime__in=gone).update(state=str(DeviceState.ABSENT), reason=None)
    gone.update(state=str(DeviceState.ABSENT), reason=None)


def keep_fingerprint(value: FingerprintValue) -> Fingerprint:
    """Return the row of a fingerprint, which its content makes one."""
    row, _ = Fingerprint.objects.get_or_create(
        digest=value.hash, defaults={"objects_mapped": dict(value.objects), "versions": dict(value.versions)}
    )
    return row


def fingerprint_value(row: Fingerprint) -> FingerprintValue:
    """Return what a row holds as the engine knows it."""
    return FingerprintValue.from_dict({"objects": row.objects_mapped, "versions": row.versions})


def cordoned_devices(host_id: uuid.UUID) -> dict[str, set[int]]:
    """Return the devices that persons keep work away from: indices by runtime."""
    found: dict[str, set[int]] = {}
    rows = HostDevice.objects.filter(runtime__host=host_id, cordoned=True)
    for runtime, index in rows.values_list("runtime__name", "index"):
        found.setdefault(runtime, set()).add(index)
    return found


def _note_fingerprint(runtime: HostRuntime, value: FingerprintValue) -> None:
    if runtime.fingerprint_id == value.hash:
        return
    if runtime.fingerprint_id is not None:
        runtime.previous_fingerprint_id = runtime.fingerprint_id
        runtime.fingerprint_changed_at = timezone.now()
    runtime.fingerprint = keep_fingerprint(value)


def _write_devices(runtime: HostRuntime, found: RuntimeReport) -> None:
    for device in found.devices:
        HostDevice.objects.update_or_create(
            runtime=runtime,
            index=device.index,
            defaults={
                "name": device.name[:200],
                "device_type": device.device_type[:20],
                "memory_size_bytes": device.memory_size_bytes,
                "precisions": list(device.precisions),
                "capabilities": [str(bit) for bit in device.capabilities],
                "position": dict(device.position),
                "versions": dict(device.versions),
                # A cordon is the row's own matter: the runtime's word is kept beneath it.
                "state": str(DeviceState.HEALTHY if device.state == DeviceState.CORDONED else device.state),
                "reason": device.reason.to_dict() if device.reason else None,
            },
        )
    others = runtime.devices.exclude(index__in=[device.index for device in found.devices])
    gone = DeviceState.ABSENT if found.state == DeviceState.HEALTHY else found.state
    others.update(state=str(gone), reason=found.reason.to_dict() if found.reason else None)
