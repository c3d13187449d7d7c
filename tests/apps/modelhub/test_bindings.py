"""Bindings kept under names, and answers to what a file leaves open, through the API."""

import pytest
from onnx import helper

from apps.modelhub.models import Binding, ParsedGraph
from tests.apps.support import add_model, add_pool, onnx_bytes, run_jobs, start_search, two_branches, value


def custom_model() -> bytes:
    nodes = [
        helper.make_node("Magic", ["x"], ["h"], name="magic", domain="com.example"),
        helper.make_node("Relu", ["h"], ["y"], name="relu"),
    ]
    graph = helper.make_graph(nodes, "g", [value("x", ["N", 4])], [value("y", None)])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.example", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def get(client, model):
    return client.get(f"/api/models/{model['id']}/").json()


def bind(client, model, body):
    answer = client.post(f"/api/models/{model['id']}/bind/", body, "json")
    run_jobs()
    return answer, get(client, model)


def test_several_bindings_are_kept_and_a_search_picks_one(alice_client):
    model = add_model(alice_client, two_branches("N"))
    kept = alice_client.post(f"/api/models/{model['id']}/bindings/", {}, "json")
    assert kept.status_code == 201
    assert [(b["name"], b["dims"], b["is_used"]) for b in kept.json()["bindings"]] == [("N=1", {"N": 1}, True)]

    answer, model = bind(alice_client, model, {"dims": {"N": 32}, "keep_as": "batch 32"})
    assert answer.status_code == 202
    one, many = model["bindings"]
    assert (many["name"], many["dims"], many["is_used"], one["is_used"]) == ("batch 32", {"N": 32}, True, False)
    assert many["flops"] == 32 * one["flops"] == model["summary"]["flops"]

    pool = add_pool(alice_client)
    body = {"model": model["id"], "pool": pool["id"], "settings": {"population_size": 8, "generations": 1}}
    first = alice_client.post("/api/searches/", {**body, "binding": one["id"]}, "json").json()
    second = alice_client.post("/api/searches/", body, "json").json()
    run_jobs()
    times = []
    for search in (first, second):
        plan = alice_client.get(f"/api/searches/{search['id']}/front/").json()
        times.append(plan["reference"]["exec_time_ms"] if "reference" in plan else plan["plans"][0])
    assert times[0] != times[1]

    path = f"/api/models/{model['id']}/bindings/{one['id']}/"
    assert alice_client.post(path).json()["dims"] == {"N": 1}
    assert [b["is_used"] for b in get(alice_client, model)["bindings"]] == [True, False]
    assert alice_client.delete(path).status_code == 204
    assert [b["name"] for b in get(alice_client, model)["bindings"]] == ["batch 32"]
    assert alice_client.post(path).json()["error"]["code"] == "binding_unknown"


def test_a_binding_of_the_same_name_is_replaced_and_unused_graphs_go(alice_client):
    model = add_model(alice_client, two_branches("N"))
    for size in (2, 3):
        _, model = bind(alice_client, model, {"dims": {"N": size}, "keep_as": "mine"})
    assert [(b["name"], b["dims"]) for b in model["bindings"]] == [("mine", {"N": 3})]
    assert ParsedGraph.objects.count() == 1
    bind(alice_client, model, {"dims": {"N": 4}})
    assert ParsedGraph.objects.count() == 2  # the kept one and the one in use
    assert alice_client.delete(f"/api/models/{model['id']}/").status_code == 204
    assert (Binding.objects.count(), ParsedGraph.objects.count()) == (0, 0)


def test_a_search_outlives_the_binding_that_it_used(alice_client):
    model = add_model(alice_client, two_branches("N"))
    _, model = bind(alice_client, model, {"dims": {"N": 2}, "keep_as": "two"})
    search = start_search(alice_client, model, add_pool(alice_client), {"population_size": 8, "generations": 1})
    run_jobs()
    bind(alice_client, model, {"dims": {"N": 3}})
    binding = model["bindings"][0]
    assert alice_client.delete(f"/api/models/{model['id']}/bindings/{binding['id']}/").status_code == 204
    assert alice_client.get(f"/api/searches/{search['id']}/front/").status_code == 200


def test_a_model_keeps_a_limited_number_of_bindings(alice_client, monkeypatch):
    monkeypatch.setattr("apps.modelhub.services.MAX_BINDINGS", 1)
    model = add_model(alice_client, two_branches("N"))
    path = f"/api/models/{model['id']}/bindings/"
    assert alice_client.post(path, {"name": "one"}, "json").status_code == 201
    assert alice_client.post(path, {"name": "one"}, "json").status_code == 201  # in its place
    assert alice_client.post(path, {"name": "two"}, "json").json()["error"]["code"] == "binding_limit"
    answer, _ = bind(alice_client, model, {"dims": {}, "keep_as": "two"})
    assert answer.json()["error"]["code"] == "binding_limit"


