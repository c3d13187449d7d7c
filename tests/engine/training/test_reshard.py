"""Moving tensors between plans: senders near the linear program's bound, relays, and what cannot be moved."""

from __future__ import annotations

import random
from typing import Any

import pytest

from heteroopt.training.annotations import (
    DUPLICATE,
    PARTIAL,
    Annotation,
    DeviceGroup,
    DistributedState,
    MeshAxis,
    Split,
)
from heteroopt.training.cluster import Cluster, cluster_from
from heteroopt.training.errors import TrainingError
from heteroopt.training.reshard import (
    Demand,
    Move,
    demands,
    lower_bound_seconds,
    transmit,
    transmit_point_to_point,
)
from heteroopt.training.transformer import PRESETS, StageDevices, Transformer, annotate


def cluster(nodes: list[dict[str, Any]], *levels: tuple[str, float], card: float = 50.0, busy: Any = ()) -> Cluster:
    return cluster_from(
        {
            "gpu": {
                "H800": {"bf16_tflop_per_s": 990, "memory_gib": 80, "fast_link_gb_per_s": 400},
                "H20": {"bf16_tflop_per_s": 148, "memory_gib": 96, "fast_link_gb_per_s": 900},
            },
            "node": nodes,
            "network": {
                "network_card_gb_per_s": card,
                "level": [{"name": name, "uplink_gb_per_s": rate} for name, rate in levels],
                "background": [{"level": level, "group": group, "share": share} for level, group, share in busy],
            },
        }
    )


def test_paths_and_times_by_hand() -> None:
    two = cluster([{"gpu": "H20", "gpus": 2, "rack": "a"}, {"gpu": "H20", "gpus": 2, "rack": "b"}], ("rack", 25.0))
    assert [two.links[link].level for link in two.path(0, 1)] == ["fast_link", "fast_link"]
    assert [two.links[link].level for link in two.path(0, 3)] == ["network_card", "network_card", "rack", "rack"]
    assert two.path(1, 1) == ()
    # 50 GB over an uplink of 25 GB/s.
    plan = transmit([Demand((0,), 3, 50_000_000_000)], two)
    assert plan.seconds == 2.0
    assert plan.busiest(two) in {"rack a out", "rack b in"}
    # With an owner in the node, 900 parts come over the fast links of 900 GB/s while 25 cross the uplink.
    shared = transmit([Demand((0, 2), 3, 50_000_000_000)], two)
    assert shared.seconds == pytest.approx(50 / 925, rel=2e-3)


def test_two_owners_share_the_volume() -> None:
    three = cluster([{"gpu": "H20", "gpus": 1, "count": 3}])
    wanted = [Demand((0, 1), 2, 100_000_000_000)]
    # The receiver's card is the limit whoever sends; with two receivers the owners' cards are.
    assert transmit(wanted, three).seconds == pytest.approx(2.0)
    four = cluster([{"gpu": "H20", "gpus": 1, "count": 4}])
    both = [Demand((0, 1), 2, 50_000_000_000), Demand((0, 1), 3, 50_000_000_000)]
    assert transmit(both, four).seconds == pytest.approx(1.0)
    assert lower_bound_seconds(both, four) == pytest.approx(1.0)


def test_a_relay_helps_a_busy_network_card() -> None:
    two = cluster([{"gpu": "H20", "gpus": 4, "count": 2}])
    wanted = [Demand((0,), 4, 100_000_000_000)]
    assert transmit(wanted, two).seconds == pytest.approx(2.0)
    relayed = transmit(wanted, two, relay=True)
    bound = lower_bound_seconds(wanted, two, relay=True)
    assert bound == pytest.approx(0.5)
    assert bound <= relayed.seconds <= 1.05 * bound
    assert any(flow.relays for flow in relayed.flows)
    assert relayed.moved_bytes == pytest.approx(100e9)


TOPOLOGIES: list[tuple[str, tuple[tuple[str, float], ...], Any]] = [
    ("2 levels", (), ()),
    ("3 levels", (("rack", 100.0),), ()),
    ("3 levels, background", (("rack", 100.0),), (("rack", "r0", 0.6),)),
    ("4 levels", (("rack", 100.0), ("pod", 50.0)), ()),
    ("4 levels, background", (("rack", 100.0), ("pod", 50.0)), (("rack", "r1", 0.6),)),
]


def pipelines(*stages: tuple[int, int, int], layers: int) -> list[list[StageDevices]]:
    """``(pipeline, first GPU, layers)`` with four GPUs a stage."""
    found: dict[int, list[StageDevices]] = {}
    for number, first, count in stages:
        chain = found.setdefault(number, [])
        done = sum(stage.layers for stage in chain)
        chain.append(StageDevices(tuple(range(first, first + 4)), done, count))
    assert all(sum(stage.layers for stage in chain) == layers for chain in found.values())
    return list(found.values())


