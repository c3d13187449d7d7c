"""Dynamic dimensions of the inputs: which there are, what they are bound to, and the input shapes that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from onnx import GraphProto, TypeProto, ValueInfoProto

from heteroopt.errors import ModelError
from heteroopt.graph.dimension_formula import formula_size
from heteroopt.graph.dimension_names import DEFAULT_SIZE, default_size
from heteroopt.graph.names import display_name
from heteroopt.graph.notes import Notes

MAX_SIZE = 2**31 - 1


@dataclass(slots=True)
class DynamicDim:
    """A dimension without a fixed size: the value it gets unless bound, and the inputs that use it."""

    name: str
    default: int = DEFAULT_SIZE
    used_by: list[str] = field(default_factory=list)


def real_inputs(graph: GraphProto) -> list[ValueInfoProto]:
    """The inputs that a caller must give: those that no initializer stands for."""
    constants = {tensor.name for tensor in graph.initializer}
    constants.update(sparse.values.name for sparse in graph.sparse_initializer)
    return [item for item in graph.input if item.name not in constants]


def tensor_type(kind: TypeProto) -> TypeProto.Tensor | None:
    """The tensor inside ``kind``, looking into optional types; ``None`` for sequences and maps."""
    while kind.HasField("optional_type"):
        kind = kind.optional_type.elem_type
    return kind.tensor_type if kind.HasField("tensor_type") else None


def held_tensor(kind: TypeProto) -> TypeProto.Tensor | None:
    """The tensor that ``kind`` is or holds: looks into optional types and sequences; ``None`` for maps."""
    while kind.HasField("optional_type") or kind.HasField("sequence_type"):
        kind = kind.optional_type.elem_type if kind.HasField("optional_type") else kind.sequence_type.elem_type
    return kind.tensor_type if kind.HasField("tensor_type") else None


def length_name(input_name: str) -> str:
    """The name under which the length of an input that is a sequence is bound."""
    return f"{display_name(input_name)}_length"


def dimension_name(input_name: str, axis: int, parameter: str) -> str:
    """The name under which a dynamic dimension is bound; unnamed ones are ``<input>_dim_<axis>``.

    ``?`` is what some exporters write for every unnamed dimension, so it names none.
    """
    return display_name(parameter) if parameter and parameter != "?" else f"{display_name(input_name)}_dim_{axis}"


def dynamic_dims(graph: GraphProto) -> list[DynamicDim]:
    """The dynamic dimensions of the inputs in the order in which they appear; sizes below 1 count as dynamic.

    The length of an input that is a sequence is one too, called ``<input>_length``.
    """
    found: dict[str, DynamicDim] = {}

    def use(name: str, default: int, used: str) -> None:
        entry = found.setdefault(name, DynamicDim(name, default))
        if len(entry.used_by) < 16 and used not in entry.used_by:
            entry.used_by.append(used)

    for item in real_inputs(graph):
        if item.type.HasField("sequence_type"):
            use(length_name(item.name), DEFAULT_SIZE, display_name(item.name))
        kind = held_tensor(item.type)
        dims = kind.shape.dim if kind is not None else ()
        for axis, dim in enumerate(dims):
            if dim.dim_value < 1:
                name = dimension_name(item.name, axis, dim.dim_param)
                default = default_size(dim.dim_param, axis, len(dims), kind.elem_type if kind is not None else 0)
                use(name, default, f"{display_name(item.name)}[{axis}]")
    return list(found.values())


def bind(dynamic: list[DynamicDim], dims: Mapping[str, int] | None, notes: Notes) -> dict[str, int]:
    """Values of all dynamic dimensions; raises :class:`ModelError` for unknown names and impossible sizes."""
    wanted = dict(dims or {})
    names = [dim.name for dim in dynamic]
    for name, size in wanted.items():
        if name not in names:
            raise ModelError(
                "dimension_unknown",
                f"The model has no dynamic dimension called {display_name(str(name))!r}.",
                hint=f"Its dynamic dimensions are: {', '.join(names[:20])}." if names else "It has none.",
                dimension=display_name(str(name)),
                known=names[:20],
            )
        if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size <= MAX_SIZE:
            raise ModelError(
                "dimension_invalid",
                f"The dimension {name!r} must be a whole number from 1 to {MAX_SIZE}.",
                hint="Give the size that the model will run with.",
                dimension=name,
            )
    for dim in dynamic:
        if dim.name not in wanted:
            notes.add("dimension_defaulted", dimension=dim.name, value=dim.default)
    return {dim.name: int(wanted.get(dim.name, dim.default)) for dim in dynamic}


def bound_shape(name: str, kind: TypeProto, bound: Mapping[str, int]) -> tuple[tuple[int, ...] | None, bool]:
    """Shape of an input under ``bound`` and whether it has dynamic dimensions; ``None`` if it declares none."""
    tensor = held_tensor(kind)
    if tensor is None or not tensor.HasField("shape"):
        return None, False
    dynamic = False
    shape = []
    for axis, dim in enumerate(tensor.shape.dim):
        if dim.dim_value < 1:
            dynamic = True
            shape.append(bound.get(dimension_name(name, axis, dim.dim_param), DEFAULT_SIZE))
        else:
            shape.append(dim.dim_value)
    return tuple(shape), dynamic


def declared_shape(kind: TypeProto, bound: Mapping[str, int]) -> tuple[int, ...] | None:
    """The shape of a declaration elsewhere in the model, -1 where a dimension stays open; ``None`` without one."""
    tensor = tensor_type(kind)
    if tensor is None or not tensor.HasField("shape"):
        return None
    shape = []
    for dim in tensor.shape.dim:
        size = dim.dim_value if dim.dim_value > 0 else formula_size(display_name(dim.dim_param), bound)
        shape.append(-1 if size is None else size)
    return tuple(shape)
