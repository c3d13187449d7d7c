"""Items in flight through a plan: over the REST interface and in the trace."""

import json
from itertools import pairwise

import pytest

from tests.apps.support import add_model, add_pool, long_model, run_jobs, start_search

SMALL = {"population_size": 16, "generations": 2, "seed": 1}


def searched(client, **settings):
    search = start_search(client, add_model(client, long_model(2)), add_pool(client), {**SMALL, **settings})
    run_jobs()
    return f"/api/searches/{search['id']}/plans/1/"


def test_a_pipelined_plan_shows_its_items(alice_client, outsider_client):
    path = searched(alice_client, objectives=["throughput_per_s", "energy_j"], items_in_flight=4)
    plan, items = alice_client.get(path).json(), alice_client.get(f"{path}items/").json()
    assert (items["items"], items["asked"], items["arrival_rate_per_s"]) == (4, 4, None)
    assert items["arrival_ms"] == [0.0] * 4
    assert max(items["finish_ms"]) == pytest.approx(max(map(max, items["end_ms"])))
    first = [op["time_ms"] for op in plan["operators"]]
    for starts, ends in zip(items["start_ms"], items["end_ms"], strict=True):
        assert [end - start for start, end in zip(starts, ends, strict=True)] == pytest.approx(first)
    for device in range(2):
        busy = sorted(
            (start, end)
            for starts, ends in zip(items["start_ms"], items["end_ms"], strict=True)
            for op, start, end in zip(plan["operators"], starts, ends, strict=True)
            if op["device"] == device
        )
        assert all(one[1] <= after[0] + 1e-9 for one, after in pairwise(busy))
    assert len(items["transfers"]) == 4 * len(plan["transfers"])
    # What they hold together: each item at least once at its input, weights but once, and nothing of it after the end.
    assert [curve["device"] for curve in items["memory"]] == [curve["device"] for curve in plan["memory"]]
    for curve, alone in zip(items["memory"], plan["memory"], strict=True):
        assert curve["peak_bytes"] == max(size for _, size in curve["points"]) >= alone["peak_bytes"]
        assert curve["limit_bytes"] == alone["limit_bytes"]
        assert curve["points"][-1][0] == pytest.approx(max(items["finish_ms"]))
    chain = [(items["start_ms"][item][op], items["end_ms"][item][op]) for item, op in items["critical_path"]]
    assert chain[0][0] == 0.0 and all(one[1] <= after[0] for one, after in pairwise(chain))
    # By hash too, and for nobody else.
    assert alice_client.get(f"{path}items/", {"hash": plan["hash"]}).json() == items
    assert outsider_client.get(f"{path}items/").status_code == 404
    # The trace has them beside the single run.
    events = json.loads(alice_client.get(f"{path}trace.json").content)["traceEvents"]
    mine = [event for event in events if event["ph"] == "X" and event["pid"] == 4]
    assert {event["args"]["item"] for event in mine} == {1, 2, 3, 4}
    assert len(mine) == 4 * len(plan["operators"])
    third = next(event for event in mine if event["args"]["item"] == 3 and event["args"]["index"] == 0)
    assert third["args"]["start_ps"] == pytest.approx(items["start_ms"][2][0] * 1e9)
    assert third["name"] == f"3: {plan['operators'][0]['name']}"


def test_a_plan_of_one_item_has_no_items_in_its_trace(alice_client):
    path = searched(alice_client)
    events = json.loads(alice_client.get(f"{path}trace.json").content)["traceEvents"]
    assert {event["pid"] for event in events} <= {1, 2, 3}
    assert alice_client.get(f"{path}items/").json()["items"] == 32
