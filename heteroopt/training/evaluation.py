"""What a deal of groups to pipelines takes by formula: layers and micro-batches split exactly, memory kept."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from heteroopt.training.cluster import Cluster
from heteroopt.training.deals import Deal, Kind
from heteroopt.training.layers import pipeline_seconds, split_layers, split_micro_batches
from heteroopt.training.plan import Workload
from heteroopt.training.profile import StepModel


@dataclass(frozen=True, slots=True)
class Score:
    """Seconds by formula, and the layers of every stage and micro-batches of every pipeline that give them."""

    seconds: float
    layers: tuple[tuple[int, ...], ...]
    micro_batches: tuple[int, ...]


@dataclass
class Evaluation:
    """Scores deals; what is known of a pipeline is kept, as most of a deal is as in the one before."""

    cluster: Cluster
    profile: StepModel
    work: Workload
    evaluated: int = 0
    _splits: dict[object, tuple[tuple[float, ...], tuple[int, ...]] | None] = field(default_factory=dict)
    _scores: dict[Deal, Score | None] = field(default_factory=dict)
    _layer_s: dict[Kind, float] = field(default_factory=dict)
    _limits: dict[object, int] = field(default_factory=dict)

    def score(self, deal: Deal) -> Score | None:
        """Return the score, or ``None`` where a pipeline does not fit into memory or has no micro-batch."""
        if deal not in self._scores:
            self.evaluated += 1
            self._scores[deal] = self._score(deal)
        return self._scores[deal]

    def _score(self, deal: Deal) -> Score | None:
        even = math.ceil(self.work.sequences / len(deal))
        best = None
        counts: tuple[int, ...] = (even,) * len(deal)
        for _ in range(2):  # the layers for an even share of micro-batches, then for what each pipeline takes
            times, layers = [], []
            for kinds, count in zip(deal, counts, strict=True):
                split = self._split(kinds, count, len(deal))
                if split is None:
                    return best
                times.append(split[0])
                layers.append(split[1])
            found = split_micro_batches(times, self.work.sequences)
            if found is None:
                return None
            seconds = max(pipeline_seconds(t, m) for t, m in zip(times, found, strict=True))
            if len(deal) > 1:
                seconds += self.profile.synchronisation_s
            fits = all(self._fits(k, n, m, len(deal)) for k, n, m in zip(deal, layers, found, strict=True))
            if fits and (best is None or seconds < best.seconds):
                best = Score(seconds, tuple(layers), found)
            if found == counts:
                break
            counts = found
        return best

    def _split(
        self, kinds: tuple[Kind, ...], micro_batches: int, replicas: int
    ) -> tuple[tuple[float, ...], tuple[int, ...]] | None:
        """Return each stage's seconds and layers, or ``None``."""
        key = kinds, micro_batches, replicas
        if key not in self._splits:
            work = self.work
            layer_s = [self._layer_seconds(kind) for kind in kinds]
            extra = [0.0] * len(kinds)
            name, degree = kinds[-1]
            extra[-1] = self.profile.head_s(self.cluster.types[name], degree, work.model, work.sequence)
            limits = self.stage_limits(kinds, micro_batches, replicas)
            counts = split_layers(layer_s, extra, limits, work.model.layers, micro_batches)
            self._splits[key] = None
            if counts is not None:
                times = tuple(more + n * each for each, more, n in zip(layer_s, extra, counts, strict=True))
                self._splits[key] = times, counts
        return self._splits[key]

    def _fits(self, kinds: tuple[Kind, ...], layers: tuple[int, ...], micro_batches: int, replicas: int) -> bool:
        limits = self.stage_limits(kinds, micro_batches, replicas)
        return all(count <= limit for count, limit in zip(layers, limits, strict=True))

    def stage_limits(self, kinds: tuple[Kind, ...], micro_batches: int, replicas: int) -> list[int]:
        """Return how many layers fit on each stage of a pipeline, with ``replicas`` pipelines in all."""
        last = len(kinds) - 1
        found = []
        for number, kind in enumerate(kinds):
            ahead = len(kinds) - number
            in_flight = micro_batches if self.work.schedule == "gpipe" else min(ahead, micro_batches)
            found.append(self._limit(kind, in_flight, (number == 0) + (number == last), replicas))
        return found

    def _layer_seconds(self, kind: Kind) -> float:
        if kind not in self._layer_s:
            work, (name, degree) = self.work, kind
            gpu = self.cluster.types[name]
            self._layer_s[kind] = self.profile.layer_s(gpu, degree, work.model, work.sequence, work.sequence)
        return self._layer_s[kind]

    def _limit(self, kind: Kind, in_flight: int, ends: int, replicas: int) -> int:
        key = kind, in_flight, ends, replicas
        if key not in self._limits:
            self._limits[key] = self.profile.layer_limit(
                self.cluster.types[kind[0]],
                kind[1],
                self.work.model,
                tokens=self.work.sequence,
                in_flight=in_flight,
                ends=ends,
                replicas=replicas,
                zero1=self.work.zero1,
            )
        return self._limits[key]
