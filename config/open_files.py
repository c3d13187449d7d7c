"""Lets a process open as many files as a model of many data files needs: usual shells allow 1,024."""

from __future__ import annotations

import contextlib
import resource
from typing import Final

WANTED: Final = 8_192


def allow_many() -> int:
    """Raise the soft limit of open files towards ``WANTED``, as far as the hard one allows; return what holds."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    wanted = WANTED if hard == unlimited else min(WANTED, hard)
    if soft != unlimited and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
