"""Reads the text of a pool file or of a topology tool. Runs inside the sandbox, so it knows neither Django nor rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heteroopt.devices.pool_toml import parse_pool_toml
from heteroopt.devices.topology import pool_from_topology, read_topology, template_of
from heteroopt.errors import PoolError

KINDS = {"gpu": "gpu", "npu": "npu", "package": "cpu"}
"""Kinds of nodes that become devices, in the order in which they do, and how those are called."""


def read_pool(payload: Mapping[str, Any], _files: Mapping[str, Path]) -> Any:
    """The fields of the pool in ``payload["text"]``. Raises ``PoolError`` for text that is not such a file."""
    return _as_json(parse_pool_toml(payload["text"]))


def read_topology_pool(payload: Mapping[str, Any], _files: Mapping[str, Path]) -> dict[str, Any]:
    """The devices that ``payload["text"]`` lists with their templates, and the pool once each has one (else null).

    ``payload["templates"]``: as :func:`pool_from_topology` takes them. Raises ``PoolError`` for text of no known tool.
    """
    topology = read_topology(payload["text"])
    given = payload.get("templates") or {}
    found, counts = [], dict.fromkeys(KINDS, 0)
    for node in topology.of_kind(*KINDS):
        name = f"{KINDS[node.kind]}{counts[node.kind]}"
        counts[node.kind] += 1
        template = given.get(name) or template_of(node.name) or given.get(node.kind) or ""
        found.append({"name": name, "kind": node.kind, "title": node.name, "template": template})
    if not found:
        raise PoolError(
            "topology_no_devices",
            "The text lists no processor, GPU or NPU.",
            hint="Paste the whole output of lstopo --of xml, nvidia-smi topo -m or npu-smi info -t topo.",
        )
    spec = None
    if all(entry["template"] for entry in found):
        chosen = {str(entry["name"]): str(entry["template"]) for entry in found}
        spec = pool_from_topology(topology, templates=chosen, name=payload.get("name") or "").to_dict()
    return {"found": found, "spec": spec}


def _as_json(value: Any) -> Any:
    """TOML knows dates and infinities, which JSON does not; as text they are refused by name where they stand."""
    if isinstance(value, dict):
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)
