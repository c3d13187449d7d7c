"""Plans: splits against all splits, eight GPUs against every plan, published step times, and what does not fit."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.training_brute_force import best_step, compositions
from heteroopt.training.cluster import Cluster, Level, cluster_from
from heteroopt.training.deals import Choice, first_deals
from heteroopt.training.errors import TrainingError
from heteroopt.training.evaluation import Evaluation
from heteroopt.training.homogeneous import homogeneous_plan
from heteroopt.training.layers import pipeline_seconds, split_layers, split_micro_batches
from heteroopt.training.plan import Pipeline, Stage, TrainingPlan, Workload, send_seconds, step_seconds
from heteroopt.training.planner import plan
from heteroopt.training.profile import published_profile
from heteroopt.training.transformer import PRESETS, StageDevices, Transformer, annotate

LLAMA = PRESETS["llama-32b"]
PROFILE = published_profile()


def cluster(*nodes: tuple[str, int]) -> Cluster:
    return cluster_from(
        {
            "gpu": {
                "H800": {"bf16_tflop_per_s": 990, "memory_gib": 81559 / 1024, "fast_link_gb_per_s": 400},
                "H20": {"bf16_tflop_per_s": 148, "memory_gib": 97871 / 1024, "fast_link_gb_per_s": 900},
            },
            "node": [{"gpu": gpu, "gpus": count} for gpu, count in nodes],
            "network": {"network_card_gb_per_s": 50},
        }
    )


MIXED = cluster(*[("H800", 8)] * 2, *[("H20", 8)] * 4)


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 5), st.integers(1, 6)), min_size=1, max_size=4),
    st.integers(1, 9),
    st.integers(1, 6),
)
def test_layers_are_split_as_well_as_any_split(
    stages: list[tuple[int, int, int]], layers: int, micro_batches: int
) -> None:
    layer_s, extra_s, limits = zip(*stages, strict=True)
    found = split_layers(layer_s, extra_s, limits, layers, micro_batches)
    every = [
        counts
        for counts in compositions(layers, len(stages))
        if all(count <= limit for count, limit in zip(counts, limits, strict=True))
    ] if layers >= len(stages) else []  # fmt: skip

    def seconds(counts: tuple[int, ...]) -> float:
        times = [more + each * count for each, more, count in zip(layer_s, extra_s, counts, strict=True)]
        return pipeline_seconds(times, micro_batches)

    if found is None:
        assert not every
    else:
        assert sum(found) == layers
        assert seconds(found) == pytest.approx(min(map(seconds, every)))


@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=3), min_size=1, max_size=3), st.integers(1, 8))
def test_micro_batches_are_split_as_well_as_any_split(pipelines: list[list[int]], total: int) -> None:
    found = split_micro_batches(pipelines, total)
    if total < len(pipelines):
        assert found is None
        return
    assert found is not None
    assert sum(found) == total

    def seconds(counts: tuple[int, ...]) -> float:
        return max(pipeline_seconds(one, count) for one, count in zip(pipelines, counts, strict=True))

    assert seconds(found) == min(map(seconds, compositions(total, len(pipelines))))


SMALL = Transformer("small", 4, 2048, 5632, 16, 16, 32000)


@pytest.mark.parametrize(("fast", "slow"), [(4, 4), (8, 0), (2, 6)])
def test_eight_gpus_against_every_plan(fast: int, slow: int) -> None:
    nodes = [node for node in (("H800", fast), ("H20", slow)) if node[1]]
    work = Workload(SMALL, sequence=2048, sequences=6)
    profile = replace(PROFILE, synchronisation_s=0.01)
    few = cluster(*nodes)
    found, best = plan(few, work, profile).plan, best_step(few, work, profile)
    assert best <= found.step_s + 1e-9
    assert found.step_s <= 1.02 * best, found.layout()


def pipelines(network: Cluster, *spec: tuple[list[tuple[str, int, int]], int]) -> tuple[Pipeline, ...]:
    """``([(gpu, degree, layers), ...], micro-batches)`` for each pipeline, on GPUs in their order."""
    free: dict[str, list[int]] = {}
    for number, node in enumerate(network.nodes):
        free.setdefault(node.gpu, []).extend(network.free(number))
    found = []
    for stages, micro_batches in spec:
        chain = []
        for gpu, degree, layers in stages:
            chain.append(Stage(gpu, tuple(free[gpu][:degree]), layers))
            del free[gpu][:degree]
        found.append(Pipeline(tuple(chain), micro_batches))
    return tuple(found)


H, S = "H800", "H20"
PUBLISHED: dict[str, tuple[Cluster, list[tuple[list[tuple[str, int, int]], int]], bool, float]] = {
    "16 H800 + 32 H20": (MIXED, [([(S, 4, 11), (S, 4, 11), (H, 4, 38)], 16)] * 4, True, 6.05),
    "the same with replicas": (MIXED, [([(S, 4, 5), *[(S, 4, 6)] * 3, (H, 4, 18), (H, 4, 19)], 32)] * 2, False, 6.91),
    "31 H20": (
        cluster(*[("H20", 8)] * 3, ("H20", 7)),
        [([(S, 4, 15)] * 4, 33), ([*[(S, 4, 16)] * 3, (S, 2, 8), (S, 1, 4)], 31)],
        False,
        17.27,
    ),
}


def test_published_step_times() -> None:
    errors = []
    for network, spec, zero1, published_s in PUBLISHED.values():
        ours = step_seconds(pipelines(network, *spec), PROFILE, network, Workload(LLAMA, zero1=zero1))
        errors.append(abs(ours / published_s - 1))
    assert sum(errors) / len(errors) <= 0.08
    assert max(errors) <= 0.13


def test_the_gain_over_the_best_homogeneous_plan() -> None:
    alike = homogeneous_plan(MIXED, Workload(LLAMA), PROFILE, all_groups=True)
    assert alike is not None
    network, spec, _zero1, _s = PUBLISHED["16 H800 + 32 H20"]
    gain = alike.step_s / step_seconds(pipelines(network, *spec), PROFILE, network, Workload(LLAMA))
    assert gain == pytest.approx(10.45 / 6.05, rel=0.1)


def test_a_mixed_cluster() -> None:
    found = plan(MIXED, Workload(LLAMA), PROFILE)
    check(found.plan, MIXED, Workload(LLAMA))
    assert found.homogeneous is not None
    check(found.homogeneous, MIXED, Workload(LLAMA))
    assert found.homogeneous.homogeneous
    assert found.gain is not None
    assert found.gain > 1.3
    assert plan(MIXED, Workload(LLAMA), PROFILE) == found


def check(one: TrainingPlan, network: Cluster, work: Workload) -> None:
    """No GPU twice, every layer once in each pipeline, all micro-batches, groups inside nodes."""
    gpus = [gpu for pipeline in one.pipelines for stage in pipeline.stages for gpu in stage.gpus]
    assert len(set(gpus)) == len(gpus)
    assert set(gpus) <= set(network.gpus)
    assert sum(pipeline.micro_batches for pipeline in one.pipelines) == work.sequences
    for pipeline in one.pipelines:
        assert sum(stage.layers for stage in pipeline.stages) == work.model.layers
        for stage in pipeline.stages:
            assert len({network.node_of[gpu] for gpu in stage.gpus}) == 1
            assert {network.type_of(gpu).name for gpu in stage.gpus} == {stage.gpu}
    assert one.step_s == step_seconds(one.pipelines, PROFILE, network, work)


def test_never_worse_than_homogeneous() -> None:
    compared = 0
    for nodes in itertools.product(range(3), repeat=2):
        network_nodes = [("H800", 8)] * nodes[0] + [("H20", 8)] * nodes[1]
        if not network_nodes:
            continue
        network = cluster(*network_nodes)
        found = plan(network, Workload(PRESETS["llama-13b"], sequences=16), PROFILE)
        if found.homogeneous is not None:
            compared += 1
            assert found.plan.step_s <= found.homogeneous.step_s
    assert compared >= 6


def test_an_odd_gpu_is_used() -> None:
    network = cluster(*[("H20", 8)] * 3, ("H20", 7))
    found = plan(network, Workload(LLAMA, zero1=False), PROFILE)
    check(found.plan, network, Workload(LLAMA, zero1=False))
    assert sum(stage.degree for one in found.plan.pipelines for stage in one.stages) == 31
    assert found.homogeneous is not None
    assert found.homogeneous.step_s > found.plan.step_s
    assert sum(stage.degree for one in found.homogeneous.pipelines for stage in one.stages) == 30


SLOW = {"bf16_tflop_per_s": 1, "memory_gib": 100, "fast_link_gb_per_s": 1}


def with_types(types: dict[str, dict[str, float]], *nodes: tuple[str, int]) -> Cluster:
    data = cluster(*[("H800", 8)] * 2).to_json()
    more = [{"gpu": gpu, "gpus": count} for gpu, count in nodes]
    return cluster_from({**data, "gpu": {**data["gpu"], **types}, "node": [*data["node"], *more]})


def test_the_best_homogeneous_plan_may_leave_the_slow_gpus_out() -> None:
    fast = homogeneous_plan(cluster(*[("H800", 8)] * 2), Workload(LLAMA), PROFILE)
    found = homogeneous_plan(MIXED, Workload(LLAMA), PROFILE)
    all_gpus = homogeneous_plan(MIXED, Workload(LLAMA), PROFILE, all_groups=True)
    assert fast is not None
    assert found == fast
    assert all_gpus is not None
    assert all_gpus.step_s > 1.5 * found.step_s


@pytest.mark.parametrize("memory_gib", [1, 100])
def test_a_gpu_more_makes_no_plan_slower(memory_gib: float) -> None:
    without = plan(cluster(*[("H800", 8)] * 2), Workload(LLAMA), PROFILE).plan
    found = plan(with_types({"slow": {**SLOW, "memory_gib": memory_gib}}, ("slow", 1)), Workload(LLAMA), PROFILE)
    assert found.plan.step_s <= without.step_s * (1 + 1e-9)


def test_many_types_are_planned_in_bounded_work() -> None:
    names = [f"T{number}" for number in range(6)]
    types = {name: {**SLOW, "bf16_tflop_per_s": 100.0 + 50 * at} for at, name in enumerate(names)}
    data = cluster(("H20", 1)).to_json()
    many = cluster_from({**data, "gpu": types, "node": [{"gpu": name, "gpus": 2} for name in names]})
    told: list[float] = []
    found = plan(many, Workload(SMALL, sequences=16), PROFILE, progress=told.append)
    check(found.plan, many, Workload(SMALL, sequences=16))
    assert found.evaluated < 25_000
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_stages_have_none_but_the_degrees_to_choose_from() -> None:
    found = plan(cluster(("H20", 7), ("H20", 7)), Workload(SMALL), PROFILE, Choice(degrees=(2, 4)))
    assert {stage.degree for one in found.plan.pipelines for stage in one.stages} <= {2, 4}


def test_more_groups_than_few_pipelines_hold() -> None:
    many = cluster(*[("H20", 8)] * 40, *[("H800", 8)] * 10)
    deals = first_deals(many, ("H20", "H800"), (1, 1), Choice(), sequences=480, layers=60, most=2)
    assert any(sum(map(len, deal)) == 400 for deal in deals)
    # With four pipelines of at most 24 stages, the slowest are left out.
    four = Choice(pipelines=4)
    for deal in first_deals(many, ("H20", "H800"), (1, 1), four, sequences=480, layers=60, most=2):
        assert [len(one) for one in deal] == [24] * 4
        assert sum(one.count(("H800", 1)) for one in deal) == 80


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(TrainingError) as caught:
        plan(cluster(("H20", 2)), Workload(LLAMA), PROFILE)
    assert caught.value.code == "training_infeasible"
    assert "llama-32b" in caught.value.message


def test_the_number_of_pipelines_can_be_given() -> None:
    found = plan(MIXED, Workload(LLAMA), PROFILE, Choice(degrees=(4,), pipelines=4))
    assert [[stage.layers for stage in one.stages] for one in found.plan.pipelines] == [[11, 11, 38]] * 4


def test_a_plan_as_json_carries_every_weight() -> None:
    found = plan(MIXED, Workload(LLAMA), PROFILE, Choice(degrees=(4,), pipelines=4)).plan
    data: dict[str, Any] = found.to_json(LLAMA)
    assert data["step_is"] == "simulated"
    assert len(data["tensors"]) == 60 * 9 + 3
    assert data["tensors"]["layer0.mlp.up"]["shape"] == [17920, 6656]
    assert len(data["tensors"]["layer0.mlp.up"]["groups"]) == 4


def test_one_stage_holds_embedding_and_head() -> None:
    """A layer takes 16 bytes a weight on one GPU; the vocabulary is so large that each end takes as much as a layer."""
    gpu = MIXED.types["H20"]
    model = replace(LLAMA, vocabulary=LLAMA.layer_parameters() // LLAMA.hidden)
    known = {
        ends: PROFILE.layer_limit(gpu, 8, model, tokens=1, in_flight=0, ends=ends, replicas=1, zero1=False)
        for ends in (0, 1, 2)
    }
    assert known == {0: known[0], 1: known[0] - 1, 2: known[0] - 2}
    alone = Evaluation(MIXED, PROFILE, Workload(model)).stage_limits((("H20", 8),), 1, 1)
    both = Evaluation(MIXED, PROFILE, Workload(model)).stage_limits((("H20", 8),) * 2, 1, 1)
    assert alone[0] == both[1] - 1


def test_sends_of_one_stage_share_an_uplink() -> None:
    """Four GPUs send a quarter each over cards of 50 GB/s, but all over one uplink of 80 GB/s."""
    racks = replace(
        cluster(("H20", 8), ("H20", 8)),
        levels=(Level("rack", 80.0),),
        nodes=tuple(replace(node, groups={"rack": node.name}) for node in cluster(("H20", 8), ("H20", 8)).nodes),
    )
    work = Workload(LLAMA)
    stages = Stage("H20", (0, 1, 2, 3), 30), Stage("H20", (8, 9, 10, 11), 30)
    size = 4096 * 6656 * 2
    assert send_seconds(stages, racks, work) == pytest.approx([size / 80e9])
    wide = replace(racks, levels=(Level("rack", 1000.0),))
    assert send_seconds(stages, wide, work) == pytest.approx([size / 4 / 50e9])


def test_the_vocabulary_is_cut_where_it_can_be() -> None:
    devices = [[StageDevices((0, 1), 0, 60)], [StageDevices((2, 3, 4, 5), 0, 60)]]
    assert str(annotate(LLAMA, devices)["head"][1].groups[1].state) == "[Split(0) x 4]"
    odd = replace(LLAMA, vocabulary=50257)
    assert str(annotate(odd, devices)["head"][1].groups[1].state) == "[Split(1) x 4]"
