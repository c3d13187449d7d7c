"""Uploads in pieces: cut connections, wrong offsets, damaged bytes, abandoned parts, limits, two at once."""

import datetime
import fcntl
import hashlib
import os
import threading

import pytest
from django.utils import timezone

from apps.modelhub import limits, services, storage, uploads
from apps.modelhub.models import Model, Upload
from config.refusals import WebError
from tests.apps.modelhub.tus_client import (
    PIECE,
    VERSION,
    add,
    begin,
    checksum,
    finish,
    metadata,
    offset,
    send,
    upload,
)
from tests.apps.support import run_jobs, two_branches
from tests.conftest import signed_in
from workers import reaper

DATA = two_branches()
SHA256 = hashlib.sha256(DATA).hexdigest()


def code(answer) -> str:
    return answer.json()["error"]["code"]


def part(path: str):
    return uploads.part_path(path.rstrip("/").rsplit("/", 1)[-1])


def test_a_cut_upload_continues_where_it_was(alice_client):
    path = begin(alice_client, DATA, name="深.onnx", sha256=SHA256)
    cut = len(DATA) * 2 // 5
    answer = send(alice_client, path, 0, DATA[:cut])
    assert (answer.status_code, answer["Upload-Offset"], answer.content) == (204, str(cut), b"")
    # The answer was lost: the client asks, and a piece that starts elsewhere is not taken.
    assert offset(alice_client, path) == cut
    refused = send(alice_client, path, 0, DATA[:cut])
    assert (refused.status_code, refused.json()["error"]["params"]["offset"]) == (409, cut)
    early = finish(alice_client, path)
    assert (early.status_code, code(early)) == (409, "upload_incomplete")
    assert not Model.objects.exists()
    assert send(alice_client, path, cut, DATA[cut:])["Upload-Offset"] == str(len(DATA))
    model = finish(alice_client, path)
    assert model.status_code == 201
    assert model.json()["sha256"] == model.json()["content_hash"] == SHA256
    assert (model.json()["name"], model.json()["file_name"], model.json()["already_there"]) == ("深", "深.onnx", False)
    assert storage.path_of(SHA256).read_bytes() == DATA
    assert not part(path).exists()
    assert alice_client.get(path).status_code == 404
    run_jobs()
    assert alice_client.get(f"/api/models/{model.json()['id']}/").json()["state"] == "ready"


def test_the_server_says_what_it_can_do(alice_client, settings):
    answer = alice_client.options("/api/uploads/")
    assert answer.status_code == 204
    assert (answer["Tus-Version"], answer["Tus-Resumable"]) == ("1.0.0", "1.0.0")
    assert answer["Tus-Max-Size"] == str(settings.MAX_UPLOAD_BYTES)
    assert {"creation", "checksum", "expiration", "termination"} == set(answer["Tus-Extension"].split(","))


def test_a_client_of_another_version_is_told(alice_client):
    path = begin(alice_client, DATA)
    answer = alice_client.patch(path, b"x", content_type=PIECE, headers={"Upload-Offset": "0"})
    assert (answer.status_code, code(answer), answer["Tus-Version"]) == (412, "tus_version", "1.0.0")
    answer = alice_client.post("/api/uploads/", headers={"Upload-Length": "3", "Tus-Resumable": "0.2.2"})
    assert answer.status_code == 412


def test_more_bytes_than_announced_are_not_kept(alice_client):
    path = begin(alice_client, DATA)
    send(alice_client, path, 0, DATA[:100])
    answer = send(alice_client, path, 100, DATA)
    assert (answer.status_code, code(answer)) == (400, "upload_overrun")
    assert offset(alice_client, path) == 100
    assert part(path).read_bytes() == DATA[:100]


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_a_damaged_piece_is_not_kept(alice_client, algorithm):
    path = begin(alice_client, DATA)
    wrong = send(alice_client, path, 0, b"y" + DATA[1:50], **{"Upload-Checksum": checksum(DATA[:50], algorithm)})
    assert (wrong.status_code, code(wrong)) == (460, "upload_checksum")
    assert offset(alice_client, path) == 0
    assert (
        send(alice_client, path, 0, DATA[:50], **{"Upload-Checksum": checksum(DATA[:50], algorithm)}).status_code == 204
    )
    assert part(path).read_bytes() == DATA[:50]


@pytest.mark.parametrize("header", ["", "md5 AAAA", "sha256 !", "sha256 AAAA", "sha256"])
def test_a_checksum_that_cannot_be_is_refused(alice_client, header):
    path = begin(alice_client, DATA)
    answer = send(alice_client, path, 0, DATA[:50], **{"Upload-Checksum": header})
    assert (answer.status_code, code(answer)) == (400, "checksum_invalid")
    assert offset(alice_client, path) == 0


def test_damaged_bytes_never_become_a_model(alice_client):
    path = begin(alice_client, DATA, sha256=SHA256)
    send(alice_client, path, 0, DATA[:-1] + bytes([DATA[-1] ^ 1]))
    answer = finish(alice_client, path)
    assert (answer.status_code, code(answer)) == (400, "upload_hash")
    assert not Model.objects.exists()
    assert not part(path).exists()


