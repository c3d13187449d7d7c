"""The graph, a what-if that is kept as a plan, the comparison of plans, and pictures of them, in Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.steps import expect_plan, open_search, open_tab, passing, plan_number

pytestmark = pytest.mark.e2e


def test_an_operator_is_tried_elsewhere_kept_and_compared(page: Page, finished: str, tmp_path: Path) -> None:
    open_search(page, finished)
    base, plans = plan_number(page), passing(page)[1]
    open_tab(page, "Graph")
    graph = page.get_by_test_id("graph")
    expect(graph).to_have_attribute("data-nodes", re.compile(r"^[1-9]"))
    # An arrow selects the first operator; the inspector follows.
    graph.press("ArrowRight")
    inspector = page.get_by_role("complementary", name="Operator in detail")
    expect(page).to_have_url(re.compile(r"[?&]op=\d+"))
    inspector.get_by_role("button", name=re.compile("^Try on")).last.press("Enter")
    band = page.get_by_test_id("what-if")
    expect(page.get_by_test_id("what-if-deltas")).to_contain_text("Time")
    expect(page).to_have_url(re.compile(r"[?&]try="))
    expect_plan(page, base)

    band.get_by_role("button", name=f"Keep as plan {plans + 1}").press("Enter")
    expect_plan(page, plans + 1)
    expect(page.get_by_test_id("kept")).to_contain_text(f"moved in plan {base}")
    expect(band).to_have_count(0)
    assert passing(page)[1] == plans + 1

    open_tab(page, "Compare")
    expect(page.get_by_test_id("moved")).to_contain_text(re.compile(r"^[1-9]\d* of \d+ operators"))
    expect(page.get_by_test_id("two-timelines")).to_be_visible()
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Compare as SVG").click()
    picture = tmp_path / "compare.svg"
    download.value.save_as(picture)
    text = picture.read_text()
    assert "<svg" in text and text.count("<rect") > 20
