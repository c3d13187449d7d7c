"""Takes what a trial run measured back into the costs: a profile of the model for each device, marked as such."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from apps.accounts.models import User
from apps.calibrations import profiles
from apps.calibrations.models import ModelProfile
from apps.deployments import trials
from apps.deployments.models import PlanTrial
from apps.hosts.models import HostDevice
from config.refusals import ConflictError
from heteroopt.costs.database import MeasuredDevice


def taken_back(row: PlanTrial) -> QuerySet[ModelProfile]:
    """Profiles that were made of a trial run and not removed since, by device of the pool."""
    made = profiles.all_profiles().filter(team=row.team_id, figures__origin__trial=str(row.pk))
    return made.order_by("figures__origin__device")


def take_back(row: PlanTrial, user: User | None) -> tuple[list[ModelProfile], bool]:
    """The profiles of a trial run that is done, and whether they are new; pools use them once they name them.

    Raises 409 ``trial_unfinished``, and ``CostError`` ``trial_tells_nothing``.
    """
    from heteroopt.deployment.trial.feedback import trial_profiles
    from heteroopt.deployment.trial.report import TrialReport

    ran = _ran(row)
    if row.result is None or not ran:
        raise ConflictError(
            "trial_unfinished",
            "This trial run has no figures that could be taken back.",
            hint="Wait until it is done, or run the plan again.",
        )
    known = list(taken_back(row))
    if known:
        return known, False
    found = trial_profiles(trials.request_of(row), TrialReport.from_dict(row.result), ran, _when(row))
    ids = {name: place["device_id"] for name, place in row.places.items()}
    hosts = {str(device.pk): device for device in HostDevice.objects.filter(pk__in=trials.device_ids(row))}
    with transaction.atomic():
        PlanTrial.objects.select_for_update().get(pk=row.pk)
        known = list(taken_back(row))
        if known:
            return known, False
        for name, profile in found.items():
            columns = profiles.measured(profile.to_dict())
            origin = {"trial": str(row.pk), "plan_number": row.plan_number, "device": name}
            columns["figures"]["origin"] |= origin
            ModelProfile.objects.create(
                team=row.team,
                created_by=user,
                model=row.search.model,
                graph=row.search.graph,
                device=hosts.get(ids[name]),
                host_name=row.host_name,
                runtime_name=row.places[name]["runtime"],
                device_name=row.places[name]["device"],
                finished_at=columns["measured_at"],
                **columns,
            )
    return list(taken_back(row)), True


def _ran(row: PlanTrial) -> dict[str, MeasuredDevice]:
    """What ran each device of the pool; those of which the fingerprint is not known are left out."""
    rows = HostDevice.objects.filter(pk__in=trials.device_ids(row)).select_related("runtime")
    devices = {str(device.pk): device for device in rows}
    found = {}
    for name, place in row.places.items():
        device: HostDevice | None = devices.get(place["device_id"])
        if not place.get("fingerprint"):
            continue
        versions: dict[str, Any] = {} if device is None else device.runtime.versions
        found[name] = MeasuredDevice(
            runtime=place["runtime"],
            index=0 if device is None else device.index,
            name=place["device"],
            host=row.host_name,
            processor="",
            threads=len(place["cores"].split(",")) if place.get("cores") else 0,
            fingerprint=place["fingerprint"],
            versions={str(key): str(value) for key, value in versions.items()},
        )
    return found


def _when(row: PlanTrial) -> int:
    ended = row.created_at if row.job is None or row.job.finished_at is None else row.job.finished_at
    return int(ended.timestamp())
