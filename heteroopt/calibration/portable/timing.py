"""The timing rule: warm up until steady, drop the cold run, ten samples, trim, keep the median, flag what is odd."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

SPIKE_FACTOR = 2.0


@dataclass
class Rule:
    """How a shape is timed.

    After a cold run that is dropped, runs go on until the medians of three windows in a row agree within ``stable``.
    Then ``repeats`` samples are taken, each the centre of a loop that lasts ``target_s``; ``trim`` of them are dropped
    at both ends and the median of the rest is kept. Samples whose middle half spreads over more than ``noisy`` of it,
    whose halves differ by ``drift``, or of which one is twice the median, are flagged and taken again, ``attempts``
    times in all. Every ``watch_every`` shapes or ``watch_every_s`` one and the same shape is timed again, to notice
    throttling; a slower device cools down for ``cool_down_s`` at a time, ``longest_cool_down_s`` in all.
    """

    repeats: int = 10
    trim: float = 0.2
    target_s: float = 1e-3
    longest_loop: int = 200
    stable: float = 0.05
    longest_warm_up_s: float = 1.0
    noisy: float = 0.08
    drift: float = 0.1
    attempts: int = 3
    device_warm_up_s: float = 1.0
    watch_every: int = 20
    watch_every_s: float = 2.0
    cool_down_s: float = 2.0
    longest_cool_down_s: float = 20.0
    energy_window_s: float = 1.0


@dataclass
class Timing:
    """Seconds of one run. ``spread_s``: between the quartiles of all samples; ``cold_s``: of the first run."""

    median_s: float
    minimum_s: float
    spread_s: float
    repeats: int
    loop: int
    cold_s: float
    attempts: int
    flags: list[str] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """The timing as part of a bundle's row."""
        return dict(self.__dict__)


def measure(run: Callable[[int], list[float]], rule: Rule) -> Timing:
    """Time a program by the rule; ``run(count)`` returns the seconds of each of ``count`` runs in a row."""
    cold = run(1)[0]
    warm, settled = _warm_up(run, rule)
    loop = int(min(rule.longest_loop, max(1, math.ceil(rule.target_s / max(warm, 1e-9)))))
    best = None
    for attempt in range(1, rule.attempts + 1):
        times = run(loop * rule.repeats)  # in one go: nothing comes between
        samples = [_centre(times[first : first + loop]) for first in range(0, len(times), loop)]
        found = summarise(samples, rule, loop, cold)
        if not settled and attempt == 1:
            found.flags.append("warming")
        if best is None or _order(found) < _order(best):
            best = found
        best.attempts = attempt
        if not found.flags:
            break
    assert best is not None
    return best


def summarise(samples: list[float], rule: Rule, loop: int = 1, cold_s: float = 0.0) -> Timing:
    """Median of the trimmed samples, with minimum, spread and flags of all of them."""
    ordered = sorted(samples)
    cut = int(len(ordered) * rule.trim)
    kept = ordered[cut : len(ordered) - cut]
    middle = float(np.median(kept))
    low, high = np.percentile(ordered, [25, 75])
    half = len(samples) // 2
    first, second = float(np.median(samples[:half] or samples)), float(np.median(samples[half:]))
    flags = []
    if middle > 0 and high - low > rule.noisy * middle:
        flags.append("noisy")
    if first > 0 and max(first, second) > (1 + rule.drift) * min(first, second):
        flags.append("drift")
    if ordered[-1] > SPIKE_FACTOR * middle:
        flags.append("spikes")
    return Timing(middle, ordered[0], float(high - low), len(samples), loop, cold_s, 1, flags)


def _warm_up(run: Callable[[int], list[float]], rule: Rule) -> tuple[float, bool]:
    """Seconds of a run when runs have become steady, and whether they have."""
    spent, calm, before, runs = 0.0, 0, 0.0, 1
    while True:
        window = run(runs)
        now = float(np.median(window))
        spent += sum(window)
        calm = calm + 1 if before and abs(now - before) <= rule.stable * before else 0
        if calm >= 2:
            return now, True
        if before and spent > rule.longest_warm_up_s:
            return now, calm > 0
        before = now
        runs = int(min(50, max(1 if now > 0.05 else 3, rule.target_s / max(now, 1e-9))))


def _centre(times: list[float]) -> float:
    """Median of a loop's runs, so that a spike inside does not count; their mean where the timer is coarse."""
    if len(times) < 5 or len(set(times)) <= max(2, len(times) // 10):
        return float(np.mean(times))
    return float(np.median(times))


def _order(timing: Timing) -> tuple[int, float]:
    return len(timing.flags), timing.spread_s / max(timing.median_s, 1e-12)
