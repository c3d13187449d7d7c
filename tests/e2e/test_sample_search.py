"""The way of a newcomer: sample search, live front, weights, bounds, presets, a plan, its reasons, its files."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path

import jsonschema
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.steps import (
    FIRST_FRONT_MS,
    bound,
    expect_plan,
    figure,
    figure_text,
    multiple,
    open_search,
    open_tab,
    passing,
    plan_number,
    plan_pixels,
    run_sample,
    set_bound,
    set_weight,
    still_pixel,
    wait_until_done,
    weights,
)

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "heteroopt" / "deployment" / "schema" / "plan-v2.schema.json"
PER_MS = {"ns": 1e-6, "µs": 1e-3, "ms": 1.0, "s": 1e3}
PER_J = {"nJ": 1e-9, "µJ": 1e-6, "mJ": 1e-3, "J": 1.0, "kJ": 1e3}


def test_front_appears_at_once_and_gets_better(page: Page) -> None:
    run_sample(page)
    expect(page.get_by_test_id("passing")).to_have_text(
        re.compile(r"^[1-9]\d* of \d+ plans pass$"), timeout=FIRST_FRONT_MS
    )
    expect(page.get_by_role("complementary", name="Plan", exact=True)).to_contain_text("default")
    wait_until_done(page)
    few, everything = passing(page)
    assert few == everything > 20
    status = page.locator(".xp-status").inner_text()
    assert "200 generations" in status
    assert float(re.findall(r"hypervolume ([\d.]+)", status)[0]) > 0
    # The fastest plan is never slower than everything on the default device.
    page.get_by_role("button", name=re.compile("^Fastest")).click()
    assert multiple(page, "exec_time_ms") <= 1


def test_weights_move_the_pick(page: Page, finished: str) -> None:
    open_search(page, finished)
    set_weight(page, "Time", 100)
    assert weights(page) == [100, 0, 0]
    expect_plan(page, 1)
    fastest = figure(page, "exec_time_ms")
    energy_of_fastest = figure(page, "energy_j")
    set_weight(page, "Energy", 100)
    expect(page.get_by_label("Weight of Time, percent")).to_have_value("0")
    assert plan_number(page) != 1
    assert figure(page, "exec_time_ms") > fastest
    assert figure(page, "energy_j") < energy_of_fastest
    # The slider does what the number does, and a double click on a name makes it the only one.
    slider = page.get_by_role("slider", name="Weight of Balance", exact=True)
    slider.focus()
    slider.press("End")
    assert weights(page) == [0, 0, 100]
    page.locator("label", has_text=re.compile("^Time$")).dblclick()
    assert weights(page) == [100, 0, 0]
    expect_plan(page, 1)


def test_presets_choose_among_passing_plans(page: Page, finished: str) -> None:
    open_search(page, finished)
    chosen = {}
    for name, metric in (("Fastest", "exec_time_ms"), ("Least energy", "energy_j"), ("Most balanced", "load_balance")):
        button = page.get_by_role("button", name=re.compile(f"^{name}"))
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        chosen[name] = plan_number(page)
        value, unit = figure_text(page, metric)
        assert f"{value} {unit}".strip() in button.inner_text().replace(",", "")
    assert chosen["Fastest"] == 1
    assert chosen["Least energy"] != 1
    knee = page.get_by_role("button", name=re.compile("^Knee"))
    knee.click()
    assert f"Plan {plan_number(page)}" in knee.inner_text()
    # With the fastest plans bounded away, the preset takes the fastest of the others.
    page.get_by_role("button", name=re.compile("^Fastest")).click()
    set_bound(page, "exec_time_ms.min", figure(page, "exec_time_ms") * 1.05)
    page.get_by_role("button", name=re.compile("^Fastest")).click()
    assert plan_number(page) > 1


def test_bounds_filter_and_an_empty_choice_names_the_nearest_plan(page: Page, finished: str) -> None:
    open_search(page, finished)
    set_weight(page, "Time", 100)
    fastest = figure(page, "exec_time_ms")
    _, unit = figure_text(page, "exec_time_ms")
    _, everything = passing(page)

    set_bound(page, "exec_time_ms.max", fastest * 1.2)
    some, of = passing(page)
    assert 0 < some < everything == of
    removed = page.locator(".xp-bound[data-metric=exec_time_ms] .xp-bound-removes")
    expect(removed).to_have_text(f"removes {everything - some}")
    set_weight(page, "Energy", 100)
    assert figure(page, "exec_time_ms") <= fastest * 1.2

    set_bound(page, "exec_time_ms.max", fastest / 2)
    banner = page.get_by_role("status").filter(has_text="No plan meets every bound")
    expect(banner).to_be_visible()
    assert passing(page) == (0, everything)
    said = re.search(r"The nearest is plan (\d+): time ([\d.,]+) (\S+) over\.", banner.inner_text())
    assert said, banner.inner_text()
    nearest = int(said[1])
    assert said[3] == unit
    assert float(said[2].replace(",", "")) == pytest.approx(fastest / 2, rel=0.02)
    banner.get_by_role("button", name="Use it").click()
    expect_plan(page, nearest)
    expect(page.get_by_role("complementary", name="Plan", exact=True)).to_contain_text("over")

    banner.get_by_role("button", name=re.compile("^Relax time to")).click()
    expect(banner).to_be_hidden()
    assert passing(page)[0] >= 1
    assert float(bound(page, "exec_time_ms.max").input_value()) >= fastest * 0.999
    expect_plan(page, nearest)
    page.get_by_role("button", name="Clear bounds").click()
    assert passing(page) == (everything, everything)


def test_bound_that_is_no_number_is_said_and_changes_nothing(page: Page, finished: str) -> None:
    open_search(page, finished)
    everything = passing(page)
    bound(page, "energy_j.max").fill("many")
    expect(page.get_by_role("alert")).to_contain_text("Not a number")
    assert passing(page) == everything


def most_alone(page: Page, count: int, but: int) -> tuple[int, tuple[float, float]]:
    """The plan inside the 3-D front that is farthest from all others, so that a click near it means it alone."""
    still_pixel(page, but)
    places = plan_pixels(page, count)
    box = page.get_by_test_id("front-scene").bounding_box()
    assert box
    left, top, right, bottom = box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]

    def room(number: int) -> float:
        x, y = places[number]
        others = (math.dist((x, y), place) for other, place in places.items() if other != number)
        return min(*others, x - left, y - top, right - x, bottom - y)

    number = max((number for number in places if number != but), key=room)
    return number, places[number]


def test_click_in_the_front_selects_and_drag_turns(page: Page, finished: str) -> None:
    open_search(page, finished)
    set_weight(page, "Time", 100)
    expect_plan(page, 1)
    expect(page.get_by_test_id("front-scene")).to_have_attribute("data-state", "drawn", timeout=30_000)
    _, everything = passing(page)
    dragged, (x, y) = most_alone(page, everything, but=1)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y + 6, steps=6)
    page.mouse.up()
    page.mouse.move(2, 2)
    assert still_pixel(page, dragged) != (x, y), "a drag turns the view"
    expect_plan(page, 1)

    clicked, turned = most_alone(page, everything, but=1)
    page.mouse.click(*turned)
    expect_plan(page, clicked)
    expect(page.get_by_role("heading", name=f"Plan {clicked}", exact=True).first).to_be_visible()
    assert "a=" in page.url
    page.get_by_role("button", name="Reset the view").click()
    page.wait_for_function(
        "([number, x]) => Math.abs(document.querySelector('.xp-scene-canvas').planPixel(number).x - x) < 1",
        arg=[dragged, x],
    )


def test_table_and_projections_hold_the_same_plans(page: Page, finished: str) -> None:
    open_search(page, finished)
    expect(page.get_by_role("figure").or_(page.get_by_label("Projections of the front")).first).to_be_visible()
    page.get_by_role("button", name="Table", exact=True).first.click()
    table = page.get_by_role("grid", name="All plans of the front")
    _, everything = passing(page)
    expect(table).to_have_attribute("aria-rowcount", str(everything + 1))
    table.get_by_role("button", name=re.compile("^Sort by Time")).click()
    row = table.get_by_role("row").nth(3)
    row.click()
    expect_plan(page, 3)
    assert figure_text(page, "exec_time_ms")[0] in row.inner_text().replace(",", "")


def test_every_operator_has_a_reason_and_alternatives(page: Page, finished: str) -> None:
    open_search(page, finished)
    open_tab(page, "Operators")
    table = page.get_by_role("grid", name=re.compile("^Operators of plan"))
    total = int(table.get_attribute("aria-rowcount") or 0) - 1
    assert total > 20
    heads = table.get_by_role("columnheader").all_inner_texts()
    for head in ("Operator", "Device", "Start", "End", "Time", "Energy", "Reason"):
        assert any(head in text for text in heads), heads
    for row in table.get_by_role("row").all()[1:]:
        cells = row.get_by_role("gridcell").all_inner_texts()
        assert cells[-1].strip() not in ("", "–"), cells
    expect(page.get_by_test_id("explorer")).to_contain_text("roofline")
    page.get_by_label("Find operator").fill("conv")
    expect(table).not_to_have_attribute("aria-rowcount", str(total + 1))
    row = table.get_by_role("row").nth(1)
    name = row.get_by_role("gridcell").nth(1).inner_text()
    reason = row.get_by_role("gridcell").last.inner_text()
    row.click()
    inspector = page.get_by_role("complementary", name="Operator in detail")
    expect(inspector.get_by_role("heading")).to_have_text(name)
    expect(inspector.get_by_test_id("reason")).to_have_text(reason)
    others = inspector.locator("[role=row][data-code]")
    expect(others).to_have_count(3)
    for other in others.all():
        text = other.inner_text()
        if other.get_attribute("data-code") == "ok":
            assert re.search(r"\d[\d.,]* (ns|µs|ms|s)\b", text), text
            assert re.search(r"\d[\d.,]* (nJ|µJ|mJ|J|kJ)\b", text), text
        else:
            assert re.search("[A-Za-z]{4}", text), text
    inspector.get_by_role("button", name="Close the operator").click()
    expect(inspector).to_contain_text("longest on the critical path")


def save(page: Page, item: str, folder: Path) -> Path:
    page.get_by_role("button", name="Download", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=item).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_files_agree_with_each_other_and_with_the_page(page: Page, finished: str, tmp_path: Path) -> None:
    open_search(page, finished)
    page.get_by_role("button", name=re.compile("^Knee")).click()
    number = plan_number(page)
    plan = json.loads(save(page, "Plan (JSON)", tmp_path).read_text(encoding="utf-8"))
    table = rows_of(save(page, "Operator table (CSV)", tmp_path))
    front = rows_of(save(page, "Front, all plans (CSV)", tmp_path))

    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(plan)
    assert plan["plan"]["number"] == number
    for metric, key, per in (("exec_time_ms", "exec_time_ms", PER_MS), ("energy_j", "energy_j", PER_J)):
        shown, unit = figure_text(page, metric)
        decimals = len(shown.partition(".")[2])
        assert plan["plan"][key] / per[unit] == pytest.approx(float(shown), abs=0.51 * 10**-decimals)
    assert plan["plan"]["load_balance"] == pytest.approx(figure(page, "load_balance"), abs=0.00051)
    assert plan["plan"]["exec_time_x"] == pytest.approx(multiple(page, "exec_time_ms"), abs=0.0051)
    assert plan["seed"] == 0

    operators = {operator["name"]: operator for operator in plan["operators"]}
    assert [row["name"] for row in table] == [
        operator["name"] for operator in sorted(plan["operators"], key=lambda operator: operator["order"])
    ]
    for row in table:
        operator = operators[row["name"]]
        assert row["device"] == operator["device"]
        assert int(row["order"]) == operator["order"]
        for heading, key in (
            ("start (ms)", "start_ms"),
            ("end (ms)", "end_ms"),
            ("time (ms)", "time_ms"),
            ("energy (J)", "energy_j"),
        ):
            assert float(row[heading]) == operator[key]
        assert row["reason code"] == operator["reason"]["code"]
        assert row["reason"]
    assert max(float(row["end (ms)"]) for row in table) <= plan["plan"]["exec_time_ms"] * (1 + 1e-9)

    _, everything = passing(page)
    assert len(front) == everything
    mine = next(row for row in front if row[next(iter(row))] == str(number))
    assert repr(plan["plan"]["exec_time_ms"]) in mine.values()

    # The page's table of operators says the same.
    open_tab(page, "Operators")
    grid = page.get_by_role("grid", name=f"Operators of plan {number} in the order of their start")
    expect(grid).to_have_attribute("aria-rowcount", str(len(table) + 1))
    tags = {device["name"]: device["tag"] for device in plan["devices"]}
    for line in grid.get_by_role("row").all()[1:8]:
        cells = line.get_by_role("gridcell").all_inner_texts()
        assert tags[operators[cells[1].strip()]["device"]] in cells[3]
