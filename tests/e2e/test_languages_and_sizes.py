"""English and Chinese, light and dark, narrow and wide: every page, and what assistive software is told of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Server
from tests.e2e.steps import open_tab, overflow

pytestmark = pytest.mark.e2e

NAMED_ROLES = {
    "button",
    "checkbox",
    "combobox",
    "grid",
    "link",
    "menuitem",
    "radio",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
}
SENTENCE = re.compile(r"\b[A-Za-z][a-z]+ [a-z]{2,} [a-z]{2,}\b")
"""Three English words in a row; names of devices, models and operators are shorter or hold figures."""
WORKSTATION = re.compile("^(?:Workstation|工作站)$")
"""A sample pool: its name is in the language of the page."""


def switch_language(page: Page) -> None:
    page.get_by_role("button", name="Language: switch to Chinese").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")


def pages_of(page: Page, finished: str) -> Iterator[str]:
    """Open every page in turn and say its name once its content is there."""
    main = page.locator("#main")
    for name, address in (("workspace", "/"), ("models", "/models"), ("pools", "/pools")):
        page.goto(address)
        expect(main.get_by_role("link", name=re.compile("inception_v1|Workstation|工作站")).first).to_be_visible()
        yield name
    page.goto("/models")
    main.get_by_role("link", name="inception_v1", exact=True).click()
    expect(main.get_by_role("heading", name="inception_v1")).to_be_visible()
    expect(main.get_by_role("row").nth(5)).to_be_visible()
    yield "model"
    page.goto("/pools")
    main.get_by_role("link", name=WORKSTATION).click()
    page.wait_for_url("**/pools/*")
    expect(main.get_by_role("heading", name=WORKSTATION)).to_be_visible()
    expect(main.get_by_role("table").first).to_be_visible()
    yield "pool"
    for name in ("reviews", "notifications", "team"):
        page.goto(f"/{name}")
        expect(main.get_by_role("heading", level=1)).to_be_visible()
        yield name
    page.goto(finished)
    expect(main.get_by_test_id("passing")).to_contain_text(re.compile("[1-9]"))
    yield "explorer"


def test_chinese_reaches_every_page(page: Page, finished: str) -> None:
    page.goto("/")
    switch_language(page)
    expect(page.get_by_role("button", name="运行示例搜索")).to_be_visible()
    for name in pages_of(page, finished):
        assert page.evaluate("document.documentElement.lang") == "zh-CN", name
        text = page.locator("#main").inner_text()
        assert re.search("[\u4e00-\u9fff]", text), name
        assert SENTENCE.findall(text) == [], f"English left on the {name} page"
    for tab in ("算子", "对比", "时间线"):
        open_tab(page, tab)
        expect(page.get_by_role("tabpanel")).not_to_have_text("正在读取方案")
        assert SENTENCE.findall(page.locator("#main").inner_text()) == [], f"English left in {tab}"
    page.locator("input[data-bound='exec_time_ms.max']").fill("1")
    expect(page.get_by_text("没有方案满足全部约束")).to_be_visible()
    assert SENTENCE.findall(page.locator("#main").inner_text()) == []
    page.get_by_role("button", name="快捷键").click()
    assert SENTENCE.findall(page.get_by_role("dialog").inner_text()) == []


def test_language_and_theme_stay_chosen(page: Page, finished: str) -> None:
    page.goto("/")
    html = page.locator("html")
    expect(html).to_have_attribute("data-theme", "light")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Theme").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    expect(html).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != paper
    switch_language(page)
    page.goto(finished)
    expect(html).to_have_attribute("data-theme", "dark")
    expect(html).to_have_attribute("lang", "zh-CN")
    expect(page.get_by_test_id("front-scene")).to_have_attribute("data-state", "drawn", timeout=30_000)
    page.get_by_role("button", name="语言：切换到英文").click()
    expect(html).to_have_attribute("lang", "en")
    expect(page.get_by_role("heading", name="Pareto front")).to_be_visible()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_page_is_wider_than_the_window(page: Page, finished: str, language: str) -> None:
    page.goto("/")
    if language == "zh":
        switch_language(page)
    for name in pages_of(page, finished):
        for width, height in ((390, 844), (1024, 768), (1440, 900)):
            page.set_viewport_size({"width": width, "height": height})
            assert overflow(page) <= 0, f"{name} at {width} px"
        if name == "explorer":
            page.set_viewport_size({"width": 390, "height": 844})
            places = page.locator(".xp-places button")
            expect(places).to_have_count(4)
            for place in places.all():
                place.click()
                expect(place).to_have_attribute("aria-current", "page")
                assert overflow(page) <= 0, place.inner_text()


def unnamed(page: Page) -> list[str]:
    """Controls that assistive software would announce without a name."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    return [
        f"{node['role']['value']} {node.get('properties')}"
        for node in nodes
        if not node["ignored"]
        and node["role"]["value"] in NAMED_ROLES
        and not node.get("name", {}).get("value", "").strip()
    ]


def test_every_control_has_a_name(page: Page, finished: str) -> None:
    for name in pages_of(page, finished):
        assert unnamed(page) == [], name
        assert page.locator("h1, h2").count() >= 1, name
        assert page.locator("main").count() == 1, name
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(ids) == len(set(ids)), f"ids that stand twice on the {name} page"
    for tab in ("Operators", "Compare"):
        open_tab(page, tab)
        assert unnamed(page) == [], tab
    page.get_by_role("button", name="Table", exact=True).first.click()
    assert unnamed(page) == []
    page.goto("/pools?new=true")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert unnamed(page) == []


def test_system_theme_is_followed(browser: Browser, server: Server, signed_in: dict[str, object]) -> None:
    context = browser.new_context(
        base_url=server.url,
        storage_state=signed_in,  # type: ignore[arg-type]
        color_scheme="dark",
        locale="zh-CN",
    )
    page = context.new_page()
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    context.close()
