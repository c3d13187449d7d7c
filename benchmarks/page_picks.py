"""Rows of benchmarks.pages about what is picked in the 3-D front, and about texts that a page lacks."""

from __future__ import annotations

import math
import re

from playwright.sync_api import Page

PICKS = 100
TURNS = 50
PAGES = (
    "/",
    "/models",
    "/pools",
    "/hardware",
    "/hardware/operators",
    "/hardware/precision",
    "/training",
    "/reviews",
    "/notifications",
    "/team",
)
TABS = ("timeline", "graph", "operators", "compare")
STILL = """() => new Promise(done => {
    const look = () => JSON.stringify(document.querySelector('.xp-scene-canvas').planPixel(1))
    let [before, same] = [look(), 0]
    const again = () => {
        const now = look()
        same = now === before ? same + 1 : 0
        before = now
        if (same > 3) done()
        else requestAnimationFrame(again)
    }
    requestAnimationFrame(again)
})"""
PIXELS = """count => Array.from({ length: count }, (_, i) =>
    document.querySelector('.xp-scene-canvas').planPixel(i + 1))"""
SHOWN = "document.querySelector('[data-testid=explorer]').dataset.plan"


def _places(page: Page, count: int) -> dict[int, tuple[float, float]]:
    """Pixels of the plans that are in view, by number, once the view stands still."""
    page.evaluate(STILL)
    found = page.evaluate(PIXELS, count)
    return {number: (at["x"], at["y"]) for number, at in enumerate(found, 1) if at}


def _apart(places: dict[int, tuple[float, float]]) -> list[int]:
    """Plans, those with the most room around them first: of two at one pixel nobody could say which is meant."""

    def room(number: int) -> float:
        return min(math.dist(places[number], at) for other, at in places.items() if other != number)

    return sorted(places, key=room, reverse=True)


def picks(page: Page, plans: int) -> list[tuple[str, str, str]]:
    """Click plans of the open 3-D front, turned after every tenth; then turn it by drags that begin on plans."""
    scene = page.get_by_test_id("front-scene")
    box = scene.bounding_box()
    assert box
    right = 0
    clicked: set[int] = set()
    for turn in range(PICKS // 10):
        places = _places(page, plans)
        new = [number for number in _apart(places) if number not in clicked][:10]
        for number in new:
            clicked.add(number)
            page.mouse.click(*places[number])
            page.wait_for_timeout(30)
            right += page.evaluate(SHOWN) == str(number)
        page.mouse.move(box["x"] + 30, box["y"] + 30)
        page.mouse.down()
        page.mouse.move(box["x"] + 60 + 5 * turn, box["y"] + 34, steps=4)
        page.mouse.up()
    false = 0
    for turn in range(TURNS):
        places = _places(page, plans)
        before = page.evaluate(SHOWN)
        number = next(n for n in _apart(places)[turn % 20 :] if str(n) != before)
        x, y = places[number]
        page.mouse.move(x, y)
        page.mouse.down()
        away = 6 + turn * 2
        page.mouse.move(x + away, y + turn % 7, steps=3)
        if turn % 2:
            page.mouse.move(x, y, steps=3)  # there and back: still no click
        page.mouse.up()
        page.wait_for_timeout(30)
        false += page.evaluate(SHOWN) != before
    return [
        ("3-D, picked by pointer: the right plan", f"{right} of {len(clicked)}", f"{PICKS} of {PICKS}"),
        ("3-D, false picks while it is turned", f"{false} of {TURNS}", f"0 of {TURNS}"),
    ]


def missing_texts(page: Page, search: str) -> tuple[str, str, str]:
    """Open every page in both languages and count the keys that had no text."""
    lacking: set[str] = set()

    def heard(text: str) -> None:
        if found := re.match(r"No text for (\S+) in (\w+)", text):
            lacking.add(f"{found[1]} {found[2]}")

    page.on("console", lambda message: heard(message.text))
    ids = {kind: page.request.get(f"/api/{kind}/").json()["results"][0]["id"] for kind in ("models", "pools")}
    places = (
        *PAGES,
        f"/models/{ids['models']}",
        f"/pools/{ids['pools']}",
        *(f"{search}?tab={tab}" for tab in TABS),
        f"{search}/plans/1/download",
    )
    for name in ("语言：切换到英文", "Language: switch to Chinese"):
        page.goto("/")
        page.get_by_role("button", name=re.compile("Language: switch|语言：切换")).wait_for()
        other = page.get_by_role("button", name=name)
        if other.count():
            other.click()
        for place in places:
            page.goto(place)
            page.wait_for_load_state("networkidle")
    page.goto("/")
    back = page.get_by_role("button", name="语言：切换到英文")
    back.click()
    return (f"texts missing on {len(places)} pages in both languages", str(len(lacking)), "0")
