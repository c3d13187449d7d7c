"""A real server (supervisor, web, workers, reaper) in a data folder of its own, and a real Chromium."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.e2e.steps import run_sample, wait_until_done

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
START_SECONDS = 120


@dataclass(frozen=True)
class Server:
    """Where the product answers, the one-time link that signs the local owner in, and where its data lies."""

    url: str
    sign_in_url: str
    data_dir: Path


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data_dir = tmp_path_factory.mktemp("data")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HETEROOPT_")}
    environment |= {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "HETEROOPT_DATA_DIR": str(data_dir),
        "PORT": "0",
        "HETEROOPT_DEVICES": "0",
    }
    # Kernels compile for up to a minute after a change of the engine; no test waits for that.
    subprocess.run([sys.executable, "-c", "from heteroopt.search import warm_up; warm_up()"], cwd=ROOT, check=True)
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    lines: list[str] = []
    found = threading.Event()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if "/signin/" in line:
                found.set()
        found.set()

    threading.Thread(target=read, daemon=True).start()
    try:
        assert found.wait(START_SECONDS), "the server printed no sign-in link:\n" + "".join(lines)
        match = re.search(r"(http://\S+?)/signin/\S+", "".join(lines))
        assert match, "the server ended before it was ready:\n" + "".join(lines)
        yield Server(match[1], match[0], data_dir)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    assert CHROMIUM, "no Chromium: apt install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-sync",
            ],
        )
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def signed_in(browser: Browser, server: Server) -> Iterator[dict[str, object]]:
    """The storage state after following the one-time link, for contexts of single tests."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.sign_in_url)
    page.wait_for_url(f"{server.url}/")
    yield dict(context.storage_state())
    context.close()


@pytest.fixture
def context(browser: Browser, server: Server, signed_in: dict[str, object]) -> Iterator[BrowserContext]:
    """A signed-in context that records every request that leaves the host and every page error."""
    context = browser.new_context(
        base_url=server.url,
        storage_state=signed_in,  # type: ignore[arg-type]
        locale="en-GB",
        viewport={"width": 1440, "height": 900},
        accept_downloads=True,
    )
    foreign: list[str] = []
    errors: list[str] = []
    context.on(
        "request", lambda r: foreign.append(r.url) if not r.url.startswith((server.url, "data:", "blob:")) else None
    )
    context.on("weberror", lambda e: errors.append(str(e.error)))
    yield context
    context.close()
    assert foreign == [], f"requests left the host: {foreign}"
    assert errors == [], f"errors in the page: {errors}"


@pytest.fixture
def page(context: BrowserContext) -> Page:
    page = context.new_page()
    page.set_default_timeout(15_000)
    return page


@pytest.fixture(scope="package")
def finished(browser: Browser, server: Server, signed_in: dict[str, object]) -> str:
    """Path of a sample search that is done, for tests that only look at it."""
    context = browser.new_context(base_url=server.url, storage_state=signed_in, locale="en-GB")  # type: ignore[arg-type]
    page = context.new_page()
    run_sample(page)
    path = urlsplit(page.url).path
    wait_until_done(page)
    context.close()
    return path
