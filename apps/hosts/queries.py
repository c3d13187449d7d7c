"""Reads hosts and devices, which every team may see, and precision runs, of which models belong to their team."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Prefetch, Q, QuerySet
from django.http import Http404, HttpRequest
from django.utils import timezone
from rest_framework.request import Request

from apps.accounts.permissions import current_team
from apps.audit.services import get_visible_or_404
from apps.hosts.models import Host, HostDevice, HostRuntime, OperatorMap, PrecisionRun

AnyModel = TypeVar("AnyModel", bound=models.Model)


def all_hosts() -> QuerySet[Host]:
    """Every host with its runtimes and devices."""
    runtimes = HostRuntime.objects.select_related("fingerprint", "previous_fingerprint")
    devices = HostDevice.objects.select_related("cordoned_by")
    return Host.objects.prefetch_related(Prefetch("runtimes", runtimes), Prefetch("runtimes__devices", devices))


def is_alive(host: Host) -> bool:
    """Whether a process speaks for the host, and was heard within one lease time."""
    return bool(host.owner) and host.seen_at > timezone.now() - timedelta(seconds=settings.JOB_LEASE_SECONDS)


def get_host(host_id: uuid.UUID) -> Host:
    """One host, or 404."""
    return _or_404(all_hosts(), host_id)


def get_runtime(runtime_id: uuid.UUID) -> HostRuntime:
    """One runtime of a host, or 404."""
    return _or_404(HostRuntime.objects.select_related("host", "fingerprint", "previous_fingerprint"), runtime_id)


def get_device(device_id: uuid.UUID) -> HostDevice:
    """One device with its host, or 404."""
    return _or_404(HostDevice.objects.select_related("runtime__host", "cordoned_by"), device_id)


def all_maps() -> QuerySet[OperatorMap]:
    """Every operator map, newest first, without its rows."""
    related = ("runtime__host", "runtime__fingerprint", "device", "fingerprint", "job", "created_by")
    return OperatorMap.objects.select_related(*related).defer("body", "job__checkpoint")


def newest_maps() -> list[OperatorMap]:
    """Each device's newest map that has rows, and after it what was started since; by host, runtime and device."""
    found: list[OperatorMap] = []
    rows = all_maps().exclude(device=None).annotate(made=Q(body__isnull=False))
    complete: set[uuid.UUID | None] = set()
    begun: set[uuid.UUID | None] = set()
    for row in rows:
        if row.device_id not in complete and (row.made or row.device_id not in begun):
            begun.add(row.device_id)
            found.append(row)
        if row.made:
            complete.add(row.device_id)
    return sorted(found, key=lambda row: (row.runtime.host.name, row.runtime.name, row.device_name, row.created_at))


def get_map(map_id: uuid.UUID) -> OperatorMap:
    """One operator map, or 404."""
    return _or_404(all_maps(), map_id)


def all_runs() -> QuerySet[PrecisionRun]:
    """Every precision run of every team, newest first, without its rows."""
    related = ("left__runtime", "right__runtime", "job", "created_by")
    return PrecisionRun.objects.select_related(*related).defer("body", "job__checkpoint")


def visible_runs(request: HttpRequest | Request) -> QuerySet[PrecisionRun]:
    """Comparisons of operators, and those of the team's own models."""
    return all_runs().filter(Q(team=None) | Q(team=current_team(request)))


def get_run(request: HttpRequest | Request, run_id: uuid.UUID) -> PrecisionRun:
    """One run that the caller may see; 404 for any other."""
    shared = all_runs().filter(pk=run_id, team=None).first()
    return shared or get_visible_or_404(request, all_runs(), run_id)


def _or_404(rows: QuerySet[AnyModel], object_id: uuid.UUID) -> AnyModel:
    found = rows.filter(pk=object_id).first()
    if found is None:
        raise Http404
    return found
