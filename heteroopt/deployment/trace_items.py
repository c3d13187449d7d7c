"""Trace events of several items in flight, in process groups of their own beside those of the single run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from heteroopt.deployment.plan import Plan
from heteroopt.search.pipelined import is_pipelined, items_of
from heteroopt.simulation.in_flight import InFlight, items_in_flight

DEVICES, LINKS = 4, 5
"""Process numbers."""

Slice = Callable[[str, str, int, int, int, int], dict[str, Any]]
"""(name, category, group, track, start_ps, finish_ps) -> a complete event."""
Named = Callable[[str, int, int, dict[str, Any]], dict[str, Any]]
"""(kind, group, track, args) -> a metadata event."""


def item_events(plan: Plan, sliced: Slice, named: Named) -> Iterator[dict[str, Any]]:
    """Nothing unless the plan's search was about items in flight; ``args.item`` counts from 1."""
    if not is_pipelined(plan.settings):
        return
    schedule = plan.schedule
    flight = items_in_flight(
        plan.problem,
        schedule.order.tolist(),
        schedule.device.tolist(),
        items_of(plan.settings),
        plan.settings.arrival_rate_per_s,
    )
    for group, name in ((DEVICES, "Devices"), (LINKS, "Links")):
        yield named("process_name", group, 0, {"name": f"{name}, {flight.items} of {flight.asked} items in flight"})
        yield named("process_sort_index", group, 0, {"sort_index": group})
    for index, device in enumerate(plan.pool.devices):
        yield named("thread_name", DEVICES, index + 1, {"name": device.name})
        yield named("thread_sort_index", DEVICES, index + 1, {"sort_index": index})
    yield from _slices(plan, flight, sliced, named)


def _slices(plan: Plan, flight: InFlight, sliced: Slice, named: Named) -> Iterator[dict[str, Any]]:
    stores, device = plan.pool.store_names, plan.schedule.device
    hops = flight.transfers
    tracks = {pair: at for at, pair in enumerate(sorted({(h.source, h.target) for h in hops if h.channel >= 0}), 1)}
    for (source, target), at in tracks.items():
        yield named("thread_name", LINKS, at, {"name": f"{stores[source]} \N{RIGHTWARDS ARROW} {stores[target]}"})
        yield named("thread_sort_index", LINKS, at, {"sort_index": at})
    found = []
    for entry in flight.log:
        item = entry.item + 1
        exact = {"item": item, "start_ps": entry.start_ps, "finish_ps": entry.finish_ps}
        if entry.kind == "operator":
            name, track = plan.graph.operators[entry.index].name, (DEVICES, int(device[entry.index]) + 1)
            exact["index"] = entry.index
        elif hops[entry.index].channel < 0:
            continue  # Moves inside a memory occupy no link, and may overlap.
        else:
            hop = hops[entry.index]
            name, track = plan.graph.tensors[hop.tensor].name, (LINKS, tracks[hop.source, hop.target])
        event = sliced(f"{item}: {name}", f"item {item}", *track, entry.start_ps, entry.finish_ps)
        found.append((track, entry.start_ps, item, {**event, "args": exact}))
    yield from (event for *_, event in sorted(found, key=lambda one: one[:3]))
