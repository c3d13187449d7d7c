"""Annotations of tensors over unlike groups of devices: who holds which part of a tensor, in two tiers.

The bottom tier is a device group with its distributed state: a regular mesh whose axes, the outermost first, each
split a dimension, duplicate, or hold a partial sum. The top tier is the union of the groups (HSize of them): put
together along a dimension (HDim) with cut points that need not be even, as duplicates, or as partial sums. So one
tensor may be cut in four on one group and in two on another.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heteroopt.training.errors import TrainingError

Shape = tuple[int, ...]
Box = tuple[tuple[int, int], ...]
"""A part of a tensor: for each dimension the first index and the one after the last."""


@dataclass(frozen=True, slots=True)
class Split:
    """Each part holds its own slice of dimension ``dim``."""

    dim: int

    def __str__(self) -> str:
        return f"Split({self.dim})"


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Each part holds the same."""

    def __str__(self) -> str:
        return "Duplicate"


@dataclass(frozen=True, slots=True)
class Partial:
    """The tensor is the sum of what the parts hold."""

    def __str__(self) -> str:
        return "Partial"


Placement = Split | Duplicate | Partial
DUPLICATE = Duplicate()
PARTIAL = Partial()


@dataclass(frozen=True, slots=True)
class MeshAxis:
    """One axis of a mesh: ``parts`` devices along it, and what they hold of the tensor."""

    placement: Placement
    parts: int

    def __str__(self) -> str:
        return f"{self.placement} x {self.parts}"


@dataclass(frozen=True, slots=True)
class DistributedState:
    """What each device of a group holds; ``axes`` are in mesh order, the outermost first.

    Axes of one part are dropped and neighbours that do the same are joined, so that equal states compare equal.
    """

    axes: tuple[MeshAxis, ...] = ()

    def __post_init__(self) -> None:
        joined: list[MeshAxis] = []
        for axis in self.axes:
            if axis.parts < 1:
                raise TrainingError(
                    "mesh_axis_parts",
                    f"A mesh axis has {axis.parts} parts.",
                    hint="Give every axis at least one part.",
                    parts=axis.parts,
                )
            if axis.parts == 1:
                continue
            if joined and joined[-1].placement == axis.placement:
                joined[-1] = MeshAxis(axis.placement, joined[-1].parts * axis.parts)
            else:
                joined.append(axis)
        object.__setattr__(self, "axes", tuple(joined))

    @property
    def size(self) -> int:
        """Devices that the mesh has."""
        return math.prod(axis.parts for axis in self.axes)

    def coordinates(self, position: int) -> tuple[int, ...]:
        """Return the place on each axis of the device at ``position`` of the group."""
        found = []
        for axis in reversed(self.axes):
            position, place = divmod(position, axis.parts)
            found.append(place)
        return tuple(reversed(found))

    def refined(self, factors: Sequence[int]) -> tuple[MeshAxis, ...] | None:
        """Return the axes cut up so that their sizes are ``factors``, or ``None`` where they do not fit."""
        pending = list(factors)
        cut: list[MeshAxis] = []
        for axis in self.axes:
            left = axis.parts
            while left > 1:
                if not pending or left % pending[0]:
                    return None
                left //= pending[0]
                cut.append(MeshAxis(axis.placement, pending.pop(0)))
        return tuple(cut) if not pending else None

    def __str__(self) -> str:
        return " ".join(f"[{axis}]" for axis in self.axes) or "whole"


@dataclass(frozen=True, slots=True)
class DeviceGroup:
    """Devices, in mesh order, and the state in which they hold the tensor."""

    devices: tuple[int, ...]
    state: DistributedState = DistributedState()

    def __str__(self) -> str:
        return f"{_ranges(self.devices)} {self.state}"


