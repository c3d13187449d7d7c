"""Calibrates a device of this host, or times 20 operators of a calibration again."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Sequence
from typing import Any

from apps.calibrations import services
from apps.calibrations.models import Calibration
from apps.hosts.models import HostDevice
from apps.modelhub.graphs import load_document
from apps.modelhub.queries import all_models
from apps.modelhub.text import clean
from heteroopt.runtimes.description import Capability, DeviceState
from heteroopt.runtimes.errors import RuntimeFault
from workers.devices import this_host
from workers.handle import JobHandle
from workers.measuring import DeviceRequest, measure
from workers.own_devices import JobWatcher, device_request
from workers.registry import register


class _CheckpointingWatcher(JobWatcher):
    """Keeps what was measured so far beside the job, for the next attempt."""

    def checkpoint(self, state: dict[str, Any]) -> None:
        """Write the session's state to the job's row."""
        self._job.checkpoint(zlib.compress(json.dumps(state).encode(), 6))


@register(services.CALIBRATE_DEVICE)
class CalibrationRunner:
    """Job ``calibrate_device``; ``object_id`` is the calibration. A retry goes on from the checkpoint."""

    def run(self, job: JobHandle) -> None:
        """Measure; what a stopped one found is kept."""
        row = _row(job)
        if row is None or row.device is None:
            return
        keeper = this_host()
        requests = [device_request(keeper, row.device)]
        rows = [row.device]
        beside = _beside(row.device)
        if beside is not None:
            requests.append(device_request(keeper, beside))
            rows.append(beside)
        watcher = _CheckpointingWatcher(job, rows)
        try:
            found = self._measure(job, row, requests, watcher)
        except RuntimeFault as fault:
            if fault.code == "calibration_empty" and job.cancelled:
                return
            raise
        with job.transaction():
            Calibration.objects.filter(pk=row.pk).update(
                bundle=services.pack(found["bundle"]),
                figures=clean(found["figures"]),
                **services.measured(found["described"]),
            )

    def _measure(
        self, job: JobHandle, row: Calibration, requests: Sequence[DeviceRequest], watcher: JobWatcher
    ) -> dict[str, Any]:
        """From the checkpoint if there is one that fits; else from the start."""
        kept = job.last_checkpoint
        state = None if kept is None else json.loads(zlib.decompress(kept))
        options = {**_cases(row), "budget_s": row.settings["budget_s"], "checkpoint": state}
        try:
            return measure("calibrate", requests, watcher, options=options)
        except RuntimeFault as fault:
            if fault.code != "checkpoint_other" or state is None:
                raise
        # The runtime was updated, or a model deleted, between two attempts.
        return measure("calibrate", requests, watcher, options={**options, "checkpoint": None})


@register(services.RECHECK_CALIBRATION)
class RecheckRunner:
    """Job ``recheck_calibration``; ``object_id`` is the calibration."""

    def run(self, job: JobHandle) -> None:
        """Time 20 of its operators again and keep what that says."""
        row = _row(job)
        if row is None or row.device is None:
            return
        watcher = JobWatcher(job, [row.device])
        options = {**_cases(row), "text": services.bundle_bytes(row.pk).decode("utf-8")}
        found = measure("recheck", [device_request(this_host(), row.device)], watcher, options=options)
        result = {**found, "fingerprint": watcher.fingerprints[0], "at": int(time.time())}
        with job.transaction():
            Calibration.objects.filter(pk=row.pk).update(check_result=result)


def _beside(device: HostDevice) -> HostDevice | None:
    """Another device that computes in the same memory and takes work now, such as the next set of cores: calibrating
    one of them also measures how much they slow each other.
    """
    others = device.runtime.devices.select_related("runtime__host").exclude(pk=device.pk).order_by("index")
    for other in others.filter(state=DeviceState.HEALTHY, cordoned=False):
        both = Capability.HOST_MEMORY in device.capabilities and Capability.HOST_MEMORY in other.capabilities
        if both and not _same_cores(device, other):
            return other
    return None


def _same_cores(one: HostDevice, other: HostDevice) -> bool:
    """Whether two devices compute on a core of both; a CPU that names none has them all."""
    if one.device_type != "CPU" or other.device_type != "CPU":
        return False
    sets = [set(device.position.get("cores", ())) for device in (one, other)]
    return not all(sets) or not sets[0].isdisjoint(sets[1])


def _row(job: JobHandle) -> Calibration | None:
    rows = Calibration.objects.select_related("device__runtime__host").defer("bundle").filter(removed_at=None)
    return None if job.object_id is None else rows.filter(pk=job.object_id).first()


def _cases(row: Calibration) -> dict[str, Any]:
    """What the cases are made from. Models that were deleted since are left out."""
    asked = row.settings
    models = {str(model.pk): model for model in all_models().filter(team=row.team_id, pk__in=asked.get("models", []))}
    graphs = [models[one].graph_id for one in asked.get("models", []) if one in models]
    return {
        "graphs": [load_document(graph)["graph"] for graph in graphs if graph is not None],
        "count": asked["count"],
        "seed": asked["seed"],
    }
