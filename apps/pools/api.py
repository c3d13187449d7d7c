"""The pool resource."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import current_team
from apps.audit.services import record
from apps.jobs.sandbox import read_in_sandbox
from apps.modelhub.api import ERRORS, asking_user
from apps.modelhub.text import attachment
from apps.pools import services
from apps.pools.checking import check_spec, checked_pool
from apps.pools.marks import device_marks
from apps.pools.queries import get_pool, visible_pools
from apps.pools.serializers import (
    PoolCheckSerializer,
    PoolImportSerializer,
    PoolSerializer,
    PoolWriteSerializer,
)
from config.parsing import JSONParser
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.pool_toml import MAX_TOML_BYTES
from heteroopt.errors import PoolError

READ_POOL = "apps.pools.reading:read_pool"
"""Called in the sandbox; the workers allow it by this name."""


def _pool_of(data: Any) -> tuple[DevicePool, dict[str, Any]]:
    """The pool that a request body describes, its calibrations and profiles; every wrong field is named."""
    form = PoolWriteSerializer(data=data)
    form.is_valid(raise_exception=True)
    spec = form.validated_data["spec"]
    if "name" in form.validated_data and isinstance(spec, dict):
        spec = {**spec, "name": form.validated_data["name"]}
    return checked_pool(spec), {name: form.validated_data.get(name) for name in ("calibrations", "profiles")}


class PoolListView(generics.GenericAPIView):  # type: ignore[type-arg]
    """The team's pools."""

    serializer_class = PoolSerializer
    parser_classes = (JSONParser,)

    @extend_schema(operation_id="pools_list", tags=["pools"], responses=PoolSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the pools, newest first."""
        page = self.paginate_queryset(visible_pools(request))
        return self.get_paginated_response(PoolSerializer(page, many=True).data)

    @extend_schema(
        operation_id="pools_create",
        tags=["pools"],
        request=PoolWriteSerializer,
        responses={201: PoolSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Save a new pool. A device may name a template and give only what differs."""
        pool, costs = _pool_of(request.data)
        row = services.add_pool(current_team(request), asking_user(request), pool, **costs)
        record(request, "pool.create", row)
        return Response(PoolSerializer(row).data, status=201)


class PoolView(APIView):
    """One pool."""

    parser_classes = (JSONParser,)

    @extend_schema(operation_id="pools_retrieve", tags=["pools"], responses={200: PoolSerializer, **ERRORS})
    def get(self, request: Request, pool_id: uuid.UUID) -> Response:
        """Read a pool in its current version."""
        return Response(PoolSerializer(get_pool(request, pool_id)).data)

    @extend_schema(
        operation_id="pools_update",
        tags=["pools"],
        request=PoolWriteSerializer,
        responses={200: PoolSerializer, **ERRORS},
    )
    def put(self, request: Request, pool_id: uuid.UUID) -> Response:
        """Save a pool's new state as its next version."""
        row = get_pool(request, pool_id)
        pool, costs = _pool_of(request.data)
        saved = services.save_version(row, asking_user(request), pool, **costs)
        record(request, "pool.update", saved)
        return Response(PoolSerializer(get_pool(request, pool_id)).data)

    @extend_schema(operation_id="pools_delete", tags=["pools"], responses={204: None, **ERRORS})
    def delete(self, request: Request, pool_id: uuid.UUID) -> Response:
        """Delete a pool; searches that used it keep their version."""
        row = get_pool(request, pool_id)
        record(request, "pool.delete", row, details={"name": row.name})
        services.remove_pool(row)
        return Response(status=204)


class PoolImportView(APIView):
    """Pools from TOML."""

    parser_classes = (MultiPartParser, JSONParser)

    @extend_schema(
        operation_id="pools_import",
        tags=["pools"],
        request={"multipart/form-data": PoolImportSerializer, "application/json": PoolImportSerializer},
        responses={201: PoolSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Save a new pool from a TOML file, or from its text."""
        form = PoolImportSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        pool = checked_pool(read_in_sandbox(READ_POOL, {"text": _toml_text(form.validated_data)}))
        row = services.add_pool(current_team(request), asking_user(request), pool)
        record(request, "pool.create", row)
        return Response(PoolSerializer(row).data, status=201)


def _toml_text(data: dict[str, Any]) -> str:
    """The text of an import, ended by a newline: without one the engine would take it for a path."""
    text, file = data.get("toml"), data.get("file")
    if (text is None) == (file is None):
        raise PoolError("pool_import", "Send either a TOML file or its text.", hint="Use the field file or toml.")
    if file is not None:
        if file.size > MAX_TOML_BYTES:
            raise PoolError("pool_file", f"A pool file has at most {MAX_TOML_BYTES} characters.", size=file.size)
        try:
            text = file.read().decode("utf-8")
        except UnicodeDecodeError as error:
            raise PoolError("not_toml", "The file is not UTF-8 text.", reason=str(error)) from error
    return f"{text}\n"


class PoolTomlView(APIView):
    """A pool as TOML."""

    @extend_schema(
        operation_id="pools_toml",
        tags=["pools"],
        responses={(200, "application/toml"): OpenApiTypes.STR, **ERRORS},
    )
    def get(self, request: Request, pool_id: uuid.UUID) -> HttpResponse:
        """Download the current version as TOML text that can be imported again."""
        row = get_pool(request, pool_id)
        return attachment(row.device_pool.to_toml(), row.name, "toml", "application/toml; charset=utf-8")


class PoolCheckView(APIView):
    """Checks without saving."""

    parser_classes = (JSONParser,)

    @extend_schema(
        operation_id="pools_validate",
        tags=["pools"],
        request=PoolWriteSerializer,
        responses={200: PoolCheckSerializer, **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Check a pool and name every wrong field."""
        form = PoolWriteSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        check = check_spec(form.validated_data["spec"])
        pool = check.pool
        answer = {
            "valid": pool is not None,
            "errors": check.errors,
            "spec": None if pool is None else pool.to_dict(),
            "devices": [] if pool is None else device_marks(pool),
            "notes": [] if pool is None else list(pool.notes),
        }
        return Response(PoolCheckSerializer(answer).data)
