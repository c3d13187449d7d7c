"""A plan as versioned JSON; ``schema/plan-v2.schema.json`` describes it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from heteroopt.costs.energy_origin import energy_sources
from heteroopt.deployment.approval import approval_entry
from heteroopt.deployment.plan import Plan
from heteroopt.deployment.segment_figures import segment_figures
from heteroopt.deployment.tables import device_rows, operator_rows, placement_rows, transfer_rows
from heteroopt.units import pj_to_j, ps_to_ms
from heteroopt.version import __version__

FORMAT = "heteroopt-plan"
FORMAT_VERSION = 2
READABLE_VERSIONS = (1, 2)


def plan_document(plan: Plan, *, search: Mapping[str, Any] | None = None, with_inputs: bool = False) -> dict[str, Any]:
    """JSON-able document of a plan.

    ``search``: the front that the plan was chosen from, so that ``heteroopt select`` can choose another one.
    ``with_inputs``: graph, pool and costs themselves, so that the plan can be decoded and explained again.
    """
    schedule = plan.schedule
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "engine_version": __version__,
        "seed": plan.settings.seed,
        "settings": plan.settings.to_dict(),
        "hashes": {
            "model": plan.original.content_hash,
            "graph": plan.graph.content_hash,
            "pool": plan.pool.content_hash,
            "costs": plan.costs.content_hash,
            "settings": settings_hash(plan),
            "plan": plan.content_hash,
        },
        "model": {
            "name": plan.original.name,
            "operators": len(plan.original.operators),
            "scheduled_operators": len(plan.graph.operators),
            "dims": dict(plan.original.dims),
        },
        "pool": {
            "name": plan.pool.name,
            "host": plan.pool.store_names[plan.pool.host],
            "default_device": plan.pool.devices[plan.pool.default_index].name,
        },
        "constraints": {
            "pins": dict(plan.pins or {}),
            "forbidden_devices": list(plan.forbidden),
            "memory_caps_bytes": dict(plan.memory_caps or {}),
        },
        "approval": approval_entry(plan.approval),
        "reference": reference_entry(plan),
        "plan": {
            "number": plan.number,
            "exec_time_ms": ps_to_ms(schedule.makespan_ps),
            "energy_j": pj_to_j(schedule.energy_pj),
            "energy_sources": energy_sources(plan.costs, schedule.device),
            "load_balance": schedule.load_variance,
            "exec_time_x": plan.multiple("exec_time_ms"),
            "energy_x": plan.multiple("energy_j"),
            "load_balance_x": plan.multiple("load_balance"),
            "feasible": schedule.feasible,
            "overflow_bytes": schedule.overflow_bytes,
            "transferred_bytes": schedule.transferred_bytes,
            "n_transfers": schedule.n_transfers,
            "n_cut_edges": schedule.n_cut_edges,
            "segments": segment_figures(plan.partition, schedule),
            "memories": memory_entries(plan),
            "measures": [figure.to_dict() for figure in plan.measures.values()],
        },
        "devices": device_rows(plan),
        "operators": operator_rows(plan),
        "placement": placement_rows(plan),
        "transfers": transfer_rows(plan),
        "search": None if search is None else dict(search),
        "inputs": _inputs(plan) if with_inputs else None,
    }


def plan_json(plan: Plan, *, search: Mapping[str, Any] | None = None, with_inputs: bool = False) -> str:
    """The document as text: the same plan gives the same bytes. NaN and infinity are refused with ``ValueError``."""
    return dump_document(plan_document(plan, search=search, with_inputs=with_inputs))


def dump_document(document: Mapping[str, Any]) -> str:
    """A plan document as text that ends with a line feed."""
    return "".join(_lines(document))


def write_document(path: str | Path, document: Mapping[str, Any]) -> None:
    """Write ``dump_document``'s text without holding all of it in memory."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        file.writelines(_lines(document))


def _lines(value: Any, depth: int = 0) -> Iterator[str]:
    """The text of a value in pieces: objects that hold lists or objects with a line for each key, lists of them with
    a line for each entry, everything else in one line. Entries of a list (an operator, a plan) are never spread.
    """
    gap = "\n" + " " * (depth + 1)
    if isinstance(value, Mapping) and any(isinstance(part, Mapping | list) for part in value.values()):
        start = "{"
        for key, part in value.items():
            yield f"{start}{gap}{json.dumps(key, ensure_ascii=False)}: "
            yield from _lines(part, depth + 1)
            start = ","
        yield gap[:-1] + "}"
    elif isinstance(value, list) and any(isinstance(part, Mapping | list) for part in value):
        start = "["
        for part in value:
            yield f"{start}{gap}{_compact(part)}"
            start = ","
        yield gap[:-1] + "]"
    else:
        yield _compact(value)
    if depth == 0:
        yield "\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def settings_hash(plan: Plan) -> str:
    """SHA-256 (hex) of the search settings and the constraints that a person set."""
    content = [
        plan.settings.to_dict(),
        sorted((plan.pins or {}).items()),
        sorted(plan.forbidden),
        sorted((plan.memory_caps or {}).items()),
    ]
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def reference_entry(plan: Plan) -> dict[str, Any]:
    """The plan that multiples refer to: its kind, device and values."""
    reference = plan.reference
    return {
        "kind": reference.kind,
        "device": plan.pool.devices[reference.device].name,
        "feasible": reference.feasible,
        "overflow_bytes": reference.overflow_bytes,
        "exec_time_ms": ps_to_ms(reference.time_ps),
        "energy_j": pj_to_j(reference.energy_pj),
        "energy_sources": energy_sources(plan.costs, reference.devices),
        "load_balance": reference.load_variance,
    }


def memory_entries(plan: Plan) -> list[dict[str, Any]]:
    """Peak and limit of every memory that is limited, with the devices that share it."""
    entries = []
    for memory, (peak, limit) in enumerate(
        zip(plan.schedule.peak_bytes.tolist(), plan.schedule.capacity_bytes.tolist(), strict=True)
    ):
        sharing = [
            device.name
            for device, own in zip(plan.pool.devices, plan.problem.store_memory.tolist(), strict=False)
            if own == memory
        ]
        if sharing:
            entries.append({"devices": sharing, "peak_bytes": peak, "limit_bytes": limit})
    return entries


def _inputs(plan: Plan) -> dict[str, Any]:
    return {
        "graph": plan.graph.to_dict(),
        "pool": plan.pool.to_dict(),
        "costs": plan.costs.to_dict(),
        "order": plan.schedule.order.tolist(),
        "device": plan.schedule.device.tolist(),
    }
