"""``/api/hosts/`` and what belongs to them: devices, cordons, fingerprints."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.models import User
from apps.accounts.roles import MANAGE
from apps.audit.services import record
from apps.hosts import services
from apps.hosts.models import Fingerprint
from apps.hosts.queries import all_hosts, get_device, get_host
from apps.hosts.serializers import (
    CordonSerializer,
    FingerprintSerializer,
    HostDeviceSerializer,
    HostSerializer,
    HostsSerializer,
)
from config.parsing import JSONParser


def asking_user(request: Request) -> User:
    """The signed-in user; the permission class lets nobody else through."""
    assert isinstance(request.user, User)
    return request.user


class HostListView(APIView):
    """Every host of the installation."""

    @extend_schema(operation_id="hosts_list", tags=["hosts"], responses=HostsSerializer)
    def get(self, request: Request) -> Response:
        """List the hosts with their runtimes, devices, states and reasons."""
        found = {
            "hosts": all_hosts(),
            "shared": not settings.CELERY_BROKER_URL.startswith("filesystem"),
            "kept_here": settings.DEVICES,
        }
        return Response(HostsSerializer(found).data)


class HostView(APIView):
    """One host."""

    write_permission = MANAGE

    @extend_schema(operation_id="hosts_retrieve", tags=["hosts"], responses=HostSerializer)
    def get(self, request: Request, host_id: uuid.UUID) -> Response:
        """Read a host."""
        return Response(HostSerializer(get_host(host_id)).data)

    @extend_schema(operation_id="hosts_forget", tags=["hosts"], responses={204: None})
    def delete(self, request: Request, host_id: uuid.UUID) -> Response:
        """Forget a host that will not come back; one that is alive is refused (409)."""
        host = get_host(host_id)
        services.forget(host)
        record(request, "host.forget", host, details={"name": host.name})
        return Response(status=204)


class DeviceCordonView(APIView):
    """Keeps work away from a device."""

    write_permission = MANAGE
    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="devices_cordon", tags=["hosts"], request=CordonSerializer, responses=HostDeviceSerializer
    )
    def post(self, request: Request, device_id: uuid.UUID) -> Response:
        """Cordon a device, or let it have work again. What runs on it goes on."""
        device = get_device(device_id)
        form = CordonSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        if services.cordon(device, asking_user(request), cordoned=asked["cordoned"], note=asked["note"]):
            action = "device.cordon" if asked["cordoned"] else "device.uncordon"
            place = {"host": device.runtime.host.name, "runtime": device.runtime.name, "device": device.name}
            record(request, action, device, details={**place, "note": asked["note"]})
        return Response(HostDeviceSerializer(device).data)


class FingerprintView(APIView):
    """One fingerprint."""

    @extend_schema(operation_id="fingerprints_retrieve", tags=["hosts"], responses=FingerprintSerializer)
    def get(self, request: Request, digest: str) -> Response:
        """Read what a fingerprint stands for."""
        found = Fingerprint.objects.filter(pk=digest).first()
        if found is None:
            raise Http404
        return Response(FingerprintSerializer(found).data)
