"""Every communication, executed on shards, gives the target's cut; its name is the one that the annotations imply."""

from __future__ import annotations

import random

import numpy as np
import pytest

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
from heteroopt.training.communication import Kind, resolve
from heteroopt.training.errors import TrainingError
from heteroopt.training.execution import assemble, communicate, cut


def group(devices: str, *axes: tuple[Placement, int]) -> DeviceGroup:
    """``group("0123", (Split(0), 4))``."""
    return DeviceGroup(tuple(map(int, devices)), DistributedState(tuple(MeshAxis(*axis) for axis in axes)))


def one(devices: str, *axes: tuple[Placement, int]) -> Annotation:
    return Annotation((group(devices, *axes),))


D, P, S0, S1 = DUPLICATE, PARTIAL, Split(0), Split(1)
PAIR = (group("01", (S1, 2)), group("23", (S1, 2)))
SUMS = (group("01", (P, 2)), group("23", (P, 2)))
UNLIKE = (group("0123", (S1, 4)), group("45", (S1, 2)))


@pytest.mark.parametrize(
    ("source", "target", "kinds"),
    [
        (one("0123", (S0, 4)), one("0123", (S0, 4)), [Kind.IDENTITY]),
        (one("0123", (S0, 2), (S0, 2)), one("0123", (S0, 4)), [Kind.IDENTITY]),
        (one("0123", (D, 4)), one("0123", (S0, 4)), [Kind.IDENTITY]),
        (one("01", (S0, 2)), one("23", (S0, 2)), [Kind.SEND_RECEIVE]),
        (one("01", (P, 2)), one("23", (P, 2)), [Kind.SEND_RECEIVE]),
        (one("0123", (P, 4)), one("0123", (D, 4)), [Kind.ALL_REDUCE]),
        (one("0123", (S0, 2), (P, 2)), one("0123", (S0, 2), (D, 2)), [Kind.ALL_REDUCE]),
        (one("0123", (P, 4)), one("0123", (S1, 4)), [Kind.REDUCE_SCATTER]),
        (one("0123", (P, 2), (S0, 2)), one("0123", (S1, 2), (S0, 2)), [Kind.REDUCE_SCATTER]),
        (one("0123", (S0, 4)), one("0123", (D, 4)), [Kind.ALL_GATHER]),
        (one("0123", (S0, 2), (D, 2)), one("0123", (D, 4)), [Kind.ALL_GATHER]),
        (one("0123", (S0, 4)), one("0123", (S1, 4)), [Kind.BATCHED_SEND_RECEIVE]),
        (one("0123", (S0, 4)), one("45", (S0, 2)), [Kind.BATCHED_SEND_RECEIVE]),
        (one("0123", (P, 4)), one("45", (S0, 2)), [Kind.ALL_REDUCE, Kind.BATCHED_SEND_RECEIVE]),
        (Annotation(PAIR, P), Annotation(PAIR, D), [Kind.SPLIT_ALL_REDUCE]),
        (Annotation(UNLIKE, P), Annotation(UNLIKE, D), [Kind.SPLIT_ALL_REDUCE]),
        (Annotation(UNLIKE, P), Annotation(UNLIKE, S0, (3,)), [Kind.SPLIT_REDUCE_SCATTER]),
        (Annotation(UNLIKE, S0, (3,)), Annotation(UNLIKE, D), [Kind.SPLIT_ALL_GATHER]),
        (Annotation(UNLIKE, S0, (3,)), Annotation(UNLIKE, S0, (5,)), [Kind.BATCHED_SEND_RECEIVE]),
        (Annotation(PAIR, D), Annotation(PAIR, S0), [Kind.IDENTITY]),
        (Annotation(PAIR, S0), Annotation(PAIR, S0, (4,)), [Kind.IDENTITY]),
        (Annotation(SUMS, S0), Annotation(SUMS, S0, (4,)), [Kind.IDENTITY]),
        (Annotation(SUMS, S0), Annotation(PAIR, S0, (4,)), [Kind.REDUCE_SCATTER]),
        (
            Annotation((group("01", (P, 2)), group("23", (P, 2))), P),
            Annotation((group("01", (S0, 2)), group("23", (S0, 2))), D),
            [Kind.ALL_REDUCE, Kind.SPLIT_ALL_REDUCE, Kind.IDENTITY],
        ),
    ],
    ids=str,
)
def test_named_by_hand(source: Annotation, target: Annotation, kinds: list[Kind]) -> None:
    assert list(resolve("t", (8, 8), source, target).kinds) == kinds
    check_exact(source, target, (8, 8))