@dataclass(frozen=True, slots=True)
class Holding:
    """What one device holds: ``box`` of the term ``term`` of group number ``group``.

    The tensor's ``box`` is the sum over its terms; where nothing is partial there is one term, ``()``.
    """

    device: int
    group: int
    box: Box
    term: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Annotation:
    """A tensor's annotation: ``groups`` (HSize of them) put together by ``along`` (HDim).

    ``cuts``: where ``along`` is a split, the indices at which one group's share ends and the next begins (HSize - 1 of
    them); empty means equal shares.
    """

    groups: tuple[DeviceGroup, ...]
    along: Placement = DUPLICATE
    cuts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.groups) == 1:
            object.__setattr__(self, "along", DUPLICATE)
            object.__setattr__(self, "cuts", ())

    @property
    def devices(self) -> tuple[int, ...]:
        """All devices, group by group."""
        return tuple(device for group in self.groups for device in group.devices)

    @property
    def is_partial(self) -> bool:
        """Whether anything about it is a partial sum."""
        return self.along == PARTIAL or any(
            axis.placement == PARTIAL for group in self.groups for axis in group.state.axes
        )

    def share_bounds(self, shape: Shape) -> tuple[int, ...]:
        """Return the HSize + 1 bounds of the groups' shares along the union's dimension. Only for a split union."""
        assert isinstance(self.along, Split)
        total, count = shape[self.along.dim], len(self.groups)
        return (0, *(self.cuts or tuple(total * k // count for k in range(1, count))), total)

    def with_cuts(self, shape: Shape) -> Annotation:
        """Return the same with the cut points of equal shares written out, so that equal unions compare equal."""
        if not isinstance(self.along, Split) or self.cuts:
            return self
        return Annotation(self.groups, self.along, self.share_bounds(shape)[1:-1])

    def check(self, tensor: str, shape: Shape) -> None:
        """Raise :class:`TrainingError` that names ``tensor`` and the dimension if this cannot annotate ``shape``."""
        self._check_devices(tensor)
        lengths = [list(shape) for _ in self.groups]
        if isinstance(self.along, Split):
            self._check_union(tensor, shape, self.along.dim)
            bounds = self.share_bounds(shape)
            for number, one in enumerate(lengths):
                one[self.along.dim] = bounds[number + 1] - bounds[number]
        elif self.cuts:
            raise TrainingError(
                "union_cuts_unused",
                f"{tensor}: cut points are given, but the groups are not put together along a dimension.",
                hint="Leave the cut points out, or put the groups together by Split.",
                tensor=tensor,
            )
        for number, (group, length) in enumerate(zip(self.groups, lengths, strict=True)):
            for axis in group.state.axes:
                if not isinstance(axis.placement, Split):
                    continue
                dim = axis.placement.dim
                if not 0 <= dim < len(shape):
                    raise _no_such_dimension(tensor, dim, shape)
                if length[dim] % axis.parts:
                    raise TrainingError(
                        "split_not_even",
                        f"{tensor}: dimension {dim} has {length[dim]} in group {number}, which {axis.parts} devices "
                        "cannot share evenly.",
                        hint="Choose a degree that divides it, or put the uneven cut into the union of the groups.",
                        tensor=tensor,
                        dim=dim,
                        length=length[dim],
                        parts=axis.parts,
                        group=number,
                    )
                length[dim] //= axis.parts

    def _check_devices(self, tensor: str) -> None:
        if not self.groups:
            raise TrainingError(
                "annotation_empty",
                f"{tensor}: the annotation has no device group.",
                hint="Name at least one group of devices.",
                tensor=tensor,
            )
        seen: set[int] = set()
        for number, group in enumerate(self.groups):
            if len(group.devices) != group.state.size:
                raise TrainingError(
                    "group_size",
                    f"{tensor}: group {number} has {len(group.devices)} devices, but its mesh {group.state} has "
                    f"{group.state.size}.",
                    hint="Make the product of the axes equal to the number of devices.",
                    tensor=tensor,
                    group=number,
                    devices=len(group.devices),
                    mesh=group.state.size,
                )
            for device in group.devices:
                if device < 0 or device in seen:
                    raise TrainingError(
                        "device_twice",
                        f"{tensor}: device {device} is listed twice or is negative.",
                        hint="List every device once, by its number from 0.",
                        tensor=tensor,
                        device=device,
                    )
                seen.add(device)

    def _check_union(self, tensor: str, shape: Shape, dim: int) -> None:
        if not 0 <= dim < len(shape):
            raise _no_such_dimension(tensor, dim, shape)
        count, total = len(self.groups), shape[dim]
        if not self.cuts and total % count:
            raise TrainingError(
                "union_not_even",
                f"{tensor}: dimension {dim} has {total}, which {count} groups cannot share evenly.",
                hint="Give the cut points.",
                tensor=tensor,
                dim=dim,
                length=total,
                parts=count,
            )
        if self.cuts and len(self.cuts) != count - 1:
            raise TrainingError(
                "union_cuts_number",
                f"{tensor}: {count} groups along dimension {dim} need {count - 1} cut points, and {len(self.cuts)} "
                "are given.",
                hint="Give one cut point fewer than there are groups.",
                tensor=tensor,
                dim=dim,
                expected=count - 1,
                given=len(self.cuts),
            )
        bounds = self.share_bounds(shape)
        if any(low >= high for low, high in itertools.pairwise(bounds)):
            raise TrainingError(
                "union_cuts_order",
                f"{tensor}: the cut points {list(self.cuts)} do not rise between 0 and {total} (dimension {dim}).",
                hint="Give rising cut points that leave something for every group.",
                tensor=tensor,
                dim=dim,
                cuts=list(self.cuts),
                length=total,
            )

    def holdings(self, shape: Shape) -> Iterator[Holding]:
        """Yield what each device holds, group by group in mesh order. ``check`` must have passed."""
        for number, group in enumerate(self.groups):
            whole = [(0, length) for length in shape]
            if isinstance(self.along, Split):
                bounds = self.share_bounds(shape)
                whole[self.along.dim] = (bounds[number], bounds[number + 1])
            for position, device in enumerate(group.devices):
                box = list(whole)
                term = [number] if self.along == PARTIAL else []
                for axis, place in zip(group.state.axes, group.state.coordinates(position), strict=True):
                    if isinstance(axis.placement, Split):
                        low, high = box[axis.placement.dim]
                        width = (high - low) // axis.parts
                        box[axis.placement.dim] = (low + place * width, low + (place + 1) * width)
                    elif axis.placement == PARTIAL:
                        term.append(place)
                yield Holding(device, number, tuple(box), tuple(term))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; :meth:`from_json` reads it back to an equal annotation."""
        found: dict[str, Any] = {
            "groups": [
                {
                    "devices": list(group.devices),
                    "state": [{**_placement_json(axis.placement), "parts": axis.parts} for axis in group.state.axes],
                }
                for group in self.groups
            ],
        }
        if len(self.groups) > 1:
            found["union"] = _placement_json(self.along)
            if self.cuts:
                found["union"]["cuts"] = list(self.cuts)
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Annotation:
        """Read what :meth:`to_json` wrote. Raises :class:`TrainingError` ``annotation_format``."""
        try:
            groups = tuple(
                DeviceGroup(
                    tuple(_whole(device) for device in group["devices"]),
                    DistributedState(
                        tuple(MeshAxis(_read_placement(axis), _whole(axis["parts"])) for axis in group["state"])
                    ),
                )
                for group in data["groups"]
            )
            union = data.get("union", {"kind": "duplicate"})
            return cls(groups, _read_placement(union), tuple(_whole(cut) for cut in union.get("cuts", ())))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise TrainingError(
                "annotation_format",
                f"This is not an annotation: {type(error).__name__}: {error}.",
                hint="Compare it with the format in the documentation.",
                says=f"{type(error).__name__}: {error}",
            ) from error

    def __str__(self) -> str:
        if len(self.groups) == 1:
            return str(self.groups[0])
        cuts = f" at {', '.join(map(str, self.cuts))}" if self.cuts else ""
        return f"{self.along}{cuts} of ({'; '.join(map(str, self.groups))})"


def whole_on(devices: Sequence[int]) -> Annotation:
    """Return the annotation that holds the tensor entirely on each of ``devices``."""
    return Annotation((DeviceGroup(tuple(devices), DistributedState((MeshAxis(DUPLICATE, len(devices)),))),))


def common_factors(*states: DistributedState) -> list[int] | None:
    """Return axis sizes, the outermost first, into which all meshes can be cut, or ``None``."""
    marks = {1}
    for state in states:
        product = 1
        for axis in state.axes:
            product *= axis.parts
            marks.add(product)
    ordered = sorted(marks)
    factors = []
    for low, high in itertools.pairwise(ordered):
        if high % low:
            return None
        factors.append(high // low)
    return factors


def volume(box: Box) -> int:
    """Return the number of elements in ``box``."""
    return math.prod(high - low for low, high in box)


def contains(outer: Box, inner: Box) -> bool:
    """Return whether ``inner`` lies in ``outer``."""
    return all(a <= c and d <= b for (a, b), (c, d) in zip(outer, inner, strict=True))


def finest_slices(shape: Shape, boxes: Iterator[Box]) -> Iterator[Box]:
    """Yield the slices into which all bounds of ``boxes`` cut a tensor of ``shape``; no box cuts any of them."""
    cuts: list[set[int]] = [{0, length} for length in shape]
    for box in boxes:
        for marks, (low, high) in zip(cuts, box, strict=True):
            marks.update((low, high))
    yield from itertools.product(*(tuple(itertools.pairwise(sorted(marks))) for marks in cuts))


def _no_such_dimension(tensor: str, dim: int, shape: Shape) -> TrainingError:
    return TrainingError(
        "no_such_dimension",
        f"{tensor}: it is split along dimension {dim}, but has {len(shape)} dimensions.",
        hint="Dimensions count from 0.",
        tensor=tensor,
        dim=dim,
        rank=len(shape),
    )


def _placement_json(placement: Placement) -> dict[str, Any]:
    if isinstance(placement, Split):
        return {"kind": "split", "dim": placement.dim}
    return {"kind": "partial" if placement == PARTIAL else "duplicate"}


def _read_placement(data: Mapping[str, Any]) -> Placement:
    if data["kind"] == "split":
        return Split(_whole(data["dim"]))
    if data["kind"] == "partial":
        return PARTIAL
    if data["kind"] == "duplicate":
        return DUPLICATE
    raise ValueError(f"{data['kind']!r} is not split, duplicate or partial")


def _whole(value: object) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is not a whole number")
    return value


def _ranges(devices: Sequence[int]) -> str:
    """Write 0, 1, 2, 7 as ``0-2,7``."""
    runs: list[list[int]] = []
    for device in devices:
        if runs and device == runs[-1][1] + 1:
            runs[-1][1] = device
        else:
            runs.append([device, device])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
