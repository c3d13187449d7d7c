"""Threads: anchored to what the plan has, told to those who are named, edited by who wrote."""

import pytest

from apps.reviews.models import Comment, Notification
from tests.apps.reviews.steps import code, opened, read, told


def thread(client, review, body="Why?", **anchor):
    return client.post(
        f"/api/reviews/{review['id']}/threads/", {"anchor": {"kind": "plan", **anchor}, "body": body}, "json"
    )


@pytest.fixture
def review(bob_client, search):
    return opened(bob_client, search)


@pytest.mark.parametrize(
    ("anchor", "shown"),
    [
        ({}, ("plan", None, "", "", None, None)),
        ({"kind": "operator", "operator": 0}, ("operator", 0, "stem/matmul", "", None, None)),
        ({"kind": "lane", "device": "cpu0"}, ("lane", None, "", "cpu0", None, None)),
        ({"kind": "range", "start_ms": 0.25, "end_ms": 0.5}, ("range", None, "", "", 0.25, 0.5)),
        (
            {"kind": "range", "device": "gpu0", "start_ms": 0, "end_ms": 1},
            ("range", None, "", "gpu0", 0.0, 1.0),
        ),
    ],
)
def test_a_thread_is_about_a_plan_an_operator_a_lane_or_a_time(bob_client, review, anchor, shown):
    answer = thread(bob_client, review, **anchor)
    assert answer.status_code == 201
    found = answer.json()["threads"][0]["anchor"]
    assert tuple(found[key] for key in ("kind", "operator", "operator_name", "device", "start_ms", "end_ms")) == shown


@pytest.mark.parametrize(
    ("anchor", "refused"),
    [
        ({"kind": "operator"}, "anchor_operator"),
        ({"kind": "operator", "operator": 99}, "anchor_operator"),
        ({"kind": "operator", "operator": -1}, "anchor_operator"),
        ({"kind": "lane"}, "anchor_device"),
        ({"kind": "lane", "device": "gpu7"}, "anchor_device"),
        ({"kind": "range"}, "anchor_range"),
        ({"kind": "range", "start_ms": 1, "end_ms": 1}, "anchor_range"),
        ({"kind": "range", "start_ms": -1, "end_ms": 1}, "anchor_range"),
        ({"kind": "range", "device": "gpu7", "start_ms": 0, "end_ms": 1}, "anchor_device"),
        ({"kind": "elsewhere"}, "invalid"),
    ],
)
def test_a_thread_about_what_is_not_there_is_refused(bob_client, review, anchor, refused):
    assert code(thread(bob_client, review, **anchor)) == (400, refused)
    assert read(bob_client, review)["n_threads"] == 0


def test_members_who_are_named_are_told_and_others_are_not(
    bob_client, alice_client, reviewer_client, outsider_client, review, outsider
):
    answer = thread(bob_client, review, body="@reviewer, @outsider and @bob: see this")
    comment = answer.json()["threads"][0]["comments"][0]
    assert {(one["user"]["name"], one["text"]) for one in comment["mentions"]} == {
        ("reviewer", "reviewer"),
        ("bob", "bob"),
    }
    assert told(reviewer_client) == [("mention", True)]
    assert told(bob_client) == [] == told(alice_client)
    assert told(outsider_client) == []
    assert not Notification.objects.filter(user=outsider).exists()


def test_who_takes_part_is_told_of_answers(bob_client, alice_client, reviewer_client, review):
    found = thread(reviewer_client, review).json()["threads"][0]
    assert told(bob_client) == [("comment", True)]
    bob_client.post(f"/api/threads/{found['id']}/comments/", {"body": "Because."}, "json")
    assert told(reviewer_client) == [("comment", True)]
    assert told(alice_client) == []
    assert alice_client.post(f"/api/threads/{found['id']}/resolve/").json()["n_open_threads"] == 0
    assert told(reviewer_client)[0] == ("resolved", True)


def test_resolving_and_answering_again(bob_client, reviewer_client, review):
    found = thread(bob_client, review).json()["threads"][0]
    path = f"/api/threads/{found['id']}/"
    for _ in range(2):
        resolved = reviewer_client.post(f"{path}resolve/").json()["threads"][0]
        assert resolved["resolved_by"]["name"] == "reviewer"
    assert bob_client.post(f"{path}reopen/").json()["n_open_threads"] == 1
    reviewer_client.post(f"{path}resolve/")
    answered = bob_client.post(f"{path}comments/", {"body": "One more thing"}, "json").json()
    assert (answered["n_open_threads"], len(answered["threads"][0]["comments"])) == (1, 2)
    kinds = [one["kind"] for one in answered["history"]]
    assert kinds == ["opened", "resolved", "reopened", "resolved"]


def test_only_who_wrote_a_comment_changes_it(bob_client, alice_client, reviewer_client, viewer_client, review):
    comment = thread(bob_client, review, "@alice first").json()["threads"][0]["comments"][0]
    path = f"/api/comments/{comment['id']}/"
    for client, refused in ((alice_client, "comment_not_yours"), (viewer_client, "permission_denied")):
        assert code(client.patch(path, {"body": "x"}, "json")) == (403, refused)
        assert code(client.delete(path)) == (403, refused)
    edited = bob_client.patch(path, {"body": "@alice and @reviewer"}, "json").json()["threads"][0]["comments"][0]
    assert edited["edited_at"] is not None and edited["body"] == "@alice and @reviewer"
    # Who was named before is not told again.
    assert told(alice_client) == [("mention", True)] == told(reviewer_client)
    gone = bob_client.delete(path).json()["threads"][0]["comments"][0]
    assert (gone["body"], gone["mentions"]) == ("", []) and gone["deleted_at"] is not None
    assert bob_client.patch(path, {"body": "back"}, "json").status_code == 404
    assert Comment.objects.get().body == ""


def test_viewers_read_only(viewer_client, bob_client, review):
    found = thread(bob_client, review).json()["threads"][0]
    assert code(thread(viewer_client, review)) == (403, "permission_denied")
    for action in ("resolve", "reopen", "comments"):
        assert viewer_client.post(f"/api/threads/{found['id']}/{action}/", {"body": "x"}, "json").status_code == 403
    assert read(viewer_client, review)["threads"][0]["comments"][0]["body"] == "Why?"


@pytest.mark.parametrize("body", ["", "   ", "x" * 10_001])
def test_a_comment_has_text_of_a_bounded_length(bob_client, review, body):
    assert code(thread(bob_client, review, body)) == (400, "invalid")


def test_notifications_are_counted_and_marked_as_read(bob_client, alice_client, reviewer_client, review):
    for _ in range(3):
        thread(bob_client, review, "@reviewer")
    assert reviewer_client.get("/api/notifications/unread/").json() == {"unread": 3}
    first = reviewer_client.get("/api/notifications/").json()["results"][0]
    # The ids of others change nothing.
    assert alice_client.post("/api/notifications/read/", {"ids": [first["id"]]}, "json").json() == {"unread": 0}
    assert reviewer_client.post("/api/notifications/read/", {"ids": [first["id"]]}, "json").json() == {"unread": 2}
    assert reviewer_client.get("/api/notifications/", {"unread": "true"}).json()["count"] == 2
    assert reviewer_client.post("/api/notifications/read/", {}, "json").json() == {"unread": 0}
    assert first["review"]["model"] == "model" and first["actor"]["name"] == "bob"
