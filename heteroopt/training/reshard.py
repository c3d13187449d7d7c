"""Moves tensors from one set of annotations to another in one batch of sends, planned over the links that they share.

Who lacks what is found once for each pair of annotations and shape (a layer is a template that is replayed), and
added up over all tensors: what counts is how many bytes each receiver wants of which owners.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heteroopt.training.annotations import Annotation, Box, Shape, volume
from heteroopt.training.cluster import Cluster
from heteroopt.training.communication import owners_by_slice
from heteroopt.training.errors import TrainingError

CHUNKS = 1_500
"""About so many pieces the whole volume is cut into; each piece takes one way."""
SEARCH_STEPS = 4_000
"""At most so many pieces are moved off the hottest link."""
SWEEPS = 12
"""At most so many times each piece is looked at again before."""
SHARDS_NAMED = 2
"""So many lost parts of a tensor are written out in an error."""
POWER = 16
"""Of a link's time, in the sum that the sweeps lower."""


@dataclass(frozen=True, slots=True)
class Move:
    """A tensor that changes its annotation; ``element_bytes`` counts all that travels with an element."""

    tensor: str
    shape: Shape
    source: Annotation
    target: Annotation
    element_bytes: int


@dataclass(frozen=True, slots=True)
class Demand:
    """``size_bytes`` that ``receiver`` lacks and each of ``owners`` holds."""

    owners: tuple[int, ...]
    receiver: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Flow:
    """Bytes from ``sender`` to ``receiver`` over ``relays`` (GPUs on the way, none if direct)."""

    sender: int
    receiver: int
    size_bytes: float
    relays: tuple[int, ...] = ()


@dataclass(frozen=True)
class Transmission:
    """A plan: its flows, the simulated seconds (the busiest link's bytes over its bandwidth), each link's seconds."""

    flows: tuple[Flow, ...]
    seconds: float
    link_seconds: tuple[float, ...]

    @property
    def moved_bytes(self) -> float:
        """Bytes that leave a GPU; a relayed byte counts once."""
        return sum(flow.size_bytes for flow in self.flows)

    def busiest(self, cluster: Cluster) -> str:
        """Name the link that takes longest."""
        link = cluster.links[int(np.argmax(self.link_seconds))]
        return f"{link.level} {link.name} {'out' if link.outward else 'in'}"


def demands(moves: Iterable[Move], lost: frozenset[int] = frozenset()) -> tuple[Demand, ...]:
    """Return what every receiver lacks, added up.

    Raises :class:`TrainingError` ``shards_lost``, which names the tensors and shards that no GPU that is left holds,
    and ``partial_move`` for a partial sum.
    """
    templates: dict[tuple[Shape, Annotation, Annotation], list[Move]] = defaultdict(list)
    for move in moves:
        if move.source.is_partial or move.target.is_partial:
            raise TrainingError(
                "partial_move",
                f"{move.tensor}: a partial sum cannot be moved by sends alone.",
                hint="Reduce it first.",
                tensor=move.tensor,
            )
        templates[move.shape, move.source, move.target].append(move)
    total: dict[tuple[tuple[int, ...], int], int] = defaultdict(int)
    gone: list[str] = []
    for (shape, source, target), alike in templates.items():
        choices, _here = owners_by_slice(shape, source, target)
        weight = sum(move.element_bytes for move in alike)
        missing: dict[Box, None] = {}
        for one in choices:
            owners = tuple(owner for owner in one.owners if owner not in lost)
            if owners:
                total[owners, one.receiver] += volume(one.box) * weight
            else:
                missing[one.box] = None
        if missing:
            gone += [f"{move.tensor}{_shards(list(missing))}" for move in alike]
    if gone:
        raise lost_error(gone)
    return tuple(Demand(owners, receiver, size) for (owners, receiver), size in sorted(total.items()))


def _shards(boxes: Sequence[Box]) -> str:
    """Write parts of a tensor as ranges of its dimensions: ``[0:832, 0:6656]``, the end not included."""
    boxes = _joined(boxes)
    shown = ["[" + ", ".join(f"{low}:{high}" for low, high in box) + "]" for box in boxes[:SHARDS_NAMED]]
    return "".join(shown) + (f" (+{len(boxes) - SHARDS_NAMED})" if len(boxes) > SHARDS_NAMED else "")


def _joined(boxes: Sequence[Box]) -> list[Box]:
    """Return the same parts with neighbours put together, the last dimension first."""
    found = list(boxes)
    for dim in reversed(range(len(found[0]))):
        joined: list[Box] = []
        for box in sorted(found, key=lambda one: (one[:dim], one[dim + 1 :], one[dim])):
            last = joined[-1] if joined else None
            if last and (last[:dim], last[dim + 1 :], last[dim][1]) == (box[:dim], box[dim + 1 :], box[dim][0]):
                joined[-1] = (*box[:dim], (last[dim][0], box[dim][1]), *box[dim + 1 :])
            else:
                joined.append(box)
        found = joined
    return sorted(found)


