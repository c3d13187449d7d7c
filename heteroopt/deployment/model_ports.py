"""What crosses the borders of a cut model, for formats that state the type and sizes of every input and output."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from onnx import ValueInfoProto

from heteroopt.deployment.exporting import Refusal
from heteroopt.deployment.model_cut import Piece
from heteroopt.graph.dtypes import ELEMENT_TYPES
from heteroopt.graph.names import display_name


@dataclass(frozen=True)
class Port:
    """A tensor at a border: its name in the file, dtype (the graph's name) and shape, -1 for a size that is open."""

    name: str
    dtype: str
    shape: tuple[int, ...]


def ports_of(piece: Piece) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """Inputs and outputs of a piece.

    Raises :class:`Refusal` ``export_not_a_tensor`` or ``export_size_unknown`` for what cannot be stated.
    """
    names = set(piece.inputs)
    return _ports(item for item in piece.model.graph.input if item.name in names), _ports(piece.model.graph.output)


def _ports(items: Iterable[ValueInfoProto]) -> tuple[Port, ...]:
    return tuple(_port(item) for item in items)


def _port(item: ValueInfoProto) -> Port:
    kind = item.type.tensor_type
    if item.type.HasField("tensor_type") and kind.elem_type in ELEMENT_TYPES:
        if kind.HasField("shape"):
            sizes = tuple(size.dim_value if size.HasField("dim_value") else -1 for size in kind.shape.dim)
            return Port(item.name, ELEMENT_TYPES[kind.elem_type].name, sizes)
        raise size_unknown(item.name)
    raise Refusal(
        "export_not_a_tensor",
        f"{display_name(item.name)!r} crosses the border of a segment and is no tensor.",
        hint="Pin what makes it and what reads it to one device.",
        tensor=display_name(item.name),
    )


def size_unknown(name: str) -> Refusal:
    """The refusal of a tensor at a border whose sizes have to be stated and are not known."""
    return Refusal(
        "export_size_unknown",
        f"The shape of {display_name(name)!r}, which crosses the border of a segment, is not known.",
        hint="State it where the model is read (--shape), or pin what makes and reads it to one device.",
        tensor=display_name(name),
    )
