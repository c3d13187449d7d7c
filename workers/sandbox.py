"""Runs one function on untrusted bytes in a fresh, limited child process. Uploads are parsed nowhere else.

What the child gets: limits on memory, CPU time, wall time, file size, open files and processes; no network; an empty
working folder; the uploaded files as read-only descriptors; its request on standard input. What comes back is JSON of
limited size on a pipe. The kernel refuses it sockets and processes (seccomp) and every file but Python, libraries and
the upload (Landlock), and gives it a network namespace of its own, each where it can: :func:`protections` tells.
Everywhere, an audit hook refuses the same to Python code, which native code in hostile hands could go round.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from heteroopt.errors import HeteroOptError
from workers.orphans import parent_death_signal

# The only functions that may run on untrusted bytes, as ``module:function``. Each takes ``(payload, files)``, the
# decoded JSON and a path for each file, and returns JSON-able data or raises ``HeteroOptError``.
ALLOWED: set[str] = set()

CHILD = Path(__file__).with_name("sandbox_child.py")
TICK_SECONDS = 0.2
OPEN_FILES = 256
STDERR_BYTES = 4096
# Exit statuses with a meaning; see sandbox_child.py.
EXIT_MEMORY = 86


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use. ``memory_bytes`` counts address space, so it includes the libraries (about 0.5 GB)."""

    memory_bytes: int
    cpu_seconds: float
    wall_seconds: float
    file_bytes: int = 64 << 20
    result_bytes: int = 64 << 20


def default_limits() -> Limits:
    """Return the limits that ``HETEROOPT_SANDBOX_MEMORY_BYTES`` and ``HETEROOPT_SANDBOX_SECONDS`` ask for."""
    return Limits(
        memory_bytes=settings.SANDBOX_MEMORY_BYTES,
        cpu_seconds=settings.SANDBOX_SECONDS,
        wall_seconds=settings.SANDBOX_SECONDS,
    )


def run_in_sandbox(
    function: str,
    payload: Mapping[str, Any],
    files: Mapping[str, Path] | None = None,
    limits: Limits | None = None,
    *,
    tick: Callable[[], object] | None = None,
    collect: Callable[[Path, Any], Any] | None = None,
) -> Any:
    """Call ``function`` ("module:function") with ``(payload, files)`` in a child and return its result.

    ``tick`` is called about five times a second; whatever it raises kills the child and passes through. ``collect``
    gets the working folder and the result once the child is dead, takes out what it wants and returns the result
    instead; it trusts neither.
    Raises the child's own ``HeteroOptError``, or one with code ``sandbox_timeout``, ``sandbox_memory``,
    ``sandbox_output`` or ``sandbox_crash``.
    """
    if function not in ALLOWED:
        raise ValueError(f"{function} is not on the sandbox's list of allowed functions")
    limits = limits or default_limits()
    folder = tempfile.mkdtemp(prefix="sandbox-", dir=settings.TEMPORARY_DIR)
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        descriptors = {name: _open(stack, path) for name, path in (files or {}).items()}
        request = json.dumps(
            {
                "function": function,
                "payload": dict(payload),
                "files": descriptors,
                "limits": {**asdict(limits), "open_files": OPEN_FILES + len(descriptors)},
                "path": [str(settings.BASE_DIR)],
            }
        ).encode()
        result = _run(request, folder, list(descriptors.values()), limits, tick)["result"]
        return result if collect is None else collect(Path(folder), result)


def protections() -> dict[str, bool]:
    """Which of the kernel's means take part on this machine: ``landlock``, ``seccomp``, ``namespace``."""
    request = {
        "function": "workers.confinement:nothing",
        "payload": {},
        "files": {},
        "limits": {**asdict(default_limits()), "open_files": OPEN_FILES},
        "path": [str(settings.BASE_DIR)],
    }
    with tempfile.TemporaryDirectory(prefix="sandbox-", dir=settings.TEMPORARY_DIR) as folder:
        kept: dict[str, bool] = _run(json.dumps(request).encode(), folder, [], default_limits(), None)["kept_by"]
        return kept


def _open(stack: contextlib.ExitStack, path: Path) -> int:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    stack.callback(os.close, descriptor)
    return descriptor


