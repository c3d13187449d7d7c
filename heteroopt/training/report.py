"""What a page shows of a plan: seconds and shares of each stage, the slots of each pipeline, how busy the links are.

All seconds are simulated.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from heteroopt.training.cluster import Cluster
from heteroopt.training.plan import (
    Pipeline,
    TrainingPlan,
    Workload,
    run_pipeline,
    send_bytes,
    stage_seconds,
)
from heteroopt.training.profile import StepModel

MOST_SLOTS = 6_000
"""So many slots of a plan are given; pipelines beyond have none."""
MOST_LINKS = 12
DIGITS = 6


def plan_report(one: TrainingPlan, cluster: Cluster, work: Workload, profile: StepModel) -> dict[str, Any]:
    """Return the plan in JSON form with what the simulation says of its stages, pipelines and links.

    A slot is ``[stage, micro-batch, 1 forward or 0 backward, start in s, end in s]``.
    """
    left = MOST_SLOTS
    pipelines = []
    for pipeline in one.pipelines:
        run = run_pipeline(pipeline, profile, cluster, work)
        times = stage_seconds(pipeline.stages, profile, cluster, work)
        slots = None
        if len(run.slots) <= left:
            left -= len(run.slots)
            slots = [
                [slot.stage, slot.micro_batch, int(slot.forward), _short(slot.start_s), _short(slot.end_s)]
                for slot in run.slots
            ]
        pipelines.append(
            {
                "micro_batches": pipeline.micro_batches,
                "finish_s": _short(run.finish_s),
                "stages": [
                    {
                        "gpu": stage.gpu,
                        "gpus": list(stage.gpus),
                        "layers": stage.layers,
                        "micro_batch_s": _short(seconds),
                        "busy_share": _short(run.busy_share(number)),
                    }
                    for number, (stage, seconds) in enumerate(zip(pipeline.stages, times, strict=True))
                ],
                "slots": slots,
            }
        )
    return {
        "step_s": one.step_s,
        "homogeneous": one.homogeneous,
        "pipelines": pipelines,
        "links": busiest_links(send_link_seconds(one.pipelines, cluster, work), cluster),
    }


def send_link_seconds(pipelines: Sequence[Pipeline], cluster: Cluster, work: Workload) -> dict[int, float]:
    """Return the seconds that each link carries activations forward and their gradients backward in a step."""
    found: dict[int, float] = defaultdict(float)
    for pipeline in pipelines:
        for before, after in itertools.pairwise(pipeline.stages):
            for one, other in ((before, after), (after, before)):
                for link, amount in send_bytes(one, other, cluster, work).items():
                    found[link] += pipeline.micro_batches * amount / (cluster.links[link].bandwidth_gb_per_s * 1e9)
    return found


def busiest_links(seconds: dict[int, float], cluster: Cluster) -> list[dict[str, Any]]:
    """Return the links that are busiest, with level, name, direction and seconds."""
    chosen = sorted((one for one in seconds.items() if one[1] > 0), key=lambda one: (-one[1], one[0]))[:MOST_LINKS]
    return [
        {
            "level": cluster.links[link].level,
            "name": cluster.links[link].name,
            "outward": cluster.links[link].outward,
            "seconds": _short(busy),
        }
        for link, busy in chosen
    ]


def _short(value: float) -> float:
    return round(value, DIGITS)
