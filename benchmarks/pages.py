"""How quick the pages are, as a table against their targets, in Chromium.

Run: python -m benchmarks.pages SIGN_IN_URL   (the link that ./run prints; it leaves searches and a model)

Fronts of 128 and 2,000 plans and a timeline of 20,000 bars stand in for what the server answers for a sample search.
Wall times; other work on the machine lengthens them, so the load average stands under the table.
With --only some parts are measured alone, by their names: bundles, paints, 3-D, picks, hover, choosing, timeline,
what-if, graph, texts. Requests off the host and violations of the content security policy are counted over all of them.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shutil
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Route, sync_playwright

from benchmarks import choosing, graph_drawing, page_picks, what_ifs

ASSETS = Path(__file__).parents[1] / "apps" / "web" / "static" / "web" / "assets"
LIST_PAGES = ("/", "/models", "/pools", "/reviews", "/team")
PLANS = 2000
BARS = 20_000
LCP = """() => new Promise(done => {
    let last = 0
    new PerformanceObserver(list => { for (const e of list.getEntries()) last = e.startTime })
        .observe({ type: 'largest-contentful-paint', buffered: true })
    setTimeout(() => done(last), 1500)
})"""
SCENE_READY = """() => new Promise(done => {
    const look = () => document.querySelector('.xp-scene-canvas')?.planPixel?.(1)
        ? done(performance.now()) : requestAnimationFrame(look)
    look()
})"""
ZOOMS = """async ({ x, y, steps }) => {
    const canvas = document.querySelector('[data-testid=timeline]')
    const painted = () => new Promise(done => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => done()
        port2.postMessage(0)
    }))
    const drawn = () => new Promise(done => {
        const seen = new MutationObserver(() => { seen.disconnect(); done() })
        seen.observe(canvas, { attributes: true, attributeFilter: ['data-draw-ms'] })
    })
    const times = []
    for (const deltaY of steps) {
        await painted()
        const began = performance.now()
        const redrawn = drawn()
        const { left, top } = canvas.getBoundingClientRect()
        canvas.dispatchEvent(new WheelEvent('wheel', { deltaY, clientX: left + x, clientY: top + y, bubbles: true,
            cancelable: true }))
        await redrawn
        await painted()
        times.push(performance.now() - began)
    }
    return times
}"""
HOVERS = """async places => {
    const scene = document.querySelector('[data-testid=front-scene]')
    const painted = () => new Promise(done => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => done()
        port2.postMessage(0)
    }))
    const times = []
    for (const { x, y } of places) {
        await painted()
        const at = document.elementFromPoint(x, y) ?? scene
        const began = performance.now()
        for (const kind of ['pointermove', 'mousemove'])
            at.dispatchEvent(new PointerEvent(kind, { clientX: x, clientY: y, bubbles: true, pointerId: 1 }))
        await painted()
        times.push(performance.now() - began)
    }
    return times
}"""
Row = tuple[str, str, str]


class Faults:
    """Requests that left the host, and violations of the content security policy."""

    def __init__(self, context: BrowserContext, base: str) -> None:
        self.foreign: list[str] = []
        self.violations: list[str] = []
        inside = (base, "data:", "blob:")
        context.on("request", lambda r: None if r.url.startswith(inside) else self.foreign.append(r.url))
        context.on("console", lambda m: self.violations.append(m.text) if "Content Security Policy" in m.text else None)


def ms(value: float) -> str:
    """A time for the table."""
    return f"{value:,.0f} ms"


def gzip_kb(names: set[str]) -> float:
    """Size of built files once compressed, in KB (1,000 bytes), as the build itself reports it."""
    return sum(len(gzip.compress((ASSETS / name).read_bytes(), 9)) for name in names) / 1e3


def loaded(page: Page) -> set[str]:
    """Names of the scripts that the page has loaded."""
    names = page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    return {found[1] for name in names if (found := re.search(r"/assets/([^/?]+\.js)", name))}


def bundles(page: Page, search: str) -> list[Row]:
    """What every page loads, and all that the explorer adds to it."""
    page.goto("/models")
    page.wait_for_load_state("networkidle")
    html = page.request.get("/models").text()
    shell = set(re.findall(r"/assets/([^\"/]+\.js)", html))
    page.goto(search)
    page.evaluate(SCENE_READY)
    explorer = loaded(page) - shell
    return [
        ("shell JavaScript, gzip", f"{gzip_kb(shell):.0f} KB", "170 KB"),
        (
            "JavaScript and texts of the explorer alone, gzip",
            f"{gzip_kb(explorer):.0f} KB",
            "120 KB + 560 KB for charts",
        ),
    ]


def slowed(page: Page, rate: float) -> None:
    """Slow the processor of the page down."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})


