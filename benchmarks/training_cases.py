"""Published training plans of the 32B stack, their clusters and step times, and topologies to reshard on.

Plans, step times and the two GPU types are those published with the system for hierarchical heterogeneous SPMD training
(OSDI 2026). Its network cards are not published: 50 GB/s is assumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heteroopt.training.cluster import Cluster, cluster_from
from heteroopt.training.plan import Pipeline, Stage, TrainingPlan, Workload, step_seconds
from heteroopt.training.profile import StepModel
from heteroopt.training.transformer import PRESETS

LLAMA = PRESETS["llama-32b"]
NETWORK_CARD_GB_PER_S = 50.0
GPUS: Mapping[str, Mapping[str, float]] = {
    "H800": {"bf16_tflop_per_s": 990, "memory_gib": 81559 / 1024, "fast_link_gb_per_s": 400},
    "H20": {"bf16_tflop_per_s": 148, "memory_gib": 97871 / 1024, "fast_link_gb_per_s": 900},
}
H, S = "H800", "H20"
BEST_HOMOGENEOUS_S = 10.45
FIXED_PACKING_S, MIXED_LENGTHS_S = 27.94, 12.56

Chain = tuple[Sequence[tuple[str, int, int]], int]
"""Stages (GPU type, tensor-parallel degree, layers) and micro-batches of a pipeline."""


@dataclass(frozen=True)
class Published:
    """A published plan; ``step_s``: its measured step, where one is published. ``fit``: the scale is fitted to it."""

    name: str
    nodes: tuple[tuple[str, int], ...]
    chains: tuple[Chain, ...]
    zero1: bool
    step_s: float | None = None
    fit: bool = False

    def plan(self, profile: StepModel) -> TrainingPlan:
        """The plan on GPUs in their order."""
        network = cluster_of(self.nodes)
        pipelines = place(network, self.chains)
        return TrainingPlan(pipelines, step_seconds(pipelines, profile, network, self.work), False)

    @property
    def work(self) -> Workload:
        """The published workload: 64 sequences of 4,096 tokens."""
        return Workload(LLAMA, zero1=self.zero1)


def _two(*stages: tuple[str, int, int]) -> tuple[Chain, ...]:
    return ((stages, 32),) * 2


PUBLISHED = (
    Published(
        "16 H800 + 32 H20", ((H, 8),) * 2 + ((S, 8),) * 4, ((((S, 4, 11), (S, 4, 11), (H, 4, 38)), 16),) * 4, True, 6.05
    ),
    Published(
        "16 H800 + 32 H20, replicas",
        ((H, 8),) * 2 + ((S, 8),) * 4,
        _two((S, 4, 5), *[(S, 4, 6)] * 3, (H, 4, 18), (H, 4, 19)),
        False,
        6.91,
    ),
    Published(
        "31 H20",
        ((S, 8),) * 3 + ((S, 7),),
        ((((S, 4, 15),) * 4, 33), (((S, 4, 16),) * 3 + ((S, 2, 8), (S, 1, 4)), 31)),
        False,
        17.27,
        fit=True,
    ),
    Published("16 H800 + 16 H20", ((H, 8),) * 2 + ((S, 8),) * 2, _two(*[(S, 4, 7)] * 2, *[(H, 4, 23)] * 2), False),
    # 31 layers with replicas do not fit on four H800 by the published memory model, so ZeRO-1 is assumed here.
    Published("8 H800 + 24 H20", ((H, 8),) + ((S, 8),) * 3, _two((S, 4, 9), *[(S, 4, 10)] * 2, (H, 4, 31)), True),
    Published("16 H800 + 24 H20", ((H, 8),) * 2 + ((S, 8),) * 3, _two(*[(S, 4, 6)] * 3, *[(H, 4, 21)] * 2), False),
)


def cluster_of(
    nodes: Sequence[tuple[str, int]],
    levels: Sequence[tuple[str, float, int]] = (),
    busy: Sequence[tuple[str, str, float]] = (),
    card_gb_per_s: float = NETWORK_CARD_GB_PER_S,
) -> Cluster:
    """Make a cluster of nodes (type, GPUs); a level has a name, an uplink in GB/s and so many nodes a group."""
    return cluster_from(
        {
            "gpu": GPUS,
            "node": [
                {"gpu": gpu, "gpus": count, **{name: f"{name} {number // size}" for name, _rate, size in levels}}
                for number, (gpu, count) in enumerate(nodes)
            ],
            "network": {
                "network_card_gb_per_s": card_gb_per_s,
                "level": [{"name": name, "uplink_gb_per_s": rate} for name, rate, _size in levels],
                "background": [{"level": level, "group": group, "share": share} for level, group, share in busy],
            },
        }
    )


def place(network: Cluster, chains: Sequence[Chain]) -> tuple[Pipeline, ...]:
    """Put the stages of the chains on the GPUs of their types, in order."""
    free: dict[str, list[int]] = {}
    for number, node in enumerate(network.nodes):
        free.setdefault(node.gpu, []).extend(network.free(number))
    found = []
    for stages, micro_batches in chains:
        placed = []
        for gpu, degree, layers in stages:
            placed.append(Stage(gpu, tuple(free[gpu][:degree]), layers))
            del free[gpu][:degree]
        found.append(Pipeline(tuple(placed), micro_batches))
    return tuple(found)


TOPOLOGIES: tuple[tuple[str, float, tuple[tuple[str, float, int], ...]], ...] = (
    ("2 levels, cards 50", 50, ()),
    ("2 levels, cards 12.5", 12.5, ()),
    ("3 levels, racks of 2 at 100", 50, (("rack", 100, 2),)),
    ("3 levels, racks of 2 at 40", 50, (("rack", 40, 2),)),
    ("3 levels, racks of 3 at 150", 50, (("rack", 150, 3),)),
    ("3 levels, racks of 1 at 100", 25, (("rack", 100, 1),)),
    ("4 levels, racks of 2 at 100, pods of 3 at 50", 50, (("rack", 100, 2), ("pod", 50, 3))),
    ("4 levels, racks of 2 at 200, pods of 4 at 100", 50, (("rack", 200, 2), ("pod", 100, 4))),
    ("4 levels, racks of 1 at 150, pods of 2 at 100", 50, (("rack", 150, 1), ("pod", 100, 2))),
    ("4 levels, racks of 1 at 60, pods of 3 at 90", 25, (("rack", 60, 1), ("pod", 90, 3))),
)
"""Name, GB/s of the network cards, levels above the nodes: ten topologies for six nodes of eight GPUs."""
BUSY_SHARE = 0.6


def busy_of(levels: Sequence[tuple[str, float, int]]) -> list[tuple[str, str, float]]:
    """Background traffic on the first group of every level."""
    return [(name, f"{name} 0", BUSY_SHARE) for name, _rate, _size in levels]
