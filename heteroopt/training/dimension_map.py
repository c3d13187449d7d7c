"""What an operator does with the dimensions of its tensors, and what follows for the annotations of its outputs.

Every dimension is a product of labels, the major one first: ``(b s h), (h n d) -> b n s d`` in the manner of einsum and
einops. From the labels alone one checker deduces how an operator may be cut: a label that all inputs that carry it
cut alike may be cut; where it is summed away the output is a partial sum; where it must stay whole it may not be cut.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heteroopt.training.annotations import (
    DUPLICATE,
    PARTIAL,
    Annotation,
    DeviceGroup,
    DistributedState,
    MeshAxis,
    Placement,
    Shape,
    Split,
    common_factors,
)
from heteroopt.training.errors import TrainingError

Label = str

WHY = {
    "devices_differ": "they are on different devices or in another order",
    "union_cuts_differ": "their groups are cut at different points",
    "union_cuts_inside": "its groups are cut inside what belongs together",
    "meshes_differ": "their meshes have no common refinement",
    "cut_inside": "it is cut inside what belongs together",
    "cuts_unlike": "the same devices cut unlike dimensions",
    "needs_whole": "the operator needs this dimension whole",
    "cut_alone": "one is cut where the other is not",
    "not_linear": "the operator is not linear in this partial sum",
    "product_of_partials": "both are partial sums, whose product is not a sum of products",
    "partial_alone": "one is a partial sum and the other is not",
    "held_in_strides": "a device would hold its part of the result in strides",
}
"""What stands between two annotations, or in the way of one; the codes are what user interfaces translate."""


class Linearity(enum.Enum):
    """Which inputs may be partial sums."""

    NONE = "none"
    """None: f(a + b) is not f(a) + f(b)."""
    EACH = "each"
    """One input at a time, the others being duplicates: the operator is linear in each of its inputs."""
    TOGETHER = "together"
    """All inputs at once: the operator is linear in all of them together, as a sum is."""
    FIRST = "first"
    """The first input only, as in a division by a duplicate."""


@dataclass(frozen=True)
class DimensionMap:
    """An operator's dimensions as labels.

    ``inputs`` and ``outputs``: for each tensor, for each dimension, its labels, the major one first. ``sizes``: the
    size of each label. ``whole``: labels that may not be cut. ``summed``: labels that only inputs carry and over which
    the operator sums; labels that vanish otherwise must be in ``whole``.
    """

    inputs: tuple[tuple[tuple[Label, ...], ...], ...]
    outputs: tuple[tuple[tuple[Label, ...], ...], ...]
    sizes: Mapping[Label, int]
    linearity: Linearity = Linearity.NONE
    whole: frozenset[Label] = frozenset()
    summed: frozenset[Label] = frozenset()


@dataclass(frozen=True)
class Named:
    """A tensor of an operator, for messages: its name, shape and annotation."""

    name: str
    shape: Shape
    annotation: Annotation


_Mark = Label | Placement
"""What an input does on an axis of the mesh: cuts a label, or is a duplicate or a partial sum."""


def deduce(operator: str, dimensions: DimensionMap, inputs: Sequence[Named]) -> tuple[Annotation, ...]:
    """Return the outputs' annotations.

    Raises :class:`TrainingError` ``annotation_conflict``, which names two tensors and both sides, or
    ``annotation_illegal``, which names one tensor that the operator cannot take as it is.
    """
    first = inputs[0]
    for other in inputs[1:]:
        mine = [group.devices for group in first.annotation.groups]
        if mine != [group.devices for group in other.annotation.groups]:
            raise _conflict(operator, first, other, "devices_differ")
    top_marks, top_cuts = _top(operator, dimensions, inputs)
    along = _combine(operator, dimensions, inputs, top_marks)
    cuts: tuple[int, ...] = ()
    if isinstance(along, str):
        cuts = _same_cuts(operator, dimensions, inputs, top_marks, top_cuts)
    groups: list[list[DeviceGroup]] = [[] for _ in dimensions.outputs]
    union: list[tuple[Placement, tuple[int, ...]]] = []
    for labels in dimensions.outputs:
        union.append(_output_union(operator, labels, dimensions, inputs, along, cuts))
    for number in range(len(first.annotation.groups)):
        sizes = dict(dimensions.sizes)
        if isinstance(along, str):
            bounds = (0, *cuts, sizes[along])
            sizes[along] = bounds[number + 1] - bounds[number]
        states = _bottom(operator, dimensions, inputs, number, sizes)
        for found, state in zip(groups, states, strict=True):
            found.append(DeviceGroup(first.annotation.groups[number].devices, state))
    return tuple(Annotation(tuple(found), *one) for found, one in zip(groups, union, strict=True))


def _top(operator: str, dimensions: DimensionMap, inputs: Sequence[Named]) -> tuple[list[_Mark], list[tuple[int, ...]]]:
    """Return what each input does in the union of the groups, and its cut points in units of the label."""
    marks: list[_Mark] = []
    cuts: list[tuple[int, ...]] = []
    for labels, tensor in zip(dimensions.inputs, inputs, strict=True):
        along = tensor.annotation.along
        if not isinstance(along, Split):
            marks.append(along)
            cuts.append(())
            continue
        label, minor = _major(labels[along.dim], dimensions.sizes)
        bounds = tensor.annotation.share_bounds(tensor.shape)[1:-1]
        if label is None or any(cut % minor for cut in bounds):
            raise _illegal(operator, tensor, along.dim, "union_cuts_inside")
        marks.append(label)
        cuts.append(tuple(cut // minor for cut in bounds))
    return marks, cuts


def _same_cuts(
    operator: str,
    dimensions: DimensionMap,
    inputs: Sequence[Named],
    marks: Sequence[_Mark],
    cuts: Sequence[tuple[int, ...]],
) -> tuple[int, ...]:
    chosen = [number for number, mark in enumerate(marks) if isinstance(mark, str)]
    for number in chosen[1:]:
        if cuts[number] != cuts[chosen[0]]:
            raise _conflict(operator, inputs[chosen[0]], inputs[number], "union_cuts_differ")
    return cuts[chosen[0]]


def _output_union(
    operator: str,
    labels: Sequence[tuple[Label, ...]],
    dimensions: DimensionMap,
    inputs: Sequence[Named],
    along: _Mark,
    cuts: tuple[int, ...],
) -> tuple[Placement, tuple[int, ...]]:
    if not isinstance(along, str):
        return along, ()
    for dim, parts in enumerate(labels):
        if along in parts:
            label, minor = _major(parts, dimensions.sizes)
            if label != along:
                raise _strided(operator, along, dimensions, inputs)
            return Split(dim), tuple(cut * minor for cut in cuts)
    return (PARTIAL if along in dimensions.summed else DUPLICATE), ()


def _bottom(
    operator: str, dimensions: DimensionMap, inputs: Sequence[Named], number: int, sizes: dict[Label, int]
) -> list[DistributedState]:
    """Return the outputs' states in group ``number``, whose share has ``sizes``."""
    states = [tensor.annotation.groups[number].state for tensor in inputs]
    factors = common_factors(*states)
    refined: list[tuple[MeshAxis, ...]] = []
    for state, tensor in zip(states, inputs, strict=True):
        axes = state.refined(factors) if factors is not None else None
        if axes is None:
            other = next(one for one in inputs if one is not tensor)
            raise _conflict(operator, other, tensor, "meshes_differ")
        refined.append(axes)
    found: list[list[MeshAxis]] = [[] for _ in dimensions.outputs]
    for position, parts in enumerate(factors or ()):
        marks: list[_Mark] = []
        for axes, labels, tensor in zip(refined, dimensions.inputs, inputs, strict=True):
            placement = axes[position].placement
            if not isinstance(placement, Split):
                marks.append(placement)
                continue
            label, _minor = _major(labels[placement.dim], sizes)
            if label is None or sizes[label] % parts:
                raise _illegal(operator, tensor, placement.dim, "cut_inside")
            marks.append(label)
        mark = _combine(operator, dimensions, inputs, marks)
        for axes_out, outputs in zip(found, dimensions.outputs, strict=True):
            axes_out.append(MeshAxis(_output_axis(operator, outputs, dimensions, inputs, mark, sizes), parts))
        if isinstance(mark, str):
            sizes[mark] //= parts
    return [DistributedState(tuple(axes)) for axes in found]


