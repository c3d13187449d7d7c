"""The drawing of a model's graph: a click takes the operator under it, search flies, scopes fold, keys do the same."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.steps import overflow

pytestmark = pytest.mark.e2e


@pytest.fixture
def graph(page: Page) -> Locator:
    """The drawing on the page of inception_v1, which opens whole: 143 operators."""
    page.goto("/models")
    page.locator("#main").get_by_role("link", name="inception_v1", exact=True).click()
    canvas = page.get_by_test_id("graph")
    expect(canvas).to_have_attribute("data-nodes", "143")
    expect(canvas).to_have_attribute("data-camera", re.compile("zoom"))
    canvas.scroll_into_view_if_needed()
    return canvas


def camera(graph: Locator) -> dict[str, float]:
    seen: dict[str, float] = json.loads(graph.get_attribute("data-camera") or "{}")
    return seen


def still(graph: Locator) -> dict[str, float]:
    """The camera once it has come to rest."""
    last = camera(graph)
    for _ in range(50):
        graph.page.wait_for_timeout(100)
        now = camera(graph)
        if now == last:
            return now
        last = now
    raise AssertionError("the view never comes to rest")


def middle(graph: Locator) -> dict[str, Any]:
    box = graph.bounding_box()
    assert box
    return {"x": box["width"] / 2, "y": box["height"] / 2}


def selected_at(graph: Locator) -> dict[str, Any]:
    x, y = (graph.get_attribute("data-selected-at") or "").split()
    return {"x": float(x), "y": float(y)}


def test_a_click_selects_the_operator_under_it_here_and_in_the_table(page: Page, graph: Locator) -> None:
    # The first operators are a chain, which the view shows from its beginning on; search centres one of them.
    find = page.get_by_role("searchbox", name="Find by name or type")
    find.fill("conv2/3x3_reduce")
    find.press("Enter")
    still(graph)
    line = page.get_by_test_id("graph-selection")
    expect(line).to_contain_text("conv2/3x3_reduce")
    find.fill("")
    step = 164 * camera(graph)["zoom"]
    at = middle(graph)
    row = page.locator(".of-operators .grid-row[aria-current=true]")
    for right, name in ((1, "conv2/3x3_reduce/relu"), (2, "conv2/3x3"), (-1, "conv1/lrn")):
        graph.click(position={"x": at["x"] + right * step, "y": at["y"]})
        expect(line.locator(".cut")).to_have_text(name)
        expect(row).to_have_count(1)
        expect(row.get_by_role("cell").nth(1)).to_have_text(name)
    graph.click(position={"x": at["x"] + step / 2, "y": at["y"] - 60})
    expect(line).to_have_count(0)
    expect(row).to_have_count(0)

    page.locator(".of-operators").get_by_role("cell", name="conv1/maxpool", exact=True).click()
    expect(line).to_contain_text("MaxPool")
    still(graph)
    assert overflow(page) <= 0


def test_search_goes_from_match_to_match(page: Page, graph: Locator) -> None:
    before = still(graph)
    find = page.get_by_role("searchbox", name="Find by name or type")
    line = page.get_by_test_id("graph-selection")
    find.fill("softmax")
    find.press("Enter")
    expect(line).to_contain_text("Softmax")
    after = still(graph)
    assert after["x"] < before["x"] - 1000
    find.fill("concat")
    expect(page.get_by_text("9 operators", exact=True)).to_be_visible()
    find.press("Enter")
    expect(page.get_by_text("1 of 9", exact=True)).to_be_visible()
    first = line.inner_text()
    page.get_by_role("button", name="Previous match").click()
    expect(page.get_by_text("9 of 9", exact=True)).to_be_visible()
    assert line.inner_text() != first
    find.fill("no such operator")
    expect(page.get_by_text("No match", exact=True)).to_be_visible()


def test_scopes_fold_and_open_by_pointer_choice_and_key(page: Page, graph: Locator) -> None:
    scopes = page.get_by_role("combobox", name="Scopes")
    scopes.select_option("1")
    expect(graph).not_to_have_attribute("data-nodes", "143")
    folded = int(graph.get_attribute("data-nodes") or 0)
    assert folded < 30
    find = page.get_by_role("searchbox", name="Find by name or type")
    # What is inside a folded scope is found: its scope opens, and no other.
    find.fill("inception_4a/5x5")
    find.press("Enter")
    line = page.get_by_test_id("graph-selection")
    expect(line).to_contain_text("inception_4a/5x5")
    opened = int(graph.get_attribute("data-nodes") or 0)
    assert folded < opened < 143
    still(graph)
    page.get_by_role("button", name="Fold inception_4a").click()
    expect(graph).to_have_attribute("data-nodes", str(folded))
    expect(line).to_contain_text("inception_4a")
    expect(line).to_contain_text("operators")
    find.fill("")
    still(graph)
    graph.dblclick(position=selected_at(graph))
    expect(graph).to_have_attribute("data-nodes", str(opened))
    scopes.select_option("0")
    expect(graph).to_have_attribute("data-nodes", "143")


def test_keys_walk_zoom_and_fold(page: Page, graph: Locator) -> None:
    graph.focus()
    line = page.get_by_test_id("graph-selection")
    page.keyboard.press("ArrowRight")
    expect(line).to_contain_text("conv1/7x7_s2")
    page.keyboard.press("ArrowRight")
    expect(line).to_contain_text("conv1/7x7_s2/relu")
    expect(page.get_by_test_id("live")).to_contain_text("Relu conv1/7x7_s2/relu")
    page.keyboard.press("ArrowLeft")
    expect(line.locator(".cut")).to_have_text("conv1/7x7_s2")
    near = still(graph)["zoom"]
    page.keyboard.press("+")
    assert still(graph)["zoom"] > near
    page.keyboard.press("0")
    assert still(graph)["zoom"] < near
    page.keyboard.press("Enter")
    expect(line.locator(".cut")).to_have_text("conv1")
    expect(graph).not_to_have_attribute("data-nodes", "143")
    page.keyboard.press("Enter")
    expect(graph).to_have_attribute("data-nodes", "143")
    page.keyboard.press("Escape")
    expect(line).to_have_count(0)


def test_bars_sum_counts_compute_and_bytes(page: Page, graph: Locator) -> None:
    types = page.locator("section").filter(has=page.get_by_role("heading", name="By type"))
    conv = types.locator(".hb").filter(has_text="Conv")
    expect(conv.locator("dd")).to_have_text("57")
    types.get_by_role("button", name="FLOP").click()
    expect(types.locator(".hb").first.locator("dt")).to_have_text("Conv")
    expect(conv.locator("dd")).to_have_text(re.compile(r"^2\.8\d GFLOP$"))
    types.get_by_role("button", name="Bytes").click()
    expect(conv.locator("dd")).to_have_text(re.compile(r" MB$"))


def test_drag_and_wheel_move_the_view(page: Page, graph: Locator) -> None:
    before = still(graph)
    box = graph.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + 30
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 300, y, steps=5)
    page.mouse.up()
    moved = still(graph)
    assert moved["x"] == pytest.approx(before["x"] - 300, abs=1)
    # Over a drawing without the focus the wheel scrolls the page.
    page.get_by_role("searchbox", name="Find by name or type").focus()
    page.mouse.wheel(0, -100)
    assert still(graph) == moved
    graph.focus()
    page.mouse.wheel(0, -100)
    assert still(graph)["zoom"] > moved["zoom"]
