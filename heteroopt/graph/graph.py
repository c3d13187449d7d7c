"""The graph that everything else plans: operators, activations, initializers and the edges between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from heteroopt.graph.checks import check_graph
from heteroopt.graph.given import Given
from heteroopt.graph.serial import content_hash, graph_from_dict, graph_to_dict

SIZE_SOURCES = ("declared", "inferred", "bound", "given", "estimated")
FLOPS_SOURCES = ("exact", "estimated", "bytes_only", "given")
OP_CLASSES = (
    "matmul", "conv", "depthwise_conv", "normalization", "elementwise", "softmax", "reduction", "pooling",
    "movement", "embedding", "recurrent", "attention", "view", "control", "other",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tensor:
    """An activation: a graph input or the output of an operator.

    ``size_bytes`` is never 0 for want of a shape: an unknown size is estimated and ``size_source`` says so.
    ``producer`` is an operator index, or -1 for a graph input; ``consumers`` are operator indices, ascending.
    """

    index: int
    name: str
    shape: tuple[int, ...] | None
    dtype: str
    size_bytes: int
    size_source: str
    producer: int
    consumers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Initializer:
    """A constant of the model (a weight). A weight that several operators read is one initializer."""

    index: int
    name: str
    shape: tuple[int, ...]
    dtype: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Operator:
    """One schedulable node. ``flops`` counts 2 per multiply-accumulate; bytes are those moved to and from memory.

    ``inputs`` holds activations only, in input order without repeats; weights are in ``initializers``. A view
    (``is_view``) shares its input's buffer and costs nothing. ``members`` are the operators of the unfused graph
    that it stands for (itself when unfused). Operators with the same non-empty ``colocation`` must share a device.
    ``workspace_bytes`` is held on its device while it runs, beyond its inputs, weights and outputs: what the bodies of
    If, Loop and Scan need for themselves.
    """

    index: int
    name: str
    op_type: str
    domain: str
    op_class: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    initializers: tuple[int, ...]
    flops: int
    flops_source: str
    bytes_read: int
    bytes_written: int
    precision: str
    is_view: bool
    scope: str
    attributes: dict[str, object]
    members: tuple[int, ...]
    colocation: str = ""
    workspace_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """One tensor read by one operator: ``source`` produces it, ``target`` reads it."""

    source: int
    target: int
    tensor: int
    size_bytes: int


@dataclass(frozen=True)
class Graph:
    """A directed acyclic graph of operators in topological order.

    ``inputs`` and ``outputs`` are tensor indices; ``dims`` are the values bound to symbolic dimensions; ``notes``
    are ``{"code", "params"}`` remarks on what was assumed. A fused graph keeps the unfused one in ``original``.
    Raises :class:`~heteroopt.errors.ModelError` when the parts do not fit together.
    """

    name: str
    operators: tuple[Operator, ...]
    tensors: tuple[Tensor, ...]
    initializers: tuple[Initializer, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    dims: dict[str, int] = field(default_factory=dict)
    opset: int = 0
    notes: tuple[dict[str, Any], ...] = ()
    original: Graph | None = None

    def __post_init__(self) -> None:
        check_graph(self)

    def __hash__(self) -> int:
        return hash(self.content_hash)

    def __repr__(self) -> str:
        return f"<Graph {self.name!r}: {len(self.operators)} operators, {len(self.edges)} edges>"

    @classmethod
    def from_onnx(
        cls,
        source: str | Path | bytes,
        *,
        dims: Mapping[str, int] | None = None,
        name: str | None = None,
        given: Given | Mapping[str, Any] | None = None,
    ) -> Graph:
        """Read an ONNX model, fold its constants and infer its shapes; unbound dynamic dimensions get a default.

        ``given`` says what the file does not: see :class:`~heteroopt.graph.given.Given`.
        Raises :class:`~heteroopt.errors.ModelError` for anything that is not a readable, sensible model.
        """
        from heteroopt.graph.onnx_reader import read_onnx

        stated = given if isinstance(given, Given) else Given.from_dict(given or {})
        graph = read_onnx(source, dims=dims, given=stated)
        return graph if name is None else replace(graph, name=name)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Graph:
        """Rebuild a graph from :meth:`to_dict`; raises :class:`~heteroopt.errors.ModelError` if it is malformed."""
        return graph_from_dict(data)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole graph as JSON-able data; :meth:`from_dict` gives an equal graph back."""
        return graph_to_dict(self)

    @property
    def nodes(self) -> tuple[Operator, ...]:
        """The operators, in topological order."""
        return self.operators

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """One edge per tensor and reader, ordered by reader and then by its inputs."""
        tensors = self.tensors
        return tuple(
            Edge(tensors[t].producer, op.index, t, tensors[t].size_bytes)
            for op in self.operators
            for t in op.inputs
            if tensors[t].producer >= 0
        )

    def member_types(self, index: int) -> tuple[str, ...]:
        """Types of the unfused operators that operator ``index`` stands for, without repeats, in their order.

        A device must support all of them to run it.
        """
        op = self.operators[index]
        if self.original is None:
            return (op.op_type,)
        return tuple(dict.fromkeys(self.original.operators[m].op_type for m in op.members))

    def op_type_histogram(self) -> dict[str, int]:
        """Count the operators of each type, the most frequent first (ties by name)."""
        counts = Counter(op.op_type for op in self.operators)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    @cached_property
    def flops(self) -> int:
        """Floating-point operations of one run, 2 per multiply-accumulate."""
        return sum(op.flops for op in self.operators)

    @cached_property
    def parameters(self) -> int:
        """Number of elements in all initializers."""
        total = 0
        for initializer in self.initializers:
            count = 1
            for size in initializer.shape:
                count *= size
            total += count
        return total

    @cached_property
    def weight_bytes(self) -> int:
        """Bytes of all initializers, each counted once."""
        return sum(initializer.size_bytes for initializer in self.initializers)

    @cached_property
    def activation_bytes(self) -> int:
        """Bytes of all activations, each counted once; views share a buffer and are left out."""
        return sum(t.size_bytes for t in self.tensors if t.producer < 0 or not self.operators[t.producer].is_view)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 (hex) over everything that a plan depends on; the name and the notes are left out."""
        return content_hash(self)

    @cached_property
    def _predecessors(self) -> tuple[tuple[int, ...], ...]:
        tensors = self.tensors
        return tuple(
            tuple(sorted({tensors[t].producer for t in op.inputs if tensors[t].producer >= 0})) for op in self.operators
        )

    @cached_property
    def _successors(self) -> tuple[tuple[int, ...], ...]:
        tensors = self.tensors
        return tuple(
            tuple(sorted({reader for t in op.outputs for reader in tensors[t].consumers})) for op in self.operators
        )

    def predecessors(self, index: int) -> tuple[int, ...]:
        """Operators that produce an input of operator ``index``, ascending."""
        return self._predecessors[index]

    def successors(self, index: int) -> tuple[int, ...]:
        """Operators that read an output of operator ``index``, ascending."""
        return self._successors[index]
