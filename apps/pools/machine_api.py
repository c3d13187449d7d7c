"""``/api/pools/machines/``: this installation's hosts as pools; and calibrating the devices of a pool."""

from __future__ import annotations

import uuid
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import current_team
from apps.audit.services import record
from apps.calibrations.serializers import MOST_CASES, MOST_MODELS
from apps.calibrations.services import DEFAULT_BUDGET_S, DEFAULT_CASES
from apps.hosts.queries import get_device, get_host
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.queries import get_model
from apps.modelhub.schema import ErrorSerializer
from apps.pools import machines, measuring
from apps.pools.marks import device_marks
from apps.pools.queries import get_pool
from apps.pools.serializers import CalibrationsField, PoolDeviceSerializer, PoolSerializer
from config.parsing import JSONParser
from heteroopt.devices.topology import found_on, is_estimated


class MachineDeviceSerializer(PoolDeviceSerializer):
    """A device of a host's pool. ``estimated``: some of its figures; ``place``: the runtime's device, "" if none."""

    estimated = serializers.BooleanField()
    place = serializers.CharField(allow_blank=True)


class MachineSerializer(serializers.Serializer[Any]):
    """What a host would be as a pool, and the pool that was made of it."""

    host = serializers.UUIDField(source="offer.host.pk")
    name = serializers.CharField(source="offer.host.name")
    devices = MachineDeviceSerializer(many=True)
    n_links = serializers.IntegerField()
    pool = serializers.UUIDField(source="offer.made.pk", allow_null=True, default=None)


class MachineChoiceSerializer(serializers.Serializer[Any]):
    """Which host."""

    host = serializers.UUIDField()


class PoolCalibrateSerializer(serializers.Serializer[Any]):
    """Which devices of hosts a pool's devices are, whose operators come first, and for how long each."""

    devices = CalibrationsField(
        required=False, help_text="by the name of a device; left out: as the pool's host has them"
    )
    models = serializers.ListField(child=serializers.UUIDField(), max_length=MOST_MODELS, default=list)
    count = serializers.IntegerField(min_value=1, max_value=MOST_CASES, default=DEFAULT_CASES)
    budget_s = serializers.IntegerField(min_value=5, max_value=3600, default=DEFAULT_BUDGET_S)


class MachineListView(APIView):
    """Hosts as pools."""

    parser_classes = (JSONParser,)

    @extend_schema(operation_id="pools_machines", tags=["pools"], responses=MachineSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the hosts that answer, each with the pool that its probe makes."""
        found = []
        for offer in machines.offers(current_team(request)):
            marks = device_marks(offer.pool)
            devices = [
                {**mark, "estimated": is_estimated(device), "place": found_on(device)}
                for mark, device in zip(marks, offer.pool.devices, strict=True)
            ]
            found.append({"offer": offer, "devices": devices, "n_links": len(offer.pool.all_links)})
        return Response(MachineSerializer(found, many=True).data)

    @extend_schema(
        operation_id="pools_from_machine",
        tags=["pools"],
        request=MachineChoiceSerializer,
        responses={200: PoolSerializer, 201: PoolSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Make a host's pool; the one that the team made of it before is returned instead (200)."""
        form = MachineChoiceSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        host = get_host(form.validated_data["host"])
        row, made = machines.make(host, current_team(request), asking_user(request))
        if made:
            record(request, "pool.create", row, details={"host": host.name})
        return Response(PoolSerializer(row).data, status=201 if made else 200)


class PoolCalibrateView(APIView):
    """Calibrates a pool's devices."""

    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="pools_calibrate",
        tags=["pools"],
        request=PoolCalibrateSerializer,
        responses={202: PoolSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def post(self, request: Request, pool_id: uuid.UUID) -> Response:
        """Start calibrations; each device uses its own once that is done, as a version of the pool."""
        row = get_pool(request, pool_id)
        form = PoolCalibrateSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        models = [get_model(request, model_id) for model_id in asked["models"]]
        devices = None
        if "devices" in asked:
            devices = {name: get_device(device_id) for name, device_id in asked["devices"].items()}
        user = asking_user(request)
        measuring.calibrate(row, user, devices, models, count=asked["count"], budget_s=asked["budget_s"])
        record(request, "pool.calibrate", row)
        return Response(PoolSerializer(get_pool(request, pool_id)).data, status=202)
