"""Runs a model on a device of this host with its profiler, in the sandbox, and keeps what each operator took."""

from __future__ import annotations

from apps.calibrations import profiles
from apps.calibrations.models import ModelProfile
from apps.modelhub.contents import whole_file
from apps.modelhub.graphs import load_document
from heteroopt.runtimes.errors import RuntimeFault
from workers.devices import this_host
from workers.handle import JobHandle
from workers.measuring import measure
from workers.own_devices import JobWatcher, device_request
from workers.registry import register


@register(profiles.PROFILE_MODEL)
class ProfileRunner:
    """Job ``profile_model``; ``object_id`` is the profile. A retry begins anew: it takes seconds."""

    def run(self, job: JobHandle) -> None:
        """Profile, and keep it; one that was stopped leaves nothing."""
        rows = ModelProfile.objects.select_related("device__runtime__host", "model").filter(removed_at=None)
        row = None if job.object_id is None else rows.filter(pk=job.object_id).first()
        if row is None or row.device is None:
            return
        watcher = JobWatcher(job, [row.device])
        options = {"graph": load_document(row.graph_id)["graph"]}
        file = whole_file(row.model)
        try:
            found = measure("profile", [device_request(this_host(), row.device)], watcher, options=options, model=file)
        except RuntimeFault as fault:
            if fault.code in ("profile_stopped", "measuring_died") and job.cancelled:
                return
            raise
        with job.transaction():
            ModelProfile.objects.filter(pk=row.pk).update(**profiles.measured(found))
