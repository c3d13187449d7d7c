"""Models through the API, read by the real runner in the real sandbox."""

import hashlib

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from onnx import helper

from apps.jobs.models import Job
from apps.modelhub import storage
from apps.modelhub.models import Model, ParsedGraph
from tests.apps.support import add_model, onnx_bytes, run_jobs, two_branches, upload, value


def test_an_upload_is_kept_hashed_and_read(alice_client):
    data = two_branches()
    answer = alice_client.post("/api/models/", {"file": upload(data), "name": "two"}, "multipart")
    assert answer.status_code == 201
    model = answer.json()
    assert (model["state"], model["summary"], model["name"]) == ("parsing", None, "two")
    assert model["sha256"] == hashlib.sha256(data).hexdigest()
    assert storage.path_of(model["sha256"]).read_bytes() == data
    assert alice_client.get(f"/api/jobs/{model['job']}/").json()["state"] == "queued"

    run_jobs(sandbox=True)
    model = alice_client.get(f"/api/models/{model['id']}/").json()
    assert (model["state"], model["error"], model["dims"], model["dynamic_dims"]) == ("ready", None, {}, [])
    summary = model["summary"]
    assert (summary["n_operators"], summary["n_edges"]) == (7, 7)
    assert summary["n_schedulable"] < 7
    assert summary["op_types"] == {"MatMul": 4, "Add": 1, "Relu": 1, "Sigmoid": 1}
    assert (summary["parameters"], summary["weight_bytes"]) == (4 * 256 * 256, 4 * 256 * 256 * 4)
    assert summary["inputs"] == [{"name": "x", "dtype": "float32", "shape": [1, 256]}]
    assert (summary["opset"], summary["ir_version"], summary["n_estimated_tensors"]) == (17, 9, 0)
    assert alice_client.get("/api/models/").json()["count"] == 1


def test_operators_come_in_pages_and_can_be_searched(alice_client):
    model = add_model(alice_client)
    path = f"/api/models/{model['id']}/operators/"
    page = alice_client.get(path, {"offset": 2, "limit": 3}).json()
    assert page["count"] == 7
    assert [op["index"] for op in page["results"]] == [2, 3, 4]
    found = alice_client.get(path, {"q": "LEFT"}).json()
    assert [op["name"] for op in found["results"]] == ["left/matmul", "left/relu"]
    matmul = found["results"][0]
    assert matmul["flops"] == 2 * 256 * 256
    assert matmul["outputs"][0]["size_bytes"] == 256 * 4
    assert alice_client.get(path, {"limit": 100_000}).status_code == 400


def test_operators_name_their_tensors_with_the_operators_at_both_ends(alice_client):
    model = add_model(alice_client)
    operators = alice_client.get(f"/api/models/{model['id']}/operators/").json()["results"]
    stem = next(op for op in operators if op["name"] == "stem/matmul")
    assert (stem["n_initializers"], stem["parameters"], stem["weight_bytes"]) == (1, 256 * 256, 256 * 256 * 4)
    assert (stem["n_inputs"], stem["inputs"][0]["name"], stem["inputs"][0]["producer"]) == (1, "x", None)
    out = stem["outputs"][0]
    assert (out["name"], out["dtype"], out["shape"], out["size_bytes"]) == ("a", "float32", [1, 256], 1024)
    assert (out["size_source"], out["is_output"], out["n_consumers"]) == ("inferred", False, 2)
    assert out["producer"] == {"index": stem["index"], "name": "stem/matmul"}
    assert {reader["name"] for reader in out["consumers"]} == {"left/matmul", "right/matmul"}
    assert all(operators[reader["index"]]["name"] == reader["name"] for reader in out["consumers"])
    assert (operators[-1]["outputs"][0]["is_output"], operators[-1]["outputs"][0]["consumers"]) == (True, [])


