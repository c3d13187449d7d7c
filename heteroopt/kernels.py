"""Compiles all kernels ahead, once a version and kind of processor: ``python -m heteroopt.kernels``."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heteroopt.simulation.kernel_cache import cache_folder


def are_compiled() -> bool:
    """Whether ``compile_ahead`` has ended for these sources on this kind of processor."""
    return _mark().is_file()


def compile_ahead() -> None:
    """Compile every kernel, or load it from the cache: some two minutes of CPU the first time, 1 s later."""
    from heteroopt.search import warm_up

    _mark().parent.mkdir(parents=True, exist_ok=True)
    with one_at_a_time():
        warm_up()
    _mark().touch()


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Compile while no other process does, which then only loads what is in the cache instead of compiling it again.

    Processes that start together (web, workers, ``python -m heteroopt.kernels``) would otherwise each spend them.
    Where the system has no such locks, or the folder cannot be written, nobody waits.
    """
    try:
        import fcntl

        _mark().parent.mkdir(parents=True, exist_ok=True)
        file = (_mark().parent / "compiling.lock").open("ab")
    except (ImportError, OSError):
        yield
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)  # closing the file releases it
        yield


def _mark() -> Path:
    return cache_folder(os.environ.get("NUMBA_CACHE_DIR", "")) / f"compiled-for-{_processor()}"


def _processor() -> str:
    """12 hex digits over what decides which machine code fits: the architecture and the processor's features."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        lines = []
    features = next((line for line in lines if line.startswith(("flags", "Features"))), platform.processor())
    return hashlib.sha256(f"{platform.machine()} {features}".encode()).hexdigest()[:12]


if __name__ == "__main__":
    compile_ahead()
