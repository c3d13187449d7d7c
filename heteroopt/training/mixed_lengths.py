"""Batches of sequences of unlike length: several strategies, and for each step the one that is done first.

A strategy is a set of pipelines of unlike tensor- and pipeline-parallel degree: long sequences go where they fit, short
ones where they are cheap. Milliseconds come from the rows of the profile; all seconds are simulated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heteroopt.training.cluster import GpuType
from heteroopt.training.errors import TrainingError
from heteroopt.training.profile import StepModel
from heteroopt.training.transformer import Transformer

Degrees = tuple[int, int]
"""Tensor-parallel degree and number of stages of a pipeline."""


@dataclass(frozen=True)
class Strategy:
    """A name and its pipelines."""

    name: str
    pipelines: tuple[Degrees, ...]

    @property
    def gpus(self) -> int:
        """GPUs that it takes."""
        return sum(tensor * stages for tensor, stages in self.pipelines)


@dataclass(frozen=True)
class Step:
    """One step: the strategy taken, its simulated seconds, and the micro-batches (their lengths) of each pipeline."""

    strategy: str
    seconds: float
    micro_batches: tuple[tuple[tuple[int, ...], ...], ...]
    others: Mapping[str, float]


def token_limit(profile: StepModel, gpu: GpuType, model: Transformer, degrees: Degrees, replicas: int) -> int:
    """Return how many tokens a micro-batch may have in a pipeline of these degrees, by the memory model."""
    tensor, stages = degrees
    layers = -(-model.layers // stages)
    free: float = gpu.memory_bytes - profile.data["memory"]["reserved_bytes"]
    free -= layers * profile.state_bytes(model.layer_parameters(), replicas, True) / tensor
    ends = 2 if stages == 1 else 1
    free -= ends * profile.state_bytes(model.vocabulary * model.hidden, replicas, True) / tensor
    each = layers * stages * profile.activation_bytes(tensor, model, 1)
    return max(0, int(free / each))


def best_step(
    lengths: Sequence[int],
    strategies: Sequence[Strategy],
    limits: Mapping[str, Sequence[int]],
    profile: StepModel,
) -> Step:
    """Dispatch a batch by every strategy that holds its longest sequence and return the quickest.

    ``limits``: of each strategy the token limits of its pipelines. Raises :class:`TrainingError` ``sequence_too_long``.
    """
    found: dict[str, tuple[float, tuple[tuple[tuple[int, ...], ...], ...]]] = {}
    for one in strategies:
        dispatched = dispatch(lengths, one, limits[one.name], profile)
        if dispatched is not None:
            found[one.name] = dispatched
    if not found:
        raise TrainingError(
            "sequence_too_long",
            f"No strategy has a pipeline that holds a sequence of {max(lengths)} tokens.",
            hint="Add a strategy with a higher tensor-parallel degree, or cut the sequence.",
            tokens=max(lengths),
        )
    best = min(found, key=lambda name: (found[name][0], name))
    return Step(best, found[best][0], found[best][1], {name: one[0] for name, one in found.items()})


def dispatch(
    lengths: Sequence[int], strategy: Strategy, limits: Sequence[int], profile: StepModel
) -> tuple[float, tuple[tuple[tuple[int, ...], ...], ...]] | None:
    """Give each sequence, the longest first, to the pipeline that holds it and would be done first; then pack.

    Returns the seconds and the micro-batches, or ``None`` where a sequence fits nowhere.
    """
    rows = profile.rows()
    load = [0.0] * len(strategy.pipelines)
    given: list[list[int]] = [[] for _ in strategy.pipelines]
    for length in sorted(lengths, reverse=True):
        able = [place for place, limit in enumerate(limits) if length <= limit]
        if not able:
            return None

        def after(place: int, length: int = length) -> float:
            square, linear, _fixed = rows[strategy.pipelines[place]]
            return load[place] + square * length**2 + linear * length

        place = min(able, key=lambda one: (after(one), one))
        load[place] = after(place)
        given[place].append(length)
    batches = tuple(tuple(pack(one, limit)) for one, limit in zip(given, limits, strict=True))
    slowest = 0.0
    for (tensor, stages), own in zip(strategy.pipelines, batches, strict=True):
        square, linear, fixed = rows[tensor, stages]
        times = [(square * sum(n * n for n in one) + linear * sum(one) + fixed) / 1e3 for one in own]
        slowest = max(slowest, sum(times) + (stages - 1) * max(times, default=0.0))
    return slowest + profile.synchronisation_s, batches


def pack(lengths: Sequence[int], limit: int) -> list[tuple[int, ...]]:
    """Pack sequences into micro-batches of at most ``limit`` tokens: first fit, the longest first."""
    bins: list[list[int]] = []
    for length in sorted(lengths, reverse=True):
        room = next((one for one in bins if sum(one) + length <= limit), None)
        if room is None:
            bins.append([length])
        else:
            room.append(length)
    return [tuple(one) for one in bins]
