"""Who may come in: nobody without the one-time link, and with it once; every answer keeps the page to its own host."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import ROOT, Server

pytestmark = pytest.mark.e2e


def new_link(server: Server) -> str:
    """A fresh one-time link, as the command that the sign-in page names prints it."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "HETEROOPT_DATA_DIR": str(server.data_dir),
        "PORT": str(urlsplit(server.url).port),
    }
    command = [sys.executable, "manage.py", "signin_url"]
    printed = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout
    return next(word for word in printed.split() if "/signin/" in word)


@pytest.fixture
def stranger(browser: Browser, server: Server) -> Iterator[Page]:
    """A page without a session."""
    context = browser.new_context(base_url=server.url, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(15_000)
    yield page
    context.close()


def test_without_a_session_every_address_asks_for_sign_in(stranger: Page, finished: str) -> None:
    for address in ("/", "/models", finished):
        stranger.goto(address)
        expect(stranger.get_by_role("heading", name="Sign in to continue")).to_be_visible()
        expect(stranger.get_by_text("./run signin_url")).to_be_visible()
    assert stranger.request.get("/api/models/").status in (401, 403)


def test_link_works_only_once(stranger: Page, server: Server, signed_in: dict[str, object]) -> None:
    stranger.goto(server.sign_in_url)
    assert stranger.request.get("/api/models/").status in (401, 403)
    stranger.goto("/")
    expect(stranger.get_by_role("heading", name="Sign in to continue")).to_be_visible()


def test_sign_out_ends_the_session(stranger: Page, server: Server) -> None:
    stranger.goto(new_link(server))
    expect(stranger.get_by_role("button", name="Run sample search")).to_be_visible()
    stranger.get_by_role("button", name="Account of").click()
    expect(stranger.get_by_role("menuitem", name="API documentation")).to_be_visible()
    stranger.get_by_role("menuitem", name="Sign out").click()
    expect(stranger.get_by_role("heading", name="Sign in to continue")).to_be_visible()
    assert stranger.request.get("/api/models/").status in (401, 403)


def test_policy_keeps_the_page_to_its_host(page: Page, finished: str) -> None:
    for address in ("/", finished, "/api/docs/"):
        response = page.goto(address)
        assert response is not None
        policy = response.headers["content-security-policy"]
        sources = dict(part.strip().split(" ", 1) for part in policy.split(";") if " " in part.strip())
        assert sources["default-src"] in ("'self'", "'none'")
        assert "'unsafe-inline'" not in sources.get("script-src", "")
        assert "http" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"
