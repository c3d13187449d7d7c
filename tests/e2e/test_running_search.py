"""A long search: it can be followed, chosen from, stopped and kept."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.steps import FIRST_FRONT_MS, bound, multiple, passing, set_weight, weights

pytestmark = pytest.mark.e2e


def test_stop_keeps_the_front(page: Page) -> None:
    page.goto("/models")
    page.get_by_role("link", name="inception_v1", exact=True).click()
    page.get_by_role("button", name="Plan this model").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Generations").fill("10000")
    dialog.get_by_role("button", name="Start search").click()
    page.wait_for_url("**/searches/*")
    progress = page.get_by_test_id("progress")
    expect(progress).to_contain_text(re.compile(r"generation \d+ of 10,000"), timeout=FIRST_FRONT_MS)
    expect(progress).to_contain_text(re.compile(r"[1-9]\d* plans"))
    expect(progress).to_contain_text("hypervolume")
    expect(progress).to_contain_text(re.compile("about .* left"))

    # What a person chooses holds while fronts arrive.
    set_weight(page, "Energy", 70)
    chosen = weights(page)
    bound(page, "exec_time_ms.max").fill("100000")
    first = progress.inner_text()
    expect(progress).not_to_have_text(first)
    expect(progress).not_to_have_text(re.compile(r"generation [0-3] of"), timeout=30_000)
    assert weights(page) == chosen
    expect(bound(page, "exec_time_ms.max")).to_have_value("100000")

    page.get_by_role("button", name="Stop and keep").click()
    expect(page.locator(".xp-status")).to_contain_text("Stopped", timeout=30_000)
    expect(page.get_by_role("button", name="Stop and keep")).to_be_hidden()
    few, everything = passing(page)
    assert few == everything >= 1
    page.get_by_role("button", name=re.compile("^Fastest")).click()
    assert multiple(page, "exec_time_ms") <= 1
    generations = re.search(r"([\d,]+) generations", page.locator(".xp-status").inner_text())
    assert generations
    assert 0 < int(generations[1].replace(",", "")) < 10_000

    page.goto("/")
    row = page.get_by_role("table").first.get_by_role("row").nth(1)
    expect(row).to_contain_text("Stopped")
    row.get_by_role("link", name=re.compile("inception_v1")).click()
    expect(page.get_by_test_id("passing")).to_have_text(f"{everything} of {everything} plans pass")
