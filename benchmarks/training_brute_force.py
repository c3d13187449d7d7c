"""Every plan of a few GPUs: all groups of some or all of them, all deals to pipelines, all orders, all splits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache

from heteroopt.training.cluster import Cluster
from heteroopt.training.plan import Pipeline, Stage, Workload, run_pipeline
from heteroopt.training.profile import StepModel

Kind = tuple[str, int]


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Ordered ways to write ``total`` as ``parts`` numbers from 1."""
    for cuts in itertools.combinations(range(1, total), parts - 1):
        yield tuple(b - a for a, b in itertools.pairwise((0, *cuts, total)))


def powers(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Ways to cut at most ``total`` GPUs into groups of powers of two."""
    yield ()
    size = largest
    while size:
        if size <= total:
            for rest in powers(total - size, size):
                yield (size, *rest)
        size //= 2


def best_step(cluster: Cluster, work: Workload, profile: StepModel) -> float:
    """The least simulated seconds over every plan, also those that leave GPUs out; one node a type."""
    starts = {node.gpu: node.gpus[0] for node in cluster.nodes}

    @cache
    def seconds(kinds: tuple[Kind, ...], micro_batches: int, replicas: int) -> float:
        found = float("inf")
        for layers in compositions(work.model.layers, len(kinds)) if len(kinds) <= work.model.layers else ():
            stages = tuple(
                Stage(name, tuple(range(starts[name], starts[name] + degree)), count)
                for (name, degree), count in zip(kinds, layers, strict=True)
            )
            fits = all(
                stage.layers
                <= profile.layer_limit(
                    cluster.types[stage.gpu], stage.degree, work.model, tokens=work.sequence,
                    in_flight=min(len(stages) - number, -(-work.sequences // replicas)),
                    ends=(number == 0) + (number == len(stages) - 1), replicas=replicas, zero1=work.zero1,
                )
                for number, stage in enumerate(stages)
            )  # fmt: skip
            if fits:
                found = min(found, run_pipeline(Pipeline(stages, micro_batches), profile, cluster, work).finish_s)
        return found

    def chains(kinds: tuple[Kind, ...]) -> Iterator[list[tuple[Kind, ...]]]:
        """Ways to deal groups to pipelines, each an ordered chain; the first group names the pipeline it is in."""
        if not kinds:
            yield []
            return
        first, others = kinds[0], kinds[1:]
        for size in range(min(len(others), work.model.layers - 1) + 1):
            seen = set()
            for chosen in itertools.combinations(range(len(others)), size):
                members = (first, *(others[place] for place in chosen))
                left = tuple(kind for place, kind in enumerate(others) if place not in chosen)
                if (members, left) in seen:
                    continue
                seen.add((members, left))
                for chain in set(itertools.permutations(members)):
                    for more in chains(left):
                        yield [chain, *more]

    best = float("inf")
    cuts = [[(node.gpu, cut) for cut in powers(len(node.gpus), 8)] for node in cluster.nodes]
    done: set[tuple[tuple[Kind, ...], ...]] = set()
    for chosen in itertools.product(*cuts):
        kinds = tuple((name, size) for name, sizes in chosen for size in sizes)
        for deal in chains(kinds) if kinds else ():
            key = tuple(sorted(deal))
            if key in done or len(deal) > work.sequences:
                continue
            done.add(key)
            for batches in compositions(work.sequences, len(deal)):
                slowest = max(seconds(one, count, len(deal)) for one, count in zip(key, batches, strict=True))
                best = min(best, slowest + (profile.synchronisation_s if len(deal) > 1 else 0.0))
    return best
