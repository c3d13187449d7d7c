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

Action = Callable[[], float | None]
"""A command; it may return the seconds by the device's own timer, otherwise the stream's thread is the clock."""


class Event(NamedTuple):
    """The completion of everything that was submitted to ``stream`` up to ``sequence`` (1 = the first command)."""

    stream: int
    sequence: int


class Stream:
    """One queue, one thread. After a command has failed, later ones are skipped until ``reset``, as their inputs
    were never written; their events complete as failed.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.submitted = 0
        self.completed = 0
        self._failures: list[tuple[int, RuntimeFault]] = []
        self._queue: SimpleQueue[Action | None] = SimpleQueue()
        self._seconds: deque[tuple[int, float]] = deque(maxlen=KEPT_TIMES)
        self._moved = threading.Condition()
        self._broken: RuntimeFault | None = None
        self._thread = threading.Thread(target=self._work, name=f"stream-{number}", daemon=True)
        self._thread.start()

    def submit(self, action: Action) -> Event:
        """Queue a command and return its event; never blocks."""
        self.submitted += 1
        self._queue.put(action)
        return Event(self.number, self.submitted)

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
        found: RuntimeFault | None = None
        for first, fault in self._failures:
            if first <= sequence:
                found = fault
        return found

    def elapsed_s(self, sequence: int) -> float | None:
        """Return how long a command took; ``None`` if it has not ended well, or too long ago to be remembered."""
        for number, seconds in reversed(self._seconds):
            if number == sequence:
                return seconds
        return None

    def reset(self) -> Event:
        """Make commands after this one run again although an earlier one failed."""

        def forget() -> None:
            self._broken = None
            self._failures.clear()

        self.submitted += 1
        self._queue.put(_Reset(forget))
        return Event(self.number, self.submitted)

    def close(self) -> None:
        """End the thread after what is queued."""
        self._queue.put(None)

    def _work(self) -> None:
        while (action := self._queue.get()) is not None:
            if self._broken is None or isinstance(action, _Reset):
                begin = time.perf_counter()
                try:
                    seconds = action()
                    self._seconds.append(
                        (self.completed + 1, time.perf_counter() - begin if seconds is None else seconds)
                    )
                except Exception as error:  # whatever a vendor's library raises belongs to this command's event
                    self._broken = as_fault(error)
                    self._failures.append((self.completed + 1, self._broken))
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
