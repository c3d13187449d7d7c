"""Rows that every format shows: operators of a plan, its devices, the placement of the model's own operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from heteroopt.costs.table import COST_SOURCES, ENERGY_SOURCES
from heteroopt.deployment.plan import Plan
from heteroopt.devices.precisions import PRECISIONS
from heteroopt.units import pj_to_j, ps_to_ms


def operator_rows(plan: Plan) -> list[dict[str, Any]]:
    """One row per scheduled operator, in the order of execution.

    Keys: index, name, op_type, op_class, device, order (from 0), start_ms, end_ms, time_ms, energy_j, cost_source,
    energy_source, precision, members (names of the model's operators), reason ({"code", "params"} or None),
    segment (index).
    """
    original, schedule = plan.original.operators, plan.schedule
    rows = []
    for position, index in enumerate(schedule.order.tolist()):
        operator, device = plan.graph.operators[index], int(schedule.device[index])
        precision = int(plan.costs.precision[index, device])
        rows.append(
            {
                "index": index,
                "name": operator.name,
                "op_type": operator.op_type,
                "op_class": operator.op_class,
                "device": plan.pool.devices[device].name,
                "order": position,
                "start_ms": ps_to_ms(int(schedule.start_ps[index])),
                "end_ms": ps_to_ms(int(schedule.finish_ps[index])),
                "time_ms": ps_to_ms(int(plan.costs.time_ps[index, device])),
                "energy_j": pj_to_j(int(plan.costs.energy_pj[index, device])),
                "cost_source": COST_SOURCES[int(plan.costs.source[index, device])],
                "energy_source": ENERGY_SOURCES[int(plan.costs.energy_source[index, device])],
                "precision": PRECISIONS[precision] if precision >= 0 else operator.precision,
                "members": [original[member].name for member in operator.members],
                "reason": dict(plan.reasons[index]) if plan.reasons is not None else None,
                "segment": plan.partition.segment_of[index],
            }
        )
    return rows


def placement_rows(plan: Plan) -> list[dict[str, Any]]:
    """One row per operator of the model itself, in its order: index and outputs (tensor names), which identify it,
    name, op_type, device, and the scheduled operator.
    """
    place = {member: operator for operator in plan.graph.operators for member in operator.members}
    return [
        {
            "name": operator.name,
            "op_type": operator.op_type,
            "device": plan.pool.devices[int(plan.schedule.device[place[operator.index].index])].name,
            "scheduled_in": place[operator.index].index,
            "index": operator.index,
            "outputs": outputs_of(plan, operator.index),
        }
        for operator in plan.original.operators
    ]


def outputs_of(plan: Plan, index: int) -> list[str]:
    """Names of what an operator of the model makes; with its index and the model's hash they identify it."""
    original = plan.original
    return [original.tensors[tensor].name for tensor in original.operators[index].outputs]


def device_rows(plan: Plan) -> list[dict[str, Any]]:
    """One row per device: what it is, its operators (count), busy_ms and busy share of the makespan."""
    counts = np.bincount(plan.schedule.device, minlength=len(plan.pool)).tolist()
    makespan = plan.schedule.makespan_ps
    rows = []
    for index, (device, tag, slot) in enumerate(
        zip(plan.pool.devices, plan.pool.tags(), plan.pool.slots(), strict=True)
    ):
        busy = int(plan.schedule.busy_ps[index])
        rows.append(
            {
                "name": device.name,
                "tag": tag,
                "slot": slot,
                "display_name": device.display_name,
                "device_type": device.device_type,
                "template": device.template,
                "operators": counts[index],
                "busy_ms": ps_to_ms(busy),
                "share": busy / makespan if makespan else 0.0,
            }
        )
    return rows


def transfer_rows(plan: Plan) -> list[dict[str, Any]]:
    """One row per hop, in the order in which they were placed: tensor, source, target, start_ms, end_ms, size_bytes."""
    stores = plan.pool.store_names
    return [
        {
            "tensor": plan.graph.tensors[hop.tensor].name,
            "source": stores[hop.source],
            "target": stores[hop.target],
            "start_ms": ps_to_ms(hop.start_ps),
            "end_ms": ps_to_ms(hop.finish_ps),
            "size_bytes": hop.size_bytes,
        }
        for hop in plan.schedule.transfers
    ]
