"""A training plan: pipelines of stages on named GPUs, their micro-batches, and what the simulation says of it."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from heteroopt.training.cluster import Cluster
from heteroopt.training.pipeline import PipelineRun, Schedule, simulate
from heteroopt.training.profile import StepModel
from heteroopt.training.transformer import StageDevices, Transformer, annotate

ACTIVATION_ELEMENT_BYTES = 2
"""Activations and their gradients travel in 16 bits."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What a step does: ``sequences`` of ``sequence`` tokens each, one a micro-batch."""

    model: Transformer
    sequence: int = 4096
    sequences: int = 64
    zero1: bool = True
    schedule: Schedule = "1f1b"


@dataclass(frozen=True, slots=True)
class Stage:
    """GPUs that share layers by tensor parallelism, all in one node, and how many layers they hold."""

    gpu: str
    gpus: tuple[int, ...]
    layers: int

    @property
    def degree(self) -> int:
        """Tensor-parallel degree."""
        return len(self.gpus)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Stages in order, and the micro-batches of a step that go through them."""

    stages: tuple[Stage, ...]
    micro_batches: int


@dataclass(frozen=True)
class TrainingPlan:
    """A plan with its simulated seconds a step. ``homogeneous``: every stage and pipeline alike."""

    pipelines: tuple[Pipeline, ...]
    step_s: float
    homogeneous: bool

    def devices(self) -> list[list[StageDevices]]:
        """Return the stages as annotations need them."""
        found = []
        for pipeline in self.pipelines:
            first, stages = 0, []
            for stage in pipeline.stages:
                stages.append(StageDevices(stage.gpus, first, stage.layers))
                first += stage.layers
            found.append(stages)
        return found

    def layout(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """Return GPU type and degree of each stage of each pipeline: what changes when a plan changes its shape."""
        return tuple(tuple((stage.gpu, stage.degree) for stage in one.stages) for one in self.pipelines)

    def to_json(self, model: Transformer | None = None) -> dict[str, Any]:
        """Return the JSON form; with ``model`` also the annotation of every weight."""
        found: dict[str, Any] = {
            "format": "heteroopt-training-plan",
            "version": 1,
            "step_s": self.step_s,
            "step_is": "simulated",
            "homogeneous": self.homogeneous,
            "pipelines": [
                {
                    "micro_batches": pipeline.micro_batches,
                    "stages": [
                        {"gpu": stage.gpu, "gpus": list(stage.gpus), "layers": stage.layers}
                        for stage in pipeline.stages
                    ],
                }
                for pipeline in self.pipelines
            ],
        }
        if model is not None:
            found["tensors"] = {
                name: {"shape": list(shape), **annotation.to_json()}
                for name, (shape, annotation) in annotate(model, self.devices()).items()
            }
        return found


def stage_seconds(stages: Sequence[Stage], profile: StepModel, cluster: Cluster, work: Workload) -> list[float]:
    """Return the seconds of one micro-batch on each stage, forward and backward, the head on the last."""
    found = []
    for number, stage in enumerate(stages):
        gpu = cluster.types[stage.gpu]
        seconds = stage.layers * profile.layer_s(gpu, stage.degree, work.model, work.sequence, work.sequence)
        if number == len(stages) - 1:
            seconds += profile.head_s(gpu, stage.degree, work.model, work.sequence)
        found.append(seconds)
    return found


def send_seconds(stages: Sequence[Stage], cluster: Cluster, work: Workload) -> list[float]:
    """Return the seconds to send one micro-batch's activations over each boundary between stages.

    The GPUs of the smaller stage send a share each at the same time; a link that several of them cross carries the sum.
    """
    return [
        max((amount / (cluster.links[link].bandwidth_gb_per_s * 1e9) for link, amount in carried.items()), default=0.0)
        for carried in (send_bytes(before, after, cluster, work) for before, after in itertools.pairwise(stages))
    ]


def send_bytes(before: Stage, after: Stage, cluster: Cluster, work: Workload) -> dict[int, float]:
    """Return the bytes of one micro-batch's activations that each link carries from one stage to the next."""
    lanes = min(before.degree, after.degree)
    share = work.sequence * work.model.hidden * ACTIVATION_ELEMENT_BYTES / lanes
    found: dict[int, float] = defaultdict(float)
    for a, b in zip(before.gpus[:lanes], after.gpus[:lanes], strict=True):
        for link in cluster.path(a, b):
            found[link] += share
    return found


def run_pipeline(pipeline: Pipeline, profile: StepModel, cluster: Cluster, work: Workload) -> PipelineRun:
    """Simulate one step of a pipeline."""
    times = [[one] * pipeline.micro_batches for one in stage_seconds(pipeline.stages, profile, cluster, work)]
    return simulate(times, send_seconds(pipeline.stages, cluster, work), work.schedule)


def step_seconds(pipelines: Sequence[Pipeline], profile: StepModel, cluster: Cluster, work: Workload) -> float:
    """Return the simulated seconds of a step: the slowest pipeline, then the synchronisation of the gradients."""
    known: dict[object, float] = {}
    slowest = 0.0
    for pipeline in pipelines:
        sends = tuple(send_seconds(pipeline.stages, cluster, work))
        key = tuple((s.gpu, s.degree, s.layers) for s in pipeline.stages), pipeline.micro_batches, sends
        if key not in known:
            known[key] = run_pipeline(pipeline, profile, cluster, work).finish_s
        slowest = max(slowest, known[key])
    return slowest + (profile.synchronisation_s if len(pipelines) > 1 else 0.0)
