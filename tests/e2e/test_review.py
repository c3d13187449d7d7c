"""From a plan to its approval by somebody else, to a download that says so, to a pin that makes it stale."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Server
from tests.e2e.steps import open_search, overflow, wait_until_done

pytestmark = pytest.mark.e2e


def approval_in_download(page: Page, address: str) -> object:
    """What ``plan.json`` of plan A says of its approval."""
    number = page.get_by_test_id("explorer").get_attribute("data-plan")
    answer = page.request.get(f"/api{address}/plans/{number}/plan.json")
    return json.loads(answer.text())["approval"]


def test_a_second_person_approves_and_a_pin_makes_it_stale(
    page: Page, browser: Browser, server: Server, finished: str, tmp_path: Path
) -> None:
    open_search(page, finished)
    card = page.get_by_role("complementary", name="Plan", exact=True)
    assert approval_in_download(page, finished) == "not approved"
    card.get_by_role("button", name="Review", exact=True).click()
    page.wait_for_url("**/reviews/*")
    review = page.url
    expect(page.get_by_role("button", name="Approve")).to_have_attribute("aria-disabled", "true")

    # Invite somebody who reviews.
    page.goto("/team")
    page.get_by_role("button", name="Invite", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Make a link").click()
    link = dialog.get_by_label("Link of the invitation").input_value()
    other = browser.new_context(base_url=server.url, locale="en-GB", viewport={"width": 1440, "height": 900})
    reviewer = other.new_page()
    reviewer.goto(link)
    reviewer.get_by_label("Your name").fill("Robin Reviewer")
    reviewer.get_by_role("button", name="Join", exact=True).click()
    reviewer.wait_for_url(f"{server.url}/")

    # Send the plan for review and mention the reviewer at it.
    page.goto(review)
    page.get_by_role("button", name="Send for review").click()
    page.get_by_role("dialog").get_by_role("checkbox", name="Robin Reviewer").check()
    page.get_by_role("dialog").get_by_role("button", name="Send for review").click()
    expect(page.get_by_text("Waits for Robin Reviewer.")).to_be_visible()
    page.get_by_label("New comment").fill("@Robin Reviewer, is gpu0 free at that time?")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.locator(".mention")).to_have_text("@Robin Reviewer")

    # The reviewer is told, comes by the bell, and approves.
    reviewer.reload()
    reviewer.get_by_role("link", name="2 unread notifications").click()
    reviewer.get_by_role("link", name=re.compile("asks you for a review")).click()
    reviewer.get_by_role("button", name="Approve").click()
    expect(reviewer.locator(".pagehead .chip")).to_have_text("Approved")
    for width in (360, 768, 1024, 2560):
        reviewer.set_viewport_size({"width": width, "height": 900})
        assert overflow(reviewer) <= 0, width

    open_search(page, finished)
    expect(card.get_by_text("Approved")).to_be_visible()
    said = approval_in_download(page, finished)
    assert isinstance(said, dict) and (said["state"], said["by"]) == ("approved", ["Robin Reviewer"])

    # Search again with an operator pinned: over the interface that the explorer's own button uses.
    search = page.request.get(f"/api{finished}/").json()
    plan = page.request.get(f"/api{finished}/plans/1/").json()
    operator = next(one for one in plan["operators"] if not one["is_view"])
    token = page.request.get("/api/session/").json()["csrf_token"]
    started = page.request.post(
        "/api/searches/",
        data={
            "model": search["model"]["id"],
            "pool": search["pool"]["id"],
            "settings": {"generations": 2, "pins": {operator["name"]: search["pool"]["devices"][0]["name"]}},
            "warm_start": search["id"],
        },
        headers={"X-CSRFToken": token},
    )
    assert started.ok, started.text()
    page.goto(review)
    expect(page.get_by_text("The approval is stale")).to_be_visible()
    expect(page.get_by_role("status").get_by_text(re.compile("searched again with other pins"))).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_have_attribute("aria-disabled", "true")
    open_search(page, finished)
    said = approval_in_download(page, finished)
    assert isinstance(said, dict) and said["state"] == "stale" and said["reasons"][0]["code"] == "pinned"
    page.goto(f"/searches/{started.json()['id']}")
    wait_until_done(page)
    other.close()
