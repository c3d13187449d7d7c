"""Training plans in a real browser: plan, look, lose a node, take the plan away."""

import json
from pathlib import Path

from playwright.sync_api import Page, expect

PLANNING_MS = 60_000


def test_plan_then_lose_a_node_then_export(page: Page, tmp_path: Path):
    page.goto("/")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Training").click()
    page.get_by_label("Group 1: Nodes").fill("1")
    page.get_by_label("Group 2: Nodes").fill("2")
    page.get_by_label("Model", exact=True).select_option("llama-7b")
    page.get_by_label("Shard the optimizer state (ZeRO-1)").uncheck()
    page.get_by_label("At least two pipelines").check()
    page.get_by_role("button", name="Plan", exact=True).click()
    expect(page.get_by_role("heading", name="Stages and pipelines")).to_be_visible(timeout=PLANNING_MS)
    expect(page.get_by_text("Step, simulated: ")).to_be_visible()
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    with page.expect_download() as download:
        page.get_by_role("link", name="Export plan").click()
    saved = tmp_path / "plan.json"
    download.value.save_as(saved)
    assert json.loads(saved.read_text("utf-8"))["tensors"]

    page.get_by_role("button", name="Lose this node").click()
    expect(page.get_by_role("heading", name="After losing GPU 16, 17, 18, 19, 20, 21, 22, 23")).to_be_visible(
        timeout=PLANNING_MS
    )
    expect(page.get_by_text("point to point takes")).to_be_visible()
    page.get_by_role("link", name="Plan before").click()
    expect(page.get_by_role("heading", name="What if")).to_be_visible()


def test_a_cluster_that_no_plan_fits_is_refused_with_a_reason(page: Page):
    page.goto("/training")
    page.get_by_label("Group 1: Memory, GiB").fill("2")
    page.get_by_label("Group 2: Memory, GiB").fill("2")
    page.get_by_label("Model", exact=True).select_option("llama-70b")
    page.get_by_role("button", name="Plan", exact=True).click()
    refusal = page.get_by_role("main").get_by_role("alert")
    expect(refusal).to_contain_text("does not fit on this cluster", timeout=PLANNING_MS)
