"""Plain tables: a planning problem as one JSON document with costs that were measured elsewhere.

The format is described in docs/plain-tables.md and in schema/plain-tables-1.schema.json next to this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heteroopt.errors import ModelError
from heteroopt.graph.graph import Graph
from heteroopt.graph.tables_fields import (
    a_list,
    a_name,
    a_number,
    an_object,
    only_keys,
    parse_json,
    refuse,
)
from heteroopt.graph.tables_graph import build_graph

FORMAT = "heteroopt-tables-1"
SCHEMA_PATH = Path(__file__).parent / "schema" / "plain-tables-1.schema.json"
MAX_OPERATORS = 50_000
MAX_EDGES = 500_000
MAX_DEVICES = 256
MAX_LINKS = 4096
MAX_TIME_MS = 1e7
MAX_TOTAL_TIME_MS = 4e9
MAX_ENERGY_J = 1e9
_KEYS = ("format", "name", "devices", "links", "options", "operators", "edges", "inputs", "outputs")
_OPTIONS = (
    "default_device",
    "blocking_transfers",
    "memory_fraction",
    "model_io_on_host",
    "idle_energy",
    "memory_domains",
)

Costs = dict[str, dict[str, float]]


@dataclass(frozen=True)
class TablesProblem:
    """A validated document. ``time_ms``, ``energy_j``, ``memory_share``: figures by operator and device.

    A device that is missing in ``time_ms[operator]`` does not support the operator; one that is missing in
    ``energy_j[operator]`` has no given energy; ``memory_share`` is 0 where nothing is given. ``devices``, ``links`` and
    ``options`` are the keyword arguments of the pool's devices, of its links and of the pool itself, their figures not
    yet checked.
    """

    name: str
    graph: Graph
    devices: tuple[dict[str, Any], ...]
    links: tuple[dict[str, Any], ...]
    options: dict[str, Any]
    time_ms: Costs
    energy_j: Costs
    memory_share: Costs


def read_tables(source: Mapping[str, Any] | str | Path | bytes) -> TablesProblem:
    """Read a document given as data, as a path, or as the bytes of a JSON file.

    Raises :class:`~heteroopt.errors.ModelError` with a ``tables_...`` code and the place, or ``graph_cycle``.
    """
    if isinstance(source, str | Path):
        try:
            source = Path(source).read_bytes()
        except OSError as error:
            raise ModelError(
                "model_not_found", f"The file cannot be read: {error.strerror}.", hint="Check the path."
            ) from error
    document = an_object(parse_json(source) if isinstance(source, bytes) else source, "document")
    if document.get("format") != FORMAT:
        raise refuse("tables_format", "format", f"must be {FORMAT!r}.")
    only_keys(document, _KEYS, "document")
    name = a_name(document.get("name", "tables"), "name")
    devices, classes = _devices(document.get("devices", []))
    stores = {device["name"] for device in devices} | {"host"}
    links = _links(document.get("links", []), stores)
    options = dict(an_object(document.get("options", {}), "options"))
    only_keys(options, _OPTIONS, "options")
    rows = a_list(document.get("operators", []), "operators", MAX_OPERATORS)
    edges = a_list(document.get("edges", []), "edges", MAX_EDGES)
    inputs = a_list(document.get("inputs", []), "inputs", MAX_OPERATORS)
    outputs = a_list(document.get("outputs", []), "outputs", MAX_OPERATORS)
    graph = build_graph(name, rows, edges, inputs, outputs)
    time_ms, energy_j, memory_share = _costs(rows, classes)
    return TablesProblem(name, graph, tuple(devices), tuple(links), options, time_ms, energy_j, memory_share)


def _devices(value: Any) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
    """Devices without their cost class, and the devices that each name or cost class stands for."""
    devices: list[dict[str, Any]] = []
    classes: dict[str, list[str]] = {}
    for i, item in enumerate(a_list(value, "devices", MAX_DEVICES)):
        where = f"devices[{i}]"
        device = dict(an_object(item, where))
        name = a_name(device.get("name"), f"{where}.name")
        cost_class = device.pop("cost_class", None)
        if name == "host" or any(name == other["name"] for other in devices):
            raise refuse("tables_duplicate", f"{where}.name", f"{name!r} is taken.", name=name)
        devices.append(device)
        if cost_class is not None:
            classes.setdefault(a_name(cost_class, f"{where}.cost_class"), []).append(name)
    if not devices:
        raise refuse("tables_empty", "devices", "must list at least one device.")
    for device in devices:
        if device["name"] in classes:
            raise refuse("tables_duplicate", "devices", f"{device['name']!r} names a device and a cost class.")
        classes[device["name"]] = [device["name"]]
    return devices, classes


def _links(value: Any, stores: set[str]) -> list[dict[str, Any]]:
    links = []
    for i, item in enumerate(a_list(value, "links", MAX_LINKS)):
        link = dict(an_object(item, f"links[{i}]"))
        for end in ("source", "target"):
            name = a_name(link.get(end), f"links[{i}].{end}")
            if name not in stores:
                raise refuse("tables_unknown_name", f"links[{i}].{end}", f"there is no device {name!r}.", name=name)
        links.append(link)
    return links


def _costs(rows: list[Any], classes: dict[str, list[str]]) -> tuple[Costs, Costs, Costs]:
    time_ms: Costs = {}
    energy_j: Costs = {}
    memory_share: Costs = {}
    total = 0.0
    for i, row in enumerate(rows):
        where = f"operators[{i}]"
        name = row["name"]
        time_ms[name] = _by_device(row.get("time_ms", {}), classes, f"{where}.time_ms", MAX_TIME_MS)
        energy_j[name] = _by_device(row.get("energy_j", {}), classes, f"{where}.energy_j", MAX_ENERGY_J)
        memory_share[name] = _by_device(row.get("memory_share", {}), classes, f"{where}.memory_share", 1.0)
        if not time_ms[name]:
            raise refuse("tables_no_device", f"{where}.time_ms", f"no device can run {name!r}.", operator=name)
        for device in energy_j[name]:
            if device not in time_ms[name]:
                raise refuse(
                    "tables_energy_without_time", f"{where}.energy_j", f"{device!r} has an energy but no time.",
                    device=device,
                )  # fmt: skip
        total += max(time_ms[name].values())
    if total > MAX_TOTAL_TIME_MS:
        raise refuse("tables_range", "operators", f"the times add up to more than {MAX_TOTAL_TIME_MS:g} ms.")
    return time_ms, energy_j, memory_share


def _by_device(value: Any, classes: dict[str, list[str]], where: str, highest: float) -> dict[str, float]:
    """Figures by device name; a device's own entry wins over that of its class, ``null`` means unsupported."""
    found: dict[str, float | None] = {}
    entries = an_object(value, where)
    for own in (False, True):
        for key, figure in entries.items():
            if key not in classes:
                raise refuse("tables_unknown_name", where, f"there is no device or cost class {key!r}.", name=key)
            if (classes[key] == [key]) is own:
                number = None if figure is None else a_number(figure, f"{where}.{key}", highest)
                found.update(dict.fromkeys(classes[key], number))
    return {device: number for device, number in found.items() if number is not None}
