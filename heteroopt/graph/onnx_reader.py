"""Reads an ONNX model into a Graph, or says why it cannot; no runtime session is opened and no weight is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from onnx import GraphProto, ValueInfoProto

from heteroopt.errors import ModelError
from heteroopt.graph.answer_keys import AnswerKeys
from heteroopt.graph.build import GraphBuilder
from heteroopt.graph.data_files import DataFiles
from heteroopt.graph.dimensions import (
    DynamicDim,
    bind,
    bound_shape,
    dimension_name,
    dynamic_dims,
    held_tensor,
    length_name,
    real_inputs,
    tensor_type,
)
from heteroopt.graph.dtypes import element_type
from heteroopt.graph.given import NOTHING_GIVEN, Given
from heteroopt.graph.graph import Graph
from heteroopt.graph.guessing import PROBES, Guesser, Key, settle
from heteroopt.graph.interpret import Interpreter
from heteroopt.graph.limits import ReaderLimits
from heteroopt.graph.live import LiveNode, Scope
from heteroopt.graph.names import display_name
from heteroopt.graph.notes import INPUT_WITHOUT_SHAPE, Notes
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
    given: Given = NOTHING_GIVEN,
) -> Graph:
    """Read a model given as a path or as bytes.

    ``dims`` binds dynamic dimensions by name (see :func:`inspect_onnx`); the others get a default that is noted.
    ``data_files`` are the files that its external data must be in; without, only the declared sizes are used.
    ``given`` answers what else the file leaves open. Raises :class:`~heteroopt.errors.ModelError` for anything that
    is not a sensible model within ``limits``, and where ``given`` contradicts the model or names nothing in it.
    """
    return _guarded(lambda: _read(load_model(source, limits, data_files), source, dims, limits, given))


def inspect_onnx(source: str | Path | bytes, limits: ReaderLimits = DEFAULT_LIMITS) -> ModelInspection:
    """Read a model's declarations only: versions, inputs, outputs and dynamic dimensions; errors as above."""
    return _guarded(lambda: _inspect(load_model(source, limits)))


def value_shapes(
    source: str | Path | bytes, dims: Mapping[str, int], limits: ReaderLimits = DEFAULT_LIMITS
) -> dict[str, tuple[int, ...]]:
    """Shapes of all activations by their shown names, those that reach no output included; errors as above.

    ``dims`` as of the graph that was read. What is only estimated is left out.
    """

    def work() -> dict[str, tuple[int, ...]]:
        loaded = load_model(source, limits)
        known = {item.name for item in dynamic_dims(loaded.model.graph)}
        notes = Notes()
        bound = bind(dynamic_dims(loaded.model.graph), {k: v for k, v in dims.items() if k in known}, notes)
        inputs, live, _ = _walk(loaded, Interpreter(loaded.opsets, bound, limits, notes, keys=AnswerKeys()))
        values = [*inputs, *(value for node in live for value in node.outputs)]
        return {
            display_name(value.name): value.shape
            for value in values
            if value.name and value.shape is not None and not value.estimated
        }

    return _guarded(work)


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
            "model_limit",
            f"The model has more than {DEFAULT_LIMITS.max_nesting} levels of nesting.",
            hint="Flatten the control flow of the model.",
            what="levels of nesting",
            limit=DEFAULT_LIMITS.max_nesting,
        ) from error
    except Exception as error:
        raise ModelError(
            "model_unreadable",
            f"The model cannot be read: {type(error).__name__} in the reader.",
            hint="Export the model again; if it is valid, report it as a bug.",
            detail="reader_defect",
            reason=display_name(f"{type(error).__name__}: {error}"),
        ) from error


