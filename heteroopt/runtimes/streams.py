"""Streams and events: what is submitted to a stream runs in its order, and an event is a place in that order."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import NamedTuple

from heteroopt.errors import HeteroOptError
from heteroopt.runtimes.errors import RuntimeFault, failed

KEPT_TIMES = 4096
"""Of how many commands a stream remembers how long they took."""

KEPT_FAILURES = 4096
"""How many failures a stream remembers after they were forgiven; older events count as failed with the oldest."""

Action = Callable[[], float | None]
"""A command; it may return the seconds by the device's own timer, otherwise the stream's thread is the clock."""


class Event(NamedTuple):
    """The completion of everything that was submitted to ``stream`` up to ``sequence`` (1 = the first command)."""

    stream: int
    sequence: int


class _Failure(NamedTuple):
    """Commands ``first`` to ``last`` (0: all later ones so far) failed or were skipped."""

    first: int
    last: int
    fault: RuntimeFault


class _Queued(NamedTuple):
    action: Action
    anywhere: bool


class Stream:
    """One queue and one thread, which runs what nobody who waits runs himself (``help``). After a command has failed,
    later ones are skipped until ``reset``, as their inputs were never written; their events complete as failed.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.submitted = 0
        self.completed = 0
        self._failures: tuple[_Failure, ...] = ()
        self._queued: deque[_Queued] = deque()
        self._calls: SimpleQueue[bool] = SimpleQueue()
        """One for every command: the thread runs at most one command for each; false ends it."""
        self._turn = threading.Lock()
        """Held while a command runs, by whoever runs it."""
        self._seconds: dict[int, float] = {}
        self._moved = threading.Condition()
        self._broken: RuntimeFault | None = None
        self._thread = threading.Thread(target=self._work, name=f"stream-{number}", daemon=True)
        self._thread.start()

    def submit(self, action: Action, *, anywhere: bool = False) -> Event:
        """Queue a command and return its event; never blocks. ``anywhere``: ``help`` may run it."""
        self.submitted += 1
        self._queued.append(_Queued(action, anywhere))
        self._calls.put(True)
        return Event(self.number, self.submitted)

    def help(self, sequence: int) -> None:
        """Run queued commands here, up to that one, where they may run anywhere and the stream's thread has not begun.

        Whoever is about to wait has a core already; on a busy host the thread may wait long for one.
        """
        while self.completed < sequence and self._turn.acquire(blocking=False):
            try:
                if not self._queued or not self._queued[0].anywhere:
                    return
                self._run_next()
            finally:
                self._turn.release()

    def last_event(self) -> Event:
        """Return the event of the newest command (of none: complete)."""
        return Event(self.number, self.submitted)

    def done(self, sequence: int) -> bool:
        """Whether the command has ended, well or not."""
        return self.completed >= sequence

    def wait(self, sequence: int, timeout_s: float | None = None) -> bool:
        """Wait until ``done``; return ``False`` if that took longer than ``timeout_s``."""
        with self._moved:
            return self._moved.wait_for(lambda: self.completed >= sequence, timeout_s)

    def failure(self, sequence: int) -> RuntimeFault | None:
        """Return the error of a command that has ended: its own, or that of the earlier one that made it skipped."""
        for first, last, fault in self._failures:  # one tuple: the stream's thread replaces it, never changes it
            if first <= sequence and (not last or sequence <= last):
                return fault
        return None

    def elapsed_s(self, sequence: int) -> float | None:
        """Return how long a command took; ``None`` if it has not ended well, or too long ago to be remembered."""
        return self._seconds.get(sequence)

    def reset(self) -> Event:
        """Make commands after this one run again although an earlier one failed; events before it stay failed."""
        self.submitted += 1
        sequence = self.submitted

        def forgive() -> None:
            self._broken = None
            kept = self._failures
            if kept and not kept[-1].last:
                kept = (*kept[:-1], kept[-1]._replace(last=sequence - 1))
            if len(kept) > KEPT_FAILURES:
                kept = (kept[1]._replace(first=1), *kept[2:])
            self._failures = kept

        self._queued.append(_Queued(_Reset(forgive), anywhere=True))
        self._calls.put(True)
        return Event(self.number, sequence)

    def close(self) -> None:
        """End the thread after what is queued."""
        self._calls.put(False)

    def _work(self) -> None:
        while self._calls.get():
            with self._turn:
                if self._queued:  # otherwise somebody who waited ran it
                    self._run_next()

    def _run_next(self) -> None:
        action = self._queued.popleft().action
        if self._broken is None or isinstance(action, _Reset):
            sequence, begin = self.completed + 1, time.perf_counter()
            try:
                seconds = action()
                self._seconds[sequence] = time.perf_counter() - begin if seconds is None else seconds
            except Exception as error:  # whatever a vendor's library raises belongs to this command's event
                self._broken = as_fault(error)
                self._failures = (*self._failures, _Failure(sequence, 0, self._broken))
            self._seconds.pop(sequence - KEPT_TIMES, None)
        with self._moved:
            self.completed += 1
            self._moved.notify_all()


class _Reset:
    def __init__(self, action: Callable[[], None]) -> None:
        self._action = action

    def __call__(self) -> float | None:
        self._action()
        return 0.0


def as_fault(error: BaseException) -> RuntimeFault:
    """Return an error that can cross the socket and name its cause."""
    if isinstance(error, RuntimeFault):
        return error
    if isinstance(error, HeteroOptError):
        return RuntimeFault(error.code, error.message, hint=error.hint, **error.params)
    return failed(str(error), kind=type(error).__name__)
