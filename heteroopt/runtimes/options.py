"""How a program is to be compiled: the options that every plugin reads, checked, so that none is silently ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heteroopt.runtimes.errors import refused

PRECISIONS = ("model", "default", "fp32", "fp16", "bf16")
OPTIMISATIONS = ("all", "none")
KNOWN = ("precision", "optimise", "threads", "profile", "optimised")
MAX_THREADS = 1024


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """``precision``: "model" computes in the model's own types and in nothing narrower; a named one in that one, or
    the program is refused; "default" leaves it to the library, so that its drift can be seen. ``optimise``:
    "none" switches off what the library lets one switch off. ``threads``: 0 leaves it to the device. ``profile``,
    ``optimised``: what will be asked of the program, where that has to be known before it is compiled.
    """

    precision: str = "model"
    optimise: str = "all"
    threads: int = 0
    profile: bool = False
    optimised: bool = False

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> LoadOptions:
        """Check the options of ``load``. Raises ``RuntimeFault`` ``program_refused`` naming what is wrong."""
        precision, optimise = options.get("precision", "model"), options.get("optimise", "all")
        threads = options.get("threads", 0)
        unknown = sorted(set(options) - set(KNOWN))
        if unknown:
            raise refused(f"unknown option {unknown[0]!r}; known are {', '.join(KNOWN)}")
        if precision not in PRECISIONS:
            raise refused(f"precision cannot be {precision!r}; known are {', '.join(PRECISIONS)}")
        if optimise not in OPTIMISATIONS:
            raise refused(f"optimise cannot be {optimise!r}; known are {', '.join(OPTIMISATIONS)}")
        if not isinstance(threads, int) or isinstance(threads, bool) or not 0 <= threads <= MAX_THREADS:
            raise refused(f"threads cannot be {threads!r}; it is a whole number from 0 to {MAX_THREADS}")
        return cls(precision, optimise, threads, bool(options.get("profile")), bool(options.get("optimised")))
