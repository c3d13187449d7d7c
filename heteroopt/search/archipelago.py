"""A search on islands in processes of this machine; any number of processes gives the same bytes."""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self

from heteroopt.errors import HeteroOptError, PlanError
from heteroopt.search.islands import Plans, epoch_end, migrated, start_epoch, united
from heteroopt.search.settings import SearchSettings
from heteroopt.search.snapshot import FrontSnapshot
from heteroopt.simulation.problem import Problem

Task = tuple[int, bytes | None, bytes | None, int]
"""Island, its state, its immigrants, the generation at which its epoch ends."""
Answer = tuple[bytes, bytes]
"""State and emigrants after an epoch."""


def search_on_islands(
    problem: Problem,
    settings: SearchSettings,
    *,
    warm_start: Plans | None = None,
    go_on: Callable[[FrontSnapshot], bool] | None = None,
    processes: int | None = None,
) -> FrontSnapshot:
    """Search with ``settings.islands`` islands and return the end.

    ``go_on`` sees the first front and the union after every epoch, and stops the search by returning ``False``; the
    front so far is kept. ``processes``: as many as there are islands and processors, by default. Raises what a search
    raises, and ``PlanError`` ``island_process`` when a process ends by itself.
    """
    n, islands = problem.n_operators, settings.islands
    first = start_epoch(problem, settings, 0, None, None, warm_start)
    states: list[bytes | None] = [first.checkpoint(), *[None] * (islands - 1)]
    immigrants: list[bytes | None] = [None] * islands
    union = united(problem, settings, [first.checkpoint()], ())
    if union.finished:
        return union.snapshot()
    with _Processes(min(islands, processes or os.cpu_count() or 1), (problem, settings, warm_start)) as pool:
        for epoch in itertools.count():
            if go_on is not None and not go_on(union.snapshot()):
                return union.stop()
            until = epoch_end(settings, n, epoch)
            tasks = [(island, states[island], immigrants[island], until) for island in range(islands)]
            answers = pool.run(tasks)
            states = [state for state, _ in answers]
            union = united(problem, settings, [state for state, _ in answers], union.snapshot().history)
            if union.finished:
                return union.snapshot()
            immigrants = list(migrated([leaving for _, leaving in answers]))
    raise AssertionError("the last epoch ends the search")


class _Processes:
    """Child processes that run epochs; they end with their input, so none outlives this one."""

    def __init__(self, count: int, inputs: tuple[Problem, SearchSettings, Plans | None]) -> None:
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        self._all = [
            subprocess.Popen(
                [sys.executable, "-m", "heteroopt.search.island_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": path},
            )
            for _ in range(count)
        ]
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._threads = ThreadPoolExecutor(count)
        content = pickle.dumps(inputs)
        for process in self._all:
            _send(process, content)
            self._idle.put(process)

    def run(self, tasks: Sequence[Task]) -> list[Answer]:
        """Run tasks on idle processes; answers in the order of the tasks."""
        return list(self._threads.map(self._ask, tasks))

    def _ask(self, task: Task) -> Answer:
        process = self._idle.get()
        _send(process, pickle.dumps(task))
        assert process.stdout is not None
        try:
            answer: Answer | dict[str, Any] = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise _ended(process) from error
        self._idle.put(process)
        if isinstance(answer, dict):
            raise _same(answer)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._all:
            process.kill()
        self._threads.shutdown()
        for process in self._all:
            process.communicate()


def _send(process: subprocess.Popen[bytes], content: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(content)
        process.stdin.flush()
    except OSError as error:
        raise _ended(process) from error


def _same(error: dict[str, Any]) -> HeteroOptError:
    """Return the error of a child again."""
    return HeteroOptError(error["code"], error["message"], hint=error["hint"], **error["params"])


def _ended(process: subprocess.Popen[bytes]) -> PlanError:
    status = process.wait()
    return PlanError(
        "island_process",
        f"The process of an island ended by itself, with status {status}.",
        hint="The machine may be short of memory: use fewer islands.",
        status=status,
    )