def lost_error(gone: Sequence[str]) -> TrainingError:
    """Return the error ``shards_lost`` that names these tensors, each with the shards that are gone."""
    return TrainingError(
        "shards_lost",
        f"No GPU that is left holds {', '.join(gone[:5])}"
        f"{f' and {len(gone) - 5} more tensors' if len(gone) > 5 else ''}.",
        hint="Restore them from a checkpoint, or keep replicas in several pipelines (no ZeRO-1).",
        tensors=", ".join(gone[:5]),
        count=len(gone),
    )


Ways = tuple[list[tuple[int, tuple[int, ...]]], NDArray[np.int64]]
"""For a demand: sender and relays of each way, and the ways' links (padded with the number of an empty link)."""


def transmit(wanted: Sequence[Demand], cluster: Cluster, *, relay: bool = False) -> Transmission:
    """Choose senders (and relays) so that the busiest link is done early: link-aware greedy, then local search.

    ``relay``: bytes between nodes may go over other GPUs of both nodes, whose network cards are less busy.
    """
    bandwidth = _bandwidth(cluster)
    piece = max(sum(one.size_bytes for one in wanted) / CHUNKS, 1.0)
    ways: dict[int, Ways] = {}
    load = np.zeros(len(bandwidth))
    taken: list[tuple[int, float, int]] = []
    for number, one in sorted(enumerate(wanted), key=lambda item: (-item[1].size_bytes, item[0])):
        choices, links = ways[number] = _ways(one, cluster, relay)
        count = max(1, math.ceil(one.size_bytes / piece)) if len(choices) > 1 else 1
        size = one.size_bytes / count
        for _ in range(count):
            way = _best(load, bandwidth, links, size)
            load[links[way]] += size
            taken.append((number, size, way))
    _level(taken, ways, load, bandwidth)
    _search(taken, ways, load, bandwidth)
    return _result(taken, wanted, ways, load, bandwidth)


def transmit_point_to_point(wanted: Sequence[Demand], cluster: Cluster) -> Transmission:
    """The variant that knows no shared links: an owner in the same node if there is one, the least loaded of them."""
    bandwidth = _bandwidth(cluster)
    load = np.zeros(len(bandwidth))
    sent: dict[tuple[int, bool], float] = defaultdict(float)
    taken: list[tuple[int, float, int]] = []
    ways: dict[int, Ways] = {}
    for number, one in enumerate(wanted):
        node = cluster.node_of[one.receiver]

        def key(owner: int, node: int = node) -> tuple[bool, float, int]:
            near = cluster.node_of[owner] == node
            return not near, sent[owner, near], owner

        sender = min(one.owners, key=key)
        sent[sender, cluster.node_of[sender] == node] += one.size_bytes
        choices, links = ways[number] = _ways(one, cluster, False)
        way = next(place for place, (owner, _relays) in enumerate(choices) if owner == sender)
        load[links[way]] += one.size_bytes
        taken.append((number, one.size_bytes, way))
    return _result(taken, wanted, ways, load, bandwidth)


