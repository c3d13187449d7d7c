"""Child processes of the supervisor: started in groups of their own, restarted with backoff, killed whole."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

TICK_SECONDS = 0.1
STOP_SECONDS = 8.0
FIRST_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS = 0.5, 30.0
# A process that lived this long was healthy: its next restart waits for the first backoff only.
HEALTHY_SECONDS = 60.0


class Child:
    """One child process: ``python -m config ARGUMENTS``."""

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        *,
        folder: Path,
        environment: dict[str, str],
        died: Callable[[int], object],
        fd: int | None = None,
    ) -> None:
        """``died`` is told the process id of each process that ended by itself; ``fd`` is handed down."""
        self.name = name
        self._command = [sys.executable, "-m", "config", *arguments, "--parent", str(os.getpid())]
        self._folder = folder
        self._environment = environment
        self._died = died
        self._fd = fd
        self._backoff = FIRST_BACKOFF_SECONDS
        self._started_at = 0.0
        self._restart_at = 0.0
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process."""
        self._process = subprocess.Popen(
            self._command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            pass_fds=() if self._fd is None else (self._fd,),
            start_new_session=True,
        )
        self._started_at = time.monotonic()

    def tend(self) -> None:
        """Start the process if it is due, and note when it has died."""
        now = time.monotonic()
        if self._process is None:
            if now >= self._restart_at:
                self.start()
            return
        status = self._process.poll()
        if status is None:
            return
        self.kill()
        pid, self._process = self._process.pid, None
        if now - self._started_at > HEALTHY_SECONDS:
            self._backoff = FIRST_BACKOFF_SECONDS
        self._restart_at = now + self._backoff
        self._backoff = min(self._backoff * 2, MAX_BACKOFF_SECONDS)
        print(f"{self.name} ended ({_cause(status)}); it is started again", file=sys.stderr, flush=True)
        self._died(pid)

    def terminate(self) -> None:
        """Ask the process to end."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def kill(self) -> None:
        """Kill what is left of the process group, and collect the process."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    @property
    def ended(self) -> bool:
        """Whether the process is not running."""
        return self._process is None or self._process.poll() is not None


def stop_all(children: Sequence[Child], hurry: Callable[[], bool]) -> None:
    """Ask all to end, wait for up to ``STOP_SECONDS`` or until ``hurry()``, and kill what is left."""
    for child in children:
        child.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    while time.monotonic() < deadline and not hurry() and not all(child.ended for child in children):
        time.sleep(TICK_SECONDS / 2)
    for child in children:
        child.kill()


def _cause(status: int) -> str:
    if status >= 0:
        return f"status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
