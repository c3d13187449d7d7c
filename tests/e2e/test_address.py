"""The address holds what was chosen: reloading restores it, Undo and the browser's Back take it away step by step."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.steps import (
    bound,
    expect_plan,
    figure,
    open_search,
    open_tab,
    passing,
    plan_number,
    set_bound,
    set_weight,
    weights,
)

pytestmark = pytest.mark.e2e

GESTURE_MS = 700
"""Longer than the pause after which the page writes a gesture into the history."""


def test_reload_restores_plan_weights_bounds_and_tab(page: Page, finished: str) -> None:
    open_search(page, finished)
    set_weight(page, "Energy", 60)
    slowest = figure(page, "exec_time_ms") * 1.3
    set_bound(page, "exec_time_ms.max", slowest)
    page.get_by_role("button", name=re.compile("^Most balanced")).click()
    open_tab(page, "Operators")
    page.get_by_role("grid", name=re.compile("^Operators of plan")).get_by_role("row").nth(4).click()
    inspector = page.get_by_role("complementary", name="Operator in detail")
    before = (plan_number(page), weights(page), passing(page), inspector.get_by_role("heading").inner_text())
    limit = float(bound(page, "exec_time_ms.max").input_value())
    page.wait_for_timeout(GESTURE_MS)

    page.goto(page.url)
    expect_plan(page, before[0])
    expect(page.get_by_role("tab", name="Operators")).to_have_attribute("aria-selected", "true")
    expect(inspector.get_by_role("heading")).to_have_text(before[3])
    assert (plan_number(page), weights(page), passing(page)) == before[:3]
    assert float(bound(page, "exec_time_ms.max").input_value()) == pytest.approx(limit)


def test_undo_takes_back_one_step_at_a_time(page: Page, finished: str) -> None:
    open_search(page, finished)
    start = plan_number(page)
    set_weight(page, "Time", 100)
    page.wait_for_timeout(GESTURE_MS)
    expect_plan(page, 1)
    page.get_by_role("button", name=re.compile("^Least energy")).click()
    assert plan_number(page) != 1
    undo = page.get_by_role("button", name="Undo", exact=True)
    undo.click()
    expect_plan(page, 1)
    assert weights(page) == [100, 0, 0]
    undo.click()
    expect_plan(page, start)
    assert weights(page) == [50, 30, 20]
    # There is nothing left to take back, and the page stays.
    undo.click()
    expect_plan(page, start)
    page.go_forward()
    expect_plan(page, 1)
    assert weights(page) == [100, 0, 0]


def test_brush_writes_into_the_inputs_and_views_of_the_work_pane_stay(page: Page, finished: str) -> None:
    open_search(page, finished)
    strip = page.locator(".xp-parallel .xp-brush-hit").nth(1)
    box = strip.bounding_box()
    assert box is not None
    x = box["x"] + box["width"] / 2
    page.mouse.move(x, box["y"] + box["height"] * 0.5)
    page.mouse.down()
    page.mouse.move(x, box["y"] + box["height"] * 0.9, steps=4)
    page.mouse.up()
    expect(bound(page, "energy_j.max")).not_to_have_value("")
    assert float(bound(page, "energy_j.min").input_value()) < float(bound(page, "energy_j.max").input_value())
    few, many = passing(page)
    assert few < many

    page.get_by_role("button", name="Show as table").click()
    open_tab(page, "Compare")
    page.get_by_role("button", name="Graph", exact=True).click()
    open_tab(page, "Operators")
    page.get_by_role("searchbox", name="Find operator").fill("lrn")
    expect(page).to_have_url(re.compile("find=lrn"))
    page.goto(page.url)
    expect(page.get_by_role("searchbox", name="Find operator")).to_have_value("lrn")
    assert passing(page) == (few, many)
    open_tab(page, "Compare")
    expect(page.get_by_role("button", name="Graph", exact=True)).to_have_attribute("aria-pressed", "true")
    open_tab(page, "Timeline")
    expect(page.get_by_role("button", name="Show as chart")).to_be_visible()


def test_address_that_makes_no_sense_shows_the_search_all_the_same(page: Page, finished: str) -> None:
    page.goto(f"{finished}?w=9-9&max_t=fast&min_e=-3&a=%3Cscript%3E&op=999999999&tab=none&view=7")
    expect(page.get_by_test_id("passing")).to_contain_text(re.compile(r"^([1-9]\d*) of \1 plans pass$"))
    assert weights(page) == [50, 30, 20]
    expect(page.get_by_role("tab", name="Timeline")).to_have_attribute("aria-selected", "true")


def test_search_that_does_not_exist_says_so(page: Page) -> None:
    page.goto("/searches/00000000-0000-4000-8000-000000000000")
    expect(page.get_by_text("This search does not exist")).to_be_visible()
    page.get_by_role("link", name="To the workspace").click()
    expect(page.get_by_role("button", name="Run sample search")).to_be_visible()
