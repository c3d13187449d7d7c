"""The best plan in which everything is alike, which every other plan is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heteroopt.training.cluster import Cluster
from heteroopt.training.deals import Choice, cut_nodes
from heteroopt.training.layers import pipeline_seconds
from heteroopt.training.plan import Pipeline, Stage, TrainingPlan, Workload, stage_seconds, step_seconds
from heteroopt.training.profile import StepModel

Group = tuple[str, tuple[int, ...]]
"""GPU type and GPUs of a tensor-parallel group."""


def homogeneous_plan(
    cluster: Cluster, work: Workload, profile: StepModel, choice: Choice | None = None, *, all_groups: bool = False
) -> TrainingPlan | None:
    """Return the best plan in which all stages have one degree and equal layers, and all pipelines equal micro-batches.

    It may leave groups out: it uses the fastest ones, or those of one type alone. GPUs are dealt so that each pipeline
    gets its share of every type. ``all_groups``: only plans that leave no group out. ``None`` if none fits.
    """
    choice = choice or Choice()
    model, best = work.model, None
    for degree in choice.degrees:
        groups: list[Group] = []
        for number, node in enumerate(cluster.nodes):
            groups += [(node.gpu, g) for g in cut_nodes([cluster.free(number)], degree) if len(g) == degree]
        groups.sort(key=lambda one: (cluster.types[one[0]].bf16_tflop_per_s, one))
        for stages, count in _shapes(len(groups), work, choice):
            if all_groups and stages * count < len(groups):
                continue
            layers = model.layers // stages
            for some in _parts(groups, stages * count):
                dealt = [some[number::count] for number in range(count)]
                pipelines = tuple(
                    Pipeline(tuple(Stage(name, gpus, layers) for name, gpus in one), work.sequences // count)
                    for one in dealt
                )
                least_s = max(
                    pipeline_seconds(stage_seconds(one.stages, profile, cluster, work), one.micro_batches)
                    for one in pipelines
                )
                if best is not None and least_s >= best.step_s:
                    continue
                if all(_fits(cluster, work, profile, one, layers, count) for one in dealt):
                    seconds = step_seconds(pipelines, profile, cluster, work)
                    if best is None or seconds < best.step_s:
                        best = TrainingPlan(pipelines, seconds, True)
    return best


def _shapes(groups: int, work: Workload, choice: Choice) -> list[tuple[int, int]]:
    """Return how many stages and pipelines can be alike, those that use most groups first."""
    found = [
        (stages, count)
        for stages in range(1, min(groups, work.model.layers) + 1)
        if work.model.layers % stages == 0
        for count in range(choice.least_pipelines, groups // stages + 1)
        if work.sequences % count == 0 and choice.pipelines in (None, count)
    ]
    return sorted(found, key=lambda one: (-one[0] * one[1], one))


def _parts(groups: Sequence[Group], count: int) -> Iterator[Sequence[Group]]:
    """Yield ``count`` of the groups (sorted, the slowest first): the fastest, and those of each type alone."""
    yield groups[len(groups) - count :]
    for name in dict.fromkeys(name for name, _gpus in groups):
        alone = [one for one in groups if one[0] == name]
        if count <= len(alone) < len(groups):
            yield alone[:count]


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
            ends=(number == 0) + (number == len(groups) - 1),
            replicas=replicas,
            zero1=work.zero1,
        )
        for number, (name, gpus) in enumerate(groups)
    )
