"""Reads a model file into a graph and its figures. Runs inside the sandbox, so it knows neither Django nor rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from apps.modelhub.questions import questions
from heteroopt.errors import ModelError
from heteroopt.graph.graph import Graph, Tensor
from heteroopt.graph.notes import SHAPE_UNKNOWN

SHOWN_ESTIMATES = 100
SHOWN_NOTES = 200
SHOWN_PORTS = 200
MAX_TABLES_BYTES = 128 << 20


def read_model(payload: Mapping[str, Any], files: Mapping[str, Path]) -> dict[str, Any]:
    """Read the graph with ``payload["dims"]`` bound: ``{"inspection", "document": {"graph"}, "summary"}``.

    ``payload["data_files"]`` says under which key of ``files`` the data file of each location lies.
    ``payload["given"]`` says what the file leaves open (:class:`heteroopt.graph.given.Given`).

    If the header can be read but no graph be made, ``{"inspection", "error"}``: other dimensions may help then.
    Raises ``ModelError`` for a file whose header cannot be read.
    """
    from heteroopt.graph.data_files import DataFiles
    from heteroopt.graph.fusion import fuse
    from heteroopt.graph.given import Given
    from heteroopt.graph.onnx_reader import read_onnx

    inspection = _inspection(files["model"])
    known = {dim["name"] for dim in inspection["dynamic_dims"]}
    dims = {name: size for name, size in payload["dims"].items() if name in known}
    try:
        given = Given.from_dict(payload.get("given", {}))
        data_files = DataFiles({location: files[key] for location, key in payload.get("data_files", {}).items()})
        graph = read_onnx(files["model"], dims=dims, data_files=data_files, given=given)
        schedulable = len(fuse(graph).operators)
    except ModelError as error:
        return {"inspection": inspection, "error": error.to_dict()}
    summary = {**graph_figures(graph), "n_schedulable": schedulable, **inspection}
    return {"inspection": inspection, "document": {"graph": graph.to_dict()}, "summary": summary}


def _inspection(path: Path) -> dict[str, Any]:
    """What the header says."""
    from heteroopt.graph.onnx_reader import inspect_onnx

    found = inspect_onnx(path)
    return {
        "dynamic_dims": [asdict(dim) for dim in found.dynamic_dims],
        "ir_version": found.ir_version,
        "opset": found.opset,
        "inputs": [asdict(port) for port in found.inputs[:SHOWN_PORTS]],
        "outputs": [asdict(port) for port in found.outputs[:SHOWN_PORTS]],
    }


def read_tables(payload: Mapping[str, Any], files: Mapping[str, Path]) -> dict[str, Any]:
    """Read plain tables: ``{"document": {"graph", "pool", "costs"}, "summary"}``. Raises ``HeteroOptError``."""
    from heteroopt.costs.tables import load_given

    path = files["model"]
    if path.stat().st_size > MAX_TABLES_BYTES:
        raise ModelError(
            "tables_too_large",
            f"A file of plain tables has at most {MAX_TABLES_BYTES} bytes.",
            hint="Leave out what is not needed.",
            limit_bytes=MAX_TABLES_BYTES,
        )
    given = load_given(path.read_bytes())
    graph = given.graph
    summary = {
        **graph_figures(graph),
        "n_schedulable": len(graph.operators),
        "dynamic_dims": [],
        "ir_version": 0,
        "opset": 0,
        "inputs": [_port(graph.tensors[t]) for t in graph.inputs[:SHOWN_PORTS]],
        "outputs": [_port(graph.tensors[t]) for t in graph.outputs[:SHOWN_PORTS]],
        "pool": given.pool.to_dict(),
    }
    document = {"graph": graph.to_dict(), "pool": given.pool.to_dict(), "costs": given.costs.to_dict()}
    return {"document": document, "summary": summary}


def _port(tensor: Tensor) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "dtype": tensor.dtype,
        "shape": None if tensor.shape is None else list(tensor.shape),
    }


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
            {"name": tensor.name, "reason": reasons.get(tensor.name) or SHAPE_UNKNOWN}
            for tensor in estimated[:SHOWN_ESTIMATES]
        ],
        "notes": [note for note in graph.notes if note["code"] != "size_estimated"][:SHOWN_NOTES],
        "questions": questions(graph),
        "graph_hash": graph.content_hash,
    }
