"""The keyboard alone: a changed weight, the reasons of an operator, and all the way from a file to an approved plan."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from heteroopt.graph.samples import bert_encoder_onnx
from tests.e2e.steps import expect_plan, open_search, plan_number, wait_until_done, weights

pytestmark = pytest.mark.e2e

MOST_TABS = 150


def focused(page: Page) -> str:
    """The accessible text of the element in focus."""
    return str(
        page.evaluate(
            "() => { const e = document.activeElement; return e?.getAttribute('aria-label') ?? e?.innerText ?? '' }"
        )
    ).strip()


def tab_to(page: Page, name: str, *, whole: bool = False) -> None:
    """Press Tab until an element has the focus whose name is, or begins with, that one."""
    seen = []
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        seen.append(focused(page))
        if seen[-1] == name or (not whole and seen[-1].startswith(name)):
            return
    raise AssertionError(f"Tab never reached {name}: {seen}")


def test_from_the_top_of_the_page_to_a_weight_and_an_operator(page: Page, finished: str) -> None:
    open_search(page, finished)
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the content"
    page.keyboard.press("Enter")
    tab_to(page, "Weight of Time")
    page.keyboard.press("End")
    assert weights(page) == [100, 0, 0]
    expect_plan(page, 1)
    tab_to(page, "Weight of Energy, percent")
    page.keyboard.press("ArrowUp")
    assert weights(page)[1] == 1

    tab_to(page, "Timeline")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Graph")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Operators")).to_have_attribute("aria-selected", "true")
    assert focused(page) == "Operators"
    tab_to(page, "Operators of plan")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    grid = page.get_by_role("grid", name=re.compile("^Operators of plan"))
    name = grid.get_by_role("row").nth(3).get_by_role("gridcell").nth(1).inner_text()
    inspector = page.get_by_role("complementary", name="Operator in detail")
    expect(inspector.get_by_role("heading")).to_have_text(name)
    expect(inspector.get_by_test_id("reason")).not_to_be_empty()
    page.keyboard.press("Escape")
    expect(inspector).to_contain_text("longest on the critical path")


def test_single_keys_and_their_list(page: Page, finished: str) -> None:
    open_search(page, finished)
    page.get_by_test_id("explorer").focus()
    first = plan_number(page)
    page.keyboard.press("]")
    expect(page.get_by_test_id("explorer")).not_to_have_attribute("data-plan", str(first))
    page.keyboard.press("[")
    expect_plan(page, first)
    page.keyboard.press("3")
    expect(page.get_by_role("tab", name="Operators")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("/")
    expect(page.get_by_label("Find operator")).to_be_focused()
    page.keyboard.type("2]")
    expect(page.get_by_label("Find operator")).to_have_value("2]")
    expect_plan(page, first)
    # A key that takes away what has the focus leaves the next key its effect.
    page.get_by_label("Find operator").fill("")
    page.get_by_role("grid", name=re.compile("^Operators of plan")).get_by_role("row").nth(2).click()
    page.keyboard.press("2")
    expect(page.get_by_test_id("graph")).to_be_visible()
    page.keyboard.press("1")
    expect(page.get_by_role("tab", name="Timeline")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    page.get_by_test_id("explorer").focus()
    page.keyboard.press("v")
    expect(page.get_by_role("grid", name="All plans of the front")).to_be_visible()

    page.get_by_test_id("explorer").focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys in the explorer")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("row")).to_have_count(17)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Keys", exact=True).click()
    dialog.get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    page.get_by_test_id("explorer").focus()
    page.keyboard.press("]")
    page.wait_for_timeout(200)
    expect_plan(page, first)


def test_arrow_keys_walk_through_the_plans_of_the_front(page: Page, finished: str) -> None:
    open_search(page, finished)
    scene = page.get_by_test_id("front-scene")
    expect(page.get_by_test_id("passing")).to_contain_text("plans pass")
    scene.focus()
    first = plan_number(page)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("explorer")).not_to_have_attribute("data-plan", str(first))
    page.keyboard.press("ArrowLeft")
    expect_plan(page, first)


def enter(page: Page, name: str) -> None:
    tab_to(page, name, whole=True)
    page.keyboard.press("Enter")


def test_from_a_file_to_an_approved_plan(page: Page, tmp_path: Path) -> None:
    # The team lets its planners approve their own plans, so that one person goes all the way.
    headers = {"X-CSRFToken": page.request.get("/api/session/").json()["csrf_token"]}
    assert page.request.patch("/api/team/", data={"self_approval": True}, headers=headers).ok
    file = tmp_path / "by_keyboard.onnx"
    file.write_bytes(bert_encoder_onnx(layers=1))
    page.goto("/")
    with page.expect_file_chooser() as chooser:
        enter(page, "Upload model")
    chooser.value.set_files(file)
    page.wait_for_url("**/models/*")
    expect(page.get_by_role("button", name="Plan this model")).to_be_enabled(timeout=30_000)
    enter(page, "Plan this model")
    expect(page.get_by_role("dialog")).to_be_visible()
    enter(page, "Start search")
    page.wait_for_url("**/searches/*")
    wait_until_done(page)
    first = page.url

    # The operator in the inspector is pinned to its device, and the search goes on from here.
    page.get_by_test_id("explorer").focus()
    page.keyboard.press("p")
    expect(page).to_have_url(re.compile(r"[?&]pin="))
    enter(page, "Search again from here")
    page.wait_for_url(re.compile("over="))
    assert page.url != first
    wait_until_done(page)

    enter(page, "Review")
    page.wait_for_url("**/reviews/*")
    enter(page, "Send for review")
    expect(page.get_by_role("dialog")).to_be_visible()
    enter(page, "Send for review")
    expect(page.get_by_role("dialog")).to_have_count(0)
    enter(page, "Approve")
    expect(page.locator(".pagehead .chip")).to_have_text("Approved")

    enter(page, "Open in explorer")
    page.wait_for_url("**/searches/*")
    expect(page.get_by_test_id("passing")).to_contain_text(re.compile("[1-9]"), timeout=30_000)
    enter(page, "Download")
    expect(page.get_by_role("menu")).to_be_visible()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    plan = tmp_path / "plan.json"
    download.value.save_as(plan)
    assert json.loads(plan.read_text())["approval"]["state"] == "approved"
    assert page.request.patch("/api/team/", data={"self_approval": False}, headers=headers).ok