def test_an_abandoned_upload_is_deleted_by_the_reaper(alice_client, settings):
    old, fresh = begin(alice_client, DATA), begin(alice_client, DATA)
    send(alice_client, old, 0, DATA[:10])
    Upload.objects.filter(pk=part(old).stem.removeprefix("upload-")).update(
        expires_at=timezone.now() - datetime.timedelta(seconds=1)
    )
    stray = uploads.part_path("0b9f3f4e-5d0e-4a6e-9c43-6f4a6f1f8f10")
    stray.write_bytes(b"x")
    os.utime(stray, (0, 0))
    reaper.purge()
    assert [path.exists() for path in (part(old), part(fresh), stray)] == [False, True, False]
    assert Upload.objects.count() == 1
    assert alice_client.head(old, headers=VERSION).status_code == 404


def test_every_piece_puts_the_end_off(alice_client):
    path = begin(alice_client, DATA)
    soon = timezone.now() + datetime.timedelta(minutes=1)
    Upload.objects.update(expires_at=soon)
    answer = send(alice_client, path, 0, DATA[:10])
    assert Upload.objects.get().expires_at > soon + datetime.timedelta(hours=20)
    assert "GMT" in answer["Upload-Expires"]


def test_an_upload_can_be_given_up(alice_client):
    path = begin(alice_client, DATA)
    assert alice_client.delete(path, headers=VERSION).status_code == 204
    assert not part(path).exists()
    assert send(alice_client, path, 0, DATA).status_code == 404


def test_an_upload_may_be_given_up_while_a_piece_arrives(alice_client):
    path = begin(alice_client, DATA)

    def pieces():
        yield DATA[:10]
        assert alice_client.delete(path, headers=VERSION).status_code == 204
        yield DATA[10:]

    with pytest.raises(WebError) as caught:
        uploads.append(Upload.objects.get(), 0, pieces())
    assert (caught.value.http_status, caught.value.code) == (404, "upload_gone")
    assert not part(path).exists()


@pytest.mark.parametrize("is_hashed", [False, True])
def test_an_upload_may_be_given_up_while_it_is_completed(alice_client, monkeypatch, is_hashed):
    path, verified = upload(alice_client, DATA), uploads.verified
    storage.discard(SHA256)  # of another test

    def given_up(row):
        found = verified(row) if is_hashed else None
        uploads.discard(Upload.objects.get(pk=row.pk))
        return found or verified(row)

    monkeypatch.setattr(uploads, "verified", given_up)
    answer = finish(alice_client, path)
    assert (answer.status_code, code(answer)) == (404, "upload_gone")
    assert not Model.objects.exists()
    assert not storage.path_of(SHA256).exists()


def test_no_file_is_deleted_as_unused_while_a_model_arrives(alice_client, monkeypatch):
    """The rows that say that a file is needed are only seen once the transaction is over."""
    path, start_reading, deleted = upload(alice_client, DATA), services.start_reading, threading.Event()

    def delete():
        with storage.files_leave():
            deleted.set()

    def arriving(model):
        threading.Thread(target=delete, daemon=True).start()
        assert storage.path_of(SHA256).exists()
        assert not deleted.wait(0.1)
        return start_reading(model)

    monkeypatch.setattr(services, "start_reading", arriving)
    assert finish(alice_client, path).status_code == 201
    assert deleted.wait(10)


def test_two_requests_do_not_write_at_the_same_time(alice_client):
    path = begin(alice_client, DATA)
    with part(path).open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for answer in (send(alice_client, path, 0, DATA[:10]), finish(alice_client, path)):
            assert (answer.status_code, code(answer)) == (423, "upload_busy")
    assert send(alice_client, path, 0, DATA[:10]).status_code == 204


def test_a_part_that_is_gone_is_said_to_be_gone(alice_client):
    path = begin(alice_client, DATA)
    part(path).unlink()
    answer = send(alice_client, path, 0, DATA)
    assert (answer.status_code, code(answer)) == (404, "upload_gone")


def test_team_mates_share_uploads_and_outsiders_see_none(alice_client, bob, viewer, outsider):
    path = begin(alice_client, DATA)
    assert send(signed_in(bob), path, 0, DATA[:10]).status_code == 204
    stranger = signed_in(outsider)
    for answer in (
        stranger.head(path, headers=VERSION),
        stranger.get(path),
        send(stranger, path, 10, DATA[10:]),
        stranger.delete(path),
        finish(stranger, path),
    ):
        assert answer.status_code == 404
    onlooker = signed_in(viewer)
    assert onlooker.get(path).status_code == 200
    for answer in (send(onlooker, path, 10, DATA[10:]), onlooker.delete(path), finish(onlooker, path)):
        assert answer.status_code == 403
    assert onlooker.post("/api/uploads/", headers={**VERSION, "Upload-Length": "5"}).status_code == 403
    assert offset(alice_client, path) == 10


