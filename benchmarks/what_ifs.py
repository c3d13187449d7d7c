"""What-if of one operator: from the click on "Try" to the deltas on the page, at 600 and 5,000 operators, in Chromium.

Run: python -m benchmarks.what_ifs SIGN_IN_URL   (the link that ./run prints; it leaves two models and two searches)

The models are BERT encoders of 12 and 100 layers whose operators stay apart (no fusion), on the first pool of the
workspace. Every time is that of the first click on a page that was opened anew. *server* is the answer to the same
question asked without the page, with what a request costs. Wall times; the load average stands under the table.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import time
from typing import Any

from playwright.sync_api import Page, sync_playwright

from heteroopt.graph.samples import bert_encoder_onnx

SIZES = {12: (600, 150), 100: (5000, 400)}
"""Layers: about how many operators they have, and milliseconds that a what-if may take."""
CLICKS = 7
TRIED = """() => new Promise((done, fail) => {
    const button = document.querySelector('#xp-try')
    if (!button) return fail(new Error('no operator to try'))
    const painted = () => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => done(performance.now() - began)
        port2.postMessage(0)
    })
    const began = performance.now()
    const look = () => document.querySelector('[data-testid=what-if-deltas]')?.textContent
        ? painted() : requestAnimationFrame(look)
    button.click()
    look()
})"""


def _posted(page: Page, path: str, **body: Any) -> Any:
    token = page.request.get("/api/session/").json()["csrf_token"]
    headers = {"X-CSRFToken": token, "Referer": page.url}
    answer = page.request.post(path, headers=headers, **body)
    assert answer.ok, answer.text()
    return answer.json()


def _model(page: Page, layers: int) -> Any:
    """The encoder of so many layers; uploaded where it is not there yet."""
    name = f"bert_{layers}_layers"
    found = [m for m in page.request.get("/api/models/?limit=100").json()["results"] if m["name"] == name]
    if not found:
        file = {
            "name": f"{name}.onnx",
            "mimeType": "application/octet-stream",
            "buffer": bert_encoder_onnx(layers=layers),
        }
        found = [_posted(page, "/api/models/", multipart={"file": file, "name": name})]
    model = found[0]
    while model["state"] not in ("ready", "failed"):
        page.wait_for_timeout(500)
        model = page.request.get(f"/api/models/{model['id']}/").json()
    return model


def _search(page: Page, layers: int) -> Any:
    """A finished search of that model."""
    pool = page.request.get("/api/pools/").json()["results"][0]["id"]
    settings = {"fuse": False, "generations": 10, "population_size": 32}
    body = {"model": _model(page, layers)["id"], "pool": pool, "settings": settings}
    search = _posted(page, "/api/searches/", data=body)
    while search["state"] in ("queued", "running"):
        page.wait_for_timeout(500)
        search = page.request.get(f"/api/searches/{search['id']}/").json()
    return search


def what_if_ms(page: Page, layers: int) -> tuple[int, list[float], list[float]]:
    """How many operators there are, and milliseconds of each click and of the server's answers alone."""
    search = _search(page, layers)
    operators = search["model"]["n_operators"]
    path, api = f"/searches/{search['id']}", f"/api/searches/{search['id']}"
    page.goto(f"{path}?tab=operators")
    page.locator("#xp-try").wait_for()
    times = []
    for index in range(CLICKS):
        page.goto(f"{path}?tab=operators&op={10 + index * (operators // CLICKS)}")
        page.locator("#xp-try").wait_for()
        page.wait_for_timeout(1500)
        times.append(page.evaluate(TRIED))
    plan = page.request.get(f"{api}/front/").json()["plans"][0]["hash"]
    token = page.request.get("/api/session/").json()["csrf_token"]
    answers = []
    for index in range(CLICKS):
        body = {"base": plan, "moves": [{"operator": 20 + index, "device": 0}]}
        began = time.perf_counter()
        page.request.post(
            f"{api}/what-if/", data=body, headers={"X-CSRFToken": token, "Referer": page.url}, fail_on_status_code=False
        ).body()
        answers.append(1e3 * (time.perf_counter() - began))
    return operators, times, answers


def rows(page: Page) -> list[tuple[str, str, str]]:
    """Rows of a table: what, measured, at most."""
    made = []
    for layers, (_, target) in SIZES.items():
        operators, times, answers = what_if_ms(page, layers)
        name = f"what-if, {operators:,} operators, click to shown, median (server)"
        made.append((name, f"{statistics.median(times):.0f} ms ({statistics.median(answers):.0f} ms)", f"{target} ms"))
    return made


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sign_in_url")
    arguments = parser.parse_args()
    base = arguments.sign_in_url.split("/signin/")[0]
    before = os.getloadavg()[0]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_context(base_url=base, viewport={"width": 1440, "height": 900}, locale="en-GB").new_page()
        page.set_default_timeout(60_000)
        page.goto(arguments.sign_in_url)
        page.wait_for_url(f"{base}/")
        print("| what | measured | at most |\n| --- | --- | --- |")
        for row in rows(page):
            print(f"| {' | '.join(row)} |", flush=True)
        browser.close()
    print(f"\nLoad average {before:.1f} at the start, {os.getloadavg()[0]:.1f} at the end.")


if __name__ == "__main__":
    main()
