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
RUN = """only => axe.run(document, {
    resultTypes: ['violations'],
    runOnly: only,
    rules: { 'target-size': { enabled: true } },
}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any, all }) =>
        `${id}: ${target.join(' ')}: ${[...any, ...all].map(check => check.message).join('; ')}`)))"""
EXPLORER = (
    "",
    "?items=1",
    "?a=compared&try=3.0&tab=graph",
    "?view=table&tab=graph",
    "?tab=operators",
    "?tab=compare&b=compared",
)
"""The address of each state of the explorer that is looked at."""
PLANNING_MS = 60_000
TRAINING = {
    "request": {
        "name": "small",
        "gpu": {"fast": {"bf16_tflop_per_s": 990, "memory_gib": 80, "fast_link_gb_per_s": 400}},
        "node": [{"name": "one", "gpu": "fast", "gpus": 2}, {"name": "two", "gpu": "fast", "gpus": 2}],
        "network": {"network_card_gb_per_s": 50},
        "model": {"name": "tiny", "layers": 6, "hidden": 2048, "feed_forward": 5632, "heads": 16},
        "workload": {"sequence": 2048, "sequences": 8, "degrees": [1, 2], "least_pipelines": 1, "zero1": False},
    }
}
AXE = Axe().axe_script


def faults(page: Page) -> list[str]:
    """What axe-core finds on the page as it is."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    return list(page.evaluate(RUN, ALL))


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


def training_plan(page: Page) -> str:
    """A training plan of two small nodes, planned if none is there."""
    headers = {"X-CSRFToken": page.request.get("/api/session/").json()["csrf_token"]}
    kept = page.request.get("/api/training-plans/").json()["results"]
    plan = kept[0] if kept else page.request.post("/api/training-plans/", data=TRAINING, headers=headers).json()
    return f"/training/{plan['id']}"


def with_trial(page: Page, finished: str) -> None:
    """Answer for the server that the first plan has run, as on a machine with runtimes."""
    names = [device["name"] for device in page.request.get(f"/api{finished}/").json()["pool"]["devices"]][:2]
    places = [{"name": name, "runtime": "onnxruntime", "device": "CPU", "fingerprint": "f"} for name in names]
    segments = [
        {
            "index": index,
            "device": name,
            "operators": 3,
            "predicted_ms": 2,
            "measured_ms": 3,
            "memory_bytes": 1000,
            "predicted_start_ms": 2 * index,
            "predicted_finish_ms": 2 * index + 2,
            "measured_start_ms": 3 * index,
        }
        for index, name in enumerate(names)
    ]
    outputs = [
        {"name": name, "distance": distance, "tolerance": 1e-5, "constant": False, "within": distance < 1e-5}
        for name, distance in (("right", 1e-9), ("wrong", 0.1))
    ]
    result = {
        "items": 16,
        "latency_ms": 6,
        "predicted_latency_ms": 4,
        "throughput_per_s": 200,
        "predicted_throughput_per_s": 400,
        "whole_ms": 5,
        "same_results": False,
        "random_weights": 0,
        "segments": segments,
        "outputs": outputs,
        "device_memory_bytes": dict.fromkeys(names, 1000),
    }
    common = {"plan_hash": "ab", "plan_number": 1, "created_at": "2026-01-02T03:04:05Z", "created_by": None}
    common |= {"host": "box", "places": places, "progress": None, "stale": [], "profiles": []}
    rows = [
        {**common, "id": "1", "state": "done", "error": None, "result": result},
        {**common, "id": "2", "state": "queued", "error": None, "result": None},
        {**common, "id": "3", "state": "failed", "error": {"code": "host_gone", "params": {}}, "result": None},
    ]
    answer = {"count": len(rows), "next": None, "previous": None, "results": rows}
    page.route("**/plans/1/trials/*", lambda route: route.fulfill(json=answer))


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
        # The code of a page comes after its frame.
        expect(page.get_by_role("main")).to_contain_text(re.compile(r"\S"))
        expect(page.locator(".bone")).to_have_count(0)
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        yield address
    page.goto(training_plan(page))
    expect(page.get_by_role("main").locator("svg, canvas, table").first).to_be_visible(timeout=PLANNING_MS)
    yield "training plan"
    with_trial(page, finished)
    page.goto(f"{finished}/plans/1/download")
    expect(page.locator(".tr-why").first).to_be_visible()
    yield "download with a trial run"
    for query in EXPLORER:
        other = page.request.get(f"/api{finished}/plans/2/").json()["hash"][:12]
        page.goto(finished + query.replace("compared", other))
        expect(page.get_by_test_id("passing")).to_contain_text(re.compile("[1-9]"))
        expect(page.locator("#xp-work-body[aria-busy=false] > *").first).to_be_visible()
        if "try" in query:
            expect(page.get_by_test_id("what-if-deltas")).to_contain_text(re.compile("[0-9]"))
        if "items" in query:
            expect(page.get_by_test_id("timeline")).to_have_attribute("aria-label", re.compile(r"\D32\D"))
        yield f"explorer {query}"
    page.locator(".xp-knee-help button").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    yield "explorer with the help on a term"
    page.keyboard.press("Escape")
    page.locator("input[data-bound='exec_time_ms.max']").fill("1")
    expect(page.locator(".banner")).to_be_visible()
    yield "explorer without a plan that passes"
    plans = re.compile(r"/plans/\d+/\?")
    page.route(plans, lambda route: route.fulfill(status=503, json={"error": {"code": "server_error", "message": ""}}))
    page.goto(f"{finished}?tab=compare")
    expect(page.locator("#xp-work-body .banner button")).to_be_visible()
    yield "explorer with a plan that cannot be read"
    page.unroute(plans)  # the page tries again by itself too, so that a click on its button could come too late
    page.goto(f"{finished}?tab=compare")
    expect(page.get_by_test_id("two-timelines")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    for place in page.locator(".xp-places button").all():
        place.click()
        expect(place).to_have_attribute("aria-current", "page")
        yield f"explorer on a phone, {place.inner_text()}"


@pytest.mark.parametrize(("language", "theme"), [("en-GB", "light"), ("zh-CN", "dark")])
def test_axe_finds_nothing(
    browser: Browser, server: Server, signed_in: dict[str, object], finished: str, language: str, theme: str
) -> None:
    context = browser.new_context(
        base_url=server.url,
        storage_state=signed_in,  # type: ignore[arg-type]
        locale=language,
        color_scheme=theme,  # type: ignore[arg-type]
        viewport={"width": 1440, "height": 900},
        reduced_motion="reduce",
    )
    page = context.new_page()
    found = {name: faults(page) for name in pages_of(page, finished)}
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
    context.clear_cookies()
    page.goto("/")
    expect(page.get_by_role("main")).to_be_visible()
    found["signed out"] = faults(page)
    context.close()
    assert {name: lines for name, lines in found.items() if lines} == {}
