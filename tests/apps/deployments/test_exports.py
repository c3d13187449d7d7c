"""Exports: what is offered and refused, archives that hold the plan, links that end, and whose they are."""

import errno
import io
import json
import zipfile

import pytest
from django.core import signing
from onnx import helper

from apps.audit.models import AuditEvent
from apps.deployments import archives, exports
from apps.deployments.models import PlanExport
from heteroopt.deployment.export_plan import check_export
from tests.apps.support import add_model, add_pool, onnx_bytes, run_jobs, start_search, value

SMALL = {"population_size": 16, "generations": 4, "seed": 1}


@pytest.fixture
def search(alice_client):
    nodes = [helper.make_node("MatMul", [f"t{i}", f"t{i}"], [f"t{i + 1}"], name=f"mul {i}") for i in range(4)]
    model = add_model(alice_client, onnx_bytes(nodes, [value("t0", [64, 64])], [value("t4", [64, 64])]), 'a"/../b.onnx')
    found = start_search(alice_client, model, add_pool(alice_client), SMALL)
    run_jobs()
    return found


@pytest.fixture
def plan(search):
    return f"/api/searches/{search['id']}/plans/1/"


def exported(client, plan, key="plan-json", **more):
    answer = client.post(f"{plan}exports/", {"format": key, **more})
    assert answer.status_code == 202, answer.content
    run_jobs()
    return client.get(f"/api/exports/{answer.json()['id']}/").json()


def content(answer):
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def test_every_format_says_what_it_needs_and_why_it_cannot_hold_the_plan(alice_client, plan):
    offered = alice_client.get(f"{plan}formats/").json()
    assert offered["segments"] >= 1 and offered["unavailable"] == []
    by_key = {entry["key"]: entry for entry in offered["formats"]}
    assert {"plan-json", "csv", "trace"} <= set(by_key)
    assert by_key["plan-json"]["refusals"] == [] and "placement" in by_key["plan-json"]["expresses"]


def test_an_archive_holds_the_plan_with_checksums_and_says_that_nobody_approved_it(alice_client, plan, tmp_path):
    shown = alice_client.get(plan).json()
    export = exported(alice_client, plan)
    assert export["state"] == "done" and export["error"] is None
    assert export["plan_hash"] == shown["hash"] and export["manifest"]["hashes"]["plan"] == shown["hash"]
    assert export["manifest"]["approval"] == "not approved"
    answer = alice_client.get(f"/api/exports/{export['id']}/download/")
    assert answer["Content-Type"] == "application/zip" and answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"] == f'attachment; filename="{export["file_name"]}"'
    assert "/" not in export["file_name"] and '"' not in export["file_name"]
    data = content(answer)
    assert len(data) == export["size_bytes"]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(tmp_path)
    coverage = check_export(tmp_path)
    assert coverage.complete and coverage.planned == 4
    [written] = [json.loads(file.read_text()) for file in tmp_path.glob("*.json") if file.name != "manifest.json"]
    assert written["plan"]["exec_time_ms"] == shown["exec_time_ms"]
    assert written["plan"]["number"] == 1 and written["operators"][0]["reason"] is not None
    actions = list(AuditEvent.objects.filter(denied=False).values_list("action", flat=True))
    assert actions.count("plan.export") == 1 and actions.count("plan.download") == 1


@pytest.mark.parametrize("key", ["csv", "trace"])
def test_other_formats_come_the_same_way(alice_client, plan, key):
    export = exported(alice_client, plan, key)
    assert export["state"] == "done" and export["manifest"]["exporter"] == key
    assert export["manifest"]["coverage"]["unmatched"] == []


def test_a_full_disk_is_named_and_nothing_is_left(alice_client, plan, monkeypatch):
    def full(source, target):
        target.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(archives.shutil, "copyfile", full)
    export = exported(alice_client, plan)
    assert (export["state"], export["error"]["code"]) == ("failed", "export_disk_full")
    folder = archives.path_of(export["id"]).parent
    assert [path for path in folder.iterdir() if path.name.startswith(export["id"])] == []
    assert alice_client.get(f"/api/exports/{export['id']}/download/").status_code == 409


