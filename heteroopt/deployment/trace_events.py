"""A plan's schedule as Chrome trace events: what runs on every device and link, and how full every memory is; where
the search was about several items in flight, these too.

The format is the JSON of the Trace Event Format that Perfetto, chrome://tracing and Speedscope read. Its times are
microseconds; Perfetto keeps nanoseconds. Slices of one track must not overlap, so both ends of a slice are rounded down
to a nanosecond before its length is taken; exact picoseconds stand in ``args``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from heteroopt.deployment.plan import Plan
from heteroopt.deployment.tables import operator_rows, outputs_of
from heteroopt.deployment.trace_items import item_events

DEVICES, LINKS, MEMORY = 1, 2, 3
"""Process numbers: one group of tracks each."""
_GROUPS = {DEVICES: "Devices", LINKS: "Links", MEMORY: "Memory"}
_PS_PER_NS = 1_000
_NS_PER_US = 1_000
_MOVES = 1


def trace_json(plan: Plan, hashes: dict[str, str]) -> str:
    """The trace as JSON text with a line for each event; the same plan gives the same bytes."""
    head = json.dumps(
        {
            "displayTimeUnit": "ns",
            "otherData": {
                "format": "heteroopt-trace",
                "format_version": "1",
                "model": plan.original.name,
                "pool": plan.pool.name,
                "plan_number": plan.number,
                "hashes": hashes,
                "units": {"ts": "us", "dur": "us", "args.*_ps": "ps", "args.*_bytes": "bytes", "args.energy_j": "J"},
            },
        },
        ensure_ascii=False,
        allow_nan=False,
    )
    lines = ",\n".join(json.dumps(event, ensure_ascii=False, allow_nan=False) for event in trace_events(plan))
    return f'{head[:-1]}, "traceEvents": [\n{lines}\n]}}\n'


def trace_events(plan: Plan) -> Iterator[dict[str, Any]]:
    """Metadata, slices by track in the order of time, the counters of the memories; then items in flight, if any."""
    yield from (_named("process_name", group, 0, {"name": name}) for group, name in _GROUPS.items())
    yield from (_named("process_sort_index", group, 0, {"sort_index": group}) for group in _GROUPS)
    yield from _operators(plan)
    yield from _transfers(plan)
    yield from _memory(plan)
    yield from item_events(plan, _slice, _named)


def microseconds(nanoseconds: int) -> float:
    """A time in microseconds that gives the same nanoseconds back, whether a reader truncates or rounds."""
    value = nanoseconds / _NS_PER_US
    return value if int(value * _NS_PER_US) == nanoseconds else math.nextafter(value, math.inf)


def _operators(plan: Plan) -> Iterator[dict[str, Any]]:
    for index, device in enumerate(plan.pool.devices):
        yield from _track(DEVICES, index + 1, device.name, index)
    schedule, position = plan.schedule, {device.name: index + 1 for index, device in enumerate(plan.pool.devices)}
    rows = sorted(operator_rows(plan), key=lambda row: (position[row["device"]], row["order"]))
    for row in rows:
        index = row["index"]
        start, finish = int(schedule.start_ps[index]), int(schedule.finish_ps[index])
        yield {
            **_slice(row["name"], row["op_type"], DEVICES, position[row["device"]], start, finish),
            "args": {
                "index": index,
                "order": row["order"],
                "op_type": row["op_type"],
                "precision": row["precision"],
                "model_operators": row["members"],
                "model_indices": list(plan.graph.operators[index].members),
                "model_outputs": [outputs_of(plan, member) for member in plan.graph.operators[index].members],
                "start_ps": start,
                "finish_ps": finish,
                "energy_j": row["energy_j"],
                "energy_source": row["energy_source"],
            },
        }


def _transfers(plan: Plan) -> Iterator[dict[str, Any]]:
    """Copies on their directed link; moves inside a shared memory, which queue nowhere, as asynchronous slices."""
    stores = plan.pool.store_names
    hops = plan.schedule.transfers
    links = {pair: tid for tid, pair in enumerate(sorted({(h.source, h.target) for h in hops if h.channel >= 0}), 2)}
    for (source, target), tid in links.items():
        yield from _track(LINKS, tid, f"{stores[source]} \N{RIGHTWARDS ARROW} {stores[target]}", tid)
    if any(hop.channel < 0 for hop in hops):
        yield from _track(LINKS, _MOVES, "inside a shared memory", _MOVES)
    ordered = sorted(enumerate(hops), key=lambda item: (links.get(item[1][1:3], 0), item[1].start_ps, item[0]))
    for number, hop in ordered:
        name = plan.graph.tensors[hop.tensor].name
        args = {
            "tensor": name,
            "source": stores[hop.source],
            "target": stores[hop.target],
            "size_bytes": hop.size_bytes,
            "start_ps": hop.start_ps,
            "finish_ps": hop.finish_ps,
        }
        if hop.channel >= 0:
            yield {
                **_slice(name, "transfer", LINKS, links[hop.source, hop.target], hop.start_ps, hop.finish_ps),
                "args": args,
            }
            continue
        common = {"name": name, "cat": "move", "id": str(number), "pid": LINKS, "tid": _MOVES}
        yield {**common, "ph": "b", "ts": microseconds(hop.start_ps // _PS_PER_NS), "args": args}
        yield {**common, "ph": "e", "ts": microseconds(hop.finish_ps // _PS_PER_NS)}


def _memory(plan: Plan) -> Iterator[dict[str, Any]]:
    """One counter a memory; of several changes within a nanosecond the largest value."""
    stores = plan.pool.store_names
    for memory in sorted(set(plan.problem.store_memory.tolist())):
        sharing = [stores[i] for i, own in enumerate(plan.problem.store_memory.tolist()) if own == memory]
        largest: dict[int, int] = {}
        for time_ps, size in plan.schedule.memory_points(memory):
            moment = time_ps // _PS_PER_NS
            largest[moment] = max(size, largest.get(moment, 0))
        for moment, size in largest.items():
            yield {
                "name": f"Memory of {', '.join(sharing)} (bytes)",
                "ph": "C",
                "pid": MEMORY,
                "tid": 0,
                "ts": microseconds(moment),
                "args": {"bytes": size},
            }


def _slice(name: str, category: str, group: int, track: int, start_ps: int, finish_ps: int) -> dict[str, Any]:
    start, finish = start_ps // _PS_PER_NS, finish_ps // _PS_PER_NS
    return {
        "name": name,
        "cat": category,
        "ph": "X",
        "pid": group,
        "tid": track,
        "ts": microseconds(start),
        "dur": microseconds(finish - start),
    }


def _track(group: int, track: int, name: str, position: int) -> Iterator[dict[str, Any]]:
    yield _named("thread_name", group, track, {"name": name})
    yield _named("thread_sort_index", group, track, {"sort_index": position})


def _named(kind: str, group: int, track: int, args: dict[str, Any]) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": group, "tid": track, "args": args}
