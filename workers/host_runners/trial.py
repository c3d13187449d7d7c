"""Runs a plan's segments on this host's runtimes, in the sandbox, and keeps what they took beside the prediction."""

from __future__ import annotations

from apps.deployments import trials
from apps.deployments.exports import model_files
from apps.deployments.models import PlanTrial
from apps.hosts.models import HostDevice
from heteroopt.runtimes.errors import RuntimeFault
from workers.devices import this_host
from workers.handle import JobHandle
from workers.measuring import measure
from workers.own_devices import JobWatcher, device_request
from workers.registry import register
from workers.trying import packed, report


@register(trials.RUN_TRIAL)
class TrialRunner:
    """Job ``run_trial``; ``object_id`` is the trial. A retry begins anew."""

    def run(self, job: JobHandle) -> None:
        """Run, and keep the report; one that was stopped leaves nothing."""
        rows = PlanTrial.objects.select_related("search__model", "host")
        row = None if job.object_id is None else rows.filter(pk=job.object_id).first()
        if row is None:
            return
        used = HostDevice.objects.select_related("runtime__host").filter(pk__in=trials.device_ids(row))
        devices = list(used.order_by("runtime__name", "index"))
        asked = [device_request(this_host(), device) for device in devices]  # raises why one gets no work now
        request = trials.request_of(row)
        main, data = model_files(row.search.model)
        watcher = JobWatcher(job, devices)
        try:
            found = measure(
                "trial",
                asked,
                watcher,
                options={"request": packed(request), "data_files": {name: str(path) for name, path in data.items()}},
                model=main,
            )
        except RuntimeFault as fault:
            if fault.code == "trial_stopped" and job.cancelled:
                return
            raise
        made = report(request, found).to_dict()
        ran = {str(device.pk): digest for device, digest in zip(devices, watcher.fingerprints, strict=True)}
        with job.transaction():
            PlanTrial.objects.filter(pk=row.pk).update(result=made, places=trials.with_fingerprints(row, ran))
