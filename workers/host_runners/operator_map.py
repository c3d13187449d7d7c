"""Runs the standard's node tests on a device of this host, and keeps the map."""

from __future__ import annotations

from django.utils import timezone

from apps.hosts.models import OperatorMap
from apps.hosts.runs import OPERATOR_MAP
from workers.devices import this_host
from workers.handle import JobHandle
from workers.measuring import measure
from workers.own_devices import JobWatcher, device_request
from workers.registry import register


@register(OPERATOR_MAP)
class OperatorMapRunner:
    """Job ``operator_map``; ``object_id`` is the map, ``payload["only"]`` some operator types, all by default.

    A retry begins anew: it takes less than a minute.
    """

    def run(self, job: JobHandle) -> None:
        """Map every operator. What a stopped one found is kept only where the device has no map yet."""
        row = None if job.object_id is None else OperatorMap.objects.filter(pk=job.object_id).first()
        if row is None or row.device is None:
            return
        watcher = JobWatcher(job, [row.device])
        options = {"only": job.payload.get("only"), "made_at": timezone.now().isoformat()}
        found = measure("map", [device_request(this_host(), row.device)], watcher, options=options)
        if found["stopped"] and OperatorMap.objects.filter(device=row.device).exclude(body=None).exists():
            return
        with job.transaction():
            OperatorMap.objects.filter(pk=row.pk).update(
                body=found, counts=found["summary"], fingerprint=watcher.fingerprints[0]
            )
