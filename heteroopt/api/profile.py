"""Profiling a model as the Python interface offers it: ``hopt.profile(...)``, of which plans take the costs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from heteroopt.calibration.local import open_local
from heteroopt.calibration.profiled import PROFILED_RUNS, profile_model
from heteroopt.costs.profile import Profile
from heteroopt.graph.graph import Graph


def profile(
    runtime: str,
    model: str | Path,
    device: int = 0,
    *,
    dims: Mapping[str, int] | None = None,
    runs: int = PROFILED_RUNS,
    options: Mapping[str, Any] | None = None,
    host_folder: str | Path | None = None,
) -> Profile:
    """Run an ONNX model on a device of this machine ("onnxruntime", "openvino"), as it is and with the profiler.

    The model is run, so trust where it is from. dims: sizes of its symbolic dimensions. runs: profiled ones, of which
    each operator's median counts. options: of the runtime, such as ``{"threads": 1}``. Raises ``ModelError``,
    ``RuntimeFault`` ``profile_unsupported`` where the runtime has no profiler, and others of the runtime.
    """
    graph = Graph.from_onnx(model, dims=dims)
    folder = None if host_folder is None else Path(host_folder)
    with open_local(runtime, device, options=options, host_folder=folder) as opened:
        return profile_model(opened, Path(model), graph, runs=runs)
