"""Lets a command that is told to end clean up first: SIGTERM and SIGHUP become an exception, as Ctrl-C is one."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Terminated(KeyboardInterrupt):
    """The process was told to end. ``code``: its exit code, as a shell has it (128 and the number of the signal)."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.code = 128 + number


@contextmanager
def termination_raised() -> Iterator[None]:
    """Raise :class:`Terminated` in this thread at SIGTERM and SIGHUP, unless something else was made of them already.

    For commands that have files or processes to see to. What runs in one long call of native code hears of it after
    that. Once raised, further signals wait for the end of the block, so that none cuts its cleaning short.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    owner = os.getpid()
    former = {number: signal.getsignal(number) for number in _SIGNALS}
    taken = [number for number, handler in former.items() if handler is signal.SIG_DFL]

    def ended(number: int, _frame: FrameType | None) -> None:
        if os.getpid() != owner:  # a child that was forked: what it had of us ends with it
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        for other in taken:
            signal.signal(other, signal.SIG_IGN)
        raise Terminated(number)

    for number in taken:
        signal.signal(number, ended)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, former[number])
