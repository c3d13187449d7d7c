"""What happens when GPUs go: the new plan, what has to move to reach it and how long that takes, or why it cannot be.

And what a wrong profile does: regret, and how often the plan changes its shape. All seconds are simulated.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from heteroopt.training.annotations import Annotation, Shape, Split, whole_on
from heteroopt.training.cluster import Cluster
from heteroopt.training.deals import Choice
from heteroopt.training.errors import TrainingError
from heteroopt.training.plan import TrainingPlan, Workload, step_seconds
from heteroopt.training.planner import Planned, plan
from heteroopt.training.profile import StepModel
from heteroopt.training.reshard import (
    Demand,
    Move,
    Transmission,
    demands,
    lost_error,
    lower_bound_seconds,
    transmit,
    transmit_point_to_point,
)
from heteroopt.training.transformer import annotate

WEIGHT_BYTES = 2
"""Of each weight in 16 bits."""
OPTIMIZER_BYTES = 12
"""Of each weight: a copy in 32 bits and Adam's two moments."""


@dataclass(frozen=True)
class AfterLoss:
    """The plan on what is left, and the sends that lead there. ``demands``: what each GPU lacks."""

    cluster: Cluster
    planned: Planned
    demands: tuple[Demand, ...]
    sends: Transmission
    point_to_point: Transmission
    bound_s: float

    @property
    def plan(self) -> TrainingPlan:
        """The new plan."""
        return self.planned.plan

    def to_json(self) -> dict[str, Any]:
        """Return the figures; seconds are simulated."""
        return {
            "plan": self.plan.to_json(),
            "best_homogeneous": None if self.planned.homogeneous is None else self.planned.homogeneous.to_json(),
            "gain": self.planned.gain,
            "moved_bytes": self.sends.moved_bytes,
            "send_s": self.sends.seconds,
            "point_to_point_s": self.point_to_point.seconds,
            "bound_s": self.bound_s,
            "busiest_link": self.sends.busiest(self.cluster) if self.sends.flows else "",
            "seconds_are": "simulated",
        }


def after_loss(
    before: TrainingPlan,
    cluster: Cluster,
    lost: Sequence[int],
    work: Workload,
    profile: StepModel,
    choice: Choice | None = None,
    *,
    relay: bool = True,
    progress: Callable[[float], None] | None = None,
) -> AfterLoss:
    """Plan again without the GPUs ``lost`` and move weights and optimizer state.

    Raises :class:`TrainingError` ``shards_lost`` where no GPU that is left holds a part (as with ZeRO-1, which keeps
    the optimizer state once), ``training_infeasible`` where the model no longer fits, ``gpu_unknown``.
    """
    left = cluster.without(*lost)
    _check_held(before, work, left)
    planned = plan(left, work, profile, choice, progress)
    wanted = demands(moves(before, planned.plan, work), left.lost)
    return AfterLoss(
        left,
        planned,
        wanted,
        transmit(wanted, left, relay=relay),
        transmit_point_to_point(wanted, left),
        lower_bound_seconds(wanted, left, relay=relay),
    )


def _check_held(before: TrainingPlan, work: Workload, left: Cluster) -> None:
    """Refuse before planning: whatever the new plan is, all of every tensor is needed on one GPU that is left."""
    if not left.gpus:
        raise lost_error([name for name, *_rest in states(before, work)])
    alone = whole_on(left.gpus[:1])
    demands(
        (Move(name, shape, held, alone, size) for name, shape, held, size in states(before, work)),
        left.lost,
    )


def moves(before: TrainingPlan, after: TrainingPlan, work: Workload) -> Iterator[Move]:
    """Yield every tensor that training keeps, with its annotation in both plans."""
    target = {name: held for name, _shape, held, _size in states(after, work)}
    for name, shape, held, size in states(before, work):
        yield Move(name, shape, held, target[name], size)


