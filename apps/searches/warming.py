"""Loads the engine's compiled kernels into the web process, so that the first plan that is opened does not wait."""

from __future__ import annotations

import threading

_once = threading.Lock()


def warm_up_in_background() -> None:
    """Start loading, once in the life of the process: when somebody opens the page, before they open a plan."""
    if _once.acquire(blocking=False):
        threading.Thread(target=_load, name="warm-up", daemon=True).start()


def _load() -> None:
    from heteroopt.explanation import warm_up

    warm_up()
