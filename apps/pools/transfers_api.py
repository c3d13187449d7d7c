"""``/api/pools/{id}/transfers/``: what copies between the ends of a pool were measured to take."""

from __future__ import annotations

import uuid
from itertools import islice
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.calibrations.services import legs_of
from apps.modelhub.api import ERRORS
from apps.pools.queries import get_pool
from heteroopt.calibration.pair_transfers import pair_transfers

MOST_PAIRS = 1_000


class TransferFitSerializer(serializers.Serializer[Any]):
    """seconds = latency + bytes / bandwidth; ``residual``: median of what that misses, ``worst``: its maximum."""

    latency_s = serializers.FloatField()
    bytes_per_s = serializers.FloatField()
    residual = serializers.FloatField()
    worst = serializers.FloatField()
    samples = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()), help_text="bytes, seconds, fitted seconds"
    )


class PairTransferSerializer(serializers.Serializer[Any]):
    """A copy of the pool. ``composed``: device to host to device, the sum of two measured legs."""

    source = serializers.CharField()  # type: ignore[assignment]
    target = serializers.CharField()
    path = serializers.ChoiceField(choices=("measured", "composed"))
    fit = TransferFitSerializer()


class PairsAskedSerializer(serializers.Serializer[Any]):
    """Of which pair; all by default."""

    source = serializers.CharField(required=False, max_length=200)  # type: ignore[assignment]
    target = serializers.CharField(required=False, max_length=200)


class PoolTransfersView(APIView):
    """Measured copies."""

    @extend_schema(
        operation_id="pools_transfers",
        tags=["pools"],
        parameters=[OpenApiParameter("source", str), OpenApiParameter("target", str)],
        responses={200: PairTransferSerializer(many=True), **ERRORS},
    )
    def get(self, request: Request, pool_id: uuid.UUID) -> Response:
        """List what the calibrations of the current version measured, at most 1,000 pairs; others are not measured."""
        row = get_pool(request, pool_id)
        assert row.version is not None
        form = PairsAskedSerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        pool = row.device_pool
        sources, targets = (
            [form.validated_data[end]] if end in form.validated_data else list(pool.store_names)
            for end in ("source", "target")
        )
        known = set(pool.store_names)
        ends = ((one, other) for one in sources for other in targets if one in known and other in known)
        calibrated = row.version.calibrations
        wanted = {*sources, *targets}
        legs = {name: legs_of(one) for name, one in calibrated.items() if name in wanted}
        pairs = islice(pair_transfers(pool, legs, ends), MOST_PAIRS)
        return Response(PairTransferSerializer([pair.to_dict() for pair in pairs], many=True).data)