def test_edges_come_in_pages_and_can_be_searched(alice_client):
    model = add_model(alice_client)
    path = f"/api/models/{model['id']}/edges/"
    everything = alice_client.get(path).json()
    assert everything["count"] == model["summary"]["n_edges"] == 7
    assert {(e["source"]["name"], e["tensor"]["name"], e["target"]["name"]) for e in everything["results"]} == {
        ("stem/matmul", "a", "left/matmul"),
        ("stem/matmul", "a", "right/matmul"),
        ("left/matmul", "b", "left/relu"),
        ("right/matmul", "d", "right/sigmoid"),
        ("left/relu", "c", "merge/join"),
        ("right/sigmoid", "e", "merge/join"),
        ("merge/join", "f", "head/matmul"),
    }
    part = alice_client.get(path, {"offset": 5, "limit": 1}).json()
    assert (part["count"], part["results"]) == (7, everything["results"][5:6])
    found = alice_client.get(path, {"q": "HEAD"}).json()
    assert found["count"] == 1
    assert found["results"][0]["tensor"] == {
        "name": "f",
        "dtype": "float32",
        "shape": [1, 256],
        "size_bytes": 1024,
        "size_source": "inferred",
    }
    assert alice_client.get(path, {"limit": 100_000}).status_code == 400


def test_an_operator_of_many_inputs_and_readers_lists_the_first(alice_client):
    size, n = 8, 40
    nodes = [helper.make_node("Relu", ["x"], ["r"], name="root")]
    nodes += [helper.make_node("Sigmoid", ["r"], [f"s{i}"], name=f"s/{i}") for i in range(n)]
    nodes += [helper.make_node("Concat", [f"s{i}" for i in range(n)], ["y"], name="join", axis=1)]
    model = add_model(alice_client, onnx_bytes(nodes, [value("x", [1, size])], [value("y", [1, size * n])], []))
    operators = alice_client.get(f"/api/models/{model['id']}/operators/").json()["results"]
    read = operators[0]["outputs"][0]
    assert (read["n_consumers"], len(read["consumers"])) == (n, 16)
    assert (operators[-1]["n_inputs"], len(operators[-1]["inputs"])) == (n, 32)


def test_edges_of_another_team_are_not_there(alice_client, outsider_client):
    model = add_model(alice_client)
    assert outsider_client.get(f"/api/models/{model['id']}/edges/").status_code == 404
    assert outsider_client.get(f"/api/models/{model['id']}/operators/").status_code == 404


def test_dimensions_take_their_defaults_and_can_be_bound(alice_client):
    model = add_model(alice_client, two_branches("N"))
    assert (model["state"], model["dims"]) == ("ready", {"N": 1})
    assert [(d["name"], d["default"]) for d in model["dynamic_dims"]] == [("N", 1)]
    path = f"/api/models/{model['id']}/bind/"
    answer = alice_client.post(path, {"dims": {"N": 8}}, "json")
    assert (answer.status_code, answer.json()["state"]) == (202, "parsing")
    assert alice_client.post(path, {"dims": {"N": 9}}, "json").json()["error"]["code"] == "model_busy"
    run_jobs()
    bound = alice_client.get(f"/api/models/{model['id']}/").json()
    assert (bound["state"], bound["dims"]) == ("ready", {"N": 8})
    assert bound["summary"]["flops"] > 7 * model["summary"]["flops"]
    assert bound["summary"]["graph_hash"] != model["summary"]["graph_hash"]
    assert ParsedGraph.objects.count() == 1


@pytest.mark.parametrize("dims", [{"N": 0}, {"N": -1}, {"N": 2**31}, {"N": "x"}, {"M": 1}, {"N": 1.5}])
def test_dimensions_that_cannot_be_are_refused(alice_client, dims):
    model = add_model(alice_client, two_branches("N"))
    assert alice_client.post(f"/api/models/{model['id']}/bind/", {"dims": dims}, "json").status_code == 400
    assert alice_client.get(f"/api/models/{model['id']}/").json()["dims"] == {"N": 1}


