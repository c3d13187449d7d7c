"""Losing GPUs: what is planned, moved or refused; wrong profiles; batches of unlike lengths."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from heteroopt.training.cluster import Cluster, Level
from heteroopt.training.deals import Choice
from heteroopt.training.errors import TrainingError
from heteroopt.training.mixed_lengths import Strategy, best_step, dispatch, pack, token_limit
from heteroopt.training.plan import Workload
from heteroopt.training.planner import plan
from heteroopt.training.what_if import after_loss, sensitivity, states
from tests.engine.training.test_planner import LLAMA, MIXED, PROFILE, cluster

REPLICAS = Workload(LLAMA, zero1=False)
TWO = Choice(degrees=(4,), least_pipelines=2)
H20S = cluster(*[("H20", 8)] * 4)


def test_one_gpu_less() -> None:
    before = plan(H20S, REPLICAS, PROFILE, TWO).plan
    found = after_loss(before, H20S, [31], REPLICAS, PROFILE)
    used = {gpu for one in found.plan.pipelines for stage in one.stages for gpu in stage.gpus}
    assert 31 not in used
    assert found.plan.step_s > before.step_s
    assert 0 < found.bound_s <= found.sends.seconds <= found.point_to_point.seconds * (1 + 1e-9)
    assert found.sends.moved_bytes == pytest.approx(sum(one.size_bytes for one in found.demands))
    assert all(31 not in one.owners and one.receiver != 31 for one in found.demands)
    data = found.to_json()
    assert data["seconds_are"] == "simulated"
    assert data["gain"] == pytest.approx(data["best_homogeneous"]["step_s"] / found.plan.step_s)
    assert data["busiest_link"]


def test_a_node_less() -> None:
    before = plan(MIXED, REPLICAS, PROFILE, TWO).plan
    node = MIXED.nodes[-1]
    found = after_loss(before, MIXED, node.gpus, REPLICAS, PROFILE)
    assert sorted(found.cluster.gpus) == [gpu for gpu in MIXED.gpus if gpu not in node.gpus]
    assert MIXED.without_node(node.name) == found.cluster


def test_zero1_keeps_the_optimizer_state_once() -> None:
    before = plan(H20S, Workload(LLAMA), PROFILE, TWO).plan
    with pytest.raises(TrainingError) as caught:
        after_loss(before, H20S, [31], Workload(LLAMA), PROFILE)
    assert caught.value.code == "shards_lost"
    # Eight pipelines of four GPUs each share the rows of the optimizer state: the last 1/32 was on GPU 31.
    assert str(caught.value.params["tensors"]).startswith("layer0.attention.q.optimizer[6448:6656, 0:6656], ")
    assert caught.value.params["count"] == 60 * 7 + 2


def test_nothing_holds_what_one_pipeline_held() -> None:
    few = cluster(("H20", 8), ("H20", 8))
    work = Workload(LLAMA, zero1=False, sequences=8)
    before = plan(few, work, PROFILE, Choice(pipelines=1)).plan
    with pytest.raises(TrainingError) as caught:
        after_loss(before, few, [0], work, PROFILE)
    assert caught.value.code == "shards_lost"


def test_losing_all_gpus_names_the_shards() -> None:
    few = cluster(("H20", 8), ("H20", 8))
    work = Workload(LLAMA, zero1=False, sequences=8)
    before = plan(few, work, PROFILE, Choice(pipelines=1)).plan
    with pytest.raises(TrainingError) as caught:
        after_loss(before, few, few.gpus, work, PROFILE)
    assert caught.value.code == "shards_lost"
    assert caught.value.params["count"] == 2 * (60 * 9 + 3)


class Stopped(Exception):
    """Raised by a caller that wants no more."""


def test_planning_after_a_loss_can_be_stopped() -> None:
    before = plan(H20S, REPLICAS, PROFILE, TWO).plan

    def stop(_share: float) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        after_loss(before, H20S, [31], REPLICAS, PROFILE, progress=stop)


def test_unknown_gpus_are_named() -> None:
    before = plan(H20S, REPLICAS, PROFILE, TWO).plan
    for call in (lambda: after_loss(before, H20S, [99], REPLICAS, PROFILE), lambda: H20S.without_node("nobody")):
        with pytest.raises(TrainingError) as caught:
            call()
        assert caught.value.code in {"gpu_unknown", "node_unknown"}


def test_zero1_shards_every_row_once() -> None:
    found = plan(MIXED, Workload(LLAMA), PROFILE, Choice(degrees=(4,), pipelines=4)).plan
    for name, shape, held, _size in states(found, Workload(LLAMA)):
        held.check(name, shape)


def test_traffic_that_the_planner_does_not_know_is_judged() -> None:
    racks = replace(
        MIXED,
        levels=(Level("rack", 8.0),),
        nodes=tuple(replace(node, groups={"rack": node.gpu}) for node in MIXED.nodes),
    )
    choice = Choice(degrees=(4,), pipelines=4)
    quiet = sensitivity(racks, Workload(LLAMA), PROFILE, 0.0, choice=choice, trials=1)
    busy = sensitivity(racks, Workload(LLAMA), PROFILE, 0.0, background=0.9, choice=choice, trials=2)
    assert (quiet.background, quiet.largest_regret) == (0.0, 0.0)
    assert (busy.background, busy.trials) == (0.9, 2)
    assert busy.largest_regret >= 0
    with pytest.raises(TrainingError) as caught:
        sensitivity(MIXED, Workload(LLAMA), PROFILE, 0.0, background=0.5, choice=choice, trials=1)
    assert caught.value.code == "no_uplinks"


def test_a_wrong_profile_costs_little() -> None:
    ten = sensitivity(MIXED, Workload(LLAMA), PROFILE, 0.10, choice=Choice(degrees=(2, 4)), trials=3)
    assert ten.mean_regret <= 0.03
    assert ten.worse_than_homogeneous == 0
    assert sensitivity(MIXED, Workload(LLAMA), PROFILE, 0.0, choice=Choice(degrees=(4,)), trials=1).layout_changes == 0


A = Strategy("A", ((16, 1), *[(4, 1)] * 4))
B = Strategy("B", ((8, 1), *[(4, 2)] * 3))


def limits(strategy: Strategy, network: Cluster) -> list[int]:
    count = len(strategy.pipelines)
    return [min(32768, token_limit(PROFILE, network.types["H20"], LLAMA, one, count)) for one in strategy.pipelines]


def test_unlike_lengths() -> None:
    known = {one.name: limits(one, H20S) for one in (A, B)}
    assert A.gpus == B.gpus == 32
    draw = random.Random(1)
    lengths = [min(32768, max(32, int(draw.lognormvariate(6.6, 1.28)))) for _ in range(150)]
    step = best_step(lengths, (A, B), known, PROFILE)
    assert step.seconds == min(step.others.values())
    sent = sorted(n for pipeline in step.micro_batches for batch in pipeline for n in batch)
    assert sent == sorted(lengths)
    for own, limit in zip(step.micro_batches, known[step.strategy], strict=True):
        assert all(sum(batch) <= limit for batch in own)


def test_unlike_lengths_by_hand() -> None:
    assert pack([5, 3, 3, 2, 1], 6) == [(5, 1), (3, 3), (2,)]
    one = Strategy("one", ((4, 1),))
    seconds, batches = dispatch([1000, 2000], one, [4000], PROFILE) or (0.0, ())
    assert batches == (((2000, 1000),),)
    assert seconds == pytest.approx((1.0146e-5 * 5e6 + 0.39973 * 3000 + 81.19) / 1e3 + 0.3)


def test_a_sequence_that_fits_nowhere_is_named() -> None:
    with pytest.raises(TrainingError) as caught:
        best_step([100_000], (A, B), {"A": limits(A, H20S), "B": limits(B, H20S)}, PROFILE)
    assert caught.value.code == "sequence_too_long"
    assert caught.value.params["tokens"] == 100_000
