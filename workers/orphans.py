"""A child process ends with its parent, however the parent ends."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def parent_death_signal() -> int:
    """Return the prctl option that has the kernel kill a child with its parent, or 0 where there is none."""
    return PR_SET_PDEATHSIG if sys.platform == "linux" else 0


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when ``parent`` dies (Linux); exit at once if it is dead already.

    A killed worker loses nothing: its jobs' leases run out and somebody else goes on from their checkpoints.
    """
    option = parent_death_signal()
    if option:
        ctypes.CDLL(None, use_errno=True).prctl(option, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(0)
