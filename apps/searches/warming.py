"""Loads what a web process needs late, so that neither the first search nor the first plan that is opened waits."""

from __future__ import annotations

import threading

from apps.jobs.dispatch import celery_app

_once = threading.Lock()


def warm_up_in_background() -> None:
    """Start loading, once in the life of the process: when somebody opens the page, before they open a plan."""
    if _once.acquire(blocking=False):
        threading.Thread(target=_load, name="warm-up", daemon=True).start()


def _load() -> None:
    """The broker's client, then the kernels that decode and explain plans."""
    celery_app()
    from heteroopt.explanation import warm_up

    warm_up()
