"""How a request reads small uploaded bytes in the workers' sandbox: apps say what is read, the workers say how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Runner = Callable[[str, Mapping[str, Any]], Any]

_provided: list[Runner] = []


def provide(runner: Runner) -> None:
    """Called once by the workers' app: ``runner(function, payload)`` returns what ``module:function`` returns."""
    _provided[:] = [runner]


def read_in_sandbox(function: str, payload: Mapping[str, Any]) -> Any:
    """Call ``function`` in a fresh child process with small limits. Raises what it raises, and the sandbox's errors."""
    return _provided[0](function, payload)
