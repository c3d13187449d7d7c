"""Several items in flight through a plan: where each operator of each item runs."""

from __future__ import annotations

import uuid
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.modelhub.api import ERRORS
from apps.modelhub.schema import ErrorSerializer
from apps.searches.front_api import PLAN_HASH, asked_plan
from apps.searches.front_serializers import MemoryCurveSerializer, TransferSerializer
from apps.searches.fronts import StoredPlan
from apps.searches.models import Search
from apps.searches.plan_detail import memory_curves, planning_for
from apps.searches.services import engine_settings
from heteroopt.units import ps_to_ms


class ItemTransferSerializer(TransferSerializer):
    """One hop of a tensor of one item."""

    item = serializers.IntegerField(help_text="from 0")


class ItemsInFlightSerializer(serializers.Serializer[Any]):
    """Items from 0; a row of times an item, with a time an operator, by its index in the plan."""

    items = serializers.IntegerField(help_text="how many were run")
    asked = serializers.IntegerField(help_text="how many are in flight in this search; run are as many as fit")
    arrival_rate_per_s = serializers.FloatField(allow_null=True, help_text="null: all are there from the start")
    arrival_ms = serializers.ListField(child=serializers.FloatField())
    finish_ms = serializers.ListField(child=serializers.FloatField())
    start_ms = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))
    end_ms = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))
    transfers = ItemTransferSerializer(many=True)
    memory = MemoryCurveSerializer(many=True, help_text="weights once, and what all items in flight hold")
    critical_path = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2),
        help_text="[item, operator] of the chain that the last item's finish hangs on, in time order",
    )


class PlanItemsView(APIView):
    """Items in flight through one plan."""

    @extend_schema(
        operation_id="searches_plan_items",
        tags=["searches"],
        parameters=[PLAN_HASH],
        responses={200: ItemsInFlightSerializer, 409: ErrorSerializer, **ERRORS},
    )
    def get(self, request: Request, search_id: uuid.UUID, number: int) -> Response:
        """Run the first items in flight through a plan, as many as the search is about (32 unless it says so)."""
        return Response(items_json(*asked_plan(request, search_id, number)))


def items_json(search: Search, plan: StoredPlan) -> dict[str, Any]:
    """What ``ItemsInFlightSerializer`` describes."""
    from heteroopt.search.pipelined import items_of
    from heteroopt.simulation.in_flight import items_in_flight

    settings, planning = engine_settings(search), planning_for(search, plan)
    order, device = (rows[plan.row].tolist() for rows in (plan.front.plans.orders, plan.front.plans.devices))
    flight = items_in_flight(planning.problem, order, device, items_of(settings), settings.arrival_rate_per_s)
    start, finish = flight.operator_times_ps(planning.problem.n_operators)
    hops, n_devices = flight.transfers, len(planning.pool.devices)
    return {
        "items": flight.items,
        "asked": flight.asked,
        "arrival_rate_per_s": flight.arrivals_per_s,
        "arrival_ms": [ps_to_ms(time) for time in flight.result.arrivals_ps.tolist()],
        "finish_ms": [ps_to_ms(time) for time in flight.result.finish_ps.tolist()],
        "start_ms": [[ps_to_ms(time) for time in row] for row in start.tolist()],
        "end_ms": [[ps_to_ms(time) for time in row] for row in finish.tolist()],
        "transfers": [
            {
                "item": entry.item,
                "tensor": planning.graph.tensors[hops[entry.index].tensor].name,
                "source": hops[entry.index].source if hops[entry.index].source < n_devices else -1,
                "target": hops[entry.index].target if hops[entry.index].target < n_devices else -1,
                "channel": hops[entry.index].channel,
                "start_ms": ps_to_ms(entry.start_ps),
                "end_ms": ps_to_ms(entry.finish_ps),
                "size_bytes": hops[entry.index].size_bytes,
            }
            for entry in flight.log
            if entry.kind == "transfer"
        ],
        "memory": memory_curves(planning, flight.result.peak_bytes.tolist(), flight.memory_points),
        "critical_path": [list(step) for step in flight.critical_operators()],
    }
