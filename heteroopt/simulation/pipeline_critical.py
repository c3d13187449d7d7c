"""The chain of tasks, each starting as the one before ends, that the last of several items in flight hangs on."""

from __future__ import annotations

from collections import defaultdict

from heteroopt.simulation.pipeline import PipelineRun


def critical_entries(run: PipelineRun) -> tuple[int, ...]:
    """Places in the run's log, in time order: from an item's arrival to the finish of the last item.

    It is followed backwards from what ends last. Of all that ends just when a task starts, what the task waited for
    within its item goes before what another item's task freed; of several the one that started first. A task that
    waited for neither began when its item arrived.
    """
    if not run.log:
        return ()
    task_of = {(task.kind, task.index): at for at, task in enumerate(run.tasks)}
    numbers = [task_of[entry.kind, entry.index] for entry in run.log]
    by_finish: dict[int, list[int]] = defaultdict(list)
    for at, entry in enumerate(run.log):
        by_finish[entry.finish_ps].append(at)
    chain: list[int] = []
    current: int | None = by_finish[max(by_finish)][0]
    while current is not None:
        chain.append(current)
        entry, task = run.log[current], run.tasks[numbers[current]]
        # What takes no time ends in the instant in which it starts: only what started before can be a cause.
        before = [at for at in by_finish[entry.start_ps] if at < current]
        own = (at for at in before if run.log[at].item == entry.item and numbers[at] in task.after)
        freed = (at for at in before if not set(task.occupies).isdisjoint(run.tasks[numbers[at]].occupies))
        current = next(own, None)
        if current is None:
            current = next(freed, None)
    return tuple(reversed(chain))
