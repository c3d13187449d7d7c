"""The whole graph in one answer: the same operators and edges as the pages list, sent once."""

import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor

from apps.modelhub import graphs
from apps.modelhub.models import Model
from tests.apps.support import add_model, upload


def test_columns_say_what_the_pages_say(alice_client):
    model = add_model(alice_client)
    path = f"/api/models/{model['id']}/"
    graph = alice_client.get(f"{path}graph/").json()
    operators = alice_client.get(f"{path}operators/").json()["results"]
    edges = alice_client.get(f"{path}edges/").json()["results"]
    columns = graph["operators"]
    assert graph["graph_hash"] == model["summary"]["graph_hash"]
    assert columns["name"] == [op["name"] for op in operators]
    assert [graph["op_types"][i] for i in columns["op_type"]] == [op["op_type"] for op in operators]
    assert [graph["op_classes"][i] for i in columns["op_class"]] == [op["op_class"] for op in operators]
    assert [graph["scopes"][i] for i in columns["scope"]] == [op["scope"] for op in operators]
    assert columns["flops"] == [op["flops"] for op in operators]
    assert sum(columns["flops"]) == model["summary"]["flops"] > 0
    assert columns["bytes_moved"] == [op["bytes_read"] + op["bytes_written"] for op in operators]
    assert len(set(graph["scopes"])) == len(graph["scopes"])
    assert list(zip(graph["edges"]["source"], graph["edges"]["target"], graph["edges"]["size_bytes"], strict=True)) == [
        (edge["source"]["index"], edge["target"]["index"], edge["tensor"]["size_bytes"]) for edge in edges
    ]


def test_an_unchanged_graph_is_not_sent_again(alice_client, outsider_client):
    model = add_model(alice_client)
    path = f"/api/models/{model['id']}/graph/"
    first = alice_client.get(path)
    assert model["summary"]["graph_hash"] in first["ETag"]
    again = alice_client.get(path, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert alice_client.get(path, headers={"If-None-Match": '"another"'}).json() == first.json()
    # The tag opens nothing to those who may not see the model.
    assert outsider_client.get(path, headers={"If-None-Match": first["ETag"]}).status_code == 404


def test_a_model_that_is_still_read_has_no_graph(alice_client):
    created = alice_client.post("/api/models/", {"file": upload(b"x"), "name": "two"}, "multipart").json()
    answer = alice_client.get(f"/api/models/{created['id']}/graph/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "model_not_ready")


def test_a_graph_that_several_ask_for_at_once_is_unpacked_once(alice_client, monkeypatch):
    model = Model.objects.get(pk=add_model(alice_client)["id"])
    calls, real = [], graphs.load_document

    def slow(graph_id):
        calls.append(graph_id)
        begun.set()
        assert go.wait(30)
        return document

    document = real(model.graph_id)
    begun, go = threading.Event(), threading.Event()
    monkeypatch.setattr(graphs, "load_document", slow)
    monkeypatch.setattr(graphs, "_kept", OrderedDict())
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(graphs.load_graph, model.graph_id) for _ in range(3)]
        assert begun.wait(30)
        go.set()
        found = [one.result(30) for one in asked]
    assert len(calls) == 1
    assert found[0] is found[1] is found[2]
    assert graphs._loading == {}
