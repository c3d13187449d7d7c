"""Starts, checks, uploads, reads and removes calibrations."""

from __future__ import annotations

import contextlib
import json
import uuid
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, RestrictedError
from django.utils import timezone

from apps.accounts.models import Team, User
from apps.calibrations.models import Calibration, Source
from apps.hosts.models import HostDevice
from apps.hosts.runs import refuse_unready
from apps.jobs import services as jobs
from apps.jobs.models import FINAL_STATES
from apps.jobs.sandbox import read_in_sandbox
from apps.modelhub.models import Model, ModelState
from apps.modelhub.text import clean
from config.refusals import ConflictError
from heteroopt.calibration.pair_transfers import MeasuredLegs
from heteroopt.costs.database import MeasuredContention, PerformanceDatabase
from heteroopt.costs.measured_transfers import TransferFit, read_transfers
from heteroopt.errors import CostError

CALIBRATE_DEVICE, RECHECK_CALIBRATION, JUDGE_CALIBRATION = (
    "calibrate_device", "recheck_calibration", "judge_calibration",
)  # fmt: skip
READ_BUNDLE = "apps.calibrations.reading:read"
"""Called in the sandbox; the workers allow it by this name."""

MAX_BUNDLE_BYTES = 16 << 20
DEFAULT_BUDGET_S, DEFAULT_CASES = 120, 1300


def start(
    device: HostDevice, team: Team, user: User | None, models: Sequence[Model], *, count: int, budget_s: int
) -> Calibration:
    """Start a calibration on the host that owns the device; one of the team's that is under way is returned instead.

    ``models``: whose operators are timed first. Raises 409 ``host_silent``, ``device_not_ready``.
    """
    refuse_unready(device)
    with transaction.atomic():
        HostDevice.objects.select_for_update().get(pk=device.pk)
        running = Calibration.objects.filter(device=device, team=team, removed_at=None).filter(_active("job")).first()
        if running is not None:
            return running
        row = Calibration.objects.create(
            team=team,
            created_by=user,
            source=Source.HOST,
            device=device,
            host_name=device.runtime.host.name,
            runtime_name=device.runtime.name,
            device_name=device.name,
            settings={
                "models": [str(model.pk) for model in models if model.state == ModelState.READY],
                "count": count,
                "budget_s": budget_s,
                "seed": 0,
            },
        )
        row.job = jobs.submit(
            CALIBRATE_DEVICE, team=team, created_by=user, object_id=row.pk, queue=device.runtime.host.queue
        )
        row.save(update_fields=["job"])
    return row


def recheck(row: Calibration, user: User | None) -> Calibration:
    """Time 20 of its operators again on its device; a check that is under way is kept.

    Raises 409 ``calibration_not_here``, ``calibration_unfinished``, ``host_silent``, ``device_not_ready``.
    """
    if row.device is None:
        raise ConflictError(
            "calibration_not_here",
            "The device of this calibration is not on a host here.",
            hint="Run the calibrator there again, and upload its file.",
        )
    if row.measured_at is None:
        raise _unfinished()
    refuse_unready(row.device)
    with transaction.atomic():
        locked = Calibration.objects.select_for_update().get(pk=row.pk)
        if not Calibration.objects.filter(pk=row.pk).filter(_active("check_job")).exists():
            locked.check_job = jobs.submit(
                RECHECK_CALIBRATION, team=row.team, created_by=user, object_id=row.pk,
                queue=row.device.runtime.host.queue,
            )  # fmt: skip
            locked.save(update_fields=["check_job"])
    return locked


