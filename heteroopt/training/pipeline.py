"""Runs a pipeline's schedule in simulation: unlike stages, micro-batches that differ, 1F1B or GPipe.

A stage does one thing at a time, in the order of its schedule; a forward waits for the stage before it, a backward
for the one after it, each plus the time to send. All seconds are simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Schedule = Literal["1f1b", "gpipe"]
FORWARD_SHARE = 1 / 3
"""Of a micro-batch's time: a backward pass has twice the products of a forward pass."""


@dataclass(frozen=True, slots=True)
class Slot:
    """What a stage does: ``micro_batch`` forward or backward, from ``start_s`` to ``end_s``."""

    stage: int
    micro_batch: int
    forward: bool
    start_s: float
    end_s: float


@dataclass(frozen=True)
class PipelineRun:
    """All slots of one step and when the last ends."""

    slots: tuple[Slot, ...]
    finish_s: float

    def busy_share(self, stage: int) -> float:
        """Return the share of the step in which ``stage`` works."""
        return sum(slot.end_s - slot.start_s for slot in self.slots if slot.stage == stage) / self.finish_s


def order(schedule: Schedule, stage: int, stages: int, micro_batches: int) -> list[tuple[bool, int]]:
    """Return what a stage does one after the other, as (forward, micro-batch)."""
    ahead = micro_batches if schedule == "gpipe" else min(stages - stage - 1, micro_batches)
    found = [(True, number) for number in range(ahead)]
    for number in range(micro_batches):
        if ahead + number < micro_batches:
            found.append((True, ahead + number))
        found.append((False, number))
    return found


def simulate(
    stage_s: Sequence[Sequence[float]],
    send_s: Sequence[float],
    schedule: Schedule = "1f1b",
) -> PipelineRun:
    """Simulate one step.

    ``stage_s``: for each stage, seconds forward and backward of each micro-batch; ``send_s``: for each boundary between
    stages, seconds to send one micro-batch's activations or gradients.
    """
    stages, count = len(stage_s), len(stage_s[0])
    orders = [order(schedule, stage, stages, count) for stage in range(stages)]
    done: dict[tuple[int, bool, int], float] = {}
    place = [0] * stages
    clock = [0.0] * stages
    slots: list[Slot] = []
    left = stages * 2 * count
    while left:
        for stage in range(stages):
            while place[stage] < 2 * count:
                forward, number = orders[stage][place[stage]]
                ready = _ready(done, send_s, stage, stages, forward, number)
                if ready is None:
                    break
                start = max(clock[stage], ready)
                share = FORWARD_SHARE if forward else 1 - FORWARD_SHARE
                clock[stage] = start + stage_s[stage][number] * share
                done[stage, forward, number] = clock[stage]
                slots.append(Slot(stage, number, forward, start, clock[stage]))
                place[stage] += 1
                left -= 1
    return PipelineRun(tuple(slots), max(clock))


def _ready(
    done: dict[tuple[int, bool, int], float],
    send_s: Sequence[float],
    stage: int,
    stages: int,
    forward: bool,
    number: int,
) -> float | None:
    """When what a slot needs is there, or ``None`` while that is not known yet."""
    if forward:
        if stage == 0:
            return 0.0
        before = done.get((stage - 1, True, number))
        return None if before is None else before + send_s[stage - 1]
    if stage == stages - 1:
        return done.get((stage, True, number))
    after = done.get((stage + 1, False, number))
    return None if after is None else after + send_s[stage]