def test_what_the_file_leaves_open_is_asked_and_answered(alice_client):
    model = add_model(alice_client, custom_model())
    asked = model["summary"]["questions"]
    assert [(s["tensor"], s["op_type"], s["shape"]) for s in asked["shapes"]] == [("h", "Magic", None)]
    assert asked["operators"] == [{"key": "com.example::Magic", "count": 1, "is_given": False, "operators": ["magic"]}]
    given = {"shapes": {"h": [2, 10]}, "costs": {"com.example::Magic": {"flops": 5000}}}
    answer, model = bind(alice_client, model, {"dims": {"N": 2}, "given": given})
    assert answer.status_code == 202
    assert (model["state"], model["given"], model["summary"]["flops"]) == ("ready", given, 5000 + 20)
    assert model["summary"]["n_estimated_tensors"] == 0
    asked = model["summary"]["questions"]
    assert [(s["tensor"], s["shape"]) for s in asked["shapes"]] == [("h", [2, 10])]
    assert asked["operators"][0]["is_given"]

    _, model = bind(alice_client, model, {"dims": {"N": 3}})  # answers stay when only dimensions change
    assert (model["given"], model["dims"]) == (given, {"N": 3})
    _, model = bind(alice_client, model, {"dims": {"N": 3}, "given": {}})
    assert (model["given"], model["summary"]["flops"]) == ({}, 12)


def test_an_answer_that_fits_nothing_leaves_the_graph_that_was_there(alice_client):
    model = add_model(alice_client, custom_model())
    for misspelt in ({"shape": {"h": [2, 10]}}, {"costs": {"com.example::Magic": {"flop": 1}}}):
        answer = alice_client.post(f"/api/models/{model['id']}/bind/", {"dims": {"N": 2}, "given": misspelt}, "json")
        assert answer.status_code == 400, answer.content
    _, after = bind(alice_client, model, {"dims": {"N": 2}, "given": {"shapes": {"nothing": [1]}}})
    assert (after["state"], after["error"]["code"], after["given"]) == ("ready", "given_unknown", {})
    assert (after["dims"], after["summary"]) == (model["dims"], model["summary"])
    _, after = bind(alice_client, model, {"dims": {"N": 2}, "given": {"shapes": {"h": [2, 5]}}})
    assert (after["state"], after["error"]) == ("ready", None)


@pytest.mark.parametrize(
    "given",
    [{"shapes": {"h": [-1]}}, {"then_shares": {"i": 2}}, {"costs": {"m": {}}}, {"trips": {"l": 2**40}}, {"shapes": 1}],
)
def test_answers_that_cannot_be_are_refused_at_once(alice_client, given):
    model = add_model(alice_client, custom_model())
    answer, after = bind(alice_client, model, {"dims": {}, "given": given})
    assert answer.status_code == 400
    assert after["given"] == {}


def test_bindings_of_another_team_are_not_there(alice_client, outsider_client):
    model = add_model(alice_client, two_branches("N"))
    alice_client.post(f"/api/models/{model['id']}/bindings/", {}, "json")
    binding = get(alice_client, model)["bindings"][0]
    own, pool = add_model(outsider_client, two_branches("N")), add_pool(outsider_client)
    assert outsider_client.post(f"/api/models/{model['id']}/bindings/", {}, "json").status_code == 404
    path = f"/api/models/{own['id']}/bindings/{binding['id']}/"  # through a model of their own
    assert (outsider_client.post(path).status_code, outsider_client.delete(path).status_code) == (404, 404)
    body = {"model": own["id"], "pool": pool["id"], "binding": binding["id"]}
    assert outsider_client.post("/api/searches/", body, "json").json()["error"]["code"] == "binding_unknown"
    assert Binding.objects.count() == 1


def test_loops_and_branches_are_asked_for(alice_client):
    body = helper.make_graph(
        [helper.make_node("Relu", ["h"], ["h_out"]), helper.make_node("Identity", ["keep"], ["go"])], "b",
        [value("i", [], 7), value("keep", [], 9), value("h", [4])], [value("go", [], 9), value("h_out", [4])],
    )  # fmt: skip
    branch = [helper.make_graph([helper.make_node(kind, ["z"], [f"o{kind}"])], "g", [], [value(f"o{kind}", [4])])
              for kind in ("Exp", "Neg")]  # fmt: skip
    nodes = [
        helper.make_node("Loop", ["n", "", "x"], ["z"], name="loop", body=body),
        helper.make_node("If", ["c"], ["y"], name="if", then_branch=branch[0], else_branch=branch[1]),
    ]
    data = onnx_bytes(nodes, [value("x", [4]), value("n", [], 7), value("c", [], 9)], [value("y", [4])])
    model = add_model(alice_client, data)
    asked = model["summary"]["questions"]
    assert asked["trips"] == [{"operator": "loop", "assumed": 1, "is_given": False, "is_bound": False}]
    assert asked["branches"] == [{"operator": "if", "then_share": None}]
    given = {"trips": {"loop": 10}, "then_shares": {"if": 0.5}}
    _, model = bind(alice_client, model, {"dims": {}, "given": given})
    assert model["summary"]["flops"] == 10 * 4 + (16 + 4) // 2
    asked = model["summary"]["questions"]
    assert (asked["trips"][0]["assumed"], asked["trips"][0]["is_given"]) == (10, True)
    assert asked["branches"] == [{"operator": "if", "then_share": 0.5}]
