"""The sandbox's child: takes its own rights away, then calls one function. Run by path; imports the standard library.

Arguments: the descriptor for the answer, the parent's process id, the prctl option of :mod:`workers.orphans`.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any

EXIT_MEMORY = 86
CLONE_NEWUSER, CLONE_NEWNET, CLONE_NEWIPC = 0x10000000, 0x40000000, 0x08000000
PR_SET_DUMPABLE = 4

REFUSED_EVENTS = (
    "socket.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "pty.",
    "os.kill",
    "ftplib.",
    "urllib.",
)
# Events whose first arguments are the paths that they change, and how many.
CHANGING_EVENTS = {
    "os.remove": 1,
    "os.rmdir": 1,
    "os.mkdir": 1,
    "os.rename": 2,
    "os.link": 2,
    "os.symlink": 2,
    "os.truncate": 1,
    "os.chmod": 1,
    "os.chown": 1,
    "os.utime": 1,
    "shutil.rmtree": 1,
}


def main() -> int:
    """Read the request, call the function, write the answer; return the exit status."""
    answer_fd, parent, death_option = (int(word) for word in sys.argv[1:4])
    libc = ctypes.CDLL(None, use_errno=True)
    if death_option:
        libc.prctl(death_option, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        return 1
    request = json.load(sys.stdin.buffer)
    isolated = cut_network(libc)
    set_limits(request["limits"])
    sys.path.extend(request["path"])
    kept = confine(libc, request)
    sys.addaudithook(Guard(os.getcwd()))
    try:
        answer = call(request)
        body = json.dumps({**answer, "kept_by": {"namespace": isolated, **kept}}, allow_nan=False).encode()
    except MemoryError:
        return EXIT_MEMORY
    write_all(answer_fd, body)
    return 0


def confine(libc: Any, request: dict[str, Any]) -> dict[str, bool]:
    """Have the kernel refuse what this process has no need of; say which of its means took part."""
    from workers import confinement

    if sys.platform == "linux":
        confinement.no_new_privileges(libc)
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    files, folder = list(request["files"].values()), os.getcwd()
    readable = confinement.code_paths(request["path"][0])
    landlock = confinement.confine_files(libc, readable=readable, files=files, writable=folder)
    return {"landlock": landlock, "seccomp": confinement.refuse_calls(libc)}


def call(request: dict[str, Any]) -> dict[str, Any]:
    """Return ``{"result"}`` or ``{"error"}``; any other exception ends the process with its last line on stderr."""
    from heteroopt.errors import HeteroOptError

    module, _, name = request["function"].partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
        files = {key: Path(f"/dev/fd/{descriptor}") for key, descriptor in request["files"].items()}
        return {"result": function(request["payload"], files)}
    except HeteroOptError as error:
        return {"error": error.to_dict()}


def cut_network(libc: Any) -> bool:
    """Move to a network namespace with no interface; ``False`` where the kernel does not permit that to this user.

    A new user namespace comes with it where possible, in which root keeps none of its powers over the system.
    """
    if sys.platform != "linux":
        return False
    new = CLONE_NEWNET | CLONE_NEWIPC
    return bool(libc.unshare(CLONE_NEWUSER | new) == 0 or libc.unshare(new) == 0)


def set_limits(limits: dict[str, Any]) -> None:
    """Set the kernel's limits; a limit that the kernel refuses (already lower) is left as it is."""
    cpu = max(1, int(limits["cpu_seconds"] + 0.999))
    for kind, soft, hard in (
        (resource.RLIMIT_AS, limits["memory_bytes"], limits["memory_bytes"]),
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_FSIZE, limits["file_bytes"], limits["file_bytes"]),
        (resource.RLIMIT_NOFILE, limits["open_files"], limits["open_files"]),
        (resource.RLIMIT_NPROC, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        try:
            resource.setrlimit(kind, (soft, hard))
        except (ValueError, OSError):
            continue
    # Python ignores this signal by default in favour of an exception; native code then sees the error too.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


class Guard:
    """Audit hook: no sockets, no processes, and changes inside the working folder only."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.realpath(folder) + os.sep

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND):
                self.inside(path)
        elif event in CHANGING_EVENTS:
            for path in arguments[: CHANGING_EVENTS[event]]:
                self.inside(path)
        elif event.startswith(REFUSED_EVENTS):
            raise PermissionError(f"not allowed in the sandbox: {event}")

    def inside(self, path: Any) -> None:
        """Refuse a path outside of the working folder."""
        if isinstance(path, int) or path == os.devnull:
            return
        if not os.path.realpath(os.fsdecode(path)).startswith(self.folder):
            raise PermissionError("not allowed in the sandbox: changing a file outside of the working folder")


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of ``data``."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


if __name__ == "__main__":
    sys.exit(main())
