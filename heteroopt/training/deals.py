"""Ways to cut the GPUs of a cluster into tensor-parallel groups and to deal the groups to pipelines.

A deal says kinds only (GPU type and degree of each stage of each pipeline); which GPUs they are is settled at the end.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heteroopt.training.cluster import Cluster

DEGREES = (1, 2, 4, 8)
UNEVEN_GROUPS = 6
"""Up to so many groups of a type, every way to deal them is tried; above it, those that differ by at most one."""
STAGES = 24
"""No pipeline has more stages."""
PIPELINES = 16
"""No more pipelines are tried unless their number is given."""

Kind = tuple[str, int]
"""GPU type and tensor-parallel degree of a stage."""
Deal = tuple[tuple[Kind, ...], ...]
"""The stages' kinds of every pipeline."""


@dataclass(frozen=True)
class Choice:
    """What the planner may choose. ``degrees``: tensor-parallel degrees; ``pipelines``: how many, if given."""

    degrees: tuple[int, ...] = DEGREES
    pipelines: int | None = None
    least_pipelines: int = 1


def every_deal(cluster: Cluster, choice: Choice, sequences: int) -> Iterator[Deal]:
    """Yield all deals of all groups, the stages of a pipeline in any order of their kinds; for a few GPUs only."""
    cuts = [
        [[(node.gpu, size) for size in sizes] for sizes in _powers(len(cluster.free(number)), choice.degrees)]
        for number, node in enumerate(cluster.nodes)
    ]
    done: set[Deal] = set()
    for chosen in itertools.product(*cuts):
        kinds = tuple(sorted(kind for part in chosen for kind in part))
        for parts in _partitions(kinds, choice.pipelines or sequences):
            if len(parts) < choice.least_pipelines or choice.pipelines not in (None, len(parts)):
                continue
            for deal in itertools.product(*(_blocks(part) for part in parts)):
                key = tuple(sorted(deal))
                if key not in done:
                    done.add(key)
                    yield key


def _powers(total: int, degrees: Sequence[int]) -> Iterator[list[int]]:
    """Yield the ways to cut ``total`` GPUs into groups of ``degrees``, in falling order."""
    if total == 0:
        yield []
    for place, degree in enumerate(sorted(degrees, reverse=True)):
        if degree <= total:
            for rest in _powers(total - degree, sorted(degrees, reverse=True)[place:]):
                yield [degree, *rest]


def _partitions(kinds: tuple[Kind, ...], most: int) -> Iterator[list[tuple[Kind, ...]]]:
    """Yield the ways to put ``kinds`` (sorted) into at most ``most`` heaps, each heap sorted."""
    if not kinds:
        yield []
        return
    if most == 0:
        return
    first, others = kinds[0], kinds[1:]
    for size in range(min(len(others), STAGES - 1) + 1):
        for picked in sorted(set(itertools.combinations(others, size))):
            left = list(others)
            for kind in picked:
                left.remove(kind)
            for rest in _partitions(tuple(left), most - 1):
                if not rest or (first, *picked) <= rest[0]:
                    yield [(first, *picked), *rest]


def _blocks(heap: tuple[Kind, ...]) -> Iterator[tuple[Kind, ...]]:
    """Yield the orders of a heap in which stages of a kind stay together."""
    for order in itertools.permutations(dict.fromkeys(heap)):
        yield tuple(kind for one in order for kind in [one] * heap.count(one))


def types_by_rate(cluster: Cluster) -> list[str]:
    """Return the GPU types that are there, the slowest first."""
    there = {cluster.type_of(gpu).name for gpu in cluster.gpus}
    return sorted(there, key=lambda name: (cluster.types[name].bf16_tflop_per_s, name))


def first_deals(cluster: Cluster, degrees: Sequence[int], choice: Choice, sequences: int) -> Iterator[Deal]:
    """Yield deals in which each type (the slowest first) is cut into groups of its one of ``degrees``.

    What a node has left over is cut into smaller groups, which join the last pipeline.
    """
    types = types_by_rate(cluster)
    full: dict[str, int] = {}
    rest: list[Kind] = []
    for name, degree in zip(types, degrees, strict=True):
        nodes = [cluster.free(number) for number, node in enumerate(cluster.nodes) if node.gpu == name]
        sizes = [len(group) for group in cut_nodes(nodes, degree)]
        full[name] = sizes.count(degree)
        rest += [(name, size) for size in sizes if size < degree]
    counts = (
        range(choice.least_pipelines, min(sum(full.values()), sequences, PIPELINES) + 1)
        if choice.pipelines is None
        else [choice.pipelines]
    )
    for count in counts:
        yield from _deals(types, dict(zip(types, degrees, strict=True)), full, rest, count)


