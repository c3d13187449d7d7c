"""Runs a plan's segments on this host's runtimes, in the sandbox, and keeps what they took beside the prediction."""

from __future__ import annotations

from apps.deployments import trials
from apps.deployments.models import PlanTrial
from apps.hosts.models import HostDevice
from apps.modelhub.contents import whole_file
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
        for device in HostDevice.objects.select_related("runtime__host").filter(pk__in=trials.device_ids(row)):
            device_request(this_host(), device)  # raises why it gets no work now
        request = trials.request_of(row)
        try:
            found = measure(
                "trial",
                [],
                JobWatcher(job, []),
                options={"request": packed(request)},
                model=whole_file(row.search.model),
            )
        except RuntimeFault as fault:
            if fault.code == "trial_stopped" and job.cancelled:
                return
            raise
        made = report(request, found).to_dict()
        with job.transaction():
            PlanTrial.objects.filter(pk=row.pk).update(result=made)