def states(one: TrainingPlan, work: Workload) -> Iterator[tuple[str, Shape, Annotation, int]]:
    """Yield name, shape, annotation and bytes an element of weights and optimizer state.

    With ZeRO-1 each pipeline keeps its share of the rows of the optimizer state, with replicas all of it.
    """
    for name, (shape, held) in annotate(work.model, one.devices()).items():
        yield name, shape, held, WEIGHT_BYTES
        if work.zero1 and len(held.groups) > 1:
            yield f"{name}.optimizer", shape, _sharded(held, shape), OPTIMIZER_BYTES
        else:
            yield f"{name}.optimizer", shape, held, OPTIMIZER_BYTES


def _sharded(held: Annotation, shape: Shape) -> Annotation:
    """Cut the rows over the pipelines, at multiples of what tensor parallelism inside a pipeline divides."""
    unit = 1
    for group in held.groups:
        for axis in group.state.axes:
            if axis.placement == Split(0):
                unit = max(unit, axis.parts)
    count, rows = len(held.groups), shape[0] // unit
    return Annotation(held.groups, Split(0), tuple(rows * k // count * unit for k in range(1, count)))


@dataclass(frozen=True)
class Sensitivity:
    """Planning with a profile off by up to ``error`` and without knowledge of ``background`` traffic.

    Over ``trials`` draws, judged by the right profile and with the traffic.
    """

    error: float
    background: float
    trials: int
    mean_regret: float
    largest_regret: float
    layout_changes: int
    worse_than_homogeneous: int
    fallback_wins: int


def sensitivity(
    cluster: Cluster,
    work: Workload,
    profile: StepModel,
    error: float,
    *,
    background: float = 0.0,
    choice: Choice | None = None,
    trials: int = 20,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Sensitivity:
    """Plan under ``trials`` wrong profiles: each rate of a GPU type and degree is off by a factor in 1 +- ``error``.

    ``background``: traffic that the planner does not know takes up to this share of what is left of every uplink.
    Regret: how much longer the step of the plan so chosen takes by the right profile, and with that traffic, than the
    step of the plan that is made in their knowledge. ``fallback_wins``: how often the planner itself chose the
    homogeneous plan. Raises :class:`TrainingError` ``no_uplinks`` for background traffic where no level has uplinks.
    """
    if background and not cluster.levels:
        raise TrainingError(
            "no_uplinks",
            "Background traffic uses the uplinks of a network level, and the cluster has none.",
            hint="Add a level to the network of the cluster.",
        )
    choice = choice or Choice()
    draw = random.Random(seed)
    known = plan(cluster, work, profile, choice)
    regrets, changes, worse, fallback = [], 0, 0, 0
    for trial in range(trials):
        factors = {
            (name, degree): 1 + draw.uniform(-error, error)
            for name in sorted(cluster.types)
            for degree in choice.degrees
        }
        chosen = (plan(cluster, work, profile.with_errors(factors), choice) if error else known).plan
        there = _busier(cluster, draw, background) if background else cluster
        right = plan(there, work, profile, choice) if background else known
        alike_s = None if right.homogeneous is None else right.homogeneous.step_s
        seconds = step_seconds(chosen.pipelines, profile, there, work)
        regrets.append(seconds / right.plan.step_s - 1)
        changes += chosen.layout() != right.plan.layout()
        worse += alike_s is not None and seconds > alike_s * (1 + 1e-9)
        fallback += chosen.homogeneous
        if progress is not None:
            progress((trial + 1) / trials)
    return Sensitivity(error, background, trials, sum(regrets) / trials, max(regrets), changes, worse, fallback)


def _busier(cluster: Cluster, draw: random.Random, most: float) -> Cluster:
    """Return the cluster with traffic that takes up to ``most`` of what is left of each group's uplink."""
    groups = sorted({(level.name, node.groups[level.name]) for level in cluster.levels for node in cluster.nodes})
    shares = {one: 1 - (1 - cluster.background.get(one, 0.0)) * (1 - draw.uniform(0, most)) for one in groups}
    return replace(cluster, background=shares)