def check_exact(source: Annotation, target: Annotation, shape: Shape) -> tuple[Kind, ...]:
    whole = np.random.default_rng(1).integers(-99, 99, shape)
    communication = resolve("t", shape, source, target)
    got = communicate(communication, cut(whole, source, seed=2), source, shape)
    assert set(got) == set(target.devices)
    assert np.array_equal(assemble(got, target, shape), whole)
    if not target.is_partial:
        for device, shard in cut(whole, target).items():
            assert np.array_equal(got[device], shard)
    return communication.kinds


def random_annotation(rng: random.Random, shape: Shape, devices: int) -> Annotation:
    """Any annotation that is well formed: 1 to 3 groups of 1 to 8 devices, with any mesh and any union."""
    while True:
        free = list(range(devices))
        rng.shuffle(free)
        groups = []
        for _ in range(rng.choice([1, 1, 2, 2, 3])):
            factors = rng.choice([(), (2,), (2, 2), (4,), (3,), (2, 3), (2, 2, 2), (2, 4)])
            size = int(np.prod(factors, dtype=int))
            if size > len(free):
                break
            placements: list[Placement] = [D, P, S0, S1, Split(2), S0, S1]
            axes = tuple(MeshAxis(rng.choice(placements), parts) for parts in factors)
            groups.append(DeviceGroup(tuple(free[:size]), DistributedState(axes)))
            del free[:size]
        along: Placement = rng.choice([D, P, S0, S1])
        cuts: tuple[int, ...] = ()
        if isinstance(along, Split) and len(groups) > 1:
            cuts = tuple(sorted(rng.sample(range(1, shape[along.dim]), len(groups) - 1)))
        found = Annotation(tuple(groups), along, cuts)
        try:
            found.check("t", shape)
        except TrainingError:
            continue
        return found


def test_a_thousand_random_pairs() -> None:
    rng, shape = random.Random(20), (24, 24, 6)
    seen: dict[Kind, int] = {}
    refused = 0
    for _ in range(1000):
        source = random_annotation(rng, shape, 12)
        # Half of the targets are near the source, so that collectives come up too.
        target = random_annotation(rng, shape, 12) if rng.random() < 0.5 else near(rng, source, shape)
        try:
            kinds = check_exact(source, target, shape)
        except TrainingError as error:
            assert error.code == "partial_target"
            assert target.is_partial
            refused += 1
            continue
        for kind in kinds:
            seen[kind] = seen.get(kind, 0) + 1
    assert set(seen) == set(Kind), seen
    assert refused < 500


def near(rng: random.Random, source: Annotation, shape: Shape) -> Annotation:
    """Change one axis, the union, or the devices."""
    for _ in range(50):
        groups, along, cuts = list(source.groups), source.along, source.cuts
        change = rng.choice(["axis", "union", "devices"])
        if change == "union":
            along, cuts = rng.choice([(D, ()), (S0, ())])
        elif change == "devices":
            shift = {device: 11 - device for device in range(12)}
            groups = [DeviceGroup(tuple(shift[d] for d in g.devices), g.state) for g in groups]
        else:
            to: Placement = rng.choice([D, S0, S1])
            groups = [
                DeviceGroup(
                    g.devices,
                    DistributedState(
                        tuple(MeshAxis(to if a.placement == P else a.placement, a.parts) for a in g.state.axes)
                    )
                    if any(a.placement == P for a in g.state.axes)
                    else DistributedState(tuple(MeshAxis(D, a.parts) for a in g.state.axes)),
                )
                for g in groups
            ]
        found = Annotation(tuple(groups), along, cuts)
        try:
            found.check("t", shape)
        except TrainingError:
            continue
        if found != source:
            return found
    return source


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (one("01", (D, 2)), one("01", (P, 2))),
        (one("0123", (P, 4)), one("0123", (P, 2), (S0, 2))),
        (Annotation(PAIR, D), Annotation(PAIR, P)),
    ],
)
def test_a_sum_is_not_taken_apart(source: Annotation, target: Annotation) -> None:
    with pytest.raises(TrainingError) as caught:
        resolve("weight", (8, 8), source, target)
    assert caught.value.code == "partial_target"
    assert "weight" in caught.value.message
    assert str(target) in caught.value.message


def test_batched_send_receive_lists_all_owners() -> None:
    communication = resolve("t", (8,), one("01", (D, 2)), one("23", (S0, 2)))
    (step,) = communication.steps
    assert [(choice.box, choice.owners, choice.receiver) for choice in step.choices] == [
        (((0, 4),), (0, 1), 2),
        (((4, 8),), (0, 1), 3),
    ]
    assert sorted(transfer.sender for transfer in step.transfers) == [0, 1]
