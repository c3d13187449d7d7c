"""Exact splits: layers over the stages of a pipeline, micro-batches over pipelines."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence


def pipeline_seconds(stage_s: Sequence[float], micro_batches: int) -> float:
    """Return what a pipeline takes without sends: every micro-batch through the slowest stage, one through all others.

    1F1B reaches it where the slowest stage never waits; otherwise the simulation says more.
    """
    return (micro_batches - 1) * max(stage_s) + sum(stage_s)


def split_layers(
    layer_s: Sequence[float], extra_s: Sequence[float], limits: Sequence[int], layers: int, micro_batches: int
) -> tuple[int, ...] | None:
    """Return the layers of each stage (at least one) for which :func:`pipeline_seconds` is least, or ``None``.

    ``layer_s``: seconds of a layer on each stage; ``extra_s``: what a stage does besides (the head); ``limits``: what
    its memory holds. Dynamic programming over the slowest stage: for every value that it can have, the rest is least
    when the quickest stages take all that they may.
    """
    stages = len(layer_s)
    if layers < stages or min(limits) < 1:
        return None
    candidates = sorted(
        {
            extra + count * each
            for each, extra, limit in set(zip(layer_s, extra_s, limits, strict=True))
            for count in range(1, min(limit, layers - stages + 1) + 1)
        }
    )
    quickest = sorted(range(stages), key=lambda stage: (layer_s[stage], stage))
    best: tuple[float, tuple[int, ...]] | None = None
    low, high = 0, len(candidates)
    while low < high:  # the first value of the slowest stage with room for all layers
        middle = (low + high) // 2
        if _room(candidates[middle], layer_s, extra_s, limits, layers):
            high = middle
        else:
            low = middle + 1
    for slowest in candidates[low:]:
        floor = micro_batches * slowest
        if best is not None and floor >= best[0]:
            break
        most = _most(slowest, layer_s, extra_s, limits)
        counts, left = [1] * stages, layers - stages
        for stage in quickest:
            more = min(left, most[stage] - 1)
            counts[stage] += more
            left -= more
        times = [extra + count * each for each, extra, count in zip(layer_s, extra_s, counts, strict=True)]
        seconds = pipeline_seconds(times, micro_batches)
        if best is None or seconds < best[0] - 1e-15:
            best = (seconds, tuple(counts))
    return None if best is None else best[1]


def _most(slowest: float, layer_s: Sequence[float], extra_s: Sequence[float], limits: Sequence[int]) -> list[int]:
    return [
        min(limit, math.floor((slowest - extra) / each + 1e-9))
        for each, extra, limit in zip(layer_s, extra_s, limits, strict=True)
    ]


def _room(
    slowest: float, layer_s: Sequence[float], extra_s: Sequence[float], limits: Sequence[int], layers: int
) -> bool:
    most = _most(slowest, layer_s, extra_s, limits)
    return min(most) >= 1 and sum(most) >= layers


def split_micro_batches(pipelines: Sequence[Sequence[float]], total: int) -> tuple[int, ...] | None:
    """Return how many of ``total`` micro-batches each pipeline takes (at least one) so that the last is done first.

    ``pipelines``: the stages' seconds of each. Exact for :func:`pipeline_seconds`: one after the other goes to the
    pipeline that would be done with it first.
    """
    if total < len(pipelines):
        return None
    counts = [1] * len(pipelines)
    waiting = [(sum(stages) + max(stages), number, max(stages)) for number, stages in enumerate(pipelines)]
    heapq.heapify(waiting)
    for _ in range(total - len(pipelines)):
        done_s, number, slowest_s = waiting[0]
        counts[number] += 1
        heapq.heapreplace(waiting, (done_s + slowest_s, number, slowest_s))
    return tuple(counts)
