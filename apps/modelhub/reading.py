"""Reads a model file into a graph and its figures. Runs inside the sandbox, so it knows neither Django nor rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from heteroopt.graph.graph import Graph

SHOWN_ESTIMATES = 100
SHOWN_NOTES = 200
SHOWN_PORTS = 200


def inspect_model(payload: Mapping[str, Any], files: Mapping[str, Path]) -> dict[str, Any]:
    """What the header says: ``{"dynamic_dims", "ir_version", "opset", "inputs", "outputs"}``."""
    from heteroopt.graph.onnx_reader import inspect_onnx

    found = inspect_onnx(files["model"])
    return {
        "dynamic_dims": [asdict(dim) for dim in found.dynamic_dims],
        "ir_version": found.ir_version,
        "opset": found.opset,
        "inputs": [asdict(port) for port in found.inputs[:SHOWN_PORTS]],
        "outputs": [asdict(port) for port in found.outputs[:SHOWN_PORTS]],
    }


def read_model(payload: Mapping[str, Any], files: Mapping[str, Path]) -> dict[str, Any]:
    """Read the graph with ``payload["dims"]`` bound: ``{"document": {"graph"}, "summary"}``."""
    from heteroopt.graph.fusion import fuse

    from heteroopt.graph.onnx_reader import read_onnx

    inspection = payload["inspection"]
    known = {dim["name"] for dim in inspection["dynamic_dims"]}
    dims = {name: size for name, size in payload["dims"].items() if name in known}
    graph = read_onnx(files["model"], dims=dims)
    summary = {**graph_figures(graph), "n_schedulable": len(fuse(graph).operators), **inspection}
    return {"document": {"graph": graph.to_dict()}, "summary": summary}


def graph_figures(graph: Graph) -> dict[str, Any]:
    """The figures of the model page that follow from the graph alone."""
    estimated = [tensor for tensor in graph.tensors if tensor.size_source == "estimated"]
    reasons = {
        note["params"].get("tensor"): note["params"].get("reason", "")
        for note in graph.notes
        if note["code"] == "size_estimated"
    }
    return {
        "n_operators": len(graph.operators),
        "n_edges": len(graph.edges),
        "op_types": graph.op_type_histogram(),
        "parameters": graph.parameters,
        "weight_bytes": graph.weight_bytes,
        "flops": graph.flops,
        "activation_bytes": graph.activation_bytes,
        "n_estimated_tensors": len(estimated),
        "estimated_tensors": [
            {"name": tensor.name, "reason": reasons.get(tensor.name) or "shape_unknown"}
            for tensor in estimated[:SHOWN_ESTIMATES]
        ],
        "notes": [note for note in graph.notes if note["code"] != "size_estimated"][:SHOWN_NOTES],
        "graph_hash": graph.content_hash,
    }
