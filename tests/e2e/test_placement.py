"""A placement made by hand is computed and shown beside the front; a wrong one is refused with its row."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.steps import open_search, overflow, plan_number

pytestmark = pytest.mark.e2e


def test_a_downloaded_operator_table_is_the_plan_that_it_came_from(page: Page, finished: str) -> None:
    open_search(page, finished)
    number = plan_number(page)
    table = page.request.get(f"/api{finished.rstrip('/')}/plans/{number}/operators.csv").text()
    page.get_by_role("button", name="Evaluate a placement").click()
    dialog = page.get_by_role("dialog")
    text = dialog.get_by_label("Placement, as CSV or JSON")
    text.fill(table)
    dialog.get_by_role("button", name="Evaluate").press("Enter")
    result = dialog.get_by_test_id("placement")
    expect(result).to_contain_text("The same figures as plan")
    cells = result.locator("[data-metric=exec_time_ms] td")
    expect(cells.first).to_have_text(cells.last.inner_text())

    rows = table.splitlines()
    text.fill("\n".join([*rows[:3], rows[3] + ",one cell more", *rows[4:]]))
    dialog.get_by_role("button", name="Evaluate").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Row 4")
    page.set_viewport_size({"width": 360, "height": 740})
    assert overflow(page) == 0
