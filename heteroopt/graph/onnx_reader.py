"""Reads an ONNX model into a Graph, or says why it cannot; no runtime session is opened and no weight is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from onnx import GraphProto, ValueInfoProto

from heteroopt.errors import ModelError
from heteroopt.graph.build import GraphBuilder
from heteroopt.graph.data_files import DataFiles
from heteroopt.graph.dimensions import (
    DynamicDim,
    bind,
    bound_shape,
    dimension_name,
    dynamic_dims,
    real_inputs,
    tensor_type,
)
from heteroopt.graph.dtypes import element_type
from heteroopt.graph.graph import Graph
from heteroopt.graph.interpret import Interpreter, Scope
from heteroopt.graph.limits import ReaderLimits
from heteroopt.graph.names import display_name
from heteroopt.graph.notes import Notes
from heteroopt.graph.onnx_model import LoadedModel, load_model
from heteroopt.graph.values import Value

DEFAULT_LIMITS = ReaderLimits()
UNKNOWN_INPUT_BYTES = 4
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output as the file declares it; ``shape`` holds sizes and names of dynamic dimensions."""

    name: str
    dtype: str
    shape: list[int | str] | None


@dataclass(frozen=True, slots=True)
class ModelInspection:
    """What a model says of itself before any dimension is bound."""

    name: str
    opset: int
    ir_version: int
    producer: str
    file_bytes: int
    n_nodes: int
    n_initializers: int
    domains: dict[str, int]
    inputs: list[Port]
    outputs: list[Port]
    dynamic_dims: list[DynamicDim]


def read_onnx(
    source: str | Path | bytes,
    dims: Mapping[str, int] | None = None,
    limits: ReaderLimits = DEFAULT_LIMITS,
    data_files: DataFiles | None = None,
) -> Graph:
    """Read a model given as a path or as bytes.

    ``dims`` binds dynamic dimensions by name (see :func:`inspect_onnx`); the others become 1 and are noted.
    ``data_files`` are the files that its external data must be in; without, only the declared sizes are used.
    Raises :class:`~heteroopt.errors.ModelError` for anything that is not a sensible model within ``limits``.
    """
    return _guarded(lambda: _read(source, dims, limits, data_files))


def inspect_onnx(source: str | Path | bytes, limits: ReaderLimits = DEFAULT_LIMITS) -> ModelInspection:
    """Read a model's declarations only: versions, inputs, outputs and dynamic dimensions; errors as above."""
    return _guarded(lambda: _inspect(load_model(source, limits)))


def _guarded(work: Callable[[], _Result]) -> _Result:
    try:
        return work()
    except ModelError:
        raise
    except MemoryError as error:
        raise ModelError(
            "model_too_expensive",
            "Reading the model needs more memory than is allowed.",
            hint="Simplify the model, or bind its dimensions to smaller sizes.",
        ) from error
    except RecursionError as error:
        raise ModelError(
            "model_limit", "The model is nested too deeply.", hint="Flatten the control flow of the model."
        ) from error
    except Exception as error:
        raise ModelError(
            "model_unreadable",
            f"The model cannot be read: {type(error).__name__} in the reader.",
            hint="Export the model again; if it is valid, report it as a bug.",
            reason=display_name(f"{type(error).__name__}: {error}"),
        ) from error


def _read(
    source: str | Path | bytes, dims: Mapping[str, int] | None, limits: ReaderLimits, data_files: DataFiles | None
) -> Graph:
    loaded = load_model(source, limits, data_files)
    graph, notes = loaded.model.graph, Notes()
    bound = bind(dynamic_dims(graph), dims, notes)
    if not graph.output:
        raise ModelError("model_empty", "The model declares no outputs.", hint="Export the model again.")
    _note_weights(loaded, notes)
    walker = Interpreter(loaded.opsets, bound, limits, notes)
    scope = Scope()
    inputs = []
    for item in real_inputs(graph):
        value = _input_value(item, bound, notes)
        walker.check_size(value.name, value.element, value.shape)
        inputs.append(value)
        scope.define(item.name, value)
    live, outputs = walker.walk(graph, scope)
    constant = [display_name(value.name) for value in outputs if value.constant]
    if constant:
        notes.add("constant_outputs", outputs=constant[:20], count=len(constant))
    name = display_name(graph.name) or (display_name(Path(source).stem) if not isinstance(source, bytes) else "model")
    built = GraphBuilder(notes).graph(name, live, inputs, outputs, bound, loaded.opsets.get("", 0))
    if not built.operators:
        raise ModelError(
            "model_empty", "Nothing of the model remains once its constants are computed.", hint="Check the export."
        )
    return built


def _note_weights(loaded: LoadedModel, notes: Notes) -> None:
    for code, names in (
        ("weights_missing", loaded.scan.tensors_without_data),
        ("weights_external", loaded.scan.external_tensors),
    ):
        if names:
            notes.add(code, count=len(names), tensors=[display_name(name) for name in names[:20]])


def _input_value(item: ValueInfoProto, bound: Mapping[str, int], notes: Notes) -> Value:
    shape, dynamic = bound_shape(item.name, item.type, bound)
    kind = tensor_type(item.type)
    element = kind.elem_type if kind is not None else 0
    container = None if item.type.HasField("tensor_type") else item.type
    if shape is None:
        notes.add(
            "size_estimated",
            tensor=display_name(item.name),
            operator="",
            op_type="",
            size_bytes=UNKNOWN_INPUT_BYTES,
            reason="input_without_shape",
        )
        value = Value(item.name, element, None, source="estimated", estimated=True, container=container)
        value.guessed_bytes = UNKNOWN_INPUT_BYTES
        return value
    return Value(item.name, element, shape, source="bound" if dynamic else "declared", container=container)


def _ports(items: list[ValueInfoProto]) -> list[Port]:
    ports = []
    for item in items:
        kind = tensor_type(item.type)
        shape: list[int | str] | None = None
        if kind is not None and kind.HasField("shape"):
            shape = [
                dim.dim_value if dim.dim_value > 0 else dimension_name(item.name, axis, dim.dim_param)
                for axis, dim in enumerate(kind.shape.dim)
            ]
        dtype = element_type(kind.elem_type).name if kind is not None else "not a tensor"
        ports.append(Port(display_name(item.name), dtype, shape))
    return ports


def _inspect(loaded: LoadedModel) -> ModelInspection:
    model = loaded.model
    graph: GraphProto = model.graph
    return ModelInspection(
        name=display_name(graph.name),
        opset=loaded.opsets.get("", 0),
        ir_version=model.ir_version,
        producer=display_name(f"{model.producer_name} {model.producer_version}".strip()),
        file_bytes=loaded.file_bytes,
        n_nodes=loaded.scan.nodes,
        n_initializers=len(graph.initializer),
        domains={display_name(domain): version for domain, version in loaded.opsets.items()},
        inputs=_ports(real_inputs(graph)),
        outputs=_ports(list(graph.output)),
        dynamic_dims=dynamic_dims(graph),
    )
