"""pyACL as this plugin uses it: calls by name with errors raised, and a device's context.

Signatures are those of the pyACL reference of CANN 8.0 and 9.0: a call returns its values, then a status of which 0 is
success.
"""

from __future__ import annotations

import threading
from typing import Any

from heteroopt.runtimes.errors import RuntimeFault

REPEATED_INITIALIZE = 100002
OUT_OF_MEMORY = frozenset({207001, 200000})
"""ACL_ERROR_RT_MEMORY_ALLOCATION and ACL_ERROR_BAD_ALLOC."""

MALLOC_HUGE_FIRST = 0
HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3
DDR_MEMORY, HBM_MEMORY = 0, 1

ASYNC_ALIGNMENT_BYTES = 64
"""Of both addresses of an asynchronous copy."""


def refused(call: str, status: int) -> RuntimeFault:
    """Return the error for a call that the runtime refused; ``params["kind"]`` is its number among the ACL errors."""
    return RuntimeFault(
        "program_failed",
        f"The Ascend runtime refused {call}: error {status}.",
        hint="The list of ACL errors says what the number means.",
        kind=status,
        says=call,
    )


class AclApi:
    """Calls such as ``rt.malloc`` without their status."""

    def __init__(self) -> None:
        import acl

        self._acl: Any = acl
        try:
            self.call("init")
        except RuntimeFault as error:
            if error.params["kind"] != REPEATED_INITIALIZE:  # ONNX Runtime may have been first
                raise

    def call(self, name: str, *arguments: Any) -> Any:
        """Return what the function returns before its status: nothing, one value or a tuple."""
        function = self._acl
        for part in name.split("."):
            function = getattr(function, part)
        found = function(*arguments)
        *values, status = found if isinstance(found, tuple) else (found,)
        if status != 0:
            raise refused(name, int(status))
        return values[0] if len(values) == 1 else tuple(values) if values else None

    def soc_name(self) -> str:
        """Return the processor's version such as Ascend910B3, "" if the runtime does not say."""
        return str(self._acl.get_soc_name() or "")

    def version(self) -> str:
        """Return the version of the interface."""
        return ".".join(str(part) for part in self.call("get_version"))


class AclDevice:
    """A device's default context, current in every thread that enters it; a stream a thread.

    The device is never reset: that would take the memory of other users in this process, which ends with its user.
    """

    def __init__(self, api: AclApi, index: int) -> None:
        self.api = api
        self._here = threading.local()
        self._lock = threading.Lock()
        self._streams: list[Any] = []
        api.call("rt.set_device", index)
        self._context = api.call("rt.get_context")

    def enter(self) -> None:
        """Make the context current in this thread; ONNX Runtime may have changed it since."""
        self.api.call("rt.set_context", self._context)

    def memory_bytes(self) -> int:
        """Return the memory that applications can use: HBM where there is any, else DDR."""
        self.enter()
        for kind in (HBM_MEMORY, DDR_MEMORY):
            _, total = self.api.call("rt.get_mem_info", kind)
            if total:
                return int(total)
        return 0

    def stream(self) -> Any:
        """Return this thread's own stream."""
        self.enter()
        if not hasattr(self._here, "stream"):
            self._here.stream = self.api.call("rt.create_stream")
            with self._lock:
                self._streams.append(self._here.stream)
        return self._here.stream

    def close(self) -> None:
        """Destroy the streams, once."""
        self.enter()
        with self._lock:
            streams, self._streams = self._streams, []
        for stream in streams:
            self.api.call("rt.destroy_stream", stream)


def precisions(soc_name: str) -> tuple[str, ...]:
    """Precisions that the matrix unit of a processor has (CANN's operator specifications by product)."""
    if soc_name.startswith(("Ascend910B", "Ascend910_93")):
        return ("fp32", "bf16", "fp16", "int8")
    return ("fp16", "int8")