def upload(data: bytes, team: Team, user: User | None) -> Calibration:
    """Keep a calibration that was measured elsewhere; the team's own copy of the same file is returned instead.

    It is read in the sandbox, and judged there by a job. Raises ``CostError`` ``bundle_...``.
    """
    if len(data) > MAX_BUNDLE_BYTES:
        raise CostError(
            "bundle_too_large",
            f"The calibration has more than {MAX_BUNDLE_BYTES} bytes.",
            hint="Calibrate with fewer cases.",
            limit_bytes=MAX_BUNDLE_BYTES,
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CostError(
            "bundle_unreadable",
            "The calibration is no readable JSON: it is not UTF-8 text.",
            hint="Upload the file as the calibrator wrote it.",
            says=str(error)[:200],
        ) from error
    found = clean(read_in_sandbox(READ_BUNDLE, {"text": text}))
    if found["rows"] == 0:
        raise CostError(
            "bundle_empty",
            "The calibration holds no measurement.",
            hint="Run the calibrator again with a larger budget; it says which operators the runtime refused.",
        )
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        same = Calibration.objects.filter(team=team, bundle_hash=found["hash"], removed_at=None).first()
        if same is not None:
            return same
        row = Calibration(
            team=team,
            created_by=user,
            source=Source.UPLOAD,
            host_name=found["host"],
            runtime_name=found["runtime"],
            device_name=found["device"] or found["runtime"],
            **measured(found),
            bundle=zlib.compress(data, 6),
        )
        row.job = jobs.submit(JUDGE_CALIBRATION, team=team, created_by=user, object_id=row.pk)
        row.save(force_insert=True)
    return row


def measured(found: Mapping[str, Any]) -> dict[str, Any]:
    """Columns from what :func:`apps.calibrations.reading.described` tells. A clock that is ahead counts as now."""
    return {
        "fingerprint": found["fingerprint"],
        "measured_at": min(datetime.fromtimestamp(found["measured_at"], UTC), timezone.now()),
        "n_rows": found["rows"],
        "bundle_hash": found["hash"],
    }


def pack(bundle: Mapping[str, Any]) -> bytes:
    """A bundle as its row keeps it."""
    return zlib.compress(json.dumps(bundle, allow_nan=False).encode(), 6)


def bundle_bytes(calibration_id: uuid.UUID) -> bytes:
    """The file as the calibrator wrote it. Raises 409 ``calibration_unfinished``."""
    data = Calibration.objects.values_list("bundle", flat=True).get(pk=calibration_id)
    if data is None:
        raise _unfinished()
    return zlib.decompress(bytes(data))


def contention_of(calibration_id: uuid.UUID) -> MeasuredContention | None:
    """What it measured beside a device of the same memory, if it did."""
    found = _found(calibration_id)
    if isinstance(found, PerformanceDatabase):
        return found.contention
    measured = found.get("contention")
    return None if measured is None else MeasuredContention(**measured)


def transfers_of(calibration_id: uuid.UUID) -> dict[str, TransferFit]:
    """What copies between its device and the host take, by direction; empty where they were not measured."""
    found = _found(calibration_id)
    return (
        dict(found.transfers)
        if isinstance(found, PerformanceDatabase)
        else read_transfers(found.get("transfers") or None)
    )


def legs_of(calibration_id: uuid.UUID) -> MeasuredLegs:
    """:func:`transfers_of`, with the machine in whose memory these copies begin and end."""
    host = Calibration.objects.values_list("host_name", flat=True).get(pk=calibration_id)
    return MeasuredLegs(host, transfers_of(calibration_id))


def _found(calibration_id: uuid.UUID) -> PerformanceDatabase | dict[str, Any]:
    """The figures of a judged calibration; of an upload not judged yet what its file says, if it is readable."""
    figures, data = Calibration.objects.values_list("figures", "bundle").get(pk=calibration_id)
    if figures is not None:
        return dict(figures)
    if data is not None:
        from heteroopt.costs.bundle import read_bundle

        with contextlib.suppress(CostError):
            return read_bundle(zlib.decompress(bytes(data)))
    return {}


def stop(row: Calibration) -> bool:
    """Ask its job, and its re-check, to stop; what was measured is kept. ``False`` if neither runs."""
    return any([jobs.cancel(job) for job in (row.job_id, row.check_job_id) if job is not None])


def remove(row: Calibration) -> None:
    """Stop and delete a calibration; where a version of a pool names it, it is only hidden."""
    stop(row)
    try:
        with transaction.atomic():
            row.delete()
    except RestrictedError:
        Calibration.objects.filter(pk=row.pk).update(removed_at=timezone.now())


def _active(job: str) -> Q:
    return Q(**{f"{job}__isnull": False}) & ~Q(**{f"{job}__state__in": FINAL_STATES})


def _unfinished() -> ConflictError:
    return ConflictError(
        "calibration_unfinished",
        "Nothing has been measured by this calibration yet.",
        hint="Wait until it is done, or start it again.",
    )
