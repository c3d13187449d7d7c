"""What a walk over a model leaves: operators with their values, bodies of control flow, and scopes of names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from onnx import NodeProto

from heteroopt.errors import ModelError
from heteroopt.graph.attributes import Attributes
from heteroopt.graph.names import display_name, is_bare
from heteroopt.graph.values import Value


@dataclass(slots=True)
class Body:
    """A subgraph of a control-flow operator and the number of times that it runs.

    ``inputs`` are the values that it gets in each run, ``captured`` those that it takes from outside. ``share`` is the
    part of the runs that take this branch of an If, ``None`` where nobody said. ``guessed`` marks a number of trips
    that is a guess. ``at_end`` is the last run of a body whose values grow from run to run.
    """

    nodes: list[LiveNode]
    outputs: list[Value]
    captured: list[Value]
    inputs: list[Value] = field(default_factory=list)
    trips: int = 1
    share: float | None = None
    guessed: bool = False
    at_end: Body | None = None


@dataclass(slots=True)
class LiveNode:
    """An operator that remains after folding; ``inputs`` keeps positions (``None``: left out).

    ``version``: of the operators of its domain that the model uses.
    """

    node: NodeProto
    op_type: str
    domain: str
    attributes: Attributes
    inputs: list[Value | None]
    outputs: list[Value]
    bodies: list[Body] = field(default_factory=list)
    version: int = 1

    @property
    def label(self) -> str:
        """A name to show: its own unless that is a mere number, else that of its first output, else its type."""
        own = self.node.name
        output = next((value.name for value in self.outputs if value.name), "")
        if is_bare(own) and output and not is_bare(output):
            return display_name(output)
        return display_name(own or output or self.op_type)

    def all_inputs(self) -> Iterable[Value]:
        """Everything it reads: its inputs, then what its bodies capture from outside."""
        yield from (value for value in self.inputs if value is not None)
        for body in self.bodies:
            yield from body.captured


class Scope:
    """Names visible in a graph; a body sees the names outside it and remembers which it used.

    ``at`` is the place in its graph of the node that is being walked; ``path`` holds, for every node around the body
    numbered ``body``, its place and the number of the body.
    """

    def __init__(self, parent: Scope | None = None, body: int = 0) -> None:
        self._local: dict[str, Value] = {}
        self._parent = parent
        self.at = 0
        self.path: tuple[int, ...] = () if parent is None else (*parent.path, parent.at, body)
        self.captured: dict[int, Value] = {}

    def define(self, name: str, value: Value) -> None:
        """Bind ``name``; raises :class:`ModelError` if this graph already has it."""
        if name in self._local:
            raise ModelError(
                "duplicate_name",
                f"Two values of the model are called {display_name(name)!r}.",
                hint="Every output needs its own name; export the model again.",
                value=display_name(name),
            )
        self._local[name] = value

    def find(self, name: str) -> Value | None:
        """The value called ``name`` here or outside."""
        value = self._local.get(name)
        if value is None and self._parent is not None:
            value = self._parent.find(name)
            if value is not None:
                self.captured[id(value)] = value
        return value