def _run(
    request: bytes, folder: str, descriptors: list[int], limits: Limits, tick: Callable[[], object] | None
) -> dict[str, Any]:
    """Start the child, wait for it and return its answer."""
    reader, writer = os.pipe()
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, reader)
        # A file, not a pipe: a request of any size is written at once, whatever the child does with it.
        stdin = stack.enter_context(tempfile.TemporaryFile(dir=settings.TEMPORARY_DIR))
        stdin.write(request)
        stdin.seek(0)
        try:
            child = subprocess.Popen(
                [sys.executable, "-I", "-B", str(CHILD), str(writer), str(os.getpid()), str(parent_death_signal())],
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=_environment(folder),
                pass_fds=[writer, *descriptors],
                start_new_session=True,
            )
        finally:
            os.close(writer)
        stack.callback(_kill, child)
        assert child.stderr is not None
        stack.callback(child.stderr.close)
        output, errors, late = _collect(child, reader, child.stderr.fileno(), limits, tick)
        if late:
            raise _timeout(limits.wall_seconds)
        if len(output) > limits.result_bytes:
            raise HeteroOptError(
                "sandbox_output",
                f"Reading the file gave more than {limits.result_bytes} bytes of results.",
                hint="The model is too large for this server.",
                limit_bytes=limits.result_bytes,
            )
        return _answer(_wait(child, output), output, errors, limits)


def _collect(
    child: subprocess.Popen[bytes], reader: int, stderr: int, limits: Limits, tick: Callable[[], object] | None
) -> tuple[bytes, bytes, bool]:
    """Read both pipes until the child closes them; return (result, end of its stderr, whether it ran out of time)."""
    output, errors = bytearray(), b""
    deadline = time.monotonic() + limits.wall_seconds
    with selectors.DefaultSelector() as selector:
        selector.register(reader, selectors.EVENT_READ)
        selector.register(stderr, selectors.EVENT_READ)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                return bytes(output), errors, True
            for key, _ in selector.select(min(left, TICK_SECONDS)):
                chunk = os.read(key.fd, 1 << 16)
                if not chunk:
                    selector.unregister(key.fd)
                elif key.fd == reader:
                    output += chunk
                    if len(output) > limits.result_bytes:
                        return bytes(output), errors, False
                else:
                    errors = (errors + chunk)[-STDERR_BYTES:]
            if tick is not None:
                tick()
    return bytes(output), errors, False


def _wait(child: subprocess.Popen[bytes], output: bytes) -> int:
    """Return the exit status; a child that has answered but does not end is not waited for."""
    try:
        return child.wait(timeout=2)
    except subprocess.TimeoutExpired:
        return 0 if output else 1


def _kill(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _answer(status: int, output: bytes, errors: bytes, limits: Limits) -> dict[str, Any]:
    """Return the answer with its result, or raise what it or the child's death means."""
    if status == 0 and output:
        answer: dict[str, Any] = json.loads(output)
        if "error" in answer:
            error = answer["error"]
            raise HeteroOptError(error["code"], error["message"], hint=error["hint"], **error["params"])
        return answer
    if status == -signal.SIGXCPU:
        raise _timeout(limits.cpu_seconds)
    # The parent itself kills only after it has given up waiting: another SIGKILL is the kernel's, for memory
    # (or for CPU time, of which SIGXCPU warns a second earlier).
    if status in (EXIT_MEMORY, -signal.SIGKILL) or b"bad_alloc" in errors or b"MemoryError" in errors:
        raise HeteroOptError(
            "sandbox_memory",
            f"Reading the file needs more than {limits.memory_bytes >> 20} MiB of memory.",
            hint="Use a smaller model, or raise HETEROOPT_SANDBOX_MEMORY_BYTES on the server.",
            limit_bytes=limits.memory_bytes,
        )
    reason = _signal_name(-status) if status < 0 else errors.decode(errors="replace").strip().rpartition("\n")[2]
    raise HeteroOptError(
        "sandbox_crash",
        f"The file cannot be read: the reader stopped ({reason[:200] or status}).",
        hint="The file is damaged or not of the kind that its name says.",
        reason=reason[:200],
    )


def _timeout(limit_seconds: float) -> HeteroOptError:
    return HeteroOptError(
        "sandbox_timeout",
        f"Reading the file takes more than {limit_seconds:g} s.",
        hint="Use a smaller or simpler model, or raise HETEROOPT_SANDBOX_SECONDS on the server.",
        limit_s=limit_seconds,
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _environment(folder: str) -> dict[str, str]:
    """Return a clean environment: no secrets, and one thread, since each thread's stack counts against the memory."""
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS")
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "HOME": folder,
        "TMPDIR": folder,
        "MALLOC_ARENA_MAX": "1",
        **dict.fromkeys(threads, "1"),
    }
