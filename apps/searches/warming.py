"""Loads what a web process needs late, so that neither the first search nor the first plan that is opened waits."""

from __future__ import annotations

import threading

from apps.jobs.dispatch import celery_app
from heteroopt.kernels import one_at_a_time

_once = threading.Lock()


def warm_up_in_background(after_s: float = 0.0) -> None:
    """Start loading, once in the life of the process: some time after its start, or when somebody opens the page."""
    timer = threading.Timer(after_s, _load_once)
    timer.name, timer.daemon = "warm-up", True
    timer.start()


def _load_once() -> None:
    if _once.acquire(blocking=False):
        _load()


def _load() -> None:
    """The broker's client, then the kernels that decode and explain plans."""
    celery_app()
    from heteroopt.explanation import warm_up

    with one_at_a_time():
        warm_up()