def lower_bound_seconds(wanted: Sequence[Demand], cluster: Cluster, *, relay: bool = False) -> float:
    """Return seconds below which no sends from owners to receivers can be: a linear program over shares of each demand.

    With relays (on the owner's and the receiver's node) the network cards of a node count as one and its fast links are
    left out, which only makes it lower. Each demand is sent by itself: receivers that pass on what they got are left
    out of account.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    if not wanted:
        return 0.0
    bandwidth = _bandwidth(cluster)
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    names: dict[object, int] = {}
    capacity: dict[object, float] = {}
    equal_rows: list[int] = []
    equal_columns: list[int] = []
    column = 0
    for number, one in enumerate(wanted):
        for owner in one.owners:
            for link in cluster.path(owner, one.receiver):
                key, rate = _bound_link(link, cluster, bandwidth, relay)
                if key is None:
                    continue
                capacity[key] = rate
                rows.append(names.setdefault(key, len(names)))
                columns.append(column)
                values.append(one.size_bytes / rate)
            equal_rows.append(number)
            equal_columns.append(column)
            column += 1
    for row in range(len(names)):
        rows.append(row)
        columns.append(column)
        values.append(-1.0)
    cost = np.zeros(column + 1)
    cost[column] = 1.0
    answer = linprog(
        cost,
        A_ub=coo_matrix((values, (rows, columns)), shape=(len(names), column + 1)) if names else None,
        b_ub=np.zeros(len(names)) if names else None,
        A_eq=coo_matrix((np.ones(column), (equal_rows, equal_columns)), shape=(len(wanted), column + 1)),
        b_eq=np.ones(len(wanted)),
        method="highs",
    )
    return float(answer.fun)


def _bound_link(
    link: int, cluster: Cluster, bandwidth: NDArray[np.float64], relay: bool
) -> tuple[object | None, float]:
    one = cluster.links[link]
    if not relay or one.level not in {"fast_link", "network_card"}:
        return link, float(bandwidth[link])
    if one.level == "fast_link":
        return None, 0.0
    node = cluster.node_of[int(one.name.removeprefix("GPU "))]
    return ("cards", node, one.outward), float(bandwidth[link]) * len(cluster.free(node))


def _bandwidth(cluster: Cluster) -> NDArray[np.float64]:
    """Bytes per second of every link, and one more that takes no time, for padding."""
    return np.array([*(link.bandwidth_gb_per_s * 1e9 for link in cluster.links), np.inf])


def _ways(one: Demand, cluster: Cluster, relay: bool) -> Ways:
    choices: list[tuple[int, tuple[int, ...]]] = [(owner, ()) for owner in one.owners]
    paths = [cluster.path(owner, one.receiver) for owner in one.owners]
    if relay:
        to_node = cluster.node_of[one.receiver]
        for owner in one.owners:
            from_node = cluster.node_of[owner]
            if from_node == to_node:
                continue
            for out in cluster.free(from_node):
                for into in cluster.free(to_node):
                    relays = tuple(gpu for gpu in (out, into) if gpu not in (owner, one.receiver))
                    if relays:
                        stops = (owner, *relays, one.receiver)
                        choices.append((owner, relays))
                        paths.append(tuple(link for a, b in itertools.pairwise(stops) for link in cluster.path(a, b)))
    width = max(map(len, paths))
    links = np.full((len(paths), width), len(cluster.links), np.int64)
    for row, path in zip(links, paths, strict=True):
        row[: len(path)] = path
    return choices, links


def _best(load: NDArray[np.float64], bandwidth: NDArray[np.float64], links: NDArray[np.int64], size: float) -> int:
    """The way whose busiest link is done first; among equals the one that takes least of all links together."""
    rate = bandwidth[links]
    done = ((load[links] + size) / rate).max(1)
    spent = (size / rate).sum(1)
    return int(np.lexsort((spent, done))[0])


def _level(
    taken: list[tuple[int, float, int]],
    ways: Mapping[int, Ways],
    load: NDArray[np.float64],
    bandwidth: NDArray[np.float64],
) -> None:
    """Give each piece, in sweeps, the way that adds least to the sum of all links' times to a high power.

    Where several links are equally busy, no single piece makes the busiest less so; under the power, which comes near
    to the maximum, each piece that leaves one of them counts. ``taken`` and ``load`` are changed in place.
    """
    for _ in range(SWEEPS):
        longest = float((load[:-1] / bandwidth[:-1]).max(initial=0.0))
        changed = False
        for place, (number, size, way) in enumerate(taken):
            links = ways[number][1]
            if len(links) < 2:
                continue
            load[links[way]] -= size
            rate = bandwidth[links] * longest
            before = load[links]
            added = (((before + size) / rate) ** POWER - (before / rate) ** POWER).sum(1)
            other = int(np.argmin(added))
            if added[other] < added[way] * (1 - 1e-9):
                way, changed = other, True
                taken[place] = (number, size, way)
            load[links[way]] += size
        if not changed:
            return


def _search(
    taken: list[tuple[int, float, int]],
    ways: Mapping[int, Ways],
    load: NDArray[np.float64],
    bandwidth: NDArray[np.float64],
) -> None:
    """Move pieces off the busiest link while that helps; ``taken`` and ``load`` are changed in place."""
    on_link: dict[int, set[int]] = defaultdict(set)
    for place, (number, _size, way) in enumerate(taken):
        for link in ways[number][1][way]:
            on_link[int(link)].add(place)
    for _ in range(SEARCH_STEPS):
        busy = load[:-1] / bandwidth[:-1]
        hot = int(np.argmax(busy))
        limit = busy[hot] * (1 - 1e-9)
        best: tuple[float, int, int] | None = None
        for place in sorted(on_link[hot]):
            number, size, way = taken[place]
            links = ways[number][1]
            if len(links) < 2:
                continue
            load[links[way]] -= size
            done = ((load[links] + size) / bandwidth[links]).max(1)
            load[links[way]] += size
            done[(links == hot).any(1)] = np.inf
            other = int(np.argmin(done))
            if done[other] < limit and (best is None or done[other] < best[0]):
                best = (float(done[other]), place, other)
                if done[other] < 0.9 * limit:
                    break
        if best is None:
            return
        _done, place, other = best
        number, size, way = taken[place]
        links = ways[number][1]
        load[links[way]] -= size
        load[links[other]] += size
        for link in links[way]:
            on_link[int(link)].discard(place)
        for link in links[other]:
            on_link[int(link)].add(place)
        taken[place] = (number, size, other)


def _result(
    taken: Iterable[tuple[int, float, int]],
    wanted: Sequence[Demand],
    ways: Mapping[int, Ways],
    load: NDArray[np.float64],
    bandwidth: NDArray[np.float64],
) -> Transmission:
    total: dict[tuple[int, int, tuple[int, ...]], float] = defaultdict(float)
    for number, size, way in taken:
        sender, relays = ways[number][0][way]
        total[sender, wanted[number].receiver, relays] += size
    flows = tuple(Flow(sender, receiver, size, relays) for (sender, receiver, relays), size in sorted(total.items()))
    seconds = load[:-1] / bandwidth[:-1]
    return Transmission(flows, float(seconds.max(initial=0.0)), tuple(map(float, seconds)))
