"""axe-core over every page: the rules of WCAG 2.2 A and AA hold in both languages and both themes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Server

pytestmark = pytest.mark.e2e

ALL = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
CONTRAST = {"type": "rule", "values": ["color-contrast"]}
"""The only rule that a theme has a say in."""
RUN = """only => axe.run(document, {
    resultTypes: ['violations'],
    runOnly: only,
    ...(only.type === 'tag' && { rules: { 'target-size': { enabled: true } } }),
}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any, all }) =>
        `${id}: ${target.join(' ')}: ${[...any, ...all].map(check => check.message).join('; ')}`)))"""
AXE = Axe().axe_script


def faults(page: Page) -> list[str]:
    """What axe-core finds on the page as it is, in the dark theme and in the light one."""
    found: list[str] = []
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    for theme, rules in (("dark", CONTRAST), ("light", ALL)):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        found += [f"{theme}: {line}" for line in page.evaluate(RUN, rules)]
    return found


def first_id(page: Page, kind: str) -> str:
    return str(page.request.get(f"/api/{kind}/").json()["results"][0]["id"])


def review_of(page: Page, finished: str) -> str:
    """The review of the first plan, opened if nobody has, with a thread."""
    plan = page.request.get(f"/api{finished}/plans/1/").json()
    headers = {"X-CSRFToken": page.request.get("/api/session/").json()["csrf_token"]}
    asked = {"search": finished.rsplit("/", 1)[1], "plan": 1, "hash": plan["hash"]}
    review = page.request.post("/api/reviews/", data=asked, headers=headers).json()["id"]
    device = page.request.get(f"/api{finished}/").json()["pool"]["devices"][0]["name"]
    thread = {"anchor": {"kind": "lane", "device": device}, "body": "Is it free?"}
    answer = page.request.post(f"/api/reviews/{review}/threads/", data=thread, headers=headers)
    assert answer.ok, answer.text()
    return f"/reviews/{review}"


def pages_of(page: Page, finished: str) -> Iterator[str]:
    """Open every page in turn, with what lies on it, and say its name once it is there."""
    for address in (
        "/",
        "/models",
        f"/models/{first_id(page, 'models')}",
        "/pools",
        f"/pools/{first_id(page, 'pools')}",
        "/hardware",
        "/hardware/operators",
        "/hardware/precision",
        "/training",
        "/reviews",
        review_of(page, finished),
        "/notifications",
        "/team",
        "/invite/unknown",
        f"{finished}/plans/1/download",
        "/nowhere",
    ):
        page.goto(address)
        expect(page.get_by_role("main")).to_be_visible()
        expect(page.locator(".bone")).to_have_count(0)
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        yield address
    for query in ("", "?view=table&tab=graph", "?tab=operators", "?tab=compare&b=compared"):
        other = page.request.get(f"/api{finished}/plans/2/").json()["hash"][:12]
        page.goto(finished + query.replace("compared", other))
        expect(page.get_by_test_id("passing")).to_contain_text(re.compile("[1-9]"))
        expect(page.locator("#xp-work-body[aria-busy=false] > *").first).to_be_visible()
        yield f"explorer {query}"
    page.locator("input[data-bound='exec_time_ms.max']").fill("1")
    expect(page.locator(".banner")).to_be_visible()
    yield "explorer without a plan that passes"
    page.set_viewport_size({"width": 390, "height": 844})
    for place in page.locator(".xp-places button").all():
        place.click()
        expect(place).to_have_attribute("aria-current", "page")
        yield f"explorer on a phone, {place.inner_text()}"


@pytest.mark.parametrize("language", ["en-GB", "zh-CN"])
def test_axe_finds_nothing(
    browser: Browser, server: Server, signed_in: dict[str, object], finished: str, language: str
) -> None:
    context = browser.new_context(
        base_url=server.url,
        storage_state=signed_in,  # type: ignore[arg-type]
        locale=language,
        viewport={"width": 1440, "height": 900},
        reduced_motion="reduce",
    )
    page = context.new_page()
    found = {name: faults(page) for name in pages_of(page, finished)}
    context.clear_cookies()
    page.goto("/")
    expect(page.get_by_role("main")).to_be_visible()
    found["signed out"] = faults(page)
    context.close()
    assert {name: lines for name, lines in found.items() if lines} == {}
