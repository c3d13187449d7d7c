"""Ways to cut the GPUs of a cluster into tensor-parallel groups and to deal the groups to pipelines.

A deal says kinds only (GPU type and degree of each stage of each pipeline); which GPUs they are is settled at the end.
"""

from __future__ import annotations

import itertools
import math
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
"""Up to it every number of pipelines is tried; above it powers of two, three times them, and what divides the step."""
FEW_TYPES = 3
"""Up to so many types all their orders and all combinations of their degrees are tried."""
MOST_SHARES = 500
"""So many ways to deal the types' groups to pipelines are tried; beyond them, groups are dealt evenly."""

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
    if total < min(degrees):
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


def type_choices(cluster: Cluster, degrees: Sequence[int]) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Return which types to use (all, or without the slowest ones) and the degree into whose groups each is cut.

    Of many types, all have one degree but at most one.
    """
    types = types_by_rate(cluster)
    found: list[tuple[tuple[str, ...], tuple[int, ...]]] = []
    for first in range(len(types)):
        used = tuple(types[first:])
        if len(used) <= FEW_TYPES:
            found += [(used, chosen) for chosen in itertools.product(degrees, repeat=len(used))]
            continue
        for degree in degrees:
            alike = (degree,) * len(used)
            found.append((used, alike))
            for at, other in itertools.product(range(len(used)), degrees):
                if other != degree:
                    found.append((used, (*alike[:at], other, *alike[at + 1 :])))
    return found


def first_deals(
    cluster: Cluster,
    types: Sequence[str],
    degrees: Sequence[int],
    choice: Choice,
    *,
    sequences: int,
    layers: int,
    most: int,
) -> Iterator[Deal]:
    """Yield deals in which each of ``types`` (the slowest first) is cut into groups of its one of ``degrees``.

    What a node has left over is cut into smaller groups, which join the last pipeline or are not used. ``most``: deals
    for each number of pipelines, those with even shares first.
    """
    full: dict[str, int] = {}
    rest: list[Kind] = []
    for name, degree in zip(types, degrees, strict=True):
        nodes = [cluster.free(number) for number, node in enumerate(cluster.nodes) if node.gpu == name]
        sizes = [len(group) for group in cut_nodes(nodes, degree)]
        full[name] = sizes.count(degree)
        rest += [(name, size) for size in sizes if size < degree and size in choice.degrees]
    degree_of = dict(zip(types, degrees, strict=True))
    for count in pipeline_counts(sum(full.values()), sequences, choice):
        used = _room(full, types, count * min(STAGES, layers))
        for some in (rest, []) if rest else ([],):
            yield from itertools.islice(_deals(types, degree_of, used, some, count), most)


def pipeline_counts(groups: int, sequences: int, choice: Choice) -> list[int]:
    """Return the numbers of pipelines that are tried for so many groups."""
    if choice.pipelines is not None:
        return [choice.pipelines]
    most = min(groups, sequences)
    found = set(range(1, min(most, PIPELINES) + 1))
    found |= {1 << n for n in range(most.bit_length())} | {3 << n for n in range(most.bit_length())}
    found |= {count for count in range(1, most + 1) if sequences % count == 0}
    return sorted(count for count in found if choice.least_pipelines <= count <= most)


def _room(full: dict[str, int], types: Sequence[str], room: int) -> dict[str, int]:
    """Leave out groups, those of the slowest types first, where pipelines would have more stages than they may."""
    used = {}
    for name in reversed(types):
        used[name] = min(full[name], room)
        room -= used[name]
    return used


def _deals(
    types: Sequence[str], degree: dict[str, int], full: dict[str, int], rest: Sequence[Kind], count: int
) -> Iterator[Deal]:
    shares: list[list[tuple[int, ...]]] = []
    for name in types:
        some = _shares(full[name], count)
        ways = math.prod(map(len, shares)) * len(some)
        shares.append(some if ways <= MOST_SHARES else [_even(full[name], count)])
    slow_first = tuple(range(len(types)))
    orders = [slow_first, slow_first[::-1]]
    if len(types) <= FEW_TYPES:
        orders = list(itertools.permutations(slow_first))
    for dealt in itertools.product(*shares):
        for turned in (False, True) if len(types) > 1 else (False,):
            turns = [one[::-1] if turned and number else one for number, one in enumerate(dealt)]
            lengths = [sum(one) for one in zip(*turns, strict=True)]
            lengths[-1] += len(rest)
            if not 0 < min(lengths) <= max(lengths) <= STAGES:
                continue
            for order in orders:
                yield tuple(
                    tuple((types[t], degree[types[t]]) for t in order for _ in range(turns[t][number]))
                    + (tuple(rest) if number == count - 1 else ())
                    for number in range(count)
                )


def _shares(groups: int, count: int) -> list[tuple[int, ...]]:
    """Return ways to deal groups to pipelines, the most even first."""
    if groups <= UNEVEN_GROUPS:
        return list(_compositions(groups, count))[::-1]
    return [_even(groups, count)]


def _even(groups: int, count: int) -> tuple[int, ...]:
    each, more = divmod(groups, count)
    return (each + 1,) * more + (each,) * (count - more)


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
    """Yield deals that differ by one step: a stage moved or left out, two swapped, one halved, two of a kind joined."""
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
            yield from _changed(chains, {p: without})
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
    if kept and all(len(one) <= STAGES for one in kept):
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
