"""Random weights for a trial run of a file whose weights are all alike: its outputs would be so whatever is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import ModelProto, NodeProto, TensorProto, numpy_helper

from heteroopt.deployment.exporters.ort_segments import runner
from heteroopt.deployment.model_data import has_external_data
from heteroopt.deployment.trial.levels import level, measuring_model
from heteroopt.graph.graph import Graph
from heteroopt.graph.names import display_name

Array = npt.NDArray[Any]
MOST_SMALL = 8
"""Constants of so few elements may well be alike: scales, epsilons, thresholds."""
_FLOATS: dict[int, Any] = {
    TensorProto.FLOAT: np.float32, TensorProto.DOUBLE: np.float64, TensorProto.FLOAT16: np.float16,
}  # fmt: skip


Run = Callable[[Path, Sequence[Array]], Sequence[Array]]
"""Runs a model on its inputs, in their order; may raise whatever a runtime does."""


def with_random_weights(path: Path, target: Path, graph: Graph, run: Run, seed: int = 0) -> int:
    """Write the model to ``target`` with random weights in place of those whose elements are all equal, stored or made
    by ConstantOfShape; return how many. With 0 nothing is written; models with data files keep what they have.

    Matrices are normal, vectors, among which are variances, uniform from 0.5 to 1.5. Then the layers are levelled
    (:mod:`~heteroopt.deployment.trial.levels`) by one run with made-up inputs of ``graph``, the planned one; where that
    cannot be run the weights stay as they were drawn.
    """
    model = onnx.load(str(path), load_external_data=False)
    if has_external_data(model):
        return 0
    drawn = _draw(model, np.random.default_rng(seed))
    if drawn:
        model.ir_version = max(model.ir_version, 4)  # earlier ones want initializers among the inputs
        _level(model, drawn, graph, run, target, seed)
        onnx.save(model, str(target))
    return len(drawn)


def _draw(model: ModelProto, generator: np.random.Generator) -> set[str]:
    """Put random values in place; the names of the weights that have them."""
    drawn = set()
    shapes = _shapes(model)
    for tensor in model.graph.initializer:
        kind = _FLOATS.get(tensor.data_type)
        if kind is None or int(np.prod(tensor.dims, dtype=np.int64)) <= MOST_SMALL:
            continue
        old = numpy_helper.to_array(tensor)
        if (old == old.flat[0]).all():
            values = _drawn(tuple(tensor.dims), generator).astype(kind)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
            drawn.add(tensor.name)
    for node in [one for one in model.graph.node if one.op_type == "ConstantOfShape" and one.input[0] in shapes]:
        value = _value(node)
        kind = np.float32 if value is None else _FLOATS.get(value.data_type)
        shape = shapes[node.input[0]]
        if kind is None or int(np.prod(shape, dtype=np.int64)) <= MOST_SMALL:
            continue
        made = _drawn(shape, generator).astype(kind)
        model.graph.initializer.append(numpy_helper.from_array(made, node.output[0]))
        model.graph.node.remove(node)
        drawn.add(node.output[0])
    return drawn


def _level(model: ModelProto, drawn: set[str], graph: Graph, run: Run, target: Path, seed: int) -> None:
    measuring, layers = measuring_model(model, drawn)
    if not layers:
        return
    stored = {tensor.name for tensor in model.graph.initializer}
    inputs = [item.name for item in model.graph.input if item.name not in stored]
    typed = {tensor.name: tensor for tensor in graph.tensors}
    sizes = {
        name: {"dtype": typed[display_name(name)].dtype, "shape": list(typed[display_name(name)].shape or ())}
        for name in inputs
        if display_name(name) in typed
    }
    make_up: Callable[..., dict[str, Array]] = runner.made_up
    path = target.with_name("measured-layers.onnx")
    try:
        onnx.save(measuring, str(path))
        made = make_up({"inputs": inputs, "tensors": sizes}, seed)
        levels = run(path, [made[name] for name in inputs])
    except Exception:  # runtimes raise many unrelated kinds, and what cannot be run is said of the trial itself
        return
    finally:
        path.unlink(missing_ok=True)
    level(model, layers, [float(value) for value in levels])


def _shapes(model: ModelProto) -> dict[str, tuple[int, ...]]:
    """Constants of whole numbers by name."""
    found = [tensor for tensor in model.graph.initializer if tensor.data_type == TensorProto.INT64]
    named = {tensor.name: numpy_helper.to_array(tensor) for tensor in found}
    for node in model.graph.node:
        value = _value(node) if node.op_type == "Constant" else None
        if value is not None and value.data_type == TensorProto.INT64:
            named[node.output[0]] = numpy_helper.to_array(value)
    return {name: tuple(int(size) for size in values) for name, values in named.items() if values.ndim == 1}


def _value(node: NodeProto) -> TensorProto | None:
    return next((attribute.t for attribute in node.attribute if attribute.name == "value"), None)


def _drawn(shape: tuple[int, ...], generator: np.random.Generator) -> npt.NDArray[np.float64]:
    if len(shape) < 2:
        return generator.uniform(0.5, 1.5, shape)
    deviation = (2.0 / max(1, int(np.prod(shape[1:])))) ** 0.5
    return generator.normal(0.0, deviation, shape)