def test_another_teams_upload_is_no_data_file(alice_client, outsider):
    theirs = upload(signed_in(outsider), b"weights", "w.bin")
    mine = upload(alice_client, DATA)
    assert finish(alice_client, mine, [theirs]).status_code == 404
    assert offset(signed_in(outsider), theirs) == 7


def test_the_same_content_is_not_added_twice(alice_client, bob, outsider):
    first = add(alice_client, {"big.onnx": DATA})
    again = finish(signed_in(bob), upload(signed_in(bob), DATA, "other.onnx"))
    assert (again.status_code, again.json()["id"], again.json()["already_there"]) == (200, first["id"], True)
    assert not Upload.objects.exists()
    # Another team learns nothing of it.
    theirs = finish(signed_in(outsider), upload(signed_in(outsider), DATA, "big.onnx"))
    assert (theirs.status_code, theirs.json()["already_there"]) == (201, False)


def test_a_refused_model_is_read_again_when_it_is_uploaded_again(alice_client):
    refused = add(alice_client, {"bad.onnx": b"not a model at all"})
    assert refused["state"] == "refused"
    again = finish(alice_client, upload(alice_client, b"not a model at all", "bad.onnx"))
    assert (again.status_code, again.json()["id"], again.json()["state"]) == (200, refused["id"], "parsing")


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
    headers = {
        **VERSION,
        "Upload-Length": str(body["size_bytes"]),
        "Upload-Metadata": metadata(
            filename=body["file_name"], **{k: v for k, v in fields.items() if k in ("sha256", "kind")}
        ),
    }
    assert alice_client.post("/api/uploads/", headers=headers).status_code == status
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    "headers",
    [
        {"Upload-Length": "-1"},
        {"Upload-Length": "x"},
        {"Upload-Defer-Length": "1"},
        {"Upload-Length": "5", "Upload-Metadata": "filename *"},
        {"Upload-Length": "5", "Upload-Metadata": "filename /w=="},
        {"Upload-Length": "5", "Upload-Metadata": "filename YQ==,filename YQ=="},
        {"Upload-Length": "5", "Upload-Metadata": "filename " + "A" * 20_000},
    ],
)
def test_headers_that_cannot_be_are_refused(alice_client, headers):
    answer = alice_client.post("/api/uploads/", headers={**VERSION, **headers})
    assert (answer.status_code, code(answer)) == (400, "tus_header")


@pytest.mark.parametrize("value", ["", "x", "-1", "٣", "1" * 30])
def test_an_offset_is_a_number(alice_client, value):
    path = begin(alice_client, DATA)
    answer = alice_client.patch(
        path, b"x", content_type=PIECE, headers={**VERSION, "Upload-Offset": value.encode().decode("latin-1")}
    )
    assert (answer.status_code, code(answer)) == (400, "tus_header")


def test_a_piece_has_its_own_media_type(alice_client):
    path = begin(alice_client, DATA)
    headers = {**VERSION, "Upload-Offset": "0"}
    assert alice_client.patch(path, b"x", content_type="application/octet-stream", headers=headers).status_code == 415


def test_a_team_has_a_quota(alice_client, outsider, settings):
    add(alice_client, {"big.onnx": DATA})
    settings.TEAM_STORAGE_BYTES = 2 * len(DATA) + 10
    waiting = begin(alice_client, DATA)
    full = alice_client.post("/api/uploads/", {"file_name": "a", "size_bytes": 11}, "json")
    assert (full.status_code, code(full)) == (413, "team_storage_full")
    assert full.json()["error"]["params"] == {"limit_bytes": 2 * len(DATA) + 10, "used_bytes": 2 * len(DATA)}
    assert signed_in(outsider).post("/api/uploads/", {"file_name": "a", "size_bytes": 11}, "json").status_code == 201
    alice_client.delete(waiting)
    assert alice_client.post("/api/uploads/", {"file_name": "a", "size_bytes": 11}, "json").status_code == 201


def test_the_number_of_uploads_under_way_and_the_disk_are_limits_too(alice_client, monkeypatch):
    monkeypatch.setattr(limits, "MAX_UPLOADS", 1)
    path = begin(alice_client, DATA)
    answer = alice_client.post("/api/uploads/", {"file_name": "a", "size_bytes": 1}, "json")
    assert (answer.status_code, code(answer)) == (409, "uploads_too_many")
    alice_client.delete(path)
    monkeypatch.setattr(limits, "DISK_RESERVE_BYTES", 1 << 60)
    answer = alice_client.post("/api/uploads/", {"file_name": "a", "size_bytes": 1}, "json")
    assert (answer.status_code, code(answer)) == (507, "storage_full")


def test_a_full_disk_keeps_what_had_arrived(alice_client, monkeypatch):
    path = begin(alice_client, DATA)
    send(alice_client, path, 0, DATA[:100])
    full = OSError(28, "No space left on device")
    monkeypatch.setattr(os, "fsync", lambda descriptor: (_ for _ in ()).throw(full))
    answer = send(alice_client, path, 100, DATA[100:])
    assert (answer.status_code, code(answer)) == (507, "storage_full")
    assert part(path).read_bytes() == DATA[:100]
