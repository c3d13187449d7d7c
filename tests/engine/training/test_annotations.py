"""Annotations: who holds what by hand, JSON round trip, published plans, and what is refused and how."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    whole_on,
)
from heteroopt.training.errors import TrainingError


def group(devices: range, *axes: tuple[Placement, int]) -> DeviceGroup:
    return DeviceGroup(tuple(devices), DistributedState(tuple(MeshAxis(*axis) for axis in axes)))


def test_who_holds_what_by_hand() -> None:
    unlike = Annotation(
        (group(range(4), (Split(1), 2), (DUPLICATE, 2)), group(range(4, 6), (PARTIAL, 2))), Split(0), (3,)
    )
    unlike.check("t", (4, 8))
    assert [(one.device, one.box, one.term) for one in unlike.holdings((4, 8))] == [
        (0, ((0, 3), (0, 4)), ()),
        (1, ((0, 3), (0, 4)), ()),
        (2, ((0, 3), (4, 8)), ()),
        (3, ((0, 3), (4, 8)), ()),
        (4, ((3, 4), (0, 8)), (0,)),
        (5, ((3, 4), (0, 8)), (1,)),
    ]


def test_a_second_cut_of_a_dimension_lies_inside_the_first() -> None:
    nested = Annotation((group(range(4), (Split(0), 2), (DUPLICATE, 1), (Split(0), 2)),))
    assert nested == Annotation((group(range(4), (Split(0), 4)),))
    apart = Annotation((group(range(8), (Split(0), 2), (DUPLICATE, 2), (Split(0), 2)),))
    assert [one.box[0] for one in apart.holdings((8,))] == [
        (0, 2), (2, 4), (0, 2), (2, 4), (4, 6), (6, 8), (4, 6), (6, 8),
    ]  # fmt: skip


placements = st.one_of(st.just(DUPLICATE), st.just(PARTIAL), st.builds(Split, st.integers(0, 3)))
axes = st.lists(st.builds(MeshAxis, placements, st.integers(1, 4)), max_size=3)


@given(st.lists(axes, min_size=1, max_size=3), placements, st.lists(st.integers(1, 99), max_size=2))
def test_json_round_trip(meshes: list[list[MeshAxis]], along: Placement, cuts: list[int]) -> None:
    groups, first = [], 0
    for mesh in meshes:
        state = DistributedState(tuple(mesh))
        groups.append(DeviceGroup(tuple(range(first, first + state.size)), state))
        first += state.size
    one = Annotation(tuple(groups), along, tuple(cuts) if isinstance(along, Split) else ())
    assert Annotation.from_json(json.loads(json.dumps(one.to_json()))) == one


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"groups": 3},
        {"groups": [{"devices": [0], "state": [{"kind": "half", "parts": 1}]}]},
        {"groups": [{"devices": [0.5], "state": []}]},
        {"groups": [{"devices": [True], "state": []}]},
        {"groups": [{"devices": [0], "state": [{"kind": "split", "parts": 1}]}]},
        [],
    ],
)
def test_what_is_not_an_annotation_is_refused(data: Any) -> None:
    with pytest.raises(TrainingError) as caught:
        Annotation.from_json(data)
    assert caught.value.code == "annotation_format"


HIDDEN, FFN = 6656, 17920
WEIGHTS: dict[str, tuple[Shape, int | None]] = {
    "q": ((HIDDEN, HIDDEN), 0),
    "k": ((HIDDEN, HIDDEN), 0),
    "v": ((HIDDEN, HIDDEN), 0),
    "o": ((HIDDEN, HIDDEN), 1),
    "gate": ((FFN, HIDDEN), 0),
    "up": ((FFN, HIDDEN), 0),
    "down": ((HIDDEN, FFN), 1),
    "norm": ((HIDDEN,), None),
}
Pipeline = list[tuple[int, int]]
"""Layers and tensor-parallel degree of each stage."""
PUBLISHED: dict[str, list[Pipeline]] = {
    "16 H800 + 32 H20, DP 4": [[(11, 4), (11, 4), (38, 4)]] * 4,
    "16 H800 + 32 H20, DP 2, replicas": [[(5, 4), (6, 4), (6, 4), (6, 4), (18, 4), (19, 4)]] * 2,
    "31 H20": [[(15, 4)] * 4, [(16, 4), (16, 4), (16, 4), (8, 2), (4, 1)]],
    "16 H800 + 16 H20": [[(7, 4), (7, 4), (23, 4), (23, 4)]] * 2,
    "8 H800 + 24 H20": [[(9, 4), (10, 4), (10, 4), (31, 4)]] * 2,
    "16 H800 + 24 H20": [[(6, 4), (6, 4), (6, 4), (21, 4), (21, 4)]] * 2,
}


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_published_plans_are_annotations(name: str) -> None:
    pipelines = PUBLISHED[name]
    first, stages = 0, []
    for pipeline in pipelines:
        layer = 0
        for layers, degree in pipeline:
            stages.append((range(layer, layer + layers), range(first, first + degree), degree))
            first, layer = first + degree, layer + layers
        assert layer == 60
    assert first == sum(int(word) for word in name.replace(",", "").split() if word.isdigit() and int(word) > 4)
    for layer in range(60):
        holders = [(devices, degree) for layers, devices, degree in stages if layer in layers]
        assert len(holders) == len(pipelines)
        for weight, (shape, dim) in WEIGHTS.items():
            what: Placement = DUPLICATE if dim is None else Split(dim)
            held = Annotation(tuple(group(devices, (what, degree)) for devices, degree in holders))
            held.check(f"layer{layer}.{weight}", shape)
            gradient = Annotation(held.groups, PARTIAL)
            gradient.check(f"layer{layer}.{weight}.gradient", shape)


TWO = (group(range(1)), group(range(1, 2)))
THREE = (*TWO, group(range(2, 3)))
UNLIKE = (group(range(4), (Split(0), 4)), group(range(4, 6), (Split(0), 2)))
OVERLAP = (group(range(2), (Split(0), 2)), group(range(1, 3), (Split(0), 2)))


def refused(code: str, annotation: Annotation, **params: object) -> Any:
    return pytest.param(annotation, code, params, id=f"{code} {params}")


@pytest.mark.parametrize(
    ("annotation", "code", "params"),
    [
        refused("annotation_empty", Annotation(())),
        refused("group_size", Annotation((group(range(3), (Split(0), 4)),)), devices=3, mesh=4),
        refused("device_twice", Annotation(OVERLAP), device=1),
        refused("device_twice", Annotation((group(range(-1, 1), (Split(0), 2)),)), device=-1),
        refused("no_such_dimension", Annotation((group(range(2), (Split(2), 2)),)), dim=2),
        refused("split_not_even", Annotation((group(range(4), (Split(1), 4)),)), dim=1, length=6, parts=4),
        refused("split_not_even", Annotation(UNLIKE, Split(0), (3,)), dim=0, length=3, group=0),
        refused("no_such_dimension", Annotation(TWO, Split(5)), dim=5),
        refused("union_not_even", Annotation(THREE, Split(0)), dim=0, length=8),
        refused("union_cuts_number", Annotation(TWO, Split(0), (2, 4)), dim=0, expected=1),
        refused("union_cuts_order", Annotation(THREE, Split(0), (5, 5)), dim=0),
        refused("union_cuts_order", Annotation(TWO, Split(0), (8,)), dim=0),
        refused("union_cuts_unused", Annotation(TWO, DUPLICATE, (4,))),
    ],
)
def test_malformed_annotations_name_tensor_and_dimension(
    annotation: Annotation, code: str, params: dict[str, object]
) -> None:
    with pytest.raises(TrainingError) as caught:
        annotation.check("layer7.down", (8, 6))
    assert caught.value.code == code
    assert caught.value.params["tensor"] == "layer7.down"
    assert caught.value.message.startswith("layer7.down: ")
    assert params.items() <= caught.value.params.items()
    if "dim" in params:
        assert f"dimension {params['dim']}" in caught.value.message


def test_a_mesh_axis_needs_a_part() -> None:
    with pytest.raises(TrainingError) as caught:
        DistributedState((MeshAxis(DUPLICATE, 0),))
    assert caught.value.code == "mesh_axis_parts"


def test_annotations_read_well() -> None:
    assert str(whole_on(range(3))) == "0-2 [Duplicate x 3]"
    unlike = Annotation((group(range(4), (Split(1), 4)), group(range(6, 8), (Split(1), 2))), Split(0), (3,))
    assert str(unlike) == "Split(0) at 3 of (0-3 [Split(1) x 4]; 6-7 [Split(1) x 2])"
