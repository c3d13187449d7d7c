"""What makes an approval stale: pins, searches that lose the plan, other figures or calibrations of the pool."""

import json

import pytest
from django.utils import timezone

from apps.calibrations.models import Calibration
from apps.reviews.models import ReviewEvent
from apps.searches.models import SearchFront
from tests.apps.reviews.steps import SMALL, act, approved, code, decide, opened, read, requested, searched, told
from tests.apps.support import POOL, add_pool, run_jobs


@pytest.fixture
def pool(bob_client):
    return add_pool(bob_client)


@pytest.fixture
def search(bob_client, pool):
    return searched(bob_client, pool)


def again(client, search, django_capture_on_commit_callbacks=None, **settings):
    body = {
        "model": search["model"]["id"],
        "pool": search["pool"]["id"],
        "settings": {**SMALL, **settings},
        "warm_start": search["id"],
    }
    answer = client.post("/api/searches/", body, "json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def stamp(client, search):
    path = f"/api/searches/{search['id']}/plans/1/plan.json"
    return json.loads(client.get(path).content)["approval"]


def saved(client, pool, **changes):
    answer = client.put(f"/api/pools/{pool['id']}/", {"spec": pool["spec"], **changes}, "json")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_pin_makes_it_stale_everywhere_and_asking_again_makes_it_current(
    bob_client, reviewer_client, search, django_capture_on_commit_callbacks
):
    review = approved(bob_client, reviewer_client, search)
    with django_capture_on_commit_callbacks(execute=True):
        pinned = again(bob_client, search, pins={"head/matmul": "cpu0"})
    stale = read(bob_client, review)
    assert (stale["state"], stale["standing"]) == ("approved", "stale")
    assert [one["name"] for one in stale["waits_for"]] == ["bob"]
    reason = stale["reasons"][0]
    assert (reason["code"], reason["by"]) == ("pinned", "bob")
    assert reason["params"]["operators"] == ["head/matmul"]
    assert reason["params"]["number"] == pinned["number"]
    assert stale["stale_since"] == reason["at"]
    assert stamp(bob_client, search)["state"] == "stale"
    assert told(reviewer_client)[0] == ("stale", True)
    assert [event["kind"] for event in stale["history"]][-1] == "stale"
    assert code(decide(reviewer_client, stale)) == (409, "review_outdated")
    renewed = act(bob_client, stale, "request").json()
    assert (renewed["standing"], renewed["round"], renewed["reasons"]) == ("in_review", 2, [])
    assert decide(reviewer_client, renewed).json()["standing"] == "approved"
    assert stamp(bob_client, search)["state"] == "approved"


def test_it_is_noted_once(bob_client, reviewer_client, search, pool, django_capture_on_commit_callbacks):
    approved(bob_client, reviewer_client, search)
    for power in (51.0, 52.0):
        devices = [{**POOL["devices"][0], "idle_power_w": power}, POOL["devices"][1]]
        with django_capture_on_commit_callbacks(execute=True):
            saved(bob_client, pool, spec={"name": "two", "devices": devices})
    with django_capture_on_commit_callbacks(execute=True):
        again(bob_client, search, forbidden_devices=["cpu0"])
    noted = ReviewEvent.objects.filter(kind="stale").values_list("details__code", flat=True)
    # Each version of the pool is a change of its own; the third commit finds only the pin new.
    assert list(noted) == ["pool_changed", "pool_changed", "pinned"]


def test_a_later_search_that_keeps_the_plan_changes_nothing(bob_client, reviewer_client, search):
    review = approved(bob_client, reviewer_client, search)
    again(bob_client, search)
    run_jobs()
    assert read(bob_client, review)["standing"] == "approved"


def test_a_later_search_whose_front_lacks_the_plan_makes_it_stale(bob_client, reviewer_client, search):
    review = approved(bob_client, reviewer_client, search)
    later = again(bob_client, search)
    run_jobs()
    front = SearchFront.objects.get(search=later["id"])
    front.body["plans"] = [plan for plan in front.body["plans"] if plan["hash"] != review["plan_hash"]]
    front.save()
    assert [one["code"] for one in read(bob_client, review)["reasons"]] == ["searched_again"]


def test_a_recalibration_makes_it_stale_and_undoing_it_does_not_last(bob_client, reviewer_client, search, pool, team):
    review = approved(bob_client, reviewer_client, search)
    calibration = Calibration.objects.create(
        team=team, source="upload", runtime_name="r", device_name="d", measured_at=timezone.now()
    )
    saved(bob_client, pool, calibrations={"gpu0": str(calibration.pk)})
    stale = read(bob_client, review)
    assert stale["standing"] == "stale"
    assert stale["reasons"][0]["code"] == "recalibrated"
    assert stale["reasons"][0]["params"] == {"devices": ["gpu0"], "version": 2}
    saved(bob_client, pool, calibrations={})
    assert read(bob_client, review)["standing"] == "approved"


def test_other_figures_of_the_pool_make_it_stale_and_the_page_shows_by_how_much(
    bob_client, reviewer_client, search, pool
):
    review = approved(bob_client, reviewer_client, search)
    spec = json.loads(json.dumps(pool["spec"]))
    spec["devices"][0]["memory_bandwidth_gb_per_s"] /= 2
    saved(bob_client, pool, spec=spec)
    stale = read(bob_client, review)
    assert stale["reasons"][0]["params"]["devices"] == ["gpu0"]
    (costs,) = bob_client.get(f"/api/reviews/{review['id']}/changes/").json()
    assert (costs["kind"], costs["same_plan"], costs["pool_version"]) == ("costs", True, 2)
    assert [one["device"] for one in costs["costs"]] == ["gpu0"]
    time = costs["figures"][0]
    assert time["key"] == "exec_time_ms"
    assert time["before"] == pytest.approx(next(f["value"] for f in review["figures"] if f["key"] == "exec_time_ms"))
    if any(device["operators"] for device in _devices(bob_client, search)[:1]):
        assert time["after"] > time["before"]


def _devices(client, search):
    return client.get(f"/api/searches/{search['id']}/plans/1/").json()["devices"]


def test_a_device_that_is_gone_is_said(bob_client, reviewer_client, search, pool):
    review = approved(bob_client, reviewer_client, search)
    used = [device["operators"] > 0 for device in _devices(bob_client, search)]
    keep = [device for device, is_used in zip(POOL["devices"], used, strict=True) if not is_used] or [
        {**POOL["devices"][0], "name": "another"}
    ]
    saved(bob_client, pool, spec={"name": "two", "devices": keep})
    (costs,) = bob_client.get(f"/api/reviews/{review['id']}/changes/").json()
    assert costs["impossible"] and costs["figures"] == []


def test_a_new_name_of_the_pool_changes_nothing(bob_client, reviewer_client, search, pool):
    review = approved(bob_client, reviewer_client, search)
    saved(bob_client, pool, spec={**pool["spec"], "name": "renamed"})
    assert read(bob_client, review)["standing"] == "approved"


def test_what_changes_while_it_is_in_review_must_be_sent_again(bob_client, reviewer_client, search):
    review = requested(bob_client, search)
    again(bob_client, search, forbidden_devices=["cpu0"])
    outdated = read(reviewer_client, review)
    assert (outdated["standing"], outdated["may"]["approve"]) == ("in_review", "review_outdated")
    assert outdated["reasons"][0]["params"]["forbidden"] == ["cpu0"]
    assert [one["name"] for one in outdated["waits_for"]] == ["bob"]
    assert act(bob_client, review, "request").json()["may"]["request"] == "review_under_way"


def test_the_plan_is_compared_with_the_one_that_was_decided_on_before(bob_client, reviewer_client, search):
    review = approved(bob_client, reviewer_client, search)
    first = bob_client.get(f"/api/searches/{search['id']}/plans/1/").json()
    other = "cpu0" if first["operators"][0]["device"] == 0 else "gpu0"
    later = again(bob_client, search, pins={"stem/matmul": other})
    run_jobs()
    mine = requested(bob_client, later)
    (plan,) = bob_client.get(f"/api/reviews/{mine['id']}/changes/").json()
    assert (plan["kind"], plan["review"], plan["same_plan"]) == ("plan", review["id"], False)
    second = bob_client.get(f"/api/searches/{later['id']}/plans/1/").json()
    moved = {
        op["index"]
        for op, before in zip(second["operators"], first["operators"], strict=True)
        if op["device"] != before["device"]
    }
    assert {one["operator"] for one in plan["moved"]} == moved and len(moved) == plan["n_moved"] > 0
    figures = {one["key"]: (one["before"], one["after"]) for one in plan["figures"]}
    assert figures["exec_time_ms"] == pytest.approx((first["exec_time_ms"], second["exec_time_ms"]))


def test_an_edit_that_somebody_keeps_makes_it_stale_and_is_a_plan_of_their_own(
    alice_client, bob_client, reviewer_client, search
):
    review = approved(bob_client, reviewer_client, search)
    plan = bob_client.get(f"/api/searches/{search['id']}/plans/1/").json()
    for op in plan["operators"]:
        moves = [{"operator": op["index"], "device": 1 - op["device"]}]
        body = {"base": plan["hash"], "moves": moves}
        kept = alice_client.post(f"/api/searches/{search['id']}/kept/", body, "json")
        # 200: the front has that plan already.
        if kept.status_code == 201:
            break
    assert kept.status_code == 201, kept.content
    reason = read(bob_client, review)["reasons"][0]
    assert (reason["code"], reason["by"], reason["params"]["moved"]) == ("edited", "alice", len(moves))
    own = opened(bob_client, search, kept.json()["number"])
    assert own["plan_hash"] == kept.json()["hash"]
    # Alice made it, so she cannot approve it although Bob sends it.
    own = act(bob_client, own, "request").json()
    assert code(decide(alice_client, own)) == (403, "review_own_plan")
    assert decide(reviewer_client, own).json()["standing"] == "approved"
