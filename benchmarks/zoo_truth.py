"""The sizes that the values of a model really have: ONNX Runtime runs it and gives all of them back.

``python -m benchmarks.zoo_truth MODEL.onnx REQUEST.json ANSWER.json`` in the zoo's own environment. The request holds
``inputs`` (name to sizes) and ``values`` (names); the answer ``shapes``, or ``error``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

_TYPES = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16, "tensor(int64)": np.int64,
    "tensor(int32)": np.int32, "tensor(uint8)": np.uint8, "tensor(int8)": np.int8, "tensor(bool)": np.bool_,
}  # fmt: skip
SCALARS = {"sr": 16_000}
"""Inputs that are settings: the sampling rate."""


def executed(path: Path, sizes: dict[str, list[int]], values: list[str]) -> dict[str, list[int]]:
    """Sizes by name of the ``values`` that the graph of the model at ``path`` has, after one run on random numbers."""
    model = onnx.load(path)
    made = {name for node in model.graph.node for name in node.output if name}
    declared = {item.name for item in model.graph.output}
    wanted = [name for name in values if name in made]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in wanted if name not in declared)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    random = np.random.default_rng(0)
    feeds = {item.name: _values(item, sizes.get(item.name), random) for item in session.get_inputs()}
    found = session.run(wanted, feeds)
    return {name: list(array.shape) for name, array in zip(wanted, found, strict=True) if hasattr(array, "shape")}


def _values(item: Any, sizes: list[int] | None, random: np.random.Generator) -> Any:
    shape = [size if isinstance(size, int) else 1 for size in item.shape] if sizes is None else sizes
    dtype = _TYPES[item.type]
    if item.name in SCALARS:
        return np.full(shape, SCALARS[item.name], dtype)
    if np.issubdtype(dtype, np.integer):
        return random.integers(0, 2, shape).astype(dtype)
    return random.normal(size=shape).astype(dtype)


def main() -> None:
    """Answer one request."""
    request = json.loads(Path(sys.argv[2]).read_text())
    try:
        answer: dict[str, Any] = {"shapes": executed(Path(sys.argv[1]), request["inputs"], request["values"])}
    except Exception as error:  # the answer is what the runtime says
        answer = {"error": f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"}
    Path(sys.argv[3]).write_text(json.dumps(answer))


if __name__ == "__main__":
    main()
