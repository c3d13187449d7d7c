"""A plan's segments: operators, what crosses their borders, weights, and the order in which they can run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from heteroopt.errors import PlanError
from heteroopt.graph.graph import Graph
from heteroopt.partition.levels import SegmentLevels


@dataclass(frozen=True, slots=True)
class Segment:
    """Operators of one device that run as one program.

    ``operators`` are indices of the scheduled graph in the plan's order; ``members`` those of the model's own
    operators that they stand for, ascending, which is an order in which they can run. ``inputs`` and ``outputs`` are
    tensors of the scheduled graph that cross the border, model inputs and outputs among them, in the order of their
    first reader and of their makers. ``initializers`` are those read inside: one that several segments read is listed
    in each. ``predecessors`` are the segments that make an input of this one.
    """

    index: int
    device: int
    level: int
    operators: tuple[int, ...]
    members: tuple[int, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    initializers: tuple[int, ...]
    predecessors: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Handover:
    """A tensor that one segment makes and another one reads. ``moves``: they are on different devices."""

    source: int
    target: int
    tensor: int
    size_bytes: int
    moves: bool


@dataclass(frozen=True)
class Partition:
    """All segments of a plan, in an order in which they can run one after the other: by level, then device."""

    graph: Graph
    segments: tuple[Segment, ...]
    segment_of: tuple[int, ...]
    """Per operator of the scheduled graph its segment."""

    @property
    def n_segments(self) -> int:
        return len(self.segments)

    @cached_property
    def handovers(self) -> tuple[Handover, ...]:
        """One for each tensor and segment that reads it from another segment."""
        tensors = self.graph.tensors
        found = []
        for segment in self.segments:
            for t in segment.inputs:
                if tensors[t].producer >= 0:
                    source = self.segment_of[tensors[t].producer]
                    moves = self.segments[source].device != segment.device
                    found.append(Handover(source, segment.index, t, tensors[t].size_bytes, moves))
        return tuple(found)

    @cached_property
    def cut_edges(self) -> int:
        """Tensors handed to a segment on another device, counted once for each segment that reads them."""
        return sum(handover.moves for handover in self.handovers)

    @cached_property
    def cut_bytes(self) -> int:
        """Bytes of one item that change their device between segments: a tensor counts once for each device."""
        sent = {(h.tensor, self.segments[h.target].device): h.size_bytes for h in self.handovers if h.moves}
        return sum(sent.values())

    @cached_property
    def weight_bytes(self) -> tuple[int, ...]:
        """Per segment the bytes of its initializers, shared ones included."""
        sizes = [item.size_bytes for item in self.graph.initializers]
        return tuple(sum(sizes[i] for i in segment.initializers) for segment in self.segments)

    @cached_property
    def copied_weight_bytes(self) -> int:
        """What the segments' weights take beyond those of the model, because several segments read the same ones."""
        used = {i for segment in self.segments for i in segment.initializers}
        return sum(self.weight_bytes) - sum(self.graph.initializers[i].size_bytes for i in used)


def partition(graph: Graph, order: Sequence[int], device: Sequence[int]) -> Partition:
    """Join the operators of a plan (``order``, ``device`` [n]) into segments, by the rule of :mod:`.levels`.

    The result is convex and acyclic for every order that is topological. Raises :class:`PlanError` ``plan_shape``,
    ``partition_device`` and, for an order that would need a cycle of segments, ``partition_order``.
    """
    n = len(graph.operators)
    order, device = [int(i) for i in order], [int(d) for d in device]
    if len(device) != n or sorted(order) != list(range(n)):
        raise PlanError(
            "plan_shape", f"A plan needs a place in the order and a device for each of {n} operators.", n_operators=n
        )
    for operator in graph.operators:
        if device[operator.index] < 0:
            raise PlanError(
                "partition_device",
                f"The plan names no device for the operator {operator.name!r}.",
                hint="Export the plan again, or give every operator a device.",
                operator=operator.name,
            )
    levels = SegmentLevels(n, max(device, default=-1) + 1)
    groups: dict[tuple[int, int], list[int]] = {}
    placed = [False] * n
    for i in order:
        for p in graph.predecessors(i):
            if not placed[p]:
                raise _not_topological(graph, i, p)
        levels.place(i, device[i], graph.predecessors(i))
        placed[i] = True
        groups.setdefault((levels.level[i], device[i]), []).append(i)
    segment_of = [0] * n
    ordered = sorted(groups.items())
    for index, (_, operators) in enumerate(ordered):
        for i in operators:
            segment_of[i] = index
    segments = tuple(
        _segment(graph, index, place, operators, segment_of) for index, (place, operators) in enumerate(ordered)
    )
    return Partition(graph, segments, tuple(segment_of))


def _segment(graph: Graph, index: int, place: tuple[int, int], operators: list[int], segment_of: list[int]) -> Segment:
    level, device = place
    own = [graph.operators[i] for i in operators]
    made = {t for op in own for t in op.outputs}
    inputs = tuple(dict.fromkeys(t for op in own for t in op.inputs if t not in made))
    leaving = set(graph.outputs)
    leaving.update(t for t in made if any(segment_of[reader] != index for reader in graph.tensors[t].consumers))
    return Segment(
        index=index,
        device=device,
        level=level,
        operators=tuple(operators),
        members=tuple(sorted(m for op in own for m in (op.members if graph.original is not None else (op.index,)))),
        inputs=inputs,
        outputs=tuple(t for op in own for t in op.outputs if t in leaving),
        initializers=tuple(dict.fromkeys(i for op in own for i in op.initializers)),
        predecessors=tuple(
            sorted({segment_of[graph.tensors[t].producer] for t in inputs if graph.tensors[t].producer >= 0})
        ),
    )


def _not_topological(graph: Graph, early: int, late: int) -> PlanError:
    first, second = graph.operators[early].name, graph.operators[late].name
    return PlanError(
        "partition_order",
        f"The plan cannot be cut into segments: it runs {first!r} before {second!r}, whose result that operator reads.",
        hint="Give an order in which every operator comes after those whose results it reads.",
        operator=first,
        reads=second,
    )
