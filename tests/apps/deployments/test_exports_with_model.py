"""Exports that carry the model are written in the sandbox, from one file or several, and survive a file that lies."""

import io
import zipfile

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from apps.modelhub import contents
from apps.modelhub.models import Model
from heteroopt.deployment.export_plan import check_export
from tests.apps.modelhub.tus_client import add
from tests.apps.support import add_pool, onnx_bytes, run_jobs, start_search, value

SMALL = {"population_size": 16, "generations": 2, "seed": 1}
SIZE = 64
WEIGHTS = {f"w{i}.bin": np.full((SIZE, SIZE), i + 0.5, np.float32).tobytes() for i in range(2)}


def weight(name, location):
    made = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[SIZE, SIZE], data_location=TensorProto.EXTERNAL)
    made.external_data.add(key="location", value=location)
    return made


def model(*locations):
    """Two products with weights of other files, joined."""
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["a"], name="left/mul"),
        helper.make_node("MatMul", ["x", "w1"], ["b"], name="right/mul"),
        helper.make_node("Add", ["a", "b"], ["y"], name="join"),
    ]
    weights = [weight(f"w{i}", location) for i, location in enumerate(locations)]
    return onnx_bytes(nodes, [value("x", [1, SIZE])], [value("y", [1, SIZE])], weights)


@pytest.fixture
def search(alice_client):
    made = add(alice_client, {"m.onnx": model(*WEIGHTS), **WEIGHTS})
    assert made["state"] == "ready", made["error"]
    found = start_search(alice_client, made, add_pool(alice_client), SMALL)
    run_jobs()
    return found


def exported(client, search, key, **options):
    answer = client.post(f"/api/searches/{search['id']}/plans/1/exports/", {"format": key, "options": options}, "json")
    assert answer.status_code == 202, answer.content
    run_jobs()
    return client.get(f"/api/exports/{answer.json()['id']}/").json()


def unpacked(client, export, folder):
    answer = client.get(f"/api/exports/{export['id']}/download/")
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        archive.extractall(folder)
    return folder


def test_formats_that_carry_the_model_are_written_in_the_sandbox(alice_client, search, tmp_path):
    offered = alice_client.get(f"/api/searches/{search['id']}/plans/1/formats/").json()["formats"]
    assert {entry["key"]: entry["refusals"] for entry in offered}["ort-segments"] == []
    options = {"openvino-hetero": {"target.gpu0": "AUTO"}}
    for key in ("ort-segments", "openvino-hetero", "ort-annotations", "triton"):
        export = exported(alice_client, search, key, **options.get(key, {}))
        assert export["state"] == "done", (key, export["error"])
        folder = unpacked(alice_client, export, tmp_path / key)
        assert check_export(folder).complete and check_export(folder).planned == 3
    for key in ("ort-segments", "ort-annotations"):
        assert {path.read_bytes() for path in (tmp_path / key).rglob("*.bin")} == set(WEIGHTS.values())
    segments = [onnx.load(path) for path in (tmp_path / "triton").rglob("model.onnx")]
    found = {tensor.name: tensor.raw_data for segment in segments for tensor in segment.graph.initializer}
    assert found == {"w0": WEIGHTS["w0.bin"], "w1": WEIGHTS["w1.bin"]}


def test_a_file_that_is_not_what_was_planned_fails_alone_and_says_why(alice_client, search):
    main, _ = contents.paths_of(Model.objects.get())
    main.chmod(0o600)
    for lying, code in (
        (b"\x08\x09garbage", "export_model_file"),
        (model("../../../../etc/passwd", "w1.bin"), "external_data_refused"),
    ):
        main.write_bytes(lying)
        export = exported(alice_client, search, "triton")
        assert (export["state"], export["error"]["code"]) == ("failed", code)
    assert exported(alice_client, search, "csv")["state"] == "done"


def test_an_export_above_the_limit_is_refused_before_a_job_is_made(alice_client, search, settings):
    settings.MAX_EXPORT_BYTES = 20_000
    offered = alice_client.get(f"/api/searches/{search['id']}/plans/1/formats/").json()["formats"]
    codes = {entry["key"]: [refusal["code"] for refusal in entry["refusals"]] for entry in offered}
    assert codes["ort-segments"] == ["export_too_large"] and codes["csv"] == []
    answer = alice_client.post(f"/api/searches/{search['id']}/plans/1/exports/", {"format": "ort-segments"}, "json")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "export_too_large")
    assert error["params"]["limit_bytes"] == 20_000 < 2 * SIZE * SIZE * 4 <= error["params"]["size_bytes"]
    settings.MAX_EXPORT_BYTES = 1 << 20
    assert exported(alice_client, search, "ort-segments")["state"] == "done"


def test_a_data_file_that_is_gone_is_named_before_a_job_is_made(alice_client, search):
    _, data = contents.paths_of(Model.objects.get())
    data["w1.bin"].unlink()
    answer = alice_client.post(f"/api/searches/{search['id']}/plans/1/exports/", {"format": "triton"})
    assert answer.status_code == 400 and answer.json()["error"]["code"] == "file_missing"
