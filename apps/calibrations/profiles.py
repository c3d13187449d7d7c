"""Starts, reads and removes profiles of models."""

from __future__ import annotations

import json
import uuid
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet, RestrictedError
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.request import Request

from apps.accounts.models import Team, User
from apps.accounts.permissions import current_team
from apps.audit.services import get_visible_or_404
from apps.calibrations.models import ModelProfile
from apps.hosts.models import HostDevice
from apps.hosts.runs import refuse_unready
from apps.jobs import services as jobs
from apps.jobs.models import FINAL_STATES
from apps.modelhub.models import Model
from config.refusals import ConflictError
from heteroopt.costs.profile import Profile

PROFILE_MODEL = "profile_model"
LONGEST = 20
"""Operators that a page shows."""


def all_profiles() -> QuerySet[ModelProfile]:
    """Profiles that were not removed, of every team, newest first, without their operators."""
    related = ("device__runtime__host", "device__runtime__fingerprint", "job", "created_by", "model")
    return ModelProfile.objects.filter(removed_at=None).select_related(*related).defer("body", "job__checkpoint")


def visible_profiles(request: HttpRequest | Request) -> QuerySet[ModelProfile]:
    """Profiles of the caller's team."""
    return all_profiles().filter(team=current_team(request))


def get_profile(request: HttpRequest | Request, profile_id: uuid.UUID) -> ModelProfile:
    """One profile of the caller's team; 404 for any other."""
    return get_visible_or_404(request, all_profiles(), profile_id)


def start(model: Model, device: HostDevice, team: Team, user: User | None) -> ModelProfile:
    """Profile a model, which the caller may have run, on the host that owns the device.

    One of the same reading that is under way there is returned instead. Raises 409 ``host_silent``,
    ``device_not_ready``.
    """
    refuse_unready(device)
    assert model.graph_id is not None
    with transaction.atomic():
        HostDevice.objects.select_for_update().get(pk=device.pk)
        same = ModelProfile.objects.filter(model=model, graph=model.graph_id, device=device, removed_at=None)
        running = same.filter(Q(job__isnull=False) & ~Q(job__state__in=FINAL_STATES)).first()
        if running is not None:
            return running
        row = ModelProfile.objects.create(
            team=team,
            created_by=user,
            model=model,
            graph_id=model.graph_id,
            device=device,
            host_name=device.runtime.host.name,
            runtime_name=device.runtime.name,
            device_name=device.name,
        )
        queue = device.runtime.host.queue
        row.job = jobs.submit(PROFILE_MODEL, team=team, created_by=user, object_id=row.pk, queue=queue)
        row.save(update_fields=["job"])
    return row


def measured(body: Mapping[str, Any]) -> dict[str, Any]:
    """Columns from a profile's JSON form."""
    profile = Profile.from_dict(body)
    told = [index for index, value in enumerate(profile.seconds.tolist()) if value == value]  # not NaN
    order = sorted(told, key=lambda index: (-float(profile.seconds[index]), index))
    return {
        "body": zlib.compress(json.dumps(body, allow_nan=False).encode(), 6),
        "profile_hash": body["hash"],
        "fingerprint": profile.device.fingerprint,
        "measured_at": datetime.fromtimestamp(profile.measured_at, UTC),
        "figures": {
            "total_ms": profile.median_s * 1e3,
            "minimum_ms": profile.minimum_s * 1e3,
            "scale": profile.scale,
            "matched": profile.matched,
            "spread": profile.spread,
            "kind": profile.kind,
            "origin": {key: value for key, value in profile.origin.items() if key != "segments"},
            "n_operators": len(told),
            "operators_profiled": profile.operators_profiled,
            "longest": [
                {"index": index, "output": profile.outputs[index], "time_ms": float(profile.seconds[index]) * 1e3}
                for index in order[:LONGEST]
            ],
        },
    }


def profile_bytes(profile_id: uuid.UUID) -> bytes:
    """The file that ``heteroopt plan --profile DEVICE=FILE`` reads. Raises 409 ``profile_unfinished``."""
    data = ModelProfile.objects.values_list("body", flat=True).get(pk=profile_id)
    if data is None:
        raise ConflictError(
            "profile_unfinished",
            "This profile has not been made yet.",
            hint="Wait until it is done, or start it again.",
        )
    return zlib.decompress(bytes(data))


def stop(row: ModelProfile) -> bool:
    """Ask its job to stop; ``False`` if it does not run."""
    return row.job_id is not None and jobs.cancel(row.job_id)


def remove(row: ModelProfile) -> None:
    """Stop and delete a profile; where a version of a pool names it, it is only hidden."""
    stop(row)
    try:
        with transaction.atomic():
            row.delete()
    except RestrictedError:
        ModelProfile.objects.filter(pk=row.pk).update(removed_at=timezone.now())
