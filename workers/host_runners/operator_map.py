"""Runs the standard's node tests on a device of this host, in a process of its own, and keeps the map."""

from __future__ import annotations

from django.utils import timezone

from apps.hosts.models import OperatorMap
from apps.hosts.runs import OPERATOR_MAP
from workers.devices import this_host
from workers.handle import JobHandle
from workers.own_devices import borrowed, tell
from workers.registry import register


@register(OPERATOR_MAP)
class OperatorMapRunner:
    """Job ``operator_map``; ``object_id`` is the map. A retry begins anew: it takes less than a minute."""

    def run(self, job: JobHandle) -> None:
        """Map every operator. What a stopped one found is kept only where the device has no map yet."""
        from heteroopt.precision.operator_map import map_operators

        row = None if job.object_id is None else OperatorMap.objects.filter(pk=job.object_id).first()
        if row is None or row.device is None:
            return
        with borrowed(this_host(), job, row.device) as device:
            found = map_operators(device, made_at=timezone.now().isoformat(), progress=tell(job))
            fingerprint = device.fingerprint()
        if found.stopped and OperatorMap.objects.filter(device=row.device).exclude(body=None).exists():
            return
        with job.transaction():
            OperatorMap.objects.filter(pk=row.pk).update(
                body=found.to_json(), counts=found.summary(), fingerprint=fingerprint.hash
            )
