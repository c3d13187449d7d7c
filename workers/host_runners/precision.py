"""Compares operators one by one, a whole model, or the loss of a small training, on two devices of this host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.utils import timezone

from apps.hosts.models import PrecisionRun
from apps.hosts.runs import PRECISION_LOSS, PRECISION_MODEL, PRECISION_OPERATORS
from apps.modelhub import contents
from apps.modelhub.queries import all_models
from heteroopt.errors import ModelError
from workers.devices import this_host
from workers.handle import JobHandle
from workers.measuring import measure
from workers.own_devices import JobWatcher, device_request
from workers.registry import register


@register(PRECISION_OPERATORS)
@register(PRECISION_MODEL)
@register(PRECISION_LOSS)
class PrecisionRunner:
    """Jobs ``precision_operators``, ``precision_model``, ``precision_loss``; ``object_id`` is the run.

    ``payload["cases"]``: how many operators, 300 by default; ``payload["steps"]``: of the training, 100 by default. A
    retry begins anew.
    """

    def run(self, job: JobHandle) -> None:
        """Compare, and keep what was found, also where the job was stopped half-way."""
        row = None if job.object_id is None else PrecisionRun.objects.filter(pk=job.object_id).first()
        if row is None or row.left is None or row.right is None:
            return
        asked = ((row.left, row.left_precision), (row.right, row.right_precision))
        devices = [device_request(this_host(), device, precision) for device, precision in asked]
        watcher = JobWatcher(job, [row.left, row.right])
        options: dict[str, Any] = {"seed": row.seed, "made_at": timezone.now().isoformat()}
        if job.kind == PRECISION_MODEL:
            body = measure("model", devices, watcher, options=options, model=_file_of(row))
        elif job.kind == PRECISION_LOSS:
            options["steps"] = job.payload.get("steps", 100)
            body = measure("loss", devices, watcher, options=options)
        else:
            options["cases"] = job.payload.get("cases", 300)
            body = measure("operators", devices, watcher, options=options)
        _add_changes(row, body)
        with job.transaction():
            PrecisionRun.objects.filter(pk=row.pk).update(
                body=body,
                summary={**body["summary"], "stopped": body["stopped"]},
                left_fingerprint=watcher.fingerprints[0],
                right_fingerprint=watcher.fingerprints[1],
            )


def _add_changes(row: PrecisionRun, body: dict[str, Any]) -> None:
    """Say in the summary what got slower or out of tolerance since the run before."""
    from heteroopt.precision.regressions import regressions

    before = None if row.before is None else row.before.body
    if before is not None:
        body["summary"]["changes"] = regressions(before, body)


def _file_of(row: PrecisionRun) -> Path:
    """The model's file. Raises ``ModelError`` where there is none that could be run."""
    model = None if row.object_id is None else all_models().filter(pk=row.object_id).first()
    if model is None:
        raise ModelError("model_gone", "The model was deleted.", hint="Choose another one.")
    return contents.whole_file(model)
