"""The supervisor as a user starts it: one URL, everything restarted, nothing left behind."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from django.conf import settings

from tests.workers.services import free_port, wait_until
from tests.workers.test_devices import runtimes_folder


class Server:
    def __init__(self, folder: Path, **environment: str) -> None:
        self.log = folder / "log"
        clean = {key: value for key, value in os.environ.items() if not key.startswith("HETEROOPT_")}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"],
                cwd=settings.BASE_DIR,
                env={
                    **clean,
                    "DJANGO_SETTINGS_MODULE": "config.settings",
                    "HETEROOPT_DATA_DIR": str(folder / "data"),
                    "HETEROOPT_WORKERS": "1",
                    "HETEROOPT_DEVICES": "0",
                    "HETEROOPT_RUNNERS": "tests.workers.example_runners",
                    "PORT": "0",
                    **environment,
                },
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def link(self) -> str:
        """Wait for the one line with the URL."""

        def found():
            return self.process.poll() is not None or "http://" in self.text()

        wait_until(found, what="the URL is printed")
        links = re.findall(r"http://\S+", self.text())
        assert len(links) == 1, self.text()
        return links[0]

    def text(self) -> str:
        return self.log.read_text()

    def children(self) -> dict[int, str]:
        """Return process id and role of each living child."""
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    words = (entry / "cmdline").read_bytes().decode().split("\0")
                    if f"{self.process.pid}" in words[-2:] and "--parent" in words:
                        found[int(entry.name)] = "devices" if "--host" in words else words[words.index("config") + 1]
        return found

    def close(self) -> None:
        for pid in (*self.children(), self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def serve(tmp_path):
    servers = []

    def start(**environment):
        servers.append(Server(tmp_path, **environment))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def status(url: str, opener=None) -> int:
    try:
        with (opener or urllib.request.build_opener()).open(url, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def test_one_command_serves_restarts_what_dies_and_ends_clean(serve, tmp_path):
    server = serve(HETEROOPT_DEVICES="1", HETEROOPT_RUNTIMES_DIR=str(runtimes_folder(tmp_path / "runtimes")))
    link = server.link()
    base = link.partition("/signin/")[0]
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    # The home page that it leads to is there only where the front end is built.
    status(link, browser)
    nothing = f"{base}/api/jobs/00000000-0000-0000-0000-000000000000/"
    assert (status(nothing, browser), status(nothing)) == (404, 401)
    # The link is good for one browser.
    assert status(link) == 410

    wait_until(
        lambda: sorted(server.children().values()) == ["devices", "reaper", "web", "worker"], what="all are running"
    )
    wait_until(lambda: status(f"{base}/healthz") == 200, what="the worker is ready")
    before = server.children()
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    wait_until(
        lambda: (
            sorted(server.children().values()) == ["devices", "reaper", "web", "worker"]
            and not before.keys() & server.children()
        ),
        what="all are restarted",
    )
    wait_until(lambda: status(f"{base}/healthz") == 200, what="all work again")
    assert "web ended (SIGKILL); it is started again" in server.text()

    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(timeout=20) == 0
    assert server.children() == {}


def test_children_end_with_a_killed_supervisor(serve):
    server = serve()
    server.link()
    wait_until(lambda: len(server.children()) == 3, what="all are running")
    server.process.kill()
    wait_until(lambda: server.children() == {}, what="no orphan is left")


def test_a_taken_port_is_said(serve, tmp_path):
    import socket

    port = free_port()
    with socket.create_server(("127.0.0.1", port)):
        server = serve(PORT=str(port))
        assert server.process.wait(timeout=30) == 1
    assert f"Port {port} on 127.0.0.1 cannot be used" in server.text()
    assert "Traceback" not in server.text()
    assert server.children() == {}


def test_a_wrong_setting_is_said(serve):
    server = serve(HETEROOPT_WORKERS="many")
    assert server.process.wait(timeout=30) == 1
    assert "HETEROOPT_WORKERS='many' is not a whole number" in server.text()
    assert "Traceback" not in server.text()
