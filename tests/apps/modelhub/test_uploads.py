"""Uploads in pieces: cut connections, wrong offsets, damaged bytes, abandoned parts."""

import datetime
import hashlib

import pytest
from django.utils import timezone

from apps.modelhub import uploads
from apps.modelhub.models import Model, Upload
from tests.apps.support import run_jobs, two_branches

DATA = two_branches()
RAW = "application/octet-stream"


def begin(client, data=DATA, **fields):
    body = {"file_name": "big.onnx", "size_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), **fields}
    answer = client.post("/api/uploads/", body, "json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def send(client, upload, offset, data):
    return client.put(f"/api/uploads/{upload['id']}/?offset={offset}", data, content_type=RAW)


def test_a_cut_upload_continues_where_it_was(alice_client):
    upload = begin(alice_client, name="big")
    path = f"/api/uploads/{upload['id']}/"
    cut = len(DATA) * 2 // 5
    assert send(alice_client, upload, 0, DATA[:cut]).json()["offset"] == cut
    # The answer was lost: the client asks, and a piece that starts elsewhere is not taken.
    assert alice_client.get(path).json()["offset"] == cut
    refused = send(alice_client, upload, 0, DATA[:cut])
    assert refused.status_code == 409
    assert refused.json()["error"]["params"]["offset"] == cut
    early = alice_client.post(f"{path}finish/")
    assert (early.status_code, early.json()["error"]["code"]) == (409, "upload_incomplete")
    assert not Model.objects.exists()
    assert send(alice_client, upload, cut, DATA[cut:]).json()["offset"] == len(DATA)
    model = alice_client.post(f"{path}finish/")
    assert model.status_code == 201
    assert model.json()["sha256"] == hashlib.sha256(DATA).hexdigest()
    assert (model.json()["name"], model.json()["file_name"]) == ("big", "big.onnx")
    assert alice_client.get(path).status_code == 404
    run_jobs()
    assert alice_client.get(f"/api/models/{model.json()['id']}/").json()["state"] == "ready"


def test_more_bytes_than_announced_are_not_kept(alice_client):
    upload = begin(alice_client)
    send(alice_client, upload, 0, DATA[:100])
    answer = send(alice_client, upload, 100, DATA)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "upload_overrun")
    assert alice_client.get(f"/api/uploads/{upload['id']}/").json()["offset"] == 100


def test_damaged_bytes_never_become_a_model(alice_client):
    upload = begin(alice_client)
    send(alice_client, upload, 0, DATA[:-1] + bytes([DATA[-1] ^ 1]))
    answer = alice_client.post(f"/api/uploads/{upload['id']}/finish/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "upload_hash")
    assert not Model.objects.exists()
    assert not uploads.part_path(upload["id"]).exists()


def test_an_abandoned_upload_is_deleted_after_a_day(alice_client):
    old = begin(alice_client)
    send(alice_client, old, 0, DATA[:10])
    Upload.objects.update(expires_at=timezone.now() - datetime.timedelta(seconds=1))
    fresh = begin(alice_client)
    assert [str(row.id) for row in Upload.objects.all()] == [fresh["id"]]
    assert not uploads.part_path(old["id"]).exists()
    assert uploads.part_path(fresh["id"]).exists()


def test_an_upload_can_be_given_up(alice_client):
    upload = begin(alice_client)
    assert alice_client.delete(f"/api/uploads/{upload['id']}/").status_code == 204
    assert not uploads.part_path(upload["id"]).exists()


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"size_bytes": 0}, 400),
        ({"size_bytes": 1 << 50}, 413),
        ({"sha256": "x"}, 400),
        ({"kind": "exe"}, 400),
        ({"file_name": ""}, 400),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_sent(alice_client, fields, status):
    body = {"file_name": "a.onnx", "size_bytes": 10, **fields}
    assert alice_client.post("/api/uploads/", body, "json").status_code == status
    assert not Upload.objects.exists()


@pytest.mark.parametrize("offset", ["", "x", "-1"])
def test_an_offset_is_a_number(alice_client, offset):
    upload = begin(alice_client)
    assert alice_client.put(f"/api/uploads/{upload['id']}/?offset={offset}", b"x", content_type=RAW).status_code == 400
