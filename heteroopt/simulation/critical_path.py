"""The chain of operators and transfers, each starting the moment the one before ends, that makes the makespan."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from heteroopt.simulation.problem import Problem

if TYPE_CHECKING:
    from heteroopt.simulation.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Step:
    """One link of the chain: an operator, or a transfer by its index in ``Schedule.transfers``."""

    kind: str
    """``"operator"`` or ``"transfer"``."""
    index: int
    start_ps: int
    finish_ps: int


def critical_path(problem: Problem, schedule: Schedule) -> tuple[Step, ...]:
    """The chain in time order, from time 0 to the makespan.

    It is followed backwards from what ends last. Of all that ends just when a step starts, what the step's data
    came from goes before what freed its device or channel; operators go before transfers, lower indices first.
    """
    steps = [
        Step("operator", i, start, finish)
        for i, (start, finish) in enumerate(zip(schedule.start_ps.tolist(), schedule.finish_ps.tolist(), strict=True))
    ]
    steps += [Step("transfer", k, t.start_ps, t.finish_ps) for k, t in enumerate(schedule.transfers)]
    by_finish: dict[int, list[Step]] = defaultdict(list)
    for step in steps:
        by_finish[step.finish_ps].append(step)
    chain: list[Step] = []
    seen: set[Step] = set()
    current = next(iter(by_finish[schedule.makespan_ps]), None)
    while current is not None:
        chain.append(current)
        seen.add(current)
        candidates = [step for step in by_finish[current.start_ps] if step not in seen]
        current = next(_causes(problem, schedule, current, candidates), None)
    return tuple(reversed(chain))


def _causes(problem: Problem, schedule: Schedule, step: Step, candidates: list[Step]) -> Iterator[Step]:
    """Candidates that the step may have waited for: data first, then devices and channels."""
    yield from (other for other in candidates if _gives_data(problem, schedule, other, step))
    yield from (other for other in candidates if _frees_resource(problem, schedule, other, step))


def _gives_data(problem: Problem, schedule: Schedule, earlier: Step, step: Step) -> bool:
    if step.kind == "operator":
        if earlier.kind == "operator":
            return earlier.index in problem.pred_idx[problem.pred_ptr[step.index] : problem.pred_ptr[step.index + 1]]
        sent = schedule.transfers[earlier.index]
        reads = problem.in_tensor[problem.in_ptr[step.index] : problem.in_ptr[step.index + 1]]
        return sent.target == schedule.device[step.index] and sent.tensor in problem.tensor_root[reads]
    needed = schedule.transfers[step.index]
    if earlier.kind == "operator":
        makes = problem.out_tensor[problem.out_ptr[earlier.index] : problem.out_ptr[earlier.index + 1]]
        return needed.tensor in problem.tensor_root[makes]
    sent = schedule.transfers[earlier.index]
    return sent.tensor == needed.tensor and sent.target == needed.source


def _frees_resource(problem: Problem, schedule: Schedule, earlier: Step, step: Step) -> bool:
    if earlier.kind == step.kind == "transfer":
        a, b = schedule.transfers[earlier.index], schedule.transfers[step.index]
        if a.channel >= 0 and a.channel == b.channel:
            return True
    return bool(_occupies(problem, schedule, earlier) & _occupies(problem, schedule, step))


def _occupies(problem: Problem, schedule: Schedule, step: Step) -> set[int]:
    """Devices that a step keeps busy."""
    if step.kind == "operator":
        return set() if problem.is_view[step.index] else {int(schedule.device[step.index])}
    if not problem.blocking_transfers:
        return set()
    sent = schedule.transfers[step.index]
    return {store for store in (sent.source, sent.target) if store < problem.n_devices}