def _output_axis(
    operator: str,
    labels: Sequence[tuple[Label, ...]],
    dimensions: DimensionMap,
    inputs: Sequence[Named],
    mark: _Mark,
    sizes: Mapping[Label, int],
) -> Placement:
    if not isinstance(mark, str):
        return mark
    for dim, parts in enumerate(labels):
        if mark in parts:
            if _major(parts, sizes)[0] != mark:
                raise _strided(operator, mark, dimensions, inputs)
            return Split(dim)
    return PARTIAL if mark in dimensions.summed else DUPLICATE


def _combine(operator: str, dimensions: DimensionMap, inputs: Sequence[Named], marks: Sequence[_Mark]) -> _Mark:
    """Return what the operator does on one axis: cut a label, or give duplicates or partial sums."""
    partial = [number for number, mark in enumerate(marks) if mark == PARTIAL]
    if partial:
        return _combine_partial(operator, dimensions, inputs, marks, partial)
    cutting = [number for number, mark in enumerate(marks) if isinstance(mark, str)]
    if not cutting:
        return DUPLICATE
    label = marks[cutting[0]]
    assert isinstance(label, str)
    for number in cutting[1:]:
        if marks[number] != label:
            raise _conflict(operator, inputs[cutting[0]], inputs[number], "cuts_unlike")
    if label in dimensions.whole:
        dim = next(d for d, parts in enumerate(dimensions.inputs[cutting[0]]) if label in parts)
        raise _illegal(operator, inputs[cutting[0]], dim, "needs_whole")
    for number, labels in enumerate(dimensions.inputs):
        if number not in cutting and any(label in parts for parts in labels):
            raise _conflict(operator, inputs[cutting[0]], inputs[number], "cut_alone")
    return label


