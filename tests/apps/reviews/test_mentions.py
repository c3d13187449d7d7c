"""Who a comment names."""

import pytest

from apps.accounts.models import User
from apps.reviews.mentions import mentioned

ALICE = User(username="alice", name="Alice", email="alice@example.org")
LONG = User(username="al", name="Alice Smith", email="")
LI = User(username="li", name="李雷", email="li@example.org")
TWIN = User(username="twin", name="Alice", email="twin@example.org")


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("@alice look", {ALICE: "alice"}),
        ("look, @Alice!", {ALICE: "Alice"}),
        ("(@alice@example.org)", {ALICE: "alice@example.org"}),
        ("@alice.", {ALICE: "alice"}),
        ("@Alice Smith, and @alice", {LONG: "Alice Smith", ALICE: "alice"}),
        ("@alices @alice_2 @alice-b @alice.b", {}),
        ("mail bob@alice or x.@alice", {}),
        ("请@李雷看一下", {LI: "李雷"}),
        ("@@alice", {}),
        ("@", {}),
        ("@nobody @ alice", {}),
        ("@al @al", {LONG: "al"}),
    ],
)
def test_the_longest_name_of_a_member_counts(body, named):
    assert mentioned(body, [ALICE, LONG, LI]) == named


def test_a_name_that_two_have_names_both_and_an_address_one():
    assert set(mentioned("@alice", [ALICE, TWIN])) == {ALICE, TWIN}
    assert set(mentioned("@twin@example.org", [ALICE, TWIN])) == {TWIN}
