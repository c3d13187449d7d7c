"""Operators moved by hand: the plan decoded again, kept beside the front, and read like any other."""

import csv
import io
import json

import pytest

from apps.searches.models import FrontStep, KeptPlan
from tests.apps.support import add_model, add_pool, long_model, run_jobs, start_search, two_branches

SMALL = {"population_size": 16, "generations": 4, "seed": 1}


@pytest.fixture
def search(alice_client):
    found = start_search(alice_client, add_model(alice_client, long_model(4)), add_pool(alice_client), SMALL)
    run_jobs()
    return found


def ask(client, search, path, body, code=200):
    answer = client.post(f"/api/searches/{search['id']}/{path}/", body, "json")
    assert answer.status_code == code, answer.content
    return answer.json()


def read(client, search, path):
    answer = client.get(f"/api/searches/{search['id']}/{path}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def movable(plan):
    """An operator of the plan with a device that it may move to, and what the plan says of that move."""
    return next((op, move) for op in plan["operators"] for move in op["alternatives"] if move["code"] == "ok")


def test_a_move_does_what_the_alternative_said(alice_client, search):
    plan = read(alice_client, search, "plans/1/")
    operator, move = movable(plan)
    moves = [{"operator": operator["index"], "device": move["device"]}]
    tried = ask(alice_client, search, "what-if", {"base": plan["hash"], "moves": moves})
    assert tried["exec_time_ms"] == pytest.approx(plan["exec_time_ms"] + move["delta_time_ms"])
    assert tried["energy_j"] == pytest.approx(plan["energy_j"] + move["delta_energy_j"])
    assert (tried["number"], tried["base"]) == (None, plan["hash"])
    assert {op["index"]: op["device"] for op in tried["moved"]}[operator["index"]] == move["device"]
    assert max(tried["end_ms"]) <= tried["exec_time_ms"]
    assert len(tried["start_ms"]) == len(plan["operators"])
    why = ask(alice_client, search, f"what-if/operators/{operator['index']}", {"base": plan["hash"], "moves": moves})
    back = next(other for other in why["alternatives"] if other["device"] == operator["device"])
    assert back["delta_time_ms"] == pytest.approx(-move["delta_time_ms"])


def test_moves_add_up_and_moving_back_is_the_plan_again(alice_client, search):
    plan = read(alice_client, search, "plans/1/")
    operator, move = movable(plan)
    there, back = ({"operator": operator["index"], "device": device} for device in (move["device"], operator["device"]))
    same = ask(alice_client, search, "what-if", {"base": plan["hash"], "moves": [there, back]})
    assert (same["hash"], same["moved"]) == (plan["hash"], [])
    everywhere = [{"operator": op["index"], "device": 1} for op in plan["operators"]]
    whole = ask(alice_client, search, "what-if", {"base": plan["hash"], "moves": everywhere})
    assert [device["operators"] for device in whole["devices"]] == [0, len(plan["operators"])]


def kept(client, search, code=201):
    plan = read(client, search, "plans/1/")
    operators = [op["index"] for op in plan["operators"]]
    # Every second operator elsewhere: no search keeps that.
    moves = [{"operator": i, "device": 1 - plan["operators"][i]["device"]} for i in operators[::2]]
    return plan, ask(client, search, "kept", {"base": plan["hash"], "moves": moves}, code)


def test_a_kept_plan_is_a_plan_like_others(alice_client, search):
    before = read(alice_client, search, "front/")
    base, own = kept(alice_client, search)
    front = read(alice_client, search, "front/")
    assert own["number"] == len(before["plans"]) + 1
    assert front["plans"] == [*before["plans"], own]
    assert own["kept"]["base"] == base["hash"]
    assert own["kept"]["moved"] == len(base["operators"][::2])
    assert own["kept"]["by"] == "alice"
    # Read by number and by hash, with the figures that it was kept with.
    detail = read(alice_client, search, f"plans/{own['number']}/")
    assert read(alice_client, search, f"plans/1/?hash={own['hash']}") == detail
    assert {key: detail[key] for key in own} == own
    assert [op["device"] for op in detail["operators"][::2]] == [1 - op["device"] for op in base["operators"][::2]]
    # Downloads carry it, and give its hash and its number.
    whole = read(alice_client, search, f"plans/{own['number']}/plan.json")
    assert own["hash"] in json.dumps(whole)
    table = alice_client.get(f"/api/searches/{search['id']}/front.csv").content.decode("utf-8-sig")
    rows = [row for row in csv.reader(io.StringIO(table)) if row and row[0].isdigit()]
    assert [int(row[0]) for row in rows] == [plan["number"] for plan in front["plans"]]
    operators = alice_client.get(f"/api/searches/{search['id']}/plans/{own['number']}/operators.csv").content
    again = alice_client.post(f"/api/searches/{search['id']}/evaluate/", operators, content_type="text/csv").json()
    assert again["hash"] == own["hash"]
    trace = read(alice_client, search, f"plans/{own['number']}/trace.json")
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert len(slices) >= len(base["operators"])
    report = alice_client.get(f"/api/searches/{search['id']}/plans/{own['number']}/report.html")
    assert report["Content-Disposition"].startswith("attachment")
    assert own["hash"].encode() in report.content or base["operators"][0]["name"].encode() in report.content
    # Keeping it again gives the same plan, also from its table.
    assert kept(alice_client, search, 200)[1] == own
    answer = alice_client.post(f"/api/searches/{search['id']}/kept/", operators, content_type="text/csv")
    assert (answer.status_code, answer.json()["hash"]) == (200, own["hash"])
    # It is a base like others.
    moves = [{"operator": 0, "device": base["operators"][0]["device"]}]
    assert ask(alice_client, search, "what-if", {"base": own["hash"], "moves": moves})["base"] == own["hash"]


def test_a_placement_that_splits_joined_operators_can_be_kept(alice_client):
    search = start_search(alice_client, add_model(alice_client, two_branches()), add_pool(alice_client), SMALL)
    run_jobs()
    names = ["stem/matmul", "left/matmul", "left/relu", "right/matmul", "right/sigmoid", "merge/join", "head/matmul"]
    rows = [{"operator": name, "device": "gpu0", "order": place} for place, name in enumerate(names)]
    rows[2]["device"] = "cpu0"
    own = ask(alice_client, search, "kept", {"placement": rows}, 201)
    detail = read(alice_client, search, f"plans/{own['number']}/")
    assert [op["name"] for op in detail["operators"]] == names
    assert read(alice_client, search, f"plans/{own['number']}/operators/2/")["name"] == "left/relu"
    assert ask(alice_client, search, "kept", {"placement": rows})["hash"] == own["hash"]


@pytest.mark.parametrize(
    ("move", "code"),
    [({"operator": 99999, "device": 0}, "what_if_unknown"), ({"operator": 0, "device": 9}, "what_if_unknown")],
)
def test_a_move_that_cannot_be_is_refused(alice_client, search, move, code):
    plan = read(alice_client, search, "front/")["plans"][0]
    body = {"base": plan["hash"], "moves": [move]}
    assert ask(alice_client, search, "what-if", body, 400)["error"]["code"] == code
    assert ask(alice_client, search, "kept", body, 400)["error"]["code"] == code
    gone = {"base": "0" * 64, "moves": [{"operator": 0, "device": 0}]}
    assert ask(alice_client, search, "what-if", gone, 409)["error"]["code"] == "plan_gone"
    assert not KeptPlan.objects.exists()


def test_pins_hold_in_a_what_if(alice_client):
    model, pool = add_model(alice_client, long_model(4)), add_pool(alice_client)
    search = start_search(alice_client, model, pool, {**SMALL, "pins": {"block0/stem": "gpu0"}})
    run_jobs()
    plan = read(alice_client, search, "plans/1/")
    pinned = next(op["index"] for op in plan["operators"] if op["name"] == "block0/stem")
    body = {"base": plan["hash"], "moves": [{"operator": pinned, "device": 1}]}
    assert ask(alice_client, search, "what-if", body, 400)["error"]["code"] == "what_if_pinned"


def test_the_team_tries_planners_keep_and_outsiders_see_nothing(
    alice_client, bob_client, viewer_client, outsider_client, search
):
    plan = read(alice_client, search, "front/")["plans"][0]
    body = {"base": plan["hash"], "moves": [{"operator": 0, "device": 1}]}
    for path in ("what-if", "what-if/operators/0", "kept"):
        ask(outsider_client, search, path, body, 404)
    assert outsider_client.get(f"/api/searches/{search['id']}/steps/").status_code == 404
    ask(viewer_client, search, "what-if", body)
    assert kept(viewer_client, search, 403)
    assert not KeptPlan.objects.exists()
    _, own = kept(bob_client, search)
    assert own["kept"]["by"] == "bob"
    assert read(viewer_client, search, f"plans/{own['number']}/")["hash"] == own["hash"]


def test_the_fronts_of_generations_are_kept_for_the_replay(alice_client, search):
    steps = read(alice_client, search, "steps/")
    front = read(alice_client, search, "front/")
    assert steps["objectives"] == ["exec_time_ms", "energy_j", "load_balance"]
    assert steps["steps"][-1]["generation"] == front["generation"]
    last = [[plan[key] for key in steps["objectives"]] for plan in front["plans"]]
    assert steps["steps"][-1]["values"] == [pytest.approx(row, rel=1e-5) for row in last]
    assert FrontStep.objects.count() <= 60


def test_a_search_that_ends_between_two_writes_can_be_replayed_too(alice_client, monkeypatch):
    monkeypatch.setattr("workers.runners.search.WRITE_SECONDS", 1000)
    model, pool = add_model(alice_client, long_model(8)), add_pool(alice_client)
    search = start_search(alice_client, model, pool, {"population_size": 32, "generations": 6, "seed": 1})
    run_jobs()
    steps = read(alice_client, search, "steps/")["steps"]
    assert read(alice_client, search, "front/")["generation"] == 6
    assert [step["generation"] for step in steps] == list(range(7))
    assert all(step["values"] for step in steps)