def _read(
    loaded: LoadedModel,
    source: str | Path | bytes,
    dims: Mapping[str, int] | None,
    limits: ReaderLimits,
    given: Given,
) -> Graph:
    graph, notes = loaded.model.graph, Notes()
    bound = bind(dynamic_dims(graph), dims, notes)
    if not graph.output:
        raise ModelError("model_empty", "The model declares no outputs.", hint="Export the model again.")
    _note_file(loaded, notes)
    walker = Interpreter(loaded.opsets, bound, limits, notes, given, keys=AnswerKeys(graph))
    inputs, live, outputs = _walk(loaded, walker)
    if walker.guesser.free:
        settle(walker.guesser.uncertain, [_probe(loaded, walker, change) for change in PROBES])
    constant = [display_name(value.name) for value in outputs if value.constant]
    if constant:
        notes.add("constant_outputs", outputs=constant[:20], count=len(constant))
    name = display_name(graph.name) or (display_name(Path(source).stem) if not isinstance(source, bytes) else "model")
    builder = GraphBuilder(notes, given)
    built = builder.graph(name, live, inputs, outputs, bound, loaded.opsets.get("", 0))
    if not built.operators:
        raise ModelError(
            "model_empty", "Nothing of the model remains once its constants are computed.", hint="Check the export."
        )
    _check_all_used(given, walker.used | {("costs", key) for key in builder.costs.used})
    return built


def _walk(loaded: LoadedModel, walker: Interpreter) -> tuple[list[Value], list[LiveNode], list[Value]]:
    """Inputs, operators and outputs of the model."""
    scope = Scope()
    inputs = []
    for item in real_inputs(loaded.model.graph):
        value = _input_value(item, walker)
        walker.check_size(value.name, value.element, value.shape)
        inputs.append(value)
        scope.define(item.name, value)
    live, outputs = walker.walk(loaded.model.graph, scope)
    return inputs, live, outputs


def _probe(loaded: LoadedModel, walker: Interpreter, change: Callable[[int], int]) -> dict[Key, Value]:
    """What is uncertain when every guess is changed; empty where the model does not fit the other guesses."""
    other = Interpreter(loaded.opsets, walker.dims, walker.limits, Notes(), walker.given, Guesser(change), walker.keys)
    try:
        _walk(loaded, other)
    except ModelError:
        return {}
    return other.guesser.uncertain


def _check_all_used(given: Given, used: set[tuple[str, str]]) -> None:
    """Refuse answers that found no place: a misspelt name would silently change the plan."""
    for kind, names in (
        ("shapes", given.shapes),
        ("trips", given.trips),
        ("then_shares", given.then_shares),
        ("costs", given.costs),
    ):
        missing = sorted(name for name in names if (kind, name) not in used)
        if missing:
            raise ModelError(
                "given_unknown",
                f"The model has nothing called {display_name(missing[0])!r} that {kind} could be given for.",
                hint="Take names from the list of what is estimated; constants and parts that never run are not there.",
                kind=kind,
                names=[display_name(name) for name in missing[:20]],
            )


def _note_file(loaded: LoadedModel, notes: Notes) -> None:
    if loaded.scan.names_repaired:
        notes.add("names_not_text", count=loaded.scan.names_repaired)
    for code, names in (
        ("weights_missing", loaded.scan.tensors_without_data),
        ("weights_external", loaded.scan.external_tensors),
    ):
        if names:
            notes.add(code, count=len(names), tensors=[display_name(name) for name in names[:20]])


def _input_value(item: ValueInfoProto, walker: Interpreter) -> Value:
    shape, dynamic = bound_shape(item.name, item.type, walker.dims)
    kind = held_tensor(item.type)
    element = kind.elem_type if kind is not None else 0
    container = None if item.type.HasField("tensor_type") else item.type
    source = "bound" if dynamic else "declared"
    if container is not None and container.HasField("sequence_type") and shape is not None:
        held = Value(item.name, element, shape)
        length = walker.dims[length_name(item.name)]
        value = Value(item.name, 0, None, source="bound", container=container, length=length)
        value.guessed_bytes = length * held.size_bytes
        return value
    stated = walker.given_shape(item.name, shape)
    if stated is not None:
        return Value(item.name, element, stated, source="given", container=container)
    if shape is None:
        walker.notes.add(
            "size_estimated",
            tensor=display_name(item.name),
            operator="",
            op_type="",
            size_bytes=UNKNOWN_INPUT_BYTES,
            reason=INPUT_WITHOUT_SHAPE,
        )
        value = Value(item.name, element, None, source="estimated", estimated=True, container=container)
        value.guessed_bytes = UNKNOWN_INPUT_BYTES
        return value
    return Value(item.name, element, shape, source=source, container=container)


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
