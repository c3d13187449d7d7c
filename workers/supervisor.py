"""Runs web, workers and reaper as child processes, restarts the dead, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType

from django.conf import settings
from django.core.management.base import CommandError

from apps.accounts.services import issue_sign_in_token
from workers.setup import set_up

TICK_SECONDS = 0.1
STOP_SECONDS = 8.0
FIRST_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS = 0.5, 30.0
# A process that lived this long is healthy: its next restart waits for the first backoff only.
HEALTHY_SECONDS = 60.0


class Child:
    """One child process in a process group of its own."""

    def __init__(self, name: str, arguments: Sequence[str], environment: dict[str, str], fd: int | None = None) -> None:
        self.name = name
        self._command = [sys.executable, "-m", "config", *arguments, "--parent", str(os.getpid())]
        self._environment = environment
        self._fd = fd
        self._backoff = FIRST_BACKOFF_SECONDS
        self._started_at = 0.0
        self._restart_at = 0.0
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process."""
        self._process = subprocess.Popen(
            self._command,
            cwd=settings.BASE_DIR,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            pass_fds=() if self._fd is None else (self._fd,),
            start_new_session=True,
        )
        self._started_at = time.monotonic()

    def tend(self) -> None:
        """Restart the process if it has died and its backoff is over."""
        now = time.monotonic()
        if self._process is None:
            if now >= self._restart_at:
                self.start()
            return
        status = self._process.poll()
        if status is None:
            return
        self.kill()
        if now - self._started_at > HEALTHY_SECONDS:
            self._backoff = FIRST_BACKOFF_SECONDS
        print(f"{self.name} ended ({_cause(status)}); starting it again", file=sys.stderr, flush=True)
        self._process = None
        self._restart_at = now + self._backoff
        self._backoff = min(self._backoff * 2, MAX_BACKOFF_SECONDS)

    def signal(self, number: int) -> None:
        """Send a signal to the process."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)

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


class Supervisor:
    """Owns the listening socket, so that the port is kept while the web process restarts."""

    def __init__(self) -> None:
        self._stop_requests = 0
        self._children: list[Child] = []

    def run(self) -> int:
        """Serve until SIGTERM or SIGINT; return the exit status."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._request_stop)
        with _listen() as listener:
            port = listener.getsockname()[1]
            environment = {**os.environ, "PORT": str(port), "TMPDIR": str(settings.TEMPORARY_DIR)}
            environment.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
            fd = listener.fileno()
            try:
                web = Child("web", ("web", "--fd", str(fd)), environment, fd)
                # It starts while the database is looked at; nobody knows its address before that is done.
                web.start()
                self._children = [web]
                owner = set_up(lambda line: print(line, flush=True))
                for number in range(1, settings.WORKERS + 1):
                    self._children.append(Child(f"worker {number}", ("worker",), environment))
                self._children.append(Child("reaper", ("reaper",), environment))
                self._wait_for_web(port)
                if not self._stop_requests:
                    link = f"{_public_url(port)}/signin/{issue_sign_in_token(owner)}/"
                    print(f"HeteroOpt is ready: {link}", flush=True)
                while not self._stop_requests:
                    self._tend()
            finally:
                self._stop()
        return 0

    def _tend(self) -> None:
        for child in self._children:
            child.tend()
        time.sleep(TICK_SECONDS)

    def _wait_for_web(self, port: int) -> None:
        while not self._stop_requests and not _answers(port):
            self._tend()

    def _request_stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stop_requests += 1

    def _stop(self) -> None:
        """Ask all children to end, wait, and kill what is left; a second request from the user ends the wait."""
        first = max(self._stop_requests, 1)
        for child in self._children:
            child.signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline and self._stop_requests <= first:
            if all(child.ended for child in self._children):
                break
            time.sleep(TICK_SECONDS / 2)
        for child in self._children:
            child.kill()


def _listen() -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.HOST else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.HOST, settings.PORT))
    except OSError as error:
        listener.close()
        raise CommandError(
            f"Port {settings.PORT} on {settings.HOST} cannot be used: {error.strerror}. "
            "Another program may have it. Choose another one: PORT=8001 ./run"
        ) from None
    listener.listen(128)
    return listener


def _answers(port: int) -> bool:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.HOST, settings.HOST)
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", "/healthz", headers={"Host": "localhost"})
        status = connection.getresponse().status
        return status < 500 or status == 503
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _public_url(port: int) -> str:
    """Return the public URL, with the real port where ``PORT=0`` left the choice to the system."""
    return settings.PUBLIC_URL if settings.PORT else settings.PUBLIC_URL.removesuffix(":0") + f":{port}"


def _cause(status: int) -> str:
    if status >= 0:
        return f"status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