def paints(page: Page, targets: tuple[float, float]) -> list[Row]:
    """The largest contentful paint of the slowest list page, at full speed and four times slower."""
    rows = []
    for rate, target in zip((1, 4), targets, strict=True):
        slowed(page, rate)
        times: dict[str, float] = {}
        for address in LIST_PAGES:
            page.goto(address)
            times[address] = page.evaluate(LCP)
        slowed(page, 1)
        worst = max(times, key=lambda address: times[address])
        name = "largest contentful paint, slowest list page" + (f" ({worst})" if rate == 1 else ", slowed 4 x")
        rows.append((name, ms(times[worst]), ms(target)))
    return rows


def with_plans(page: Page, search: str, count: int) -> None:
    """Let the search answer with so many plans."""

    def replace(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, json=choosing.many_plans(response.json(), count))

    page.unroute_all()
    page.route(f"**/api{search}/front/**", replace)


def scene(page: Page, search: str) -> list[Row]:
    """From opening the page to plans that can be picked in 3-D, with 128 plans."""
    with_plans(page, search, 128)
    rows = []
    for rate, target in ((1, 2500.0), (4, 5000.0)):
        slowed(page, rate)
        page.goto(search)
        rows.append(
            ("3-D usable, 128 plans" + (", slowed 4 x" if rate > 1 else ""), ms(page.evaluate(SCENE_READY)), ms(target))
        )
        slowed(page, 1)
    return rows


def picking(page: Page, search: str) -> list[Row]:
    """Which plan a click in the 3-D front means, with 128 plans."""
    with_plans(page, search, 128)
    page.goto(f"{search}?view=scene")
    page.evaluate(SCENE_READY)
    page.wait_for_timeout(2000)
    rows = page_picks.picks(page, 128)
    page.unroute_all()
    return rows


def texts(page: Page, search: str) -> Row:
    """Texts that pages lack."""
    page.unroute_all()
    return page_picks.missing_texts(page, search)


def hovering(page: Page, search: str) -> Row:
    """From the pointer's move to the paint, over 60 of 2,000 plans."""
    with_plans(page, search, PLANS)
    page.goto(search)
    page.evaluate(SCENE_READY)
    page.wait_for_timeout(3000)
    places = page.evaluate(
        """count => Array.from({ length: count }, (_, i) =>
            document.querySelector('.xp-scene-canvas').planPixel(1 + i * 31))""",
        60,
    )
    times = page.evaluate(HOVERS, [place for place in places if place])
    return (f"hover to the paint, {PLANS:,} plans, p95", ms(choosing.p95(times)), "50 ms")


def choices(page: Page, search: str) -> list[Row]:
    """From a slider and a typed bound to the paint, with 2,000 plans."""
    page.unroute_all()
    rows = []
    for kind, (pairs, thread_ms) in choosing.moved(page, search, PLANS, 40).items():
        name, target = ("slider to re-ranked", 50) if kind == "weights" else ("bound to recoloured", 200)
        times = [paint for _, paint in pairs]
        rows.append(
            (
                f"{name}, {PLANS:,} plans, p95 (main thread)",
                f"{choosing.p95(times):.0f} ms ({thread_ms:.0f} ms)",
                ms(target),
            )
        )
    return rows


