"""Downloads: valid by the schema, equal to the page, safe in a spreadsheet and in a header."""

import csv
import io
import json

import jsonschema
import pytest
from onnx import helper

from apps.audit.models import AuditEvent
from heteroopt.deployment.csv_cells import restored
from heteroopt.deployment.plan_reader import plan_schema
from tests.apps.support import add_model, add_pool, onnx_bytes, run_jobs, start_search, value

SMALL = {"population_size": 16, "generations": 4, "seed": 1}
HOSTILE = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", 'a,"b"', "../../etc/passwd", "<script>alert(1)</script>"]


@pytest.fixture
def search(alice_client):
    nodes = [helper.make_node("MatMul", [f"t{i}", f"t{i}"], [f"t{i + 1}"], name=name) for i, name in enumerate(HOSTILE)]
    data = onnx_bytes(nodes, [value("t0", [64, 64])], [value(f"t{len(HOSTILE)}", [64, 64])])
    model = add_model(alice_client, data, 'm"\r\nX-Evil: 1.onnx')
    found = start_search(alice_client, model, add_pool(alice_client), SMALL)
    run_jobs()
    return found


def test_the_plan_is_valid_json_by_its_schema_and_says_what_the_page_says(alice_client, search):
    path = f"/api/searches/{search['id']}/plans/1/"
    shown = alice_client.get(path).json()
    answer = alice_client.get(f"{path}plan.json")
    assert answer["Content-Type"] == "application/json"
    document = json.loads(answer.content)
    jsonschema.validate(document, plan_schema())
    assert document["hashes"]["plan"] == shown["hash"]
    assert document["hashes"]["pool"] == alice_client.get(f"/api/pools/{search['pool']['id']}/").json()["pool_hash"]
    assert document["plan"]["exec_time_ms"] == shown["exec_time_ms"]
    assert document["plan"]["energy_x"] == shown["energy_x"]
    assert document["seed"] == 1
    assert [op["name"] for op in sorted(document["operators"], key=lambda op: op["index"])] == [
        op["name"] for op in shown["operators"]
    ]
    assert AuditEvent.objects.filter(action="plan.download", denied=False).count() == 1


def test_the_operator_table_is_safe_in_a_spreadsheet_and_reads_back_equal(alice_client, search):
    path = f"/api/searches/{search['id']}/plans/1/"
    shown = alice_client.get(path).json()["operators"]
    answer = alice_client.get(f"{path}operators.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert len(rows) == len(shown)
    by_index = {op["index"]: op for op in shown}
    for row in rows:
        assert not any(cell.startswith(("=", "+", "@")) for cell in row.values())
        op = by_index[int(row["index"])]
        assert restored(row["name"]) == op["name"]
        assert float(row["start (ms)"]) == op["start_ms"]
        assert float(row["energy (J)"]) == op["energy_j"]


def test_the_front_table_has_every_plan_with_full_precision(alice_client, search):
    plans = alice_client.get(f"/api/searches/{search['id']}/front/").json()["plans"]
    answer = alice_client.get(f"/api/searches/{search['id']}/front.csv")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [int(row["plan"]) for row in rows] == [plan["number"] for plan in plans]
    assert [float(row["execution time (ms)"]) for row in rows] == [plan["exec_time_ms"] for plan in plans]
    assert [row["hash"] for row in rows] == [plan["hash"] for plan in plans]


def test_names_of_users_cannot_break_a_header(alice_client, search):
    for name in ("plans/1/plan.json", "plans/1/operators.csv", "front.csv"):
        answer = alice_client.get(f"/api/searches/{search['id']}/{name}")
        assert "X-Evil" not in answer
        disposition = answer["Content-Disposition"]
        assert disposition.startswith('attachment; filename="') and disposition.count('"') == 2
        assert "\r" not in disposition and "\n" not in disposition


def test_a_plan_that_is_not_there_is_404_and_one_that_is_gone_409(alice_client, search):
    for name in ("plan.json", "operators.csv"):
        assert alice_client.get(f"/api/searches/{search['id']}/plans/999/{name}").status_code == 404
        gone = alice_client.get(f"/api/searches/{search['id']}/plans/1/{name}", {"hash": "0" * 64})
        assert (gone.status_code, gone.json()["error"]["code"]) == (409, "plan_gone")


def test_there_is_nothing_to_download_before_the_first_front(alice_client):
    queued = start_search(alice_client, add_model(alice_client), add_pool(alice_client), SMALL)
    answer = alice_client.get(f"/api/searches/{queued['id']}/front.csv")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "no_front_yet")
