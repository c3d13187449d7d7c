"""All annotations of a tensor on few devices, for tests that leave none out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

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
)
from heteroopt.training.errors import TrainingError

MESHES: dict[int, tuple[tuple[int, ...], ...]] = {1: ((),), 2: ((2,),), 3: ((3,),), 4: ((4,), (2, 2))}


def states(size: int, rank: int) -> list[DistributedState]:
    """Every state of a group of ``size`` devices for a tensor of ``rank`` dimensions, each once."""
    placements: list[Placement] = [DUPLICATE, PARTIAL, *(Split(dim) for dim in range(rank))]
    found = {
        DistributedState(tuple(MeshAxis(what, parts) for what, parts in zip(chosen, mesh, strict=True)))
        for mesh in MESHES[size]
        for chosen in itertools.product(placements, repeat=len(mesh))
    }
    return sorted(found, key=str)


def annotations(groups: tuple[tuple[int, ...], ...], shape: Shape) -> Iterator[Annotation]:
    """Every annotation of ``shape`` on ``groups`` that is well formed; a split union is cut evenly and at 1."""
    rank = len(shape)
    unions: list[tuple[Placement, tuple[int, ...]]] = [(DUPLICATE, ())]
    if len(groups) > 1:
        unions.append((PARTIAL, ()))
        unions += [(Split(dim), ()) for dim in range(rank)]
        unions += [(Split(dim), tuple(range(1, len(groups)))) for dim in range(rank) if shape[dim] % len(groups) == 0]
    for chosen in itertools.product(*(states(len(group), rank) for group in groups)):
        for along, cuts in unions:
            one = Annotation(
                tuple(DeviceGroup(devices, state) for devices, state in zip(groups, chosen, strict=True)), along, cuts
            )
            try:
                one.check("t", shape)
            except TrainingError:
                continue
            yield one
