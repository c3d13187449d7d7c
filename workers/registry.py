"""Which runner does which kind of job.

A runner is a class with ``run(self, job: JobHandle) -> None`` in a module of :mod:`workers.runners`::

    @register("search")
    class SearchRunner:
        def run(self, job: JobHandle) -> None: ...

Workers import the modules that ``HETEROOPT_RUNNERS`` names when they start, and all modules of a package; by default
of :mod:`workers.runners`; the process that keeps a host's devices imports :mod:`workers.host_runners`.
Apps know a kind by its name only and never import this package.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from django.conf import settings

from heteroopt.errors import HeteroOptError
from workers.handle import JobHandle


class Runner(Protocol):
    """Does the work of one kind of job."""

    def run(self, job: JobHandle) -> None:
        """Work until done; return early when ``job.cancelled``; raise ``HeteroOptError`` for what a user must mend."""


log = logging.getLogger(__name__)

RunnerClass = TypeVar("RunnerClass", bound=type[Runner])
_runners: dict[str, type[Runner]] = {}


def register(kind: str) -> Callable[[RunnerClass], RunnerClass]:
    """Make the decorated class the runner of ``kind``; a second one for the same kind is a programming error."""

    def add(runner: RunnerClass) -> RunnerClass:
        known = _runners.get(kind)
        if known is not None and (known.__module__, known.__qualname__) != (runner.__module__, runner.__qualname__):
            raise ValueError(f"Two runners for {kind}: {known.__qualname__} and {runner.__qualname__}")
        _runners[kind] = runner
        return runner

    return add


def load_runners(names: Sequence[str] | None = None) -> tuple[str, ...]:
    """Import all runner modules (those of ``HETEROOPT_RUNNERS`` by default) and return the known kinds.

    A module that cannot be imported takes only its own kinds away: the worker goes on with the others.
    """
    for name in settings.RUNNER_MODULES if names is None else names:
        try:
            module = importlib.import_module(name)
            parts = [part.name for part in pkgutil.iter_modules(getattr(module, "__path__", ()))]
        except Exception:
            log.exception("The runners of %s are not available", name)
            continue
        for part in parts:
            try:
                importlib.import_module(f"{name}.{part}")
            except Exception:
                log.exception("The runners of %s.%s are not available", name, part)
    return tuple(sorted(_runners))


def warm_up() -> None:
    """Let every runner that has a ``warm_up`` load what its first job would wait for, such as compiled kernels."""
    for runner in set(_runners.values()):
        prepare = getattr(runner, "warm_up", None)
        if prepare is not None:
            prepare()


def runner_for(kind: str) -> Runner:
    """Return a new runner for ``kind``; ``HeteroOptError`` with code ``job_kind_unknown`` if there is none."""
    runner = _runners.get(kind)
    if runner is None:
        raise HeteroOptError(
            "job_kind_unknown",
            f"This worker cannot do jobs of the kind {kind!r}.",
            hint="Web and workers may run different versions, or a part of it did not load: see the workers' log.",
            kind=kind,
        )
    return runner()
