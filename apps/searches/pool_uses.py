"""What depends on a pool: the searches that ran on each of its versions, and which of them are of an older one."""

from __future__ import annotations

import uuid
from typing import Any

from django.db.models import Count
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.modelhub.api import ERRORS
from apps.pools.models import PoolVersion
from apps.pools.queries import get_pool
from apps.searches.queries import all_searches
from apps.searches.serializers import STATES

SHOWN = 20


class PoolUseSerializer(serializers.Serializer[Any]):
    """A search on the pool. ``stale``: the pool now means something else for plans than it did then."""

    id = serializers.UUIDField()
    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=STATES)
    model = serializers.CharField()
    version = serializers.IntegerField()
    stale = serializers.BooleanField()
    n_plans = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class VersionUseSerializer(serializers.Serializer[Any]):
    """How many searches ran on a version."""

    version = serializers.IntegerField()
    n_searches = serializers.IntegerField()


class PoolUsesSerializer(serializers.Serializer[Any]):
    """Everything that depends on a pool."""

    n_searches = serializers.IntegerField()
    versions = VersionUseSerializer(many=True)
    searches = PoolUseSerializer(many=True, help_text="the newest 20 of them")


class PoolUsesView(APIView):
    """What depends on a pool."""

    @extend_schema(operation_id="pools_uses", tags=["pools"], responses={200: PoolUsesSerializer, **ERRORS})
    def get(self, request: Request, pool_id: uuid.UUID) -> Response:
        """List the searches on a pool; they keep the version that they started with."""
        pool = get_pool(request, pool_id)
        assert pool.version is not None
        current = _state(pool.version)
        searches = all_searches().filter(pool_version__pool=pool).order_by("-created_at")
        counts = (
            searches.order_by().values("pool_version__number").annotate(n=Count("id")).order_by("-pool_version__number")
        )
        rows = searches.select_related("pool_version").prefetch_related(
            "pool_version__calibrated", "pool_version__profiled"
        )[:SHOWN]
        found = {
            "n_searches": searches.count(),
            "versions": [{"version": row["pool_version__number"], "n_searches": row["n"]} for row in counts],
            "searches": [
                {
                    "id": row.pk,
                    "number": row.number,
                    "state": row.state,
                    "model": row.model_summary["name"],
                    "version": version.number,
                    "stale": _state(version) != current,
                    "n_plans": row.n_plans,
                    "created_at": row.created_at,
                }
                for row in rows
                if (version := row.pool_version) is not None
            ],
        }
        return Response(PoolUsesSerializer(found).data)


def _state(version: PoolVersion) -> tuple[str, dict[str, uuid.UUID], object]:
    """What of a version plans depend on."""
    return version.pool_hash, version.calibrations, version.profiles