def _deals(
    types: Sequence[str], degree: dict[str, int], full: dict[str, int], rest: Sequence[Kind], count: int
) -> Iterator[Deal]:
    for dealt in itertools.product(*(_shares(full[name], count) for name in types)):
        for turned in (False, True) if len(types) > 1 else (False,):
            turns = [one[::-1] if turned and number else one for number, one in enumerate(dealt)]
            for order in itertools.permutations(range(len(types))):
                deal = tuple(
                    tuple((types[t], degree[types[t]]) for t in order for _ in range(turns[t][number]))
                    + (tuple(rest) if number == count - 1 else ())
                    for number in range(count)
                )
                if all(0 < len(one) <= STAGES for one in deal):
                    yield deal


def _shares(groups: int, count: int) -> list[tuple[int, ...]]:
    if groups <= UNEVEN_GROUPS:
        return list(_compositions(groups, count))
    each, more = divmod(groups, count)
    return [(each + 1,) * more + (each,) * (count - more)]


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write ``total`` as ``parts`` numbers from 0 in falling order."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total, (total - 1) // parts if total else -1, -1):
        for others in _compositions(total - first, parts - 1):
            if others[0] <= first:
                yield (first, *others)


def cut_nodes(nodes: Sequence[tuple[int, ...]], degree: int) -> list[tuple[int, ...]]:
    """Cut each node's GPUs into groups of ``degree``; what is left over into smaller powers of two."""
    found: list[tuple[int, ...]] = []
    for gpus in nodes:
        place, size = 0, degree
        while place < len(gpus):
            while size > len(gpus) - place:
                size //= 2
            found.append(gpus[place : place + size])
            place += size
    return sorted(found, key=lambda group: -len(group))


def neighbours(deal: Deal, degrees: Sequence[int], choice: Choice) -> Iterator[Deal]:
    """Yield deals that differ by one step: a stage moved, two swapped, one halved, two of a kind joined."""
    chains = [list(one) for one in deal]
    for p, chain in enumerate(chains):
        for kind in dict.fromkeys(chain):
            name, degree = kind
            without = list(chain)
            without.remove(kind)
            for q in range(len(chains)):
                if q != p:
                    yield from _changed(chains, {p: without, q: [*chains[q], kind]})
            yield from _changed([*chains, []], {p: without, len(chains): [kind]})
            if degree // 2 in degrees:
                half = (name, degree // 2)
                yield from _changed(chains, {p: [*without, half, half]})
            for q, other in enumerate(chains):
                if q < p or (q == p and without.count(kind) == 0) or kind not in other:
                    continue
                if degree * 2 in degrees:
                    double = (name, degree * 2)
                    if q == p:
                        left = list(without)
                        left.remove(kind)
                        yield from _changed(chains, {p: [*left, double]})
                    else:
                        their = list(other)
                        their.remove(kind)
                        yield from _changed(chains, {p: [*without, double], q: their})
                        yield from _changed(chains, {p: without, q: [*their, double]})
            for q in range(p + 1, len(chains)):
                for theirs in dict.fromkeys(chains[q]):
                    if theirs != kind:
                        left = list(chains[q])
                        left.remove(theirs)
                        yield from _changed(chains, {p: [*without, theirs], q: [*left, kind]})


def _changed(chains: Sequence[Sequence[Kind]], change: dict[int, list[Kind]]) -> Iterator[Deal]:
    found = [tuple(change.get(number, list(one))) for number, one in enumerate(chains)]
    kept = tuple(one for one in found if one)
    if all(len(one) <= STAGES for one in kept):
        yield kept


def place(deal: Deal, cluster: Cluster) -> list[list[tuple[int, ...]]] | None:
    """Return the GPUs of every stage, or ``None`` where groups do not fit into nodes. The largest are placed first.

    Groups are powers of two, so what is placed first never keeps out what would have fitted otherwise.
    """
    free: dict[str, list[list[int]]] = defaultdict(list)
    for number, node in enumerate(cluster.nodes):
        free[node.gpu].append(list(cluster.free(number)))
    found: list[list[tuple[int, ...]]] = [[()] * len(one) for one in deal]
    stages = [(-degree, p, s, name) for p, one in enumerate(deal) for s, (name, degree) in enumerate(one)]
    for size, p, s, name in sorted(stages):
        gpus = next((one for one in free[name] if len(one) >= -size), None)
        if gpus is None:
            return None
        found[p][s] = tuple(gpus[:-size])
        del gpus[:-size]
    return found
