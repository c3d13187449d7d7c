"""Graphs of PyTorch models, by way of ONNX; of exported programs the weights are never copied."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from heteroopt.graph.given import NOTHING_GIVEN, Given
from heteroopt.graph.graph import Graph
from heteroopt.graph.onnx_reader import read_onnx
from heteroopt.graph.pytorch.convert import exported_model, weightless_bytes, write_torchscript


def read_torchscript(
    module: Any,
    example_inputs: Sequence[Any] | None = None,
    example_kwargs: Mapping[str, Any] | None = None,
    dims: Mapping[str, int] | None = None,
    given: Given = NOTHING_GIVEN,
) -> Graph:
    """The graph of a TorchScript module or file; see :func:`write_torchscript`. Raises ``ModelError``."""
    with tempfile.TemporaryDirectory(prefix="heteroopt-") as folder:
        path = Path(folder) / "model.onnx"
        write_torchscript(module, path, example_inputs, example_kwargs)
        graph = read_onnx(path, dims=dims, given=given)
    return replace(graph, name=_name(module, getattr(module, "original_name", "")))


def read_torch_export(
    program: Any,
    example_inputs: Sequence[Any] | None = None,
    example_kwargs: Mapping[str, Any] | None = None,
    dims: Mapping[str, int] | None = None,
    given: Given = NOTHING_GIVEN,
) -> Graph:
    """The graph of an exported program, module or file; see :func:`exported_model`. Raises ``ModelError``."""
    model = exported_model(program, example_inputs, example_kwargs)
    graph = read_onnx(weightless_bytes(model), dims=dims, given=given)
    notes = tuple(note for note in graph.notes if note["code"] != "weights_external")  # they are where they were
    return replace(graph, name=_name(program, type(program).__name__), notes=notes)


def _name(source: Any, kind: str) -> str:
    if isinstance(source, (str, Path)):
        return Path(source).stem
    return "model" if kind in ("", "ExportedProgram") else kind