LLAMA = PRESETS["llama-32b"]


def lose_a_node() -> list[Move]:
    """16 H800 and 32 H20 in four pipelines, then the last node is gone and two pipelines of five stages are left."""
    before = pipelines(
        *((p, first, n) for p in range(4) for first, n in ((16 + 8 * p, 11), (20 + 8 * p, 11), (4 * p, 38))), layers=60
    )
    after = pipelines(
        (0, 16, 6), (0, 20, 6), (0, 24, 6), (0, 0, 21), (0, 4, 21),
        (1, 28, 6), (1, 32, 6), (1, 36, 6), (1, 8, 21), (1, 12, 21), layers=60,
    )  # fmt: skip
    return moves(LLAMA, before, after, 14)


def grow() -> list[Move]:
    """Eight replicas of a 7B model become twelve."""
    model = PRESETS["llama-7b"]

    def replicas(count: int) -> list[list[StageDevices]]:
        return [[StageDevices(tuple(range(8 * n, 8 * n + 8)), 0, model.layers)] for n in range(count)]

    return moves(model, replicas(4), replicas(6), 14)


def moves(model: Transformer, before: Any, after: Any, element_bytes: int) -> list[Move]:
    old, new = annotate(model, before), annotate(model, after)
    return [Move(name, shape, old[name][1], new[name][1], element_bytes) for name, (shape, _) in new.items()]


@pytest.mark.parametrize("case", ["lose", "grow"])
@pytest.mark.parametrize(("name", "levels", "busy"), TOPOLOGIES, ids=[one[0] for one in TOPOLOGIES])
def test_within_five_percent_of_the_bound(case: str, name: str, levels: Any, busy: Any) -> None:
    nodes: list[dict[str, Any]] = []
    for n in range(6):
        groups = {level: f"{level[0]}{n // (1 + k)}" for k, (level, _rate) in enumerate(levels, 1)}
        nodes.append({"gpu": "H800" if n < 2 else "H20", "gpus": 8, **groups})
    network = cluster(nodes, *levels, busy=busy)
    lost = frozenset(range(40, 48)) if case == "lose" else frozenset()
    wanted = demands(lose_a_node() if case == "lose" else grow(), lost)
    bound = lower_bound_seconds(wanted, network)
    plan, apart = transmit(wanted, network), transmit_point_to_point(wanted, network)
    assert plan.moved_bytes == pytest.approx(sum(one.size_bytes for one in wanted))
    assert bound * (1 - 1e-9) <= plan.seconds <= 1.05 * bound
    assert plan.seconds <= apart.seconds * (1 + 1e-9)


def test_one_network_card_is_the_bottleneck_and_relays_mend_it() -> None:
    """32 H20 lose one: the stage that held its layers has one other owner of each part."""
    network = cluster([{"gpu": "H20", "gpus": 8, "count": 4}])
    four = [(p, 16 * p + 4 * s, 15) for p in range(2) for s in range(4)]
    before = pipelines(*four, layers=60)
    after = pipelines(*four[:4], (1, 16, 16), (1, 20, 16), (1, 24, 16), (1, 28, 12), layers=60)
    after[1][3:] = [StageDevices((28, 29), 48, 8), StageDevices((30,), 56, 4)]
    wanted = demands(moves(LLAMA, before, after, 14), frozenset({31}))
    direct, relayed = transmit(wanted, network), transmit(wanted, network, relay=True)
    assert relayed.seconds <= 0.25 * direct.seconds
    assert relayed.seconds >= lower_bound_seconds(wanted, network, relay=True)


def annotation(*devices: int, split: bool = True) -> Annotation:
    what = Split(0) if split else DUPLICATE
    return Annotation((DeviceGroup(devices, DistributedState((MeshAxis(what, len(devices)),))),))


def test_lost_shards_next_to_each_other_are_one() -> None:
    source = Annotation((DeviceGroup((0, 1), DistributedState((MeshAxis(Split(0), 2),))),))
    target = Annotation((DeviceGroup((2, 3, 4, 5), DistributedState((MeshAxis(Split(0), 2), MeshAxis(Split(1), 2)))),))
    with pytest.raises(TrainingError) as caught:
        demands([Move("w", (8, 4), source, target, 4)], frozenset({1}))
    assert caught.value.params["tensors"] == "w[4:8, 0:4]"
    with pytest.raises(TrainingError) as caught:
        demands([Move("w", (8, 4), target, source, 4)], frozenset({2, 5}))
    assert caught.value.params["tensors"] == "w[0:4, 0:2][4:8, 2:4]"


