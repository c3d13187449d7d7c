"""The best plan in which everything is alike, which every other plan is compared with."""

from __future__ import annotations

from collections.abc import Sequence

from heteroopt.training.cluster import Cluster
from heteroopt.training.deals import Choice, cut_nodes
from heteroopt.training.plan import Pipeline, Stage, TrainingPlan, Workload, step_seconds
from heteroopt.training.profile import StepModel

Group = tuple[str, tuple[int, ...]]
"""GPU type and GPUs of a tensor-parallel group."""


def homogeneous_plan(
    cluster: Cluster, work: Workload, profile: StepModel, choice: Choice | None = None
) -> TrainingPlan | None:
    """Return the best plan in which all stages have one degree and equal layers, and all pipelines equal micro-batches.

    It uses all GPUs, or as many whole groups as make equal pipelines; GPUs are dealt so that each pipeline gets its
    share of every type. ``None`` if none fits.
    """
    choice = choice or Choice()
    model, best = work.model, None
    for degree in choice.degrees:
        groups: list[Group] = []
        for number, node in enumerate(cluster.nodes):
            groups += [(node.gpu, g) for g in cut_nodes([cluster.free(number)], degree) if len(g) == degree]
        groups.sort(key=lambda one: (cluster.types[one[0]].bf16_tflop_per_s, one[1]))
        for stages in range(1, min(len(groups), model.layers) + 1):
            count = len(groups) // stages
            if model.layers % stages or work.sequences % count or len(groups) % stages:
                continue
            if count < choice.least_pipelines or choice.pipelines not in (None, count):
                continue
            layers = model.layers // stages
            dealt = [groups[number::count] for number in range(count)]
            if not all(_fits(cluster, work, profile, one, layers, count) for one in dealt):
                continue
            pipelines = tuple(
                Pipeline(tuple(Stage(name, gpus, layers) for name, gpus in one), work.sequences // count)
                for one in dealt
            )
            seconds = step_seconds(pipelines, profile, cluster, work)
            if best is None or seconds < best.step_s:
                best = TrainingPlan(pipelines, seconds, True)
    return best


def _fits(
    cluster: Cluster, work: Workload, profile: StepModel, groups: Sequence[Group], layers: int, replicas: int
) -> bool:
    share = work.sequences // replicas
    return all(
        layers
        <= profile.layer_limit(
            cluster.types[name],
            len(gpus),
            work.model,
            tokens=work.sequence,
            in_flight=share if work.schedule == "gpipe" else min(len(groups) - number, share),
            end=number in (0, len(groups) - 1),
            replicas=replicas,
            zero1=work.zero1,
        )
        for number, (name, gpus) in enumerate(groups)
    )