@pytest.mark.parametrize(
    ("key", "options", "code"),
    [
        ("compose", {"image": "a/b:1", "folder": "x\ny"}, "export_option_character"),
        ("kubernetes", {"image": "a/b:1", "namespace": "$(id)"}, "export_option_value"),
        ("compose", {"image": "a/b:1", "version": "1.29"}, "export_version"),
    ],
)
def test_an_option_that_no_file_can_carry_is_refused_at_once(alice_client, plan, key, options, code):
    answer = alice_client.post(f"{plan}exports/", {"format": key, "options": options}, "json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert PlanExport.objects.count() == 0


def test_what_cannot_be_written_is_refused_at_once_with_a_reason(alice_client, plan):
    for body, code in (
        ({"format": "floppy"}, "export_unknown"),
        ({"format": "csv", "options": {"colour": "red"}}, "export_option_unknown"),
        ({"format": "csv", "options": {"a": {"b": 1}}}, "invalid"),
        ({}, "invalid"),
    ):
        answer = alice_client.post(f"{plan}exports/", body)
        assert answer.status_code == 400 and answer.json()["error"]["code"] == code, answer.content
    assert not PlanExport.objects.exists()


def test_a_link_lends_this_archive_to_anybody_until_it_ends(alice_client, anonymous_client, plan, monkeypatch):
    export = exported(alice_client, plan)
    answer = alice_client.post(f"/api/exports/{export['id']}/link/")
    assert answer.status_code == 201
    url = answer.json()["url"]
    assert url.startswith("http://testserver/api/lent-exports/")
    lent = content(anonymous_client.get(url))
    assert lent == content(alice_client.get(f"/api/exports/{export['id']}/download/"))
    event = AuditEvent.objects.get(action="plan.download", user=None)
    assert event.details["link"] is True and str(event.object_id) == export["id"]
    assert anonymous_client.get(url[:-2] + "x/").status_code == 404
    forged = signing.dumps([export["id"], export["sha256"]], salt="another")
    assert anonymous_client.get(f"/api/lent-exports/{forged}/").status_code == 404
    monkeypatch.setattr(archives, "LINK_SECONDS", -1)
    assert anonymous_client.get(url).status_code == 404


def test_an_export_that_is_not_there_yet_is_no_file(alice_client, plan):
    export = alice_client.post(f"{plan}exports/", {"format": "csv"}).json()
    for answer in (
        alice_client.get(f"/api/exports/{export['id']}/download/"),
        alice_client.post(f"/api/exports/{export['id']}/link/"),
    ):
        assert answer.status_code == 409 and answer.json()["error"]["code"] == "export_not_ready"


def test_deleting_takes_the_archive_and_links_with_it(
    alice_client, anonymous_client, plan, django_capture_on_commit_callbacks
):
    export = exported(alice_client, plan)
    path = archives.path_of(PlanExport.objects.get().pk)
    url = alice_client.post(f"/api/exports/{export['id']}/link/").json()["url"]
    assert path.is_file()
    with django_capture_on_commit_callbacks(execute=True):
        assert alice_client.delete(f"/api/exports/{export['id']}/").status_code == 204
    assert not path.exists() and anonymous_client.get(url).status_code == 404


def test_only_the_newest_exports_of_a_search_are_kept(alice_client, plan, monkeypatch):
    monkeypatch.setattr(exports, "KEPT_EXPORTS", 2)
    made = [exported(alice_client, plan, key)["id"] for key in ("csv", "trace", "plan-json")]
    listed = alice_client.get(f"{plan}exports/").json()["results"]
    assert [one["id"] for one in listed] == made[:0:-1]


def test_a_viewer_reads_and_an_outsider_sees_nothing(alice_client, bob_client, viewer_client, outsider_client, plan):
    export = exported(alice_client, plan)
    one = f"/api/exports/{export['id']}/"
    assert content(viewer_client.get(f"{one}download/")) and content(bob_client.get(f"{one}download/"))
    assert viewer_client.get(f"{plan}formats/").status_code == 200
    assert viewer_client.post(f"{plan}exports/", {"format": "csv"}).status_code == 403
    assert viewer_client.post(f"{one}link/").status_code == 403
    assert viewer_client.delete(one).status_code == 403
    for answer in (
        outsider_client.get(one),
        outsider_client.delete(one),
        outsider_client.get(f"{one}download/"),
        outsider_client.post(f"{one}link/"),
        outsider_client.get(f"{plan}formats/"),
        outsider_client.get(f"{plan}exports/"),
        outsider_client.post(f"{plan}exports/", {"format": "csv"}),
    ):
        assert answer.status_code == 404
    assert PlanExport.objects.count() == 1
