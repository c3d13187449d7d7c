"""Steering a search: pins, a forbidden device, the search from here over the earlier front; any measure on an axis."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.steps import open_search, open_tab, passing, set_bound, wait_until_done

pytestmark = pytest.mark.e2e


def test_pin_and_search_again_shows_both_fronts(page: Page, finished: str) -> None:
    open_search(page, finished)
    open_tab(page, "Operators")
    page.get_by_role("button", name="Select", exact=True).click()
    group = page.get_by_role("menuitem", name=re.compile("^LRN"))
    count = int(re.findall(r"\d+", group.inner_text())[-1])
    group.click()
    selection = page.get_by_test_id("selection")
    expect(selection).to_contain_text(f"{count} operators selected")
    selection.get_by_role("button", name="Pin to").click()
    page.get_by_role("menuitem", name="G1", exact=False).first.click()
    steer = page.get_by_role("region", name="Steer")
    expect(steer).to_contain_text(f"{count} operators")
    expect(page.get_by_role("grid").get_by_text("Pinned to G1").first).to_be_attached()

    # The pins survive a reload, and Undo takes them away and brings them back.
    page.goto(page.url)
    expect(steer).to_contain_text(f"{count} operators")

    # A pin to a forbidden device cannot be searched, and says so.
    steer.get_by_role("button", name="Use gpu1").click()
    expect(steer.get_by_role("alert")).to_contain_text("pinned to G1, which is forbidden")
    expect(steer.get_by_role("button", name="Search again from here")).to_have_attribute("aria-disabled", "true")
    steer.get_by_role("button", name="Use gpu1").click()
    steer.get_by_role("button", name="Use npu0").click()

    steer.get_by_label("Generations").fill("20")
    steer.get_by_role("button", name="Search again from here").click()
    page.wait_for_url(re.compile(r"over="))
    assert finished not in page.url
    wait_until_done(page)
    expect(page.get_by_test_id("earlier-note")).to_contain_text(re.compile(r"^Of the \d+ plans of search \d+: "))
    drawn_below = re.compile(r"^[1-9]\d*$")
    expect(page.locator(".xp-projections canvas")).to_have_attribute("data-earlier", drawn_below)
    expect(page.locator(".xp-parallel canvas")).to_have_attribute("data-earlier", drawn_below)
    device = page.locator(".xp-devices li", has_text="Ascend 910")
    expect(device).to_contain_text("not used")
    open_tab(page, "Operators")
    page.get_by_role("searchbox", name="Find operator").fill("pinned")
    rows = page.get_by_role("grid", name=re.compile("^Operators of plan")).get_by_role("row")
    expect(rows).to_have_count(count + 1)
    for row in rows.all()[1:]:
        expect(row).to_contain_text("G1")

    page.get_by_test_id("earlier").click()
    expect(page.locator(".xp-projections canvas")).to_have_attribute("data-earlier", "0")
    expect(page.get_by_test_id("earlier-note")).to_be_hidden()
    page.get_by_test_id("earlier").click()
    expect(page.locator(".xp-projections canvas")).to_have_attribute("data-earlier", drawn_below)


def test_throughput_stands_on_an_axis(page: Page, finished: str) -> None:
    open_search(page, finished)
    page.get_by_role("button", name="Axes, colour and size").click()
    axis = page.get_by_label("Second axis")
    option = axis.get_by_role("option", name=re.compile("^Throughput ↑"))
    axis.select_option(label=option.inner_text())
    page.keyboard.press("Escape")
    expect(page.locator(".xp-projections")).to_contain_text("Throughput ↑")
    expect(page.get_by_test_id("front-scene")).to_have_attribute("data-axes", re.compile("Throughput ↑"))
    expect(page.get_by_text("↑ higher is better, lower is better elsewhere")).to_be_visible()
    # Choosing is as before, and the address brings the axis back.
    page.goto(page.url)
    expect(page.locator(".xp-projections")).to_contain_text("Throughput ↑")


def test_peak_memory_and_throughput_can_be_bounded(page: Page, finished: str) -> None:
    open_search(page, finished)
    _, everything = passing(page)
    row = page.locator(".xp-bound[data-metric=peak_memory_bytes]")
    low, high = (float(field.get_attribute("placeholder") or 0) for field in row.locator("input").all())
    set_bound(page, "peak_memory_bytes.max", (low + high) / 2)
    some, of = passing(page)
    assert 0 < some < everything == of
    expect(row.locator(".xp-bound-removes")).to_have_text(f"removes {everything - some}")

    page.get_by_role("button", name="Clear bounds").click()
    page.get_by_role("button", name="Add a bound").click()
    page.get_by_role("menuitem", name=re.compile("^Throughput ↑")).click()
    row = page.locator(".xp-bound[data-metric=throughput_per_s]")
    values = [
        float((field.get_attribute("placeholder") or "0").replace(",", "")) for field in row.locator("input").all()
    ]
    set_bound(page, "throughput_per_s.min", sum(values) / 2)
    some, of = passing(page)
    assert 0 < some < everything == of
