"""Runs web, workers and reaper as child processes, restarts the dead, and leaves nothing behind."""

from __future__ import annotations

import functools
import http.client
import os
import signal
import socket
import sys
import time
from types import FrameType

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from workers.children import TICK_SECONDS, Child, stop_all


class PortTaken(Exception):
    """The port cannot be listened on; the message says what to do."""


class Supervisor:
    """Owns the listening socket, so that the port is kept while the web process restarts."""

    def __init__(self) -> None:
        self._stop_requests = 0
        self._children: list[Child] = []

    def run(self) -> int:
        """Serve until SIGTERM, SIGINT or SIGHUP; return the exit status. Raises :class:`PortTaken`."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._request_stop)
        with _listen() as listener:
            try:
                self._serve(listener)
            finally:
                settings.ADDRESS_FILE.unlink(missing_ok=True)
                asked = max(self._stop_requests, 1)
                # A second Ctrl-C ends the wait.
                stop_all(self._children, lambda: self._stop_requests > asked)
        return 0

    def _serve(self, listener: socket.socket) -> None:
        fd, port = listener.fileno(), listener.getsockname()[1]
        environment = {**os.environ, "PORT": str(port), "TMPDIR": str(settings.TEMPORARY_DIR)}
        environment.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        child = functools.partial(Child, folder=settings.BASE_DIR, environment=environment, died=_bury)
        # The web process loads while this one loads Django and looks at the database; nobody knows its address
        # before both are done.
        web = child("web", ("web", "--fd", str(fd)), fd=fd)
        web.start()
        self._children.append(web)
        django.setup()
        from workers.setup import compile_kernels, set_up, sign_in_path

        owner = set_up(_say)
        compile_kernels(_say)
        address = _public_url(port)
        settings.ADDRESS_FILE.write_text(address)
        link = f"{address}{sign_in_path(owner)}"
        while not self._stop_requests and not _answers(port):
            self._tend()
        # Only now, so that the first page does not share the processor with their start.
        for number in range(1, settings.WORKERS + 1):
            self._children.append(child(f"worker {number}", ("worker",)))
        self._children.append(child("reaper", ("reaper",)))
        if settings.DEVICES:
            self._children.append(child("devices", ("worker", "--host")))
        if not self._stop_requests:
            print(f"HeteroOpt is ready: {link}", flush=True)
        while not self._stop_requests:
            self._tend()

    def _tend(self) -> None:
        for child in self._children:
            child.tend()
        time.sleep(TICK_SECONDS)

    def _request_stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stop_requests += 1


def main() -> None:
    """Run the supervisor; a port that is taken or a wrong setting ends with a message."""
    try:
        sys.exit(Supervisor().run())
    except (PortTaken, ImproperlyConfigured) as error:
        sys.exit(f"heteroopt: {error}")


def _say(line: str) -> None:
    print(line, flush=True)


def _bury(pid: int) -> None:
    """Free the jobs of a child that died."""
    from workers.setup import bury

    bury(pid)


def _listen() -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.HOST else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.HOST, settings.PORT))
    except OSError as error:
        listener.close()
        raise PortTaken(
            f"Port {settings.PORT} on {settings.HOST} cannot be used: {error.strerror}. "
            "Another program may have it. Choose another port: PORT=8001 ./run"
        ) from None
    listener.listen(128)
    return listener


def _answers(port: int) -> bool:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.HOST, settings.HOST)
    web = http.client.HTTPConnection(host, port, timeout=5)
    try:
        # The cheapest page: it needs neither the database nor the workers.
        web.request("HEAD", "/signin/-/")
        return web.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        web.close()


def _public_url(port: int) -> str:
    """Return the public URL, with the real port where ``PORT=0`` left the choice to the system."""
    return settings.PUBLIC_URL if settings.PORT else settings.PUBLIC_URL.removesuffix(":0") + f":{port}"
