"""``/api/pools/{id}/versions/`` and what a change alters; pools from the text of topology tools."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.jobs.sandbox import read_in_sandbox
from apps.modelhub.api import ERRORS
from apps.modelhub.schema import NamesField, PersonSerializer, RemarkSerializer
from apps.pools.checking import checked_pool
from apps.pools.marks import device_marks, load_pool
from apps.pools.models import PoolVersion
from apps.pools.queries import get_pool, visible_pools
from apps.pools.serializers import CalibrationsField, PoolDeviceSerializer, PoolSpecField, PoolSpecSerializer
from config.parsing import JSONParser
from heteroopt.devices.differences import pool_changes
from heteroopt.devices.pool import DevicePool

READ_TOPOLOGY = "apps.pools.reading:read_topology_pool"
"""Called in the sandbox; the workers allow it by this name."""

MOST_CHANGES = 1_000
MAX_TEXT = 4_000_000


class PoolVersionSerializer(serializers.Serializer[Any]):
    """A saved state of a pool; nothing changes it later."""

    number = serializers.IntegerField()
    pool_hash = serializers.CharField()
    created_at = serializers.DateTimeField()
    created_by = PersonSerializer(allow_null=True)
    n_devices = serializers.SerializerMethodField()
    calibrations = CalibrationsField()

    def get_n_devices(self, row: PoolVersion) -> int:
        """How many devices it has."""
        return len(row.spec["devices"])


class PoolChangeSerializer(serializers.Serializer[Any]):
    """One difference; ``alters`` says what of a plan: time, energy, memory, operators, transfers, price, reference."""

    kind = serializers.CharField()
    where = serializers.CharField(allow_blank=True)
    field = serializers.CharField(allow_blank=True)
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)
    alters = serializers.CharField(allow_blank=True)


class PoolChangesSerializer(serializers.Serializer[Any]):
    """What differs; ``same_plans``: nothing that a plan depends on. ``calibrations_lost``: devices without theirs."""

    changes = PoolChangeSerializer(many=True)
    n_changes = serializers.IntegerField()
    same_plans = serializers.BooleanField()
    calibrations_lost = serializers.ListField(child=serializers.CharField())


class PoolChangesAskedSerializer(serializers.Serializer[Any]):
    """Two versions, or one and a state that is not saved. Left out, ``before`` is the current version."""

    before = serializers.IntegerField(required=False, min_value=1)
    after = serializers.IntegerField(required=False, min_value=1)
    spec = PoolSpecField(required=False)


class TopologyAskedSerializer(serializers.Serializer[Any]):
    """What a tool printed, and templates for devices that match none."""

    text = serializers.CharField(max_length=MAX_TEXT, trim_whitespace=False)
    templates = NamesField(required=False, help_text="by the name of a device (gpu0) or a kind (package)")
    name = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)


class TopologyDeviceSerializer(serializers.Serializer[Any]):
    """A device that the text lists, and the template that its name says, "" if none."""

    name = serializers.CharField()
    kind = serializers.CharField()
    title = serializers.CharField(allow_blank=True)
    template = serializers.CharField(allow_blank=True)


class TopologyPoolSerializer(serializers.Serializer[Any]):
    """``spec`` is null until every device has a template."""

    found = TopologyDeviceSerializer(many=True)
    spec = PoolSpecField(allow_null=True)
    devices = PoolDeviceSerializer(many=True)
    notes = RemarkSerializer(many=True)


class PoolVersionListView(generics.GenericAPIView):  # type: ignore[type-arg]
    """A pool's versions."""

    serializer_class = PoolVersionSerializer

    @extend_schema(operation_id="pools_versions", tags=["pools"], responses=PoolVersionSerializer(many=True))
    def get(self, request: Request, pool_id: uuid.UUID) -> Response:
        """List a pool's versions, newest first."""
        rows = get_pool(request, pool_id).versions.select_related("created_by").prefetch_related("calibrated")
        return self.get_paginated_response(PoolVersionSerializer(self.paginate_queryset(rows), many=True).data)


class PoolVersionView(APIView):
    """One version."""

    @extend_schema(operation_id="pools_version", tags=["pools"], responses={200: PoolSpecSerializer, **ERRORS})
    def get(self, request: Request, pool_id: uuid.UUID, number: int) -> Response:
        """Read the specification of a version."""
        return Response(_version(get_pool(request, pool_id).pk, number).spec)


class PoolChangesView(APIView):
    """What a change alters."""

    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="pools_changes",
        tags=["pools"],
        request=PoolChangesAskedSerializer,
        responses={200: PoolChangesSerializer, **ERRORS},
    )
    def post(self, request: Request, pool_id: uuid.UUID) -> Response:
        """Compare two versions of a pool, or one with a state that is not saved."""
        row = get_pool(request, pool_id)
        assert row.version is not None
        form = PoolChangesAskedSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        old = _version(row.pk, asked["before"]) if "before" in asked else row.version
        new: PoolVersion | None = None
        if "spec" in asked:
            after = checked_pool(asked["spec"])
        else:
            new = _version(row.pk, asked["after"]) if "after" in asked else row.version
            after = load_pool(new.spec)
        before = load_pool(old.spec)
        changes = pool_changes(before, after)
        names = {device.name for device in after.devices}
        kept = names if new is None else set(new.calibrations)
        answer = {
            "changes": changes[:MOST_CHANGES],
            "n_changes": len(changes),
            "same_plans": before.content_hash == after.content_hash,
            "calibrations_lost": [name for name in old.calibrations if name not in kept],
        }
        return Response(PoolChangesSerializer(answer).data)


class PoolTopologyView(APIView):
    """Pools from the text of topology tools."""

    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="pools_topology",
        tags=["pools"],
        request=TopologyAskedSerializer,
        responses={200: TopologyPoolSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Read ``nvidia-smi topo -m``, hwloc's XML or ``npu-smi``; nothing is saved."""
        visible_pools(request)  # only a member of a team may have text read
        form = TopologyAskedSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        found = read_in_sandbox(READ_TOPOLOGY, dict(form.validated_data))
        pool: DevicePool | None = None if found["spec"] is None else checked_pool(found["spec"])
        answer = {
            "found": found["found"],
            "spec": None if pool is None else pool.to_dict(),
            "devices": [] if pool is None else device_marks(pool),
            "notes": [] if pool is None else list(pool.notes),
        }
        return Response(TopologyPoolSerializer(answer).data)


def _version(pool_id: uuid.UUID, number: int) -> PoolVersion:
    row = PoolVersion.objects.filter(pool=pool_id, number=number).prefetch_related("calibrated").first()
    if row is None:
        raise Http404
    return row
