"""Chooses pipelines of unlike stages for a cluster of unlike GPUs, never worse than the best homogeneous plan.

Deals with one tensor-parallel degree a GPU type are scored by formula (layers and micro-batches split exactly); the
best are improved step by step, which brings in unlike degrees of one type; the best of all are simulated.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from heteroopt.training.cluster import Cluster
from heteroopt.training.deals import Choice, Deal, every_deal, first_deals, neighbours, place, type_choices
from heteroopt.training.errors import TrainingError
from heteroopt.training.evaluation import Evaluation, Score
from heteroopt.training.homogeneous import homogeneous_plan
from heteroopt.training.plan import Pipeline, Stage, TrainingPlan, Workload, step_seconds
from heteroopt.training.profile import StepModel

STARTS = 6
"""So many of the best deals are improved."""
STEPS = 3_000
"""Neighbours that are scored in all."""
SIMULATED = 24
"""So many of the best by formula are simulated."""
EXHAUSTIVE_GPUS = 8
"""Up to so many GPUs every deal of all of them is scored,"""
EXHAUSTIVE_DEALS = 30_000
"""but no more than so many."""
FIRST_DEALS = 20_000
"""About so many deals are scored at most before the best are improved."""
COUNTS = 20
"""About so many numbers of pipelines are tried."""
TELL_EVERY = 1_000
"""Deals, after which ``progress`` is told again, so that planning can be stopped."""


@dataclass(frozen=True)
class Planned:
    """The plan, the best homogeneous one (``None`` if there is none), and how many deals were scored."""

    plan: TrainingPlan
    homogeneous: TrainingPlan | None
    evaluated: int

    @property
    def gain(self) -> float | None:
        """How many times faster the plan is than the best homogeneous one."""
        return None if self.homogeneous is None else self.homogeneous.step_s / self.plan.step_s


def plan(
    cluster: Cluster,
    work: Workload,
    profile: StepModel,
    choice: Choice | None = None,
    progress: Callable[[float], None] | None = None,
) -> Planned:
    """Return the best plan found and the best homogeneous one.

    GPUs may stay unused where a plan without them is better. ``progress`` is told the share that is done; what it
    raises ends the planning. Raises :class:`TrainingError` ``training_infeasible`` where nothing
    fits into the memory of the cluster.
    """
    choice = choice or Choice()
    evaluation = Evaluation(cluster, profile, work)
    known: dict[Deal, Score] = {}
    tell = progress or (lambda share: None)
    if len(cluster.gpus) <= EXHAUSTIVE_GPUS:
        every = every_deal(cluster, choice, work.sequences)
        for number, deal in enumerate(itertools.islice(every, EXHAUSTIVE_DEALS)):
            if number % TELL_EVERY == 0:
                tell(0.0)
            if (score := evaluation.score(deal)) is not None:
                known[deal] = score
    choices = type_choices(cluster, choice.degrees)
    most = max(1, FIRST_DEALS // (len(choices) * COUNTS + 1))
    for done, (types, degrees) in enumerate(choices):
        for deal in first_deals(
            cluster, types, degrees, choice, sequences=work.sequences, layers=work.model.layers, most=most
        ):
            if (score := evaluation.score(deal)) is not None:
                known[deal] = score
        tell(0.5 * (done + 1) / len(choices))
    starts = _least(known, STARTS)
    for number, deal in enumerate(starts):
        _improve(deal, evaluation, choice, known, STEPS // STARTS)
        tell(0.5 + 0.4 * (number + 1) / len(starts))
    found = [one for deal in _least(known, SIMULATED) if (one := _simulated(deal, known[deal], evaluation)) is not None]
    alike = homogeneous_plan(cluster, work, profile, choice)
    if alike is not None:
        found.append(alike)
    tell(1.0)
    if not found:
        raise TrainingError(
            "training_infeasible",
            f"{work.model.name} does not fit on this cluster: no split of its {work.model.layers} layers leaves room "
            "for weights, optimizer state and activations.",
            hint="Add GPUs, shorten the sequence, or shard the optimizer state (ZeRO-1).",
            model=work.model.name,
            layers=work.model.layers,
        )
    return Planned(min(found, key=lambda one: one.step_s), alike, evaluation.evaluated)


def _least(known: dict[Deal, Score], count: int) -> list[Deal]:
    return heapq.nsmallest(count, known, key=lambda deal: (known[deal].seconds, deal))


def _improve(deal: Deal, evaluation: Evaluation, choice: Choice, known: dict[Deal, Score], budget: int) -> None:
    """Go to the best neighbour while one is better and ``budget`` is left; what is scored goes into ``known``."""
    rate = {name: one.bf16_tflop_per_s for name, one in evaluation.cluster.types.items()}
    while budget > 0:
        better, best = None, known[deal].seconds
        for raw in neighbours(deal, choice.degrees, choice):
            if choice.pipelines not in (None, len(raw)) or len(raw) < choice.least_pipelines:
                continue
            for slow_first in (True, False):
                other = tuple(
                    tuple(sorted(one, key=lambda kind: (rate[kind[0]], -kind[1]), reverse=not slow_first))
                    for one in raw
                )
                budget -= 1
                score = evaluation.score(other)
                if score is None:
                    continue
                known[other] = score
                if score.seconds < best - 1e-12:
                    better, best = other, score.seconds
            if budget <= 0:
                break
        if better is None:
            return
        deal = better


def _simulated(deal: Deal, score: Score, evaluation: Evaluation) -> TrainingPlan | None:
    gpus = place(deal, evaluation.cluster)
    if gpus is None:
        return None
    pipelines = tuple(
        Pipeline(
            tuple(
                Stage(name, group, count) for (name, _degree), group, count in zip(kinds, groups, layers, strict=True)
            ),
            micro_batches,
        )
        for kinds, groups, layers, micro_batches in zip(deal, gpus, score.layers, score.micro_batches, strict=True)
    )
    seconds = step_seconds(pipelines, evaluation.profile, evaluation.cluster, evaluation.work)
    return TrainingPlan(pipelines, seconds, False)
