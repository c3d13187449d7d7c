"""Starts PostgreSQL and Redis on free ports for the tests, and stops them."""

import contextlib
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def binary(name: str, *patterns: str) -> str:
    """Return the path of a server's program; without it the test is skipped here, and fails where CI is set."""
    found = shutil.which(name) or next(
        (path for pattern in patterns for path in sorted(glob.glob(pattern), reverse=True)), None
    )
    if found is None:
        message = f"{name} is not installed (Debian: apt-get install postgresql redis-server)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return found


def wait_until(condition, seconds: float = 120.0, what: str = "") -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"not within {seconds:g} s: {what or condition}")
        time.sleep(0.02)


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Yield the URL of an empty PostgreSQL server, without a database name."""
    initdb = binary("initdb", "/usr/lib/postgresql/*/bin/initdb")
    server = str(Path(initdb).with_name("postgres"))
    folder = tempfile.mkdtemp(prefix="heteroopt-postgres-")
    port = free_port()
    # PostgreSQL refuses to run as root.
    account = {}
    if os.geteuid() == 0:
        entry = pwd.getpwnam("postgres")
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        account = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    run = {"cwd": folder, "env": {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"}, "stdin": subprocess.DEVNULL}
    process = None
    try:
        subprocess.run(
            [initdb, "-D", f"{folder}/data", "-U", "heteroopt", "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True,
            capture_output=True,
            **run,
            **account,
        )
        with open(f"{folder}/log", "wb") as log:
            process = subprocess.Popen(
                [server, "-D", f"{folder}/data", "-h", "127.0.0.1", "-p", str(port), "-k", folder, "-F"],
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **run,
                **account,
            )
        wait_until(lambda: _connects(port) and _accepts(port), what="PostgreSQL answers")
        yield f"postgres://heteroopt@127.0.0.1:{port}"
    finally:
        if process is not None:
            process.send_signal(signal.SIGQUIT)
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def redis() -> Iterator[str]:
    """Yield the URL of an empty Redis server."""
    server = binary("redis-server")
    folder = tempfile.mkdtemp(prefix="heteroopt-redis-")
    port = free_port()
    process = subprocess.Popen(
        [server, "--bind", "127.0.0.1", "--port", str(port), "--dir", folder, "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_until(lambda: _connects(port), what="Redis answers")
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _connects(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _accepts(port: int) -> bool:
    import psycopg

    try:
        psycopg.connect(f"postgres://heteroopt@127.0.0.1:{port}/postgres").close()
    except psycopg.OperationalError:
        return False
    return True
