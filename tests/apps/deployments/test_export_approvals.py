"""An archive keeps the approval that it was stamped with; beside it stands what has become of that since."""

from __future__ import annotations

import pytest

from apps.audit.models import AuditEvent
from tests.apps.reviews.steps import act, approved, decide, requested, searched
from tests.apps.support import POOL, add_pool, run_jobs


@pytest.fixture
def pool(bob_client):
    return add_pool(bob_client)


@pytest.fixture
def search(bob_client, pool):
    return searched(bob_client, pool)


def exported(client, search):
    answer = client.post(f"/api/searches/{search['id']}/plans/1/exports/", {"format": "csv"}, "json")
    assert answer.status_code == 202, answer.content
    run_jobs()
    return answer.json()["id"]


def seen(client, search, export_id):
    """The stamp in the archive and what is said of it now: the same in the list and alone."""
    listed = client.get(f"/api/searches/{search['id']}/plans/1/exports/").json()["results"]
    alone = client.get(f"/api/exports/{export_id}/").json()
    assert alone in listed
    return alone["manifest"]["approval"], alone["approval_now"]


def test_an_archive_without_an_approval_says_nothing_of_one(bob_client, search):
    assert seen(bob_client, search, exported(bob_client, search)) == ("not approved", None)


def test_an_approval_that_is_withdrawn_and_given_anew_is_told_beside_the_archive(bob_client, reviewer_client, search):
    review = approved(bob_client, reviewer_client, search)
    export = exported(bob_client, search)
    stamped, now = seen(bob_client, search, export)
    assert stamped["state"] == now["state"] == "approved"
    assert (now["holds"], now["by"], now["at"], now["reasons"]) == (True, stamped["by"], stamped["at"], [])
    rows = list(AuditEvent.objects.filter(action="plan.export").values())
    assert act(bob_client, review, "withdraw").status_code == 200
    same, now = seen(bob_client, search, export)
    assert same == stamped
    assert now == {"holds": False, "state": "draft", "by": [], "at": None, "reasons": []}
    again = requested(bob_client, search)
    assert seen(bob_client, search, export)[1]["state"] == "in_review"
    assert decide(reviewer_client, again).status_code == 200
    same, now = seen(bob_client, search, export)
    assert same == stamped and (now["holds"], now["state"]) == (False, "approved")
    assert now["by"] == stamped["by"] and now["at"] > stamped["at"]
    assert seen(bob_client, search, exported(bob_client, search))[1]["holds"] is True
    assert [row for row in AuditEvent.objects.filter(action="plan.export").values() if row in rows] == rows


def test_an_approval_that_is_stale_says_what_has_changed(bob_client, reviewer_client, search, pool):
    approved(bob_client, reviewer_client, search)
    export = exported(bob_client, search)
    devices = [{**POOL["devices"][0], "idle_power_w": 51.0}, POOL["devices"][1]]
    changed = bob_client.put(f"/api/pools/{pool['id']}/", {"spec": {"name": "two", "devices": devices}}, "json")
    assert changed.status_code == 200
    stamped, now = seen(bob_client, search, export)
    assert (stamped["state"], stamped["stale"]) == ("approved", False)
    assert (now["holds"], now["state"]) == (False, "stale")
    assert [reason["code"] for reason in now["reasons"]] == ["pool_changed"]
    stamped, now = seen(bob_client, search, exported(bob_client, search))
    assert stamped["state"] == now["state"] == "stale" and now["holds"] is False
