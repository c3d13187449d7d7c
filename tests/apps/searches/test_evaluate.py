"""A placement made by hand against the front of a search."""

import pytest

from apps.searches.models import SearchFront
from tests.apps.support import add_model, add_pool, long_model, run_jobs, start_search, two_branches

SMALL = {"population_size": 16, "generations": 4, "seed": 1}


@pytest.fixture
def search(alice_client):
    found = start_search(alice_client, add_model(alice_client, long_model(4)), add_pool(alice_client), SMALL)
    run_jobs()
    return found


def evaluate(client, search, body, kind="json", code=200):
    given = {"format": "json"} if kind == "json" else {"content_type": kind}
    answer = client.post(f"/api/searches/{search['id']}/evaluate/", body, **given)
    assert answer.status_code == code, answer.content
    return answer.json()


def test_the_table_of_every_plan_comes_back_to_its_figures(alice_client, search):
    path = f"/api/searches/{search['id']}/"
    front = alice_client.get(f"{path}front/").json()
    for summary in front["plans"]:
        table = alice_client.get(f"{path}plans/{summary['number']}/operators.csv").content
        plan = evaluate(alice_client, search, table, "text/csv")
        detail = alice_client.get(f"{path}plans/{summary['number']}/").json()
        assert {key: plan[key] for key in detail} == {**detail, "number": None}
        assert plan["position"]["relation"] == "equal"
        assert summary["number"] in plan["position"]["equal_to"]
        assert (plan["order_source"], plan["unfused"], plan["messages"]) == ("given", False, [])


def test_a_placement_of_ones_own_stands_beside_the_front(alice_client, search):
    path = f"/api/searches/{search['id']}/"
    operators = alice_client.get(f"{path}plans/1/").json()["operators"]
    devices = ["gpu0", "cpu0"]
    rows = [{"operator": op["name"], "device": devices[op["index"] % 2]} for op in operators]
    plan = evaluate(alice_client, search, {"placement": rows})
    assert [op["device"] for op in plan["operators"]] == [op["index"] % 2 for op in operators]
    assert all(op["reason"]["code"] for op in plan["operators"])
    assert plan["order_source"] == "critical_path_rank"
    assert [message["code"] for message in plan["messages"]] == ["placement_ordered_by_rank"]
    assert plan["position"]["relation"] in ("dominated", "non_dominated")
    keys = ("exec_time_ms", "energy_j", "load_balance")
    for other in alice_client.get(f"{path}front/").json()["plans"]:
        better = all(other[key] <= plan[key] for key in keys) and any(other[key] < plan[key] for key in keys)
        assert (other["number"] in plan["position"]["dominated_by"]) == better


def test_a_placement_that_splits_a_fused_operator_is_evaluated_without_fusion(alice_client):
    search = start_search(alice_client, add_model(alice_client, two_branches()), add_pool(alice_client), SMALL)
    run_jobs()
    names = ["stem/matmul", "left/matmul", "left/relu", "right/matmul", "right/sigmoid", "merge/join", "head/matmul"]
    rows = [{"operator": name, "device": "gpu0", "order": place} for place, name in enumerate(names)]
    whole = evaluate(alice_client, search, {"placement": rows})
    assert (whole["unfused"], len(whole["operators"])) == (False, 4)
    rows[2]["device"] = "cpu0"
    split = evaluate(alice_client, search, {"placement": rows})
    assert (split["unfused"], len(split["operators"])) == (True, 7)
    assert split["messages"] == [{"code": "placement_unfused", "params": {"operators": ["left/matmul"], "count": 1}}]


def test_a_search_without_a_front_has_no_position_yet(alice_client, search):
    table = alice_client.get(f"/api/searches/{search['id']}/plans/1/operators.csv").content
    SearchFront.objects.all().delete()
    plan = evaluate(alice_client, search, table, "text/csv")
    assert (plan["position"], plan["revision"]) == (None, None)


@pytest.mark.parametrize(
    ("body", "kind", "code"),
    [
        ({"placement": [{"operator": "nobody", "device": "gpu0"}]}, "json", "placement_unknown_operator"),
        ({"placement": [{"operator": "block0/stem", "device": "gpu0"}]}, "json", "placement_missing"),
        ({"placement": []}, "json", "placement_empty"),
        ({"placement": "block0/stem"}, "json", "placement_unknown_operator"),
        ({}, "json", "placement_empty"),
        ([3], "json", "placement_row"),
        (b"operator;device\n", "text/csv", "placement_columns"),
        (b"\xff", "text/csv", "placement_unreadable"),
        (b"", "text/csv", "placement_empty"),
    ],
)
def test_what_is_wrong_is_named(alice_client, search, body, kind, code):
    assert evaluate(alice_client, search, body, kind, 400)["error"]["code"] == code


def test_a_pin_of_the_search_holds(alice_client):
    model = add_model(alice_client, two_branches())
    search = start_search(alice_client, model, add_pool(alice_client), {**SMALL, "pins": {"head/matmul": "gpu0"}})
    run_jobs()
    operators = alice_client.get(f"/api/searches/{search['id']}/plans/1/").json()["operators"]
    rows = [{"operator": op["name"], "device": "cpu0"} for op in operators]
    error = evaluate(alice_client, search, {"placement": rows}, code=400)["error"]
    assert (error["code"], error["params"]["operator"]) == ("placement_pinned", "head/matmul")