def _combine_partial(
    operator: str,
    dimensions: DimensionMap,
    inputs: Sequence[Named],
    marks: Sequence[_Mark],
    partial: Sequence[int],
) -> _Mark:
    tensor = inputs[partial[0]]
    linearity = dimensions.linearity
    if linearity is Linearity.NONE or (linearity is Linearity.FIRST and partial != [0]):
        raise _illegal(operator, tensor, None, "not_linear")
    for number, mark in enumerate(marks):
        if number in partial:
            if linearity is Linearity.EACH and number != partial[0]:
                raise _conflict(operator, tensor, inputs[number], "product_of_partials")
        elif linearity is Linearity.TOGETHER or mark != DUPLICATE:
            raise _conflict(operator, tensor, inputs[number], "partial_alone")
    return PARTIAL


def _major(parts: Sequence[Label], sizes: Mapping[Label, int]) -> tuple[Label | None, int]:
    """Return the first label that is still longer than 1, and the product of what follows it."""
    for number, label in enumerate(parts):
        if sizes[label] > 1:
            return label, math.prod(sizes[one] for one in parts[number + 1 :])
    return None, 1


def _conflict(operator: str, left: Named, right: Named, detail: str) -> TrainingError:
    return TrainingError(
        "annotation_conflict",
        f"{operator}: {left.name} is {left.annotation}, and {right.name} is {right.annotation}: {WHY[detail]}.",
        hint="Annotate one of them so that the communication between them is made.",
        operator=operator,
        left=left.name,
        left_annotation=str(left.annotation),
        right=right.name,
        right_annotation=str(right.annotation),
        detail=detail,
    )


def _illegal(operator: str, tensor: Named, dim: int | None, detail: str) -> TrainingError:
    where = "" if dim is None else f", dimension {dim}"
    return TrainingError(
        "annotation_illegal",
        f"{operator}: {tensor.name}{where} is {tensor.annotation}: {WHY[detail]}.",
        hint="Annotate the tensor otherwise before this operator; the communication is then made.",
        operator=operator,
        tensor=tensor.name,
        dim=-1 if dim is None else dim,
        annotation=str(tensor.annotation),
        detail=detail,
    )


def _strided(operator: str, label: Label, dimensions: DimensionMap, inputs: Sequence[Named]) -> TrainingError:
    number = next(n for n, labels in enumerate(dimensions.inputs) if any(label in parts for parts in labels))
    return _illegal(operator, inputs[number], None, "held_in_strides")
