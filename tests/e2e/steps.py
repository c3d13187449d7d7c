"""What a person does and reads in the page, named as a person would say it."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

SEARCH_MS = 60_000
"""How long a search of the sample's size may take on a slow machine."""
FIRST_FRONT_MS = 15_000
"""Generous: a warm server on an idle machine takes less than 2 s."""


def run_sample(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Run sample search").click()
    page.wait_for_url("**/searches/*")


def wait_until_done(page: Page) -> None:
    expect(page.locator(".xp-status")).to_contain_text("Search done", timeout=SEARCH_MS)


def open_search(page: Page, address: str) -> None:
    """Open a search that is done, and wait for its front."""
    page.goto(address)
    some = re.compile(r"^\d+ of [1-9]\d* plans pass$")
    expect(page.get_by_test_id("passing")).to_have_text(some, timeout=FIRST_FRONT_MS)


def upload(page: Page, button: Locator, path: Path) -> None:
    with page.expect_file_chooser() as chooser:
        button.click()
    chooser.value.set_files(path)


def passing(page: Page) -> tuple[int, int]:
    """How many plans pass the bounds, of how many."""
    few, many = re.findall(r"\d+", page.get_by_test_id("passing").inner_text())
    return int(few), int(many)


def plan_number(page: Page) -> int:
    return int(page.get_by_test_id("explorer").get_attribute("data-plan") or 0)


def expect_plan(page: Page, number: int) -> None:
    expect(page.get_by_test_id("explorer")).to_have_attribute("data-plan", str(number))


def figure_text(page: Page, metric: str) -> tuple[str, str]:
    """A figure of plan A on its card, and its unit ("" for the balance)."""
    value = page.get_by_role("complementary", name="Plan", exact=True).locator(
        f"[data-metric={metric}] .xp-figure-value"
    )
    number, _, unit = value.inner_text().replace(",", "").partition(" ")
    return number, unit.strip()


def figure(page: Page, metric: str) -> float:
    return float(figure_text(page, metric)[0])


def multiple(page: Page, metric: str) -> float:
    """A figure of plan A as a multiple of the default plan's."""
    text = page.locator(f".xp-plan [data-metric={metric}] .xp-figure-multiple").inner_text()
    match = re.search(r"× ([\d.]+)", text)
    assert match, text
    return float(match[1])


def set_weight(page: Page, name: str, percent: int) -> None:
    field = page.get_by_label(f"Weight of {name}, percent")
    field.fill(str(percent))
    field.press("Enter")


def weights(page: Page) -> list[int]:
    return [
        int(page.get_by_label(f"Weight of {name}, percent").input_value()) for name in ("Time", "Energy", "Balance")
    ]


def bound(page: Page, key: str) -> Locator:
    """The input of one bound, as in `exec_time_ms.max`."""
    return page.locator(f'input[data-bound="{key}"]')


def set_bound(page: Page, key: str, value: float | str) -> None:
    field = bound(page, key)
    field.fill(str(value))
    field.press("Enter")


def plan_pixel(page: Page, number: int) -> tuple[float, float]:
    """Where the plan is drawn in the 3-D front, in the viewport."""
    page.wait_for_function(
        "number => document.querySelector('.xp-scene-canvas')?.planPixel?.(number)", arg=number, timeout=20_000
    )
    place = page.evaluate("number => document.querySelector('.xp-scene-canvas').planPixel(number)", number)
    return place["x"], place["y"]


def plan_pixels(page: Page, count: int) -> dict[int, tuple[float, float]]:
    """The same for the plans 1 to `count`, in one look."""
    places = page.evaluate(
        """count => Array.from({ length: count }, (_, i) =>
            document.querySelector('.xp-scene-canvas').planPixel(i + 1))""",
        count,
    )
    return {number: (place["x"], place["y"]) for number, place in enumerate(places, 1)}


def still_pixel(page: Page, number: int) -> tuple[float, float]:
    """Where the plan is drawn once the view has come to rest."""
    last = plan_pixel(page, number)
    for _ in range(50):
        page.wait_for_timeout(200)
        now = plan_pixel(page, number)
        if now == last:
            return now
        last = now
    raise AssertionError("the view never comes to rest")


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()
    expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
