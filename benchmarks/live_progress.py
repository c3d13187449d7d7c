"""Live progress while a worker is busy: how late it reaches a browser, and what a restart of the web process costs it.

Run: python -m benchmarks.live_progress [--generations 8000] [--restarts 3]

Starts the product in a data folder of its own and searches a sample model. A browser listens as the page does
(EventSource), this process looks every few milliseconds when a revision of the search stands in the database; the
delay of a revision is the time between the two. An event carries the newest revision, and stands for those before it.
Then the web process is killed while the search runs: the time until the next event arrives, whether every event is
newer than the one before (nothing repeated), and whether the last one is the search's end (nothing lost).
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from benchmarks.choosing import p95

ROOT = Path(__file__).resolve().parents[1]
LOOK_SECONDS = 0.003
LISTEN_MS = 15_000
LONGEST_SECONDS = 600
LISTEN = """address => {
    window.heard = []
    const source = new EventSource(address)
    source.addEventListener('progress', (event) => {
        window.heard.push([Date.now() / 1000, Number(event.lastEventId), JSON.parse(event.data).state])
    })
}"""
START = """async ([model, pool, generations]) => {
    const { csrf_token: token } = await (await fetch('/api/session/')).json()
    const answer = await fetch('/api/searches/', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-CSRFToken': token },
        body: JSON.stringify({ model, pool, settings: { generations } }),
    })
    return answer.json()
}"""


class Product:
    """The supervisor and its children."""

    def __init__(self, folder: Path) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("HETEROOPT_")}
        environment |= {"HETEROOPT_DATA_DIR": str(folder), "PORT": "0", "HETEROOPT_DEVICES": "0"}
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"(http://\S+?)/signin/\S+", line):
                self.sign_in_url, self.base = found[0], found[1]
                return
        raise SystemExit("The product did not start.")

    def kill_web(self) -> None:
        """End the web process as a crash would; the supervisor starts another."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for child in map(int, children):
            if b"\0web\0" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(child, signal.SIGKILL)
                return
        raise SystemExit("There is no web process.")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


class Revisions(threading.Thread):
    """When each revision of a search was first seen in the database."""

    def __init__(self, database: Path, search: str) -> None:
        super().__init__(daemon=True)
        self._database, self._search = database, search.replace("-", "")
        self.seen: dict[int, float] = {}
        self.ended = threading.Event()

    def run(self) -> None:
        connection = sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)
        while not self.ended.is_set():
            row = connection.execute(
                "select s.changes + j.revision from searches_search s join jobs_job j on j.id = s.job_id "
                "where s.id = ?",
                (self._search,),
            ).fetchone()
            if row:
                self.seen.setdefault(row[0], time.time())
            time.sleep(LOOK_SECONDS)


def delays_s(seen: dict[int, float], heard: list[tuple[float, int, str]]) -> list[float]:
    """Seconds from each revision's being written to the first event with it or a newer one, of those heard live."""
    if not heard:
        return []
    first = heard[0][1]
    found = []
    for revision, at in seen.items():
        arrived = [when for when, newest, _ in heard if newest >= revision]
        if revision > first and arrived:
            found.append(arrived[0] - at)
    return found


def _heard(page: Page) -> list[tuple[float, int, str]]:
    return [(float(when), int(revision), str(state)) for when, revision, state in page.evaluate("window.heard")]


def measure(generations: int, restarts: int) -> dict[str, Any]:
    """Delays and restarts of one search."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        product = Product(Path(name))
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            page = browser.new_page(base_url=product.base)
            page.goto(product.sign_in_url)
            page.wait_for_url(f"{product.base}/")
            models = page.request.get("/api/models/").json()["results"]
            pool = page.request.get("/api/pools/").json()["results"][0]["id"]
            model = next(one["id"] for one in models if one["name"].startswith("bert"))
            search = page.evaluate(START, [model, pool, generations])
            page.evaluate(LISTEN, f"/api/searches/{search['id']}/events/")
            database = next(Path(name).glob("*.sqlite3"))
            revisions = Revisions(database, search["id"])
            _until(page, "running")
            revisions.start()
            page.wait_for_timeout(LISTEN_MS)
            live = delays_s(dict(revisions.seen), _heard(page))
            returns = [_restart(page, product) for _ in range(restarts)]
            _until(page, "done")
            revisions.ended.set()
            heard = _heard(page)
        finally:
            browser.close()
            product.stop()
    order = [revision for _, revision, _ in heard]
    return {
        "events": len(live),
        "delay_p95_s": p95(live),
        "delay_median_s": statistics.median(live),
        "returns_s": returns,
        "repeated": sum(b <= a for a, b in itertools.pairwise(order)),
        "last_state": heard[-1][2],
    }


def _until(page: Page, state: str) -> None:
    """Wait for an event that says so."""
    deadline = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < deadline:
        if any(found == state for _, _, found in _heard(page)):
            return
        page.wait_for_timeout(100)
    raise SystemExit(f"The search was not {state} within {LONGEST_SECONDS} s.")


def _restart(page: Page, product: Product) -> float:
    """Kill the web process; seconds until the next event."""
    before, at = len(_heard(page)), time.time()
    if before and _heard(page)[-1][2] == "done":
        raise SystemExit("The search ended before its web process was killed: ask for more --generations.")
    product.kill_web()
    while len(_heard(page)) == before and time.time() - at < 60:
        page.wait_for_timeout(20)
    found = _heard(page)[before:]
    page.wait_for_timeout(2000)
    return found[0][0] - at if found else float("inf")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--generations", type=int, default=8000)
    parser.add_argument("--restarts", type=int, default=3)
    options = parser.parse_args()
    load = os.getloadavg()[0]
    found = measure(options.generations, options.restarts)
    print("| what | measured | at most |\n| --- | --- | --- |")
    print(f"| live progress of {found['events']} revisions, delay p95 (median) | {found['delay_p95_s'] * 1e3:.0f} ms "
          f"({found['delay_median_s'] * 1e3:.0f} ms) | 250 ms |")  # fmt: skip
    shown = ", ".join(f"{seconds:.1f}" for seconds in found["returns_s"])
    print(f"| after a kill of the web process the next event, each time | {shown} s | 5 s |")
    print(f"| events repeated; state at the end | {found['repeated']}; {found['last_state']} | 0; done |")
    print(f"\nLoad average {load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end.")


if __name__ == "__main__":
    main()