def long_plan(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan again and again, one after another, until it has so many bars."""
    operators = [op for op in plan["operators"] if op["end_ms"] > op["start_ms"]]
    times = -(-BARS // len(operators))
    critical, long, on_path, transfers = set(plan["critical_path"]), [], [], []
    points: list[list[list[float]]] = [[] for _ in plan["memory"]]
    for turn in range(times):
        shift = turn * plan["exec_time_ms"]

        def later(entry: dict[str, Any], shift: float = shift) -> dict[str, Any]:
            return {**entry, "start_ms": entry["start_ms"] + shift, "end_ms": entry["end_ms"] + shift}

        for op in operators:
            if op["index"] in critical:
                on_path.append(len(long))
            long.append({**later(op), "index": len(long), "name": f"{turn}/{op['name']}"})
        transfers += [later(transfer) for transfer in plan["transfers"]]
        for mine, memory in zip(points, plan["memory"], strict=True):
            mine += [[ms + shift, size] for ms, size in memory["points"]]
    return {
        **plan,
        "operators": long[:BARS],
        "transfers": transfers,
        "memory": [{**memory, "points": mine} for memory, mine in zip(plan["memory"], points, strict=True)],
        "exec_time_ms": plan["exec_time_ms"] * times,
        "edges": [],
        "critical_path": [index for index in on_path if index < BARS],
    }


def timeline(page: Page, search: str) -> Row:
    """From a turn of the wheel over the timeline of 20,000 bars to the paint."""

    def replace(route: Route) -> None:
        response = route.fetch()
        if response.ok:
            route.fulfill(response=response, json=long_plan(response.json()))
        else:  # what the page before asked of a plan that only it had
            route.fulfill(response=response)

    page.unroute_all()
    page.route(re.compile(rf"/api{search}/plans/\d+/(\?|$)"), replace)
    page.goto(f"{search}?view=table")
    page.get_by_test_id("timeline").wait_for()
    page.wait_for_timeout(2500)
    steps = [-120] * 15 + [120] * 15
    times = page.evaluate(ZOOMS, {"x": 500, "y": 60, "steps": steps})
    page.unroute_all()
    return (f"timeline of {BARS:,} bars, wheel to the paint, p95 of {len(times)}", ms(choosing.p95(times)), "50 ms")


def graph(page: Page, base: str) -> list[Row]:
    """The graph of 5,000 operators on the model page."""
    graph_drawing.open_model(page, base)
    page.locator(graph_drawing.GRAPH).scroll_into_view_if_needed()
    totals = []
    for _ in range(5):
        page.locator("select.graph-level").select_option("1")
        page.wait_for_timeout(400)
        page.locator("select.graph-level").select_option("0")
        page.wait_for_timeout(2500)
        said = graph_drawing.data(page)
        totals.append(float(said["layoutMs"]) + float(said["drawMs"]))
    thread = choosing.MainThread(page)
    before = thread.total_ms()
    frames, draws = graph_drawing.pan(page)
    busy = (thread.total_ms() - before) / len(frames)
    return [
        (f"graph of {int(said['nodes']):,} operators, layout and draw", ms(statistics.median(totals)), "300 ms"),
        (
            "graph, pan: drawing p95 / main thread a frame / frame median",
            f"{choosing.p95(draws):.1f} / {busy:.1f} / {statistics.median(frames):.1f} ms",
            "16 ms, one frame at 60 Hz",
        ),
    ]


def measure(browser: Browser, sign_in_url: str, only: list[str]) -> list[Row]:
    """The rows of the table: of the parts in ``only``, of all where it is empty."""
    base = sign_in_url.split("/signin/")[0]
    context = browser.new_context(base_url=base, viewport={"width": 1440, "height": 900}, locale="en-GB")
    faults = Faults(context, base)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(sign_in_url)
    page.wait_for_url(f"{base}/")
    search = f"/searches/{choosing.sample_search(page, base)}"
    rows: list[Row] = []
    parts: tuple[tuple[str, Callable[[], Row | list[Row]]], ...] = (
        ("bundles", lambda: bundles(page, search)),
        ("paints", lambda: paints(page, (800, 1500))),
        ("3-D", lambda: scene(page, search)),
        ("picks", lambda: picking(page, search)),
        ("hover", lambda: hovering(page, search)),
        ("choosing", lambda: choices(page, search)),
        ("timeline", lambda: timeline(page, search)),
        ("what-if", lambda: what_ifs.rows(page)),
        ("graph", lambda: graph(page, base)),
        ("texts", lambda: texts(page, search)),
    )
    for name, part in parts:
        if only and name not in only:
            continue
        print(f"measuring {name}", file=sys.stderr, flush=True)
        found = part()
        rows += found if isinstance(found, list) else [found]
    rows.append(("requests off the host", str(len(faults.foreign)), "0"))
    rows.append(("violations of the content security policy", str(len(faults.violations)), "0"))
    context.close()
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sign_in_url")
    parser.add_argument("--only", nargs="+", default=[], metavar="PART")
    arguments = parser.parse_args()
    before = os.getloadavg()[0]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        rows = measure(browser, arguments.sign_in_url, arguments.only)
        browser.close()
    print("\n| what | measured | at most |\n| --- | --- | --- |")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print(f"\nLoad average {before:.1f} at the start, {os.getloadavg()[0]:.1f} at the end.")


if __name__ == "__main__":
    main()
