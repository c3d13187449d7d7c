"""Who may send for review, who may decide, and what an approval is bound to."""

import csv
import io
import json

import jsonschema
import pytest

from apps.accounts.models import Membership
from apps.audit.models import AuditEvent
from apps.reviews.models import Review, ReviewState
from apps.reviews.queries import approval_of
from apps.reviews.standing import decided_state
from apps.searches.models import Search
from heteroopt.deployment.plan_reader import plan_schema
from tests.apps.reviews.steps import act, approved, code, decide, opened, read, requested, told
from tests.apps.support import add_model, add_pool, start_search


def test_a_plan_goes_from_draft_to_approved(bob_client, reviewer_client, search, bob, reviewer):
    review = opened(bob_client, search)
    assert (review["state"], review["standing"], review["round"]) == ("draft", "draft", 0)
    assert [one["name"] for one in review["waits_for"]] == ["bob"]
    assert review["may"] == {
        "request": None,
        "withdraw": "review_is_draft",
        "approve": "permission_denied",
        "request_changes": "permission_denied",
        "comment": None,
    }
    review = act(bob_client, review, "request").json()
    assert (review["state"], review["round"]) == ("in_review", 1)
    assert [one["name"] for one in review["waits_for"]] == ["reviewer"]
    assert told(reviewer_client) == [("requested", True)]
    done = decide(reviewer_client, review).json()
    assert (done["state"], done["standing"], done["waits_for"]) == ("approved", "approved", [])
    assert [(one["user"]["name"], one["decision"]) for one in done["reviewers"]] == [("reviewer", "approved")]
    assert [(one["kind"], one["user"]["name"]) for one in done["history"]] == [
        ("opened", "bob"),
        ("requested", "bob"),
        ("approved", "reviewer"),
    ]
    assert told(bob_client) == [("approved", True)]
    assert AuditEvent.objects.filter(action="review.decide", user=reviewer, denied=False).count() == 1


def test_opening_again_leads_to_the_same_review(bob_client, reviewer_client, search):
    first = bob_client.post("/api/reviews/", {"search": search["id"], "plan": 1}, "json")
    again = reviewer_client.post("/api/reviews/", {"search": search["id"], "hash": first.json()["plan_hash"]}, "json")
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["id"] == first.json()["id"]
    assert bob_client.get("/api/reviews/", {"search": search["id"]}).json()["count"] == 1
    assert bob_client.get("/api/reviews/", {"search": "nonsense"}).json()["count"] == 0
    assert bob_client.get("/api/reviews/", {"state": "approved"}).json()["count"] == 0


def test_nobody_approves_their_own_plan_unless_the_team_allows_it(alice_client, reviewer_client, team):
    from tests.apps.reviews.steps import searched

    search = searched(alice_client)
    review = requested(alice_client, search)
    assert review["may"]["approve"] == "review_own_plan"
    assert code(decide(alice_client, review)) == (403, "review_own_plan")
    assert decide(alice_client, review, "changes_requested").status_code == 200
    assert Review.objects.get().state == "changes_requested"
    assert alice_client.patch("/api/team/", {"self_approval": True}, "json").status_code == 200
    assert decide(alice_client, review).json()["state"] == "approved"


def test_who_sends_a_plan_of_somebody_else_cannot_approve_it_either(alice_client, bob_client, search):
    review = requested(alice_client, search)
    assert {one["name"] for one in review["authors"]} == {"alice", "bob"}
    assert code(decide(alice_client, review)) == (403, "review_own_plan")


def test_roles_say_who_may_do_what(alice_client, bob_client, reviewer_client, viewer_client, search):
    for client in (viewer_client,):
        answer = client.post("/api/reviews/", {"search": search["id"], "plan": 1}, "json")
        assert code(answer) == (403, "permission_denied")
    review = opened(reviewer_client, search)
    for client in (reviewer_client, viewer_client):
        assert code(act(client, review, "request")) == (403, "permission_denied")
        assert code(act(client, review, "withdraw")) == (403, "permission_denied")
    review = act(bob_client, review, "request").json()
    for client in (bob_client, viewer_client):
        for decision in ("approved", "changes_requested"):
            assert code(decide(client, review, decision)) == (403, "permission_denied")
    assert read(viewer_client, review)["state"] == "in_review"
    assert decide(alice_client, review).json()["state"] == "approved"


def test_an_approval_is_bound_to_the_plan_and_the_round(bob_client, reviewer_client, search):
    review = opened(bob_client, search)
    assert code(decide(reviewer_client, {**review, "round": 1})) == (409, "review_moved_on")
    review = act(bob_client, review, "request").json()
    assert code(decide(reviewer_client, review, hash="0" * 64)) == (409, "review_moved_on")
    assert code(decide(reviewer_client, review, round=2)) == (409, "review_moved_on")
    assert code(act(bob_client, review, "request")) == (409, "review_under_way")
    assert decide(reviewer_client, review).status_code == 200
    assert code(decide(reviewer_client, review)) == (409, "review_decided")


