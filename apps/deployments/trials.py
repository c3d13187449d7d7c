"""Starts and deletes trial runs of plans: which devices of a host stand for those of the pool, and what is refused."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Q

from apps.accounts.models import User
from apps.deployments import exports
from apps.deployments.models import PlanTrial
from apps.hosts.models import Host, HostDevice
from apps.hosts.queries import all_hosts, is_alive
from apps.hosts.runs import refuse_unready
from apps.jobs import services as jobs
from apps.jobs.models import FINAL_STATES
from apps.pools.machines import devices_of
from apps.searches.fronts import StoredPlan, load_plan
from apps.searches.models import Search
from config.refusals import ConflictError
from heteroopt.errors import HeteroOptError
from heteroopt.runtimes.description import DeviceState

if TYPE_CHECKING:
    from heteroopt.deployment.exporting import ExportRequest

RUN_TRIAL = "run_trial"
FORMAT = "ort-segments"
KEPT_TRIALS = 20
"""Of a search; older ones go when one more is asked for."""

CPU_PROVIDER = "CPUExecutionProvider"


def start_trial(
    search: Search, plan: StoredPlan, user: User | None, host: Host | None, chosen: Mapping[str, HostDevice]
) -> PlanTrial:
    """Run a plan of a model that the caller may have run; one of the plan that is under way is returned instead.

    ``chosen``: devices of one host by those of the pool; all others run on themselves where the pool was made of that
    host, else on ONNX Runtime's CPU there. ``host``: whose, where nothing is chosen. Raises 409 ``trial_no_host``,
    ``host_silent``, ``device_not_ready``, and ``HeteroOptError``: ``trial_devices_apart``, ``trial_device_unknown``,
    ``trial_device_confined``, ``file_missing`` and the first refusal of the format.
    """
    places = _places(search, host, chosen)
    _refuse_export(search, plan, places)
    at = next(iter(places.values())).runtime.host
    with transaction.atomic():
        Search.objects.select_for_update().get(pk=search.pk)
        same = PlanTrial.objects.filter(search=search, plan_hash=plan.summary["hash"])
        running = same.filter(Q(job__isnull=False) & ~Q(job__state__in=FINAL_STATES)).first()
        if running is not None:
            return running
        row = PlanTrial.objects.create(
            team=search.team,
            search=search,
            plan_hash=plan.summary["hash"],
            plan_number=plan.summary["number"],
            host=at,
            host_name=at.name,
            places={name: _place(device) for name, device in places.items()},
            created_by=user,
        )
        row.job = jobs.submit(RUN_TRIAL, team=search.team, created_by=user, object_id=row.pk, queue=at.queue)
        row.save(update_fields=["job"])
        for old in PlanTrial.objects.filter(search=search)[KEPT_TRIALS:]:
            delete_trial(old)
    return row


def stop_trial(trial: PlanTrial) -> bool:
    """Ask its job to stop; ``False`` if it does not run."""
    return trial.job_id is not None and jobs.cancel(trial.job_id)


@transaction.atomic
def delete_trial(trial: PlanTrial) -> None:
    """Delete a trial run, and stop its job."""
    stop_trial(trial)
    trial.delete()


def request_of(row: PlanTrial) -> ExportRequest:
    """The plan of a trial as it is now found, without the model's file."""
    plan = load_plan(row.search, row.plan_number, row.plan_hash)
    return exports.export_request(row.search, plan, _options(row.places), None)


def device_ids(row: PlanTrial) -> set[uuid.UUID]:
    """The host's devices that it runs on."""
    return {uuid.UUID(place["device_id"]) for place in row.places.values()}


def with_fingerprints(row: PlanTrial, digests: Mapping[str, str]) -> dict[str, Any]:
    """The places of a trial with the fingerprint that each ran with; ``digests`` by id of the host's device."""
    return {name: {**place, "fingerprint": digests.get(place["device_id"], "")} for name, place in row.places.items()}


def staleness(row: PlanTrial) -> list[dict[str, Any]]:
    """What has changed since it ran: runtimes that have another fingerprint now, as reasons of calibrations say it."""
    ran = {place["device_id"]: place.get("fingerprint", "") for place in row.places.values()}
    if row.result is None or not any(ran.values()):
        return []
    rows = HostDevice.objects.filter(pk__in=ran).select_related("runtime").order_by("runtime__name")
    changed = {
        device.runtime.name: {
            "runtime": device.runtime.name, "before": ran[str(device.pk)], "after": device.runtime.fingerprint_id,
        }
        for device in rows
        if device.runtime.fingerprint_id and ran[str(device.pk)] not in ("", device.runtime.fingerprint_id)
    }  # fmt: skip
    return [{"code": "fingerprint_changed", "params": params} for params in changed.values()]


