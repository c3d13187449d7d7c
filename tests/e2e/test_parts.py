"""Parts of the application come when they are needed: a language, and a part that is gone after an update."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route, expect


def test_a_page_loads_its_own_texts_in_one_language_and_the_other_on_switching(page: Page) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/pools")
    expect(page.get_by_role("heading", name="Pools", exact=True)).to_be_visible()
    texts = {found[1] for url in asked if (found := re.search(r"/(\w+-(?:en|zh))-[^/]+\.js$", url))}
    assert {"pools-en", "hardware-en"} <= texts and not {name for name in texts if name.endswith("-zh")}, texts
    assert "explorer-en" not in texts
    page.get_by_role("button", name="Language: switch to Chinese").click()
    expect(page.get_by_role("heading", name="设备池", exact=True)).to_be_visible()
    page.get_by_role("link", name="模型", exact=True).click()
    expect(page.get_by_role("button", name="上传模型").first).to_be_visible()
    assert not [text for text in said if "No text for" in text], said


def test_a_part_that_is_gone_is_said_and_comes_with_the_page_loaded_again(page: Page) -> None:
    page.goto("/models")
    expect(page.get_by_role("heading", name="Models", exact=True)).to_be_visible()

    def gone(route: Route) -> None:
        route.fulfill(status=404, body="")

    page.route("**/TeamPage-*.js", gone)
    page.goto("/team")
    expect(page.get_by_role("heading", name="A part of this page could not be loaded")).to_be_visible()
    expect(page.get_by_role("link", name="Models")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Load the page again").click()
    expect(page.get_by_role("heading", name="Members")).to_be_visible()
