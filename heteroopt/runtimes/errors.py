"""Errors of runtimes: their codes are what pages translate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heteroopt.errors import HeteroOptError


class RuntimeFault(HeteroOptError):
    """A runtime that could not do what it was asked.

    Codes: ``runtime_absent`` (hardware, driver or package is missing here), ``runtime_died``, ``runtime_timeout``,
    ``runtime_load_failed``, ``runtime_protocol``, ``device_unknown``, ``device_memory_full``,
    ``device_handle_unknown``, ``program_refused`` (the runtime cannot compile it), ``program_failed`` (it failed while
    it ran), ``copy_out_of_range``, ``stream_failed`` (an earlier command of the stream failed; ``params["cause"]`` is
    its error).
    """

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RuntimeFault:
        """Read the form that crossed the socket."""
        return cls(str(data["code"]), str(data["message"]), hint=str(data.get("hint", "")), **data.get("params", {}))


def absent(runtime: str, missing: Sequence[str]) -> RuntimeFault:
    """Return the error of a runtime whose hardware, driver or packages this host lacks; the plugin is then absent."""
    return RuntimeFault(
        "runtime_absent",
        f"This host has no {', no '.join(missing)}.",
        hint="Nothing is wrong where the hardware is not meant to be here; otherwise install what is missing.",
        runtime=runtime,
        missing=list(missing),
    )


def handle_unknown(kind: str, handle: object) -> RuntimeFault:
    """Return the error for a buffer, stream, program or device that does not exist (any more)."""
    return RuntimeFault(
        "device_handle_unknown",
        f"There is no {kind} {handle!r} in this runtime's process.",
        hint="It was freed, or it belongs to a process that has ended; make it again.",
        kind=kind,
        handle=handle if isinstance(handle, int | str) else repr(handle),
    )


def refused(says: str, *, kind: str = "ValueError") -> RuntimeFault:
    """Return the error for a program that a runtime does not compile; ``says`` names what it lacks."""
    return RuntimeFault(
        "program_refused",
        f"The runtime does not compile this model: {says[:1000]}",
        hint="Its message names the operator or type that it lacks.",
        kind=kind,
        says=says[:1000],
    )


def failed(says: str, *, kind: str = "ValueError") -> RuntimeFault:
    """Return the error for a program that was compiled and did not run to its end."""
    return RuntimeFault(
        "program_failed",
        f"The runtime failed: {kind}: {says[:2000]}",
        hint="The runtime's own message says what it could not do.",
        kind=kind,
        says=says[:2000],
    )
