"""How soon the first front is on screen after the click on "Run sample search", in a browser that has stored nothing.

Run: python -m benchmarks.first_front SIGN_IN_URL [--runs 5] [--json]   (the link that ./run prints, on a warm server)

Each run starts Chromium with an empty profile, opens the home page, waits until the page is idle and clicks. The page
itself looks, at every frame, for the line "N of M plans pass", the first dots of a 2-D projection, and the 3-D canvas
with its plans placed; times are milliseconds since the click.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Playwright, sync_playwright

IDLE_MS = 3000
LATEST_MS = 60_000
MARKS = ("text", "projection", "scene")
WATCH = """() => {
  const seen = (window.firstFront = {})
  const looks = {
    text: () => /of [1-9]/.test(document.querySelector('[data-testid=passing]')?.textContent ?? ''),
    projection: () => Number(document.querySelector('.xp-projections canvas')?.dataset.plans) > 0,
    scene: () => Boolean(document.querySelector('.xp-scene-canvas')?.planPixel?.(1)),
  }
  addEventListener('click', (event) => {
    const look = () => {
      for (const [name, there] of Object.entries(looks))
        if (!(name in seen) && there()) seen[name] = Math.round(performance.now() - event.timeStamp)
      if (Object.keys(seen).length < Object.keys(looks).length) requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  }, { capture: true, once: true })
}"""


def one_run(playwright: Playwright, base: str, state: Path) -> dict[str, int]:
    """Milliseconds from the click to each mark."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    context = browser.new_context(
        base_url=base, storage_state=state, locale="en-GB", viewport={"width": 1440, "height": 900}
    )
    page = context.new_page()
    page.goto("/")
    button = page.get_by_role("button", name="Run sample search")
    button.wait_for()
    page.wait_for_timeout(IDLE_MS)
    page.evaluate(WATCH)
    button.click()
    found = _seen(page)
    page.locator(".xp-status").get_by_text("Search done").wait_for(timeout=LATEST_MS)
    browser.close()
    return found


def _seen(page: Page) -> dict[str, int]:
    """Return the marks once all are there. The page's own policy forbids Playwright's wait_for_function."""
    deadline = time.monotonic() + LATEST_MS / 1000
    while time.monotonic() < deadline:
        found: dict[str, int] = page.evaluate("window.firstFront")
        if len(found) == len(MARKS):
            return found
        page.wait_for_timeout(100)
    raise TimeoutError(f"After {LATEST_MS / 1000:.0f} s the page showed only {', '.join(found) or 'nothing'}")


def measure(sign_in_url: str, runs: int) -> dict[str, Any]:
    """``{"runs": [{mark: ms}], "median": {mark: ms}}``."""
    base = sign_in_url.split("/signin/")[0]
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state.json"
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=["--no-sandbox"]
        )
        page = browser.new_context().new_page()
        page.goto(sign_in_url)
        page.wait_for_url(f"{base}/")
        page.context.storage_state(path=state)
        browser.close()
        listed = [one_run(playwright, base, state) for _ in range(runs)]
    return {"runs": listed, "median": {mark: statistics.median(run[mark] for run in listed) for mark in MARKS}}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sign_in_url")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = measure(arguments.sign_in_url, arguments.runs)
    if arguments.json:
        print(json.dumps(found))
        return
    print("run     " + "".join(f"{mark:>12}" for mark in MARKS) + "   (ms after the click)")
    for number, run in enumerate(found["runs"], 1):
        print(f"{number:<8}" + "".join(f"{run[mark]:>12}" for mark in MARKS))
    print("median  " + "".join(f"{found['median'][mark]:>12.0f}" for mark in MARKS))


if __name__ == "__main__":
    main()