def test_changes_that_are_asked_for_begin_another_round(bob_client, reviewer_client, search):
    review = requested(bob_client, search)
    asked = decide(reviewer_client, review, "changes_requested", comment="Why gpu0? @bob").json()
    assert (asked["state"], [one["name"] for one in asked["waits_for"]]) == ("changes_requested", ["bob"])
    assert asked["threads"][0]["comments"][0]["body"] == "Why gpu0? @bob"
    again = act(bob_client, review, "request").json()
    assert (again["state"], again["round"], again["reviewers"]) == ("in_review", 2, [])
    assert decide(reviewer_client, again).json()["state"] == "approved"
    back = act(bob_client, again, "withdraw").json()
    assert (back["state"], back["reviewers"]) == ("draft", [])
    assert code(decide(reviewer_client, back)) == (409, "review_is_draft")


def test_only_people_who_may_approve_can_be_asked(bob_client, search, bob, reviewer, viewer, outsider, alice):
    review = opened(bob_client, search)
    assert {one["name"] for one in review["may_be_asked"]} == {"alice", "reviewer"}
    for person, refused in ((viewer, "reviewer_unfit"), (bob, "reviewer_unfit"), (outsider, "reviewer_unknown")):
        assert code(act(bob_client, review, "request", {"reviewers": [str(person.pk)]})) == (400, refused)
    review = requested(bob_client, search, [reviewer])
    assert [one["name"] for one in review["waits_for"]] == ["reviewer"]


def test_a_team_can_ask_for_more_than_one_approval(alice_client, bob_client, reviewer_client, search):
    alice_client.patch("/api/team/", {"approvals_needed": 2}, "json")
    review = requested(bob_client, search)
    first = decide(reviewer_client, review).json()
    assert (first["state"], [one["name"] for one in first["waits_for"]]) == ("in_review", ["alice"])
    assert decide(alice_client, review).json()["state"] == "approved"


def test_one_request_for_changes_outweighs_every_approval():
    assert decided_state([], 1) == ReviewState.IN_REVIEW
    assert decided_state(["approved", "approved"], 2) == ReviewState.APPROVED
    assert decided_state(["approved"], 2) == ReviewState.IN_REVIEW
    assert decided_state(["approved", "changes_requested", "approved"], 2) == ReviewState.CHANGES_REQUESTED


def test_who_left_the_team_is_waited_for_no_more(bob_client, search, reviewer):
    review = requested(bob_client, search, [reviewer])
    Membership.objects.filter(user=reviewer).delete()
    assert read(bob_client, review)["waits_for"] == []


def test_a_search_that_runs_has_no_plans_to_review(bob_client):
    queued = start_search(bob_client, add_model(bob_client), add_pool(bob_client))
    answer = bob_client.post("/api/reviews/", {"search": queued["id"], "plan": 1}, "json")
    assert code(answer) == (409, "no_front_yet")


def test_reviews_of_another_team_are_not_there(bob_client, outsider_client, search):
    review = requested(bob_client, search)
    assert outsider_client.get("/api/reviews/").json()["count"] == 0
    answer = outsider_client.post("/api/reviews/", {"search": search["id"], "plan": 1}, "json")
    assert answer.status_code == 404
    assert code(decide(outsider_client, review)) == (404, "not_found")
    assert Review.objects.get().state == "in_review"


@pytest.mark.parametrize("agreed", [False, True])
def test_downloads_carry_the_approval_or_say_not_approved(bob_client, reviewer_client, search, agreed):
    review = (approved if agreed else lambda own, _, found: requested(own, found))(bob_client, reviewer_client, search)
    path = f"/api/searches/{search['id']}/"
    document = json.loads(bob_client.get(f"{path}plans/1/plan.json").content)
    jsonschema.validate(document, plan_schema())
    operators = list(csv.DictReader(io.StringIO(bob_client.get(f"{path}plans/1/operators.csv").content.decode())))
    front = list(csv.DictReader(io.StringIO(bob_client.get(f"{path}front.csv").content.decode())))
    said = {row["approval"] for row in operators}
    if agreed:
        assert document["approval"]["plan"] == review["plan_hash"] == document["hashes"]["plan"]
        assert (document["approval"]["state"], document["approval"]["by"]) == ("approved", ["reviewer"])
        assert len(said) == 1 and said.pop().startswith("approved by reviewer on 20")
        assert front[0]["approval"].startswith("approved by reviewer")
    else:
        assert document["approval"] == "not approved"
        assert said == {"not approved"} == {front[0]["approval"]}
    assert {row["approval"] for row in front[1:]} <= {"not approved"}
    table = bob_client.get(f"{path}plans/1/operators.csv").content
    assert bob_client.post(f"{path}evaluate/", table, content_type="text/csv").status_code == 200


def test_the_approval_of_a_plan_without_a_review_is_none(bob_client, search):
    row = Search.objects.get(pk=search["id"])
    assert approval_of(row, "0" * 64) is None
    review = opened(bob_client, search)
    said = approval_of(row, review["plan_hash"])
    assert (said.state, said.by, said.stale, said.to_dict()) == ("draft", (), False, None)