def _places(search: Search, host: Host | None, chosen: Mapping[str, HostDevice]) -> dict[str, HostDevice]:
    names = [device["name"] for device in search.pool_summary["devices"]]
    for name in chosen:
        if name not in names:
            raise HeteroOptError(
                "trial_device_unknown", f"The pool of this plan has no device {name!r}.",
                hint="Name devices of the pool that was searched.", device=name,
            )  # fmt: skip
    hosts = {device.runtime.host_id: device.runtime.host for device in chosen.values()}
    if host is not None:
        hosts[host.pk] = host
    if len(hosts) > 1:
        raise HeteroOptError(
            "trial_devices_apart", "The chosen devices are on different hosts; a trial run is on one.",
            hint="Choose devices of one host.",
        )  # fmt: skip
    own = _own_devices(search, hosts)
    chosen = {**own, **chosen}
    hosts |= {device.runtime.host_id: device.runtime.host for device in own.values()}
    default = None
    if not set(names) <= set(chosen):
        default = _default(list(hosts.values()) or [one for one in all_hosts() if is_alive(one)])
    places = {name: chosen.get(name) or default for name in names}
    found = {name: device for name, device in places.items() if device is not None}
    for device in found.values():
        refuse_unready(device)
        _refuse_confined(device)
    return found


def _own_devices(search: Search, hosts: Mapping[Any, Host]) -> dict[str, HostDevice]:
    """Devices of the pool that are devices of a host, and can take part there; none where it is another host."""
    pool = None if search.pool_version is None else search.pool_version.pool
    if pool is None or pool.host is None or not is_alive(pool.host) or any(pk != pool.host_id for pk in hosts):
        return {}
    names = {device["name"] for device in search.pool_summary["devices"]}
    found = devices_of(pool)
    return {n: d for n, d in found.items() if n in names and d.shown_state == DeviceState.HEALTHY and _option(d)}


def _default(hosts: list[Host]) -> HostDevice:
    """ONNX Runtime's CPU on the first of the hosts that has it."""
    found = HostDevice.objects.select_related("runtime__host").filter(runtime__name="onnxruntime", device_type="CPU")
    for host in hosts:
        usable = [d for d in found.filter(runtime__host=host).order_by("index") if d.state == DeviceState.HEALTHY]
        if usable:
            return min(usable, key=lambda device: ("cores" in device.position, device.index))
    raise ConflictError(
        "trial_no_host",
        "No host with ONNX Runtime on a CPU is there now, so the plan cannot be run.",
        hint="Start the process of a host: ./run worker --host; or run `heteroopt trial` where the plan shall run.",
    )


def _refuse_confined(device: HostDevice) -> None:
    if not _option(device):
        raise HeteroOptError(
            "trial_device_confined",
            f"{device.name} cannot take part: segments of an uploaded model run without access to drivers, on CPUs.",
            hint="Choose a CPU of ONNX Runtime or OpenVINO, or run `heteroopt trial` on that host.",
            device=device.name,
        )


def _option(device: HostDevice) -> str:
    """The value of the format's option ``device.NAME``; "" for what cannot run in the sandbox."""
    runtime = device.runtime.name
    if runtime == "onnxruntime" and device.position.get("provider", CPU_PROVIDER) == CPU_PROVIDER:
        return f"onnxruntime:{CPU_PROVIDER}"
    if runtime == "openvino" and device.device_type == "CPU":
        return "openvino:CPU"
    return ""


def _place(device: HostDevice) -> dict[str, str]:
    named = {"runtime": device.runtime.name, "device": device.name}
    return {"device_id": str(device.pk), **named, "option": _option(device), "cores": _cores(device)}


def _cores(device: HostDevice) -> str:
    """The value of the format's option ``cores.NAME``; "" for a whole CPU."""
    return ",".join(str(int(core)) for core in device.position.get("cores", ()))


def _options(places: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    cores = {f"cores.{name}": place["cores"] for name, place in places.items() if place.get("cores")}
    return {f"device.{name}": place["option"] for name, place in places.items()} | cores


def _refuse_export(search: Search, plan: StoredPlan, places: Mapping[str, HostDevice]) -> None:
    from heteroopt.deployment.export_plan import refusals_of
    from heteroopt.deployment.export_registry import find_exporter

    options = _options({name: _place(device) for name, device in places.items()})
    request = exports.export_request(search, plan, options, exports.model_files(search.model)[0])
    for refusal in refusals_of(find_exporter(FORMAT), request):
        raise refusal
