"""Plans that were kept by hand: their numbers stay, and they leave when nobody has agreed on anything about them."""

import pytest

from apps.audit.models import AuditEvent
from apps.deployments.models import PlanExport
from apps.jobs.models import Job
from apps.reviews.models import Review
from apps.searches.models import KeptPlan, Search
from heteroopt.deployment.report_html import embedded_data
from tests.apps.reviews import steps
from tests.apps.searches.test_solver_plans import fastest, prove  # noqa: F401
from tests.apps.support import add_model, add_pool, long_model, run_jobs, start_search

SMALL = {"population_size": 16, "generations": 4, "seed": 1}


@pytest.fixture
def search(alice_client):
    found = start_search(alice_client, add_model(alice_client, long_model(3)), add_pool(alice_client), SMALL)
    run_jobs()
    return Search.objects.get(pk=found["id"])


@pytest.fixture
def path(search):
    return f"/api/searches/{search.pk}/"


def keep(client, path, step=1):
    """Keep plan 1 with its operators to and fro between two devices: slow, so no search keeps that."""
    base = client.get(f"{path}plans/1/").json()
    moves = [{"operator": op["index"], "device": op["order"] // step % 2} for op in base["operators"]]
    answer = client.post(f"{path}kept/", {"base": base["hash"], "moves": moves}, "json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def front(client, path):
    return client.get(f"{path}front/").json()


def numbers(client, path):
    return {plan["hash"]: plan["number"] for plan in front(client, path)["plans"]}


def test_a_number_stays_when_plans_come_and_go(alice_client, path, search, fastest, monkeypatch):  # noqa: F811
    before = front(alice_client, path)
    count = len(before["plans"])
    assert before["next_number"] == count + 1
    first, second = keep(alice_client, path), keep(alice_client, path, 2)
    assert (first["number"], second["number"]) == (count + 1, count + 2)
    # A solver's plan joins the front: it stands before them in the list, under the next number.
    prove(alice_client, path, search, monkeypatch, fastest)
    joined = alice_client.post(f"{path}proof/plan/", {}, "json").json()
    assert joined["number"] == count + 3
    now = numbers(alice_client, path)
    assert (now[first["hash"]], now[second["hash"]], now[joined["hash"]]) == (count + 1, count + 2, count + 3)
    for number, plan_hash in ((count + 1, first["hash"]), (count + 3, joined["hash"])):
        assert alice_client.get(f"{path}plans/{number}/").json()["hash"] == plan_hash
    table = alice_client.get(f"{path}front.csv").content.decode("utf-8-sig").splitlines()
    assert sorted(int(row.split(",")[0]) for row in table[1:]) == list(range(1, count + 4))
    # What the solver's plan equals or beats is named by number, not by place.
    rows = alice_client.get(f"{path}plans/{count + 3}/operators.csv").content
    placed = alice_client.post(f"{path}evaluate/", rows, content_type="text/csv").json()
    assert placed["position"]["equal_to"] == [count + 3]
    # One goes: the others stay as they are, and its number is not given again.
    assert alice_client.delete(f"{path}kept/{second['hash']}/").status_code == 204
    assert numbers(alice_client, path) == {h: n for h, n in now.items() if h != second["hash"]}
    assert alice_client.get(f"{path}plans/{count + 2}/").status_code == 404
    assert (
        alice_client.get(f"{path}plans/{count + 2}/", {"hash": second["hash"]}).json()["error"]["code"] == "plan_gone"
    )
    assert front(alice_client, path)["next_number"] == count + 4
    assert keep(alice_client, path, 2)["number"] == count + 4


def test_while_a_search_runs_its_front_may_grow_beneath_a_kept_plan(alice_client, path, search):
    Job.objects.filter(pk=search.job_id).update(state="running")
    assert keep(alice_client, path)["number"] == 129
    Job.objects.filter(pk=search.job_id).update(state="done")
    assert keep(alice_client, path, 2)["number"] == 130


def test_the_report_of_a_kept_plan_shows_it_beside_the_front(alice_client, path):
    plans = front(alice_client, path)["plans"]
    own = keep(alice_client, path)
    data = embedded_data(alice_client.get(f"{path}plans/{own['number']}/report.html").content.decode())
    assert (data["chosen"], data["numbers"]) == (len(plans), [*range(1, len(plans) + 1), own["number"]])
    time, energy, balance = (axis["values"] for axis in data["axes"])
    assert time == [plan["exec_time_ms"] for plan in plans] + [own["exec_time_ms"]]
    assert (energy[-1], balance[-1]) == (own["energy_j"], own["load_balance"])
    other = embedded_data(alice_client.get(f"{path}plans/2/report.html").content.decode())
    assert (other["chosen"], len(other["numbers"])) == (1, len(plans))


def test_exports_and_an_unused_review_go_with_the_plan(alice_client, bob_client, path, search):
    own = keep(alice_client, path)
    asked = f"{path}plans/{own['number']}/exports/"
    export = alice_client.post(asked, {"format": "plan-json"}, "json").json()
    run_jobs()
    steps.opened(alice_client, {"id": str(search.pk)}, own["number"])
    other = alice_client.post(f"{path}plans/1/exports/", {"format": "plan-json"}, "json").json()
    assert bob_client.delete(f"{path}kept/{own['hash']}/").status_code == 204
    assert not Review.objects.exists()
    assert [str(row.pk) for row in PlanExport.objects.all()] == [other["id"]]
    assert alice_client.get(f"/api/exports/{export['id']}/").status_code == 404
    event = AuditEvent.objects.get(action="plan.remove_kept")
    assert (event.user.username, str(event.object_id)) == ("bob", str(search.pk))
    assert event.details == {"plan": own["hash"], "number": own["number"]}
    assert bob_client.delete(f"{path}kept/{own['hash']}/").status_code == 404


@pytest.mark.parametrize("used", ["discussed", "sent"])
def test_a_plan_that_was_reviewed_stays(alice_client, bob_client, path, search, used):
    own = keep(alice_client, path)
    review = steps.opened(bob_client, {"id": str(search.pk)}, own["number"])
    if used == "sent":
        assert steps.act(bob_client, review, "request").status_code == 200
        assert steps.act(bob_client, review, "withdraw").status_code == 200
    else:
        said = {"anchor": {"kind": "plan"}, "body": "Why here?"}
        assert bob_client.post(f"/api/reviews/{review['id']}/threads/", said, "json").status_code == 201
    alice_client.post(f"{path}plans/{own['number']}/exports/", {"format": "plan-json"}, "json")
    refused = alice_client.delete(f"{path}kept/{own['hash']}/")
    assert steps.code(refused) == (409, "kept_plan_reviewed")
    assert refused.json()["error"]["params"] == {"number": own["number"], "review": review["id"]}
    assert KeptPlan.objects.count() == PlanExport.objects.count() == 1


def test_an_edit_that_is_removed_makes_nothing_stale_any_more(alice_client, bob_client, reviewer_client, path, search):
    steps.approved(bob_client, reviewer_client, {"id": str(search.pk)})
    own = keep(alice_client, path)
    document = alice_client.get(f"{path}plans/1/plan.json").json()
    assert document["approval"]["state"] == "stale"
    assert alice_client.delete(f"{path}kept/{own['hash']}/").status_code == 204
    assert alice_client.get(f"{path}plans/1/plan.json").json()["approval"]["state"] == "approved"


def test_only_those_who_plan_in_the_team_remove(alice_client, viewer_client, reviewer_client, outsider_client, path):
    own = keep(alice_client, path)
    for client, status in ((viewer_client, 403), (reviewer_client, 403), (outsider_client, 404)):
        assert client.delete(f"{path}kept/{own['hash']}/").status_code == status
    # What the search found itself is not theirs to remove.
    found = front(alice_client, path)["plans"][0]["hash"]
    assert alice_client.delete(f"{path}kept/{found}/").status_code == 404
    assert KeptPlan.objects.get().hash == own["hash"]
