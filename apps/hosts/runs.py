"""Starts operator maps and precision runs on the host that owns the devices, and again after a fingerprint changed."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet

from apps.accounts.models import Team, User
from apps.hosts.models import HostDevice, HostRuntime, OperatorMap, PrecisionKind, PrecisionRun, Trigger
from apps.hosts.queries import is_alive
from apps.jobs import services as jobs
from apps.jobs.models import FINAL_STATES, Job
from config.refusals import ConflictError
from heteroopt.runtimes.description import DeviceState

OPERATOR_MAP = "operator_map"
PRECISION_OPERATORS, PRECISION_MODEL, PRECISION_LOSS = "precision_operators", "precision_model", "precision_loss"

MODEL_PRECISION, DEFAULT_PRECISION = "model", "default"
"""As the model says, and as the runtime does when nobody asks; else one of the device's own."""


@dataclass(frozen=True, slots=True)
class Side:
    """A device of a comparison, and the precision that it is asked to compute in."""

    device: HostDevice
    precision: str = MODEL_PRECISION


@dataclass(frozen=True, slots=True)
class Asker:
    """For whom something is run: the team whose job it is, and the person, if one asked."""

    team: Team
    user: User | None = None

    @property
    def trigger(self) -> Trigger:
        """Why it is run."""
        return Trigger.FINGERPRINT if self.user is None else Trigger.PERSON


def start_map(device: HostDevice, asker: Asker) -> OperatorMap:
    """Start a map of a device's operators; one that is under way is returned instead.

    Raises 409 ``host_silent``, ``device_not_ready``.
    """
    refuse_unready(device)
    with transaction.atomic():
        HostDevice.objects.select_for_update().get(pk=device.pk)
        running = OperatorMap.objects.filter(device=device).filter(_active()).first()
        if running is not None:
            return running
        row = OperatorMap.objects.create(
            runtime=device.runtime, device=device, trigger=asker.trigger, created_by=asker.user
        )
        row.job = _submit(OPERATOR_MAP, asker, row.pk, device)
        row.save(update_fields=["job"])
    return row


def start_operators(left: Side, right: Side, asker: Asker, *, seed: int = 0) -> PrecisionRun:
    """Start a comparison of operators on two devices of one host; one that is under way is returned instead.

    Raises 409 as :func:`start_map`, and ``devices_apart``, ``devices_same``, ``precision_unknown``.
    """
    return _start_run(PrecisionRun(kind=PrecisionKind.OPERATORS, seed=seed), left, right, asker, PRECISION_OPERATORS)


def start_loss(left: Side, right: Side, asker: Asker, *, seed: int = 0) -> PrecisionRun:
    """Start a comparison of the loss over a small training on two devices of one host. Raises as above."""
    return _start_run(PrecisionRun(kind=PrecisionKind.LOSS, seed=seed), left, right, asker, PRECISION_LOSS)


def start_model(
    model_id: uuid.UUID, title: str, left: Side, right: Side, asker: Asker, *, seed: int = 0
) -> PrecisionRun:
    """Start a layer-by-layer comparison of a team's model; the caller has checked that they may. Raises as above."""
    run = PrecisionRun(kind=PrecisionKind.MODEL, team=asker.team, object_id=model_id, title=title[:200], seed=seed)
    return _start_run(run, left, right, asker, PRECISION_MODEL)


def rerun_after_change(runtime: HostRuntime) -> int:
    """Start again what was last measured with another fingerprint than the runtime has now; return how many.

    Once a change: what failed, or was stopped, after it is left to a person. Models are left to their owners.
    """
    started = 0
    for device in runtime.devices.filter(state=DeviceState.HEALTHY, cordoned=False):
        done = OperatorMap.objects.filter(device=device).exclude(body=None).first()
        newest = OperatorMap.objects.filter(device=device).first()
        if done is None or newest is None or done.fingerprint_id == runtime.fingerprint_id:
            continue
        if newest == done or not _since_change(newest, runtime):
            start_map(device, Asker(_team_of(done.job)))
            started += 1
    pairs = PrecisionRun.objects.exclude(kind=PrecisionKind.MODEL).exclude(body=None).defer("body")
    seen: set[tuple[object, ...]] = set()
    for run in pairs.filter(Q(left__runtime=runtime) | Q(right__runtime=runtime)):
        pair = (run.kind, run.left_id, run.right_id, run.left_precision, run.right_precision)
        if pair not in seen:
            seen.add(pair)
            started += _rerun_pair(run)
    return started