def test_lost_shards_are_named() -> None:
    held = [Move(f"w{n}", (8,), annotation(0, 1), annotation(2, 3), 4) for n in range(7)]
    with pytest.raises(TrainingError) as caught:
        demands(held, frozenset({1}))
    assert caught.value.code == "shards_lost"
    assert caught.value.params["count"] == 7
    assert "w0[4:8], w1[4:8], w2[4:8], w3[4:8], w4[4:8] and 2 more" in caught.value.message
    assert demands(held, frozenset()) == (Demand((0,), 2, 7 * 4 * 4), Demand((1,), 3, 7 * 4 * 4))


def test_a_partial_sum_is_not_moved() -> None:
    partial = Annotation((DeviceGroup((0, 1), DistributedState((MeshAxis(PARTIAL, 2),))),))
    with pytest.raises(TrainingError) as caught:
        demands([Move("g", (8,), partial, annotation(0, 1), 4)])
    assert caught.value.code == "partial_move"


def test_nothing_to_move_takes_no_time() -> None:
    one = cluster([{"gpu": "H20", "gpus": 2}])
    assert demands([Move("w", (8,), annotation(0, 1, split=False), annotation(0, 1), 4)]) == ()
    assert transmit([], one).seconds == 0 == lower_bound_seconds([], one)


def test_random_demands_stay_near_the_bound() -> None:
    rng = random.Random(5)
    for _ in range(10):
        network = cluster([{"gpu": "H20", "gpus": 4, "rack": f"r{n // 2}"} for n in range(4)], ("rack", 60.0))
        wanted = []
        for receiver in range(16):
            for _ in range(rng.randint(0, 3)):
                owners = tuple(sorted(rng.sample([g for g in range(16) if g != receiver], rng.randint(1, 4))))
                wanted.append(Demand(owners, receiver, rng.randint(1, 10) * 10**9))
        bound = lower_bound_seconds(wanted, network)
        assert bound * (1 - 1e-9) <= transmit(wanted, network).seconds <= 1.05 * bound


H20 = {"bf16_tflop_per_s": 148, "memory_gib": 95.6, "fast_link_gb_per_s": 900}
RACK = {"name": "rack", "uplink_gb_per_s": 100}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"gpu": {}}, "gpu"),
        ({"node": []}, "node: there is none"),
        ({"node": [{"gpu": "A100", "gpus": 8}]}, "A100"),
        ({"node": [{"gpu": "H20", "gpus": 8, "rack": "x"}]}, "rack"),
        ({"node": [{"gpu": "H20", "gpus": 8, "count": 1000}]}, "4096"),
        ({"node": [{"gpu": "H20", "gpus": 1.5e9}]}, "node.gpus"),
        ({"network": {"network_card_gb_per_s": float("nan")}}, "network_card_gb_per_s"),
        (
            {"network": {"network_card_gb_per_s": 50, "background": [{"level": "rack", "group": "r", "share": 0.5}]}},
            "'r'",
        ),
        ({"speed": 3}, "speed"),
        ({"name": ["a"]}, "name"),
        ({"gpu": {"H20": {**H20, "tflops": 3}}}, "tflops"),
        ({"node": [{"gpu": "H20", "gpus": 7.5}]}, "7.5"),
        ({"node": [{"gpu": "H20", "gpus": 8, "count": 1.5}]}, "node.count"),
        ({"node": [{"gpu": "H20", "gpus": 8, "name": "a"}] * 2}, "'a'"),
        ({"node": [{"gpu": "H20", "gpus": 8, "name": 3}]}, "node.name"),
        ({"network": {"network_card_gb_per_s": 50, "level": [{**RACK, "name": "fast_link"}]}}, "fast_link"),
        ({"network": {"network_card_gb_per_s": 50, "level": [{**RACK, "name": "gpus"}]}}, "gpus"),
        ({"network": {"network_card_gb_per_s": 50, "level": [RACK, RACK]}}, "two levels are called 'rack'"),
        ({"network": {"network_card_gb_per_s": 50, "level": [{**RACK, "latency": 1}]}}, "latency"),
        (
            {
                "node": [{"gpu": "H20", "gpus": 8, "rack": "r"}],
                "network": {
                    "network_card_gb_per_s": 50,
                    "level": [RACK],
                    "background": [{"level": "rack", "group": "r", "share": 0.5}] * 2,
                },
            },
            "twice",
        ),
    ],
)
def test_what_is_not_a_cluster_is_refused(change: dict[str, Any], says: str) -> None:
    good = cluster([{"gpu": "H20", "gpus": 8}]).to_json()
    assert cluster_from(good).to_json() == good
    with pytest.raises(TrainingError) as caught:
        cluster_from({**good, **change})
    assert caught.value.code == "cluster_format"
    assert says in caught.value.message