def test_dimensions_too_large_can_be_bound_again(alice_client):
    model = add_model(alice_client, two_branches("N"))
    path = f"/api/models/{model['id']}/"
    alice_client.post(f"{path}bind/", {"dims": {"N": 2**31 - 1}}, "json")
    run_jobs()
    refused = alice_client.get(path).json()
    assert refused["state"] == "needs_dims"
    assert refused["error"]["code"] == "tensor_too_large"
    alice_client.post(f"{path}bind/", {"dims": {"N": 2}}, "json")
    run_jobs()
    assert alice_client.get(path).json()["state"] == "ready"


def test_a_refused_model_keeps_its_reason_and_the_next_good_one_is_read(alice_client):
    refused = add_model(alice_client, b"\x89PNG\r\n\x1a\n not a model", state="refused", sandbox=True)
    assert refused["state"] == "refused"
    assert refused["error"]["code"] == "model_unreadable"
    assert refused["summary"] is None
    assert alice_client.get(f"/api/models/{refused['id']}/operators/").json()["error"]["code"] == "model_not_ready"
    assert add_model(alice_client)["state"] == "ready"


def test_an_empty_file_is_refused_at_once(alice_client):
    answer = alice_client.post("/api/models/", {"file": upload(b"")}, "multipart")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "file_empty")
    assert not Model.objects.exists()


def test_a_file_above_the_limit_is_refused_and_leaves_nothing(alice_client, settings):
    settings.MAX_UPLOAD_BYTES = 1000
    answer = alice_client.post("/api/models/", {"file": upload(b"x" * 1001)}, "multipart")
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "upload_too_large")
    assert not Model.objects.exists()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/cron.d/x.onnx", "x.onnx"),
        ("C:\\models\\a.onnx", "a.onnx"),
        ("<img src=x onerror=alert(1)>.onnx", "<img src=x onerror=alert(1)>.onnx"),
        ("模型.onnx", "模型.onnx"),
    ],
)
def test_file_names_are_shown_as_they_are_and_never_used_as_paths(alice_client, name, kept):
    file = SimpleUploadedFile("m.onnx", two_branches())
    file._name = name
    model = alice_client.post("/api/models/", {"file": file}, "multipart").json()
    assert model["file_name"] == kept


def test_models_with_one_content_share_the_file_until_the_last_is_deleted(alice_client):
    first, second = add_model(alice_client), add_model(alice_client)
    path = storage.path_of(first["sha256"])
    assert alice_client.delete(f"/api/models/{first['id']}/").status_code == 204
    assert path.exists()
    assert alice_client.get(f"/api/models/{first['id']}/").status_code == 404
    alice_client.delete(f"/api/models/{second['id']}/")
    assert not path.exists()
    assert not Model.objects.exists()
    assert not ParsedGraph.objects.exists()


def test_a_model_can_be_renamed(alice_client):
    model = add_model(alice_client)
    path = f"/api/models/{model['id']}/"
    assert alice_client.patch(path, {"name": "new\x00\nname"}, "json").status_code in (200, 400)
    assert alice_client.patch(path, {"name": "better"}, "json").json()["name"] == "better"
    assert alice_client.patch(path, {"name": ""}, "json").status_code == 400


def test_a_reading_that_is_stopped_refuses_the_model(alice_client):
    answer = alice_client.post("/api/models/", {"file": upload(two_branches())}, "multipart").json()
    alice_client.post(f"/api/jobs/{answer['job']}/stop/")
    model = alice_client.get(f"/api/models/{answer['id']}/").json()
    assert (model["state"], model["error"]["code"]) == ("refused", "reading_stopped")
    assert run_jobs() == 0


def test_a_model_deleted_before_it_is_read_does_no_harm(alice_client):
    answer = alice_client.post("/api/models/", {"file": upload(two_branches())}, "multipart").json()
    alice_client.delete(f"/api/models/{answer['id']}/")
    run_jobs()
    assert Job.objects.get().state in ("done", "failed")
    assert not Model.objects.exists()
    assert not ParsedGraph.objects.exists()