def _rerun_pair(run: PrecisionRun) -> bool:
    left, right = run.left, run.right
    if left is None or right is None:
        return False
    now = (left.runtime.fingerprint_id, right.runtime.fingerprint_id)
    if now == (run.left_fingerprint_id, run.right_fingerprint_id):
        return False
    newest = _like(run).first() or run
    if newest != run and (_since_change(newest, left.runtime) or _since_change(newest, right.runtime)):
        return False
    if left.shown_state != DeviceState.HEALTHY or right.shown_state != DeviceState.HEALTHY:
        return False
    sides = Side(left, run.left_precision), Side(right, run.right_precision)
    start = start_loss if run.kind == PrecisionKind.LOSS else start_operators
    start(*sides, Asker(_team_of(run.job)), seed=run.seed)
    return True


def _since_change(row: OperatorMap | PrecisionRun, runtime: HostRuntime) -> bool:
    changed_at = runtime.fingerprint_changed_at
    return changed_at is not None and row.created_at > changed_at


def _start_run(run: PrecisionRun, left: Side, right: Side, asker: Asker, kind: str) -> PrecisionRun:
    if left.device.runtime.host_id != right.device.runtime.host_id:
        raise ConflictError(
            "devices_apart",
            "The two devices are on different hosts, so one process cannot feed both the same inputs.",
            hint="Choose two devices of one host.",
        )
    if left == right:
        raise ConflictError(
            "devices_same",
            "A device cannot be compared with itself.",
            hint="Choose two devices, or two precisions.",
        )
    for side in (left, right):
        refuse_unready(side.device)
        _refuse_precision(side)
    run.trigger, run.created_by = asker.trigger, asker.user
    run.left, run.left_name, run.left_precision = left.device, _name(left.device), left.precision
    run.right, run.right_name, run.right_precision = right.device, _name(right.device), right.precision
    same = _like(run)
    with transaction.atomic():
        HostDevice.objects.select_for_update().get(pk=left.device.pk)
        running = same.filter(_active()).first()
        if running is not None:
            return running
        run.before = same.exclude(body=None).first()
        run.save()
        run.job = _submit(kind, asker, run.pk, left.device)
        run.save(update_fields=["job"])
    return run


def _like(run: PrecisionRun) -> QuerySet[PrecisionRun]:
    """Runs of the same, newest first."""
    named = ("kind", "team", "object_id", "left", "right", "left_precision", "right_precision")
    return PrecisionRun.objects.defer("body").filter(**{name: getattr(run, name) for name in named})


def _refuse_precision(side: Side) -> None:
    known = (MODEL_PRECISION, DEFAULT_PRECISION, *side.device.precisions)
    if side.precision not in known:
        raise ConflictError(
            "precision_unknown",
            f"{side.device.name} cannot be asked for {side.precision}.",
            hint=f"Known are {', '.join(known)}.",
            device=side.device.name,
            precision=side.precision,
            known=list(known),
        )


def _submit(kind: str, asker: Asker, object_id: uuid.UUID, device: HostDevice) -> Job:
    queue = device.runtime.host.queue
    return jobs.submit(kind, team=asker.team, created_by=asker.user, object_id=object_id, queue=queue)


def _active() -> Q:
    return Q(job__isnull=False) & ~Q(job__state__in=FINAL_STATES)


def _name(device: HostDevice) -> str:
    return f"{device.runtime.name} · {device.name}"[:300]


def _team_of(job: Job | None) -> Team:
    return job.team if job is not None else Team.objects.earliest("created_at")


def refuse_unready(device: HostDevice) -> None:
    """Raise 409 ``host_silent`` or ``device_not_ready`` where a device cannot get work now."""
    host = device.runtime.host
    if not is_alive(host):
        raise ConflictError(
            "host_silent",
            f"Nothing has been heard of {host.name} lately, so nothing runs on its devices.",
            hint="Start its process: ./run worker --host",
            host=host.name,
        )
    if device.shown_state != DeviceState.HEALTHY:
        raise ConflictError(
            "device_not_ready",
            f"{device.name} is {device.shown_state}; only healthy devices get work.",
            hint="The page of devices says why.",
            device=device.name,
            state=device.shown_state,
        )
