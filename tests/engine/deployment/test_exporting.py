"""Exports: the same bytes, checksums, refusals before anything is written, and every shipped format conforms."""

import io
import json
import tarfile
import zipfile
from dataclasses import replace

import pytest

from heteroopt.api.stored import stored_plan
from heteroopt.cli import main as command
from heteroopt.deployment.export_files import check_paths, safe_name, write_tar_gz, write_zip
from heteroopt.deployment.export_manifest import digest_of, read_manifest
from heteroopt.deployment.export_plan import build, check_export, describe, describe_all, export_plan
from heteroopt.deployment.export_registry import exporters, find_exporter, load_exporters
from heteroopt.deployment.exporters.plan_json import PlanJson
from heteroopt.deployment.exporting import Coverage, Export, ExportFile
from heteroopt.deployment.plan_reader import read_plan
from heteroopt.errors import HeteroOptError
from tests.engine.deployment import plans


def code_of(work) -> str:
    with pytest.raises(HeteroOptError) as caught:
        work()
    assert caught.value.hint
    return caught.value.code


def test_the_manifest_says_where_it_is_from(tmp_path):
    request = plans.request()
    manifest = export_plan("csv", request, tmp_path / "out", {"state": "approved", "by": "Ada"})
    assert manifest == read_manifest(tmp_path / "out")
    assert manifest["hashes"]["plan"] == request.plan.content_hash
    assert manifest["hashes"]["model"] == request.plan.original.content_hash
    assert manifest["approval"] == {"state": "approved", "by": "Ada"}
    assert manifest["files"]["operators.csv"]["size_bytes"] == (tmp_path / "out" / "operators.csv").stat().st_size
    rows = manifest["operators"]
    assert [row["index"] for row in rows] == list(range(len(request.plan.original.operators)))
    assert all(row["outputs"] and row["segment"] is not None for row in rows)
    segments = {segment["index"]: segment["device"] for segment in manifest["segments"]}
    assert all(segments[row["segment"]] == row["device"] for row in rows)
    assert "not approved" in export_plan("csv", request, tmp_path / "again").values()


def test_a_changed_a_missing_and_a_foreign_file_are_named(tmp_path):
    export_plan("csv", plans.request(), tmp_path / "out")
    table = tmp_path / "out" / "operators.csv"
    whole = table.read_bytes()
    table.write_bytes(whole + b"x")
    assert code_of(lambda: check_export(tmp_path / "out")) == "export_file_changed"
    table.unlink()
    assert code_of(lambda: check_export(tmp_path / "out")) == "export_file_missing"
    table.write_bytes(whole)
    check_export(tmp_path / "out")
    (tmp_path / "out" / "more.txt").write_text("?")
    assert code_of(lambda: check_export(tmp_path / "out")) == "export_file_unknown"
    (tmp_path / "out" / "manifest.json").write_text("{}")
    assert code_of(lambda: check_export(tmp_path / "out")) == "export_manifest"


def test_a_path_in_a_manifest_cannot_leave_its_folder(tmp_path):
    export_plan("csv", plans.request(), tmp_path / "out")
    (tmp_path / "secret").write_text("x")
    manifest = tmp_path / "out" / "manifest.json"
    document = json.loads(manifest.read_text())
    document["files"]["../secret"] = {"sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}
    document["sha256"] = digest_of(document)
    manifest.write_text(json.dumps(document))
    assert code_of(lambda: check_export(tmp_path / "out")) == "export_file_missing"


DAMAGES = {
    "no operators": lambda d: d.pop("operators"),
    "an operator that is a number": lambda d: d["operators"].append(1),
    "an operator without a device": lambda d: d["operators"][0].pop("device"),
    "an operator whose index is a text": lambda d: d["operators"][0].update(index="first"),
    "no segments": lambda d: d.pop("segments"),
    "a segment without a device": lambda d: d["segments"][0].pop("device"),
}


@pytest.mark.parametrize("key", ["csv", "trace", "kubernetes"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_manifest_is_named_by_every_format(tmp_path, key, damage):
    request = plans.request()
    options = {"image": "registry/name:1"} if key == "kubernetes" else {}
    export_plan(key, replace(request, options=options), tmp_path / "out")
    manifest = tmp_path / "out" / "manifest.json"
    document = json.loads(manifest.read_text())
    DAMAGES[damage](document)
    manifest.write_text(json.dumps(document))
    assert code_of(lambda: check_export(tmp_path / "out")) == "export_manifest"


def test_files_of_two_exports_do_not_mix(tmp_path):
    export_plan("csv", plans.request(), tmp_path)
    assert code_of(lambda: export_plan("trace", plans.request(), tmp_path)) == "export_folder_used"


def test_archives_hold_what_the_folder_holds(tmp_path):
    files = build("csv", plans.request())
    packed = {}
    for write, name in ((write_zip, "zip"), (write_tar_gz, "tar")):
        first, second = io.BytesIO(), io.BytesIO()
        write(files, first)
        write(files[::-1], second)
        assert first.getvalue() == second.getvalue()
        packed[name] = first
    with zipfile.ZipFile(packed["zip"]) as archive:
        from_zip = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    packed["tar"].seek(0)
    with tarfile.open(fileobj=packed["tar"]) as archive:
        from_tar = {entry.name: archive.extractfile(entry).read() for entry in archive}
    assert from_zip == from_tar == {file.path: file.data for file in files}


@pytest.mark.parametrize("path", ["../x", "/x", "a//b", "a/.b", "a b", "con.txt", "x.", "", "a\\b", "x" * 200])
def test_unsafe_paths_are_refused(path):
    assert code_of(lambda: check_paths([ExportFile(path, b"")])) == "export_path"


def test_paths_that_differ_in_case_only_are_refused():
    assert code_of(lambda: check_paths([ExportFile("a", b""), ExportFile("A", b"")])) == "export_path"


@pytest.mark.parametrize(
    ("text", "name"),
    [("model", "model"), ("../../etc/passwd", "etc_passwd"), ("模型", "model"), ("con", "con_"), ("a b/c", "a_b_c")],
)
def test_names_are_made_safe(text, name):
    assert safe_name(text) == name
    check_paths([ExportFile(safe_name(text * 60), b"")])


def test_refusals_come_before_anything_is_written(tmp_path):
    request = plans.request(nonsense="1")
    entry = describe("csv", request)
    assert [refusal["code"] for refusal in entry["refusals"]] == ["export_option_unknown"]
    elsewhere = plans.request(**{"device.nowhere": "openvino:CPU", "device.gpu0": "openvino:CPU"})
    refused = {r["code"]: r["params"] for r in describe("ort-segments", elsewhere)["refusals"]}
    assert refused["export_target_unknown"]["option"] == "device.nowhere"
    assert code_of(lambda: export_plan("csv", request, tmp_path / "out")) == "export_option_unknown"
    assert not (tmp_path / "out").exists()
    assert [entry["key"] for entry in describe_all()] == list(exporters().available)
    assert code_of(lambda: find_exporter("cvs")) == "export_unknown"


class Forgetful(PlanJson):
    key = "forgetful"

    def export(self, request):
        return Export(super().export(request).files, Coverage(len(request.plan.original.operators), 1))


def test_a_format_that_loses_operators_silently_is_found_out(monkeypatch):
    monkeypatch.setattr("heteroopt.deployment.export_plan.find_exporter", lambda key: Forgetful())
    assert code_of(lambda: build("forgetful", plans.request())) == "export_coverage"


class Point:
    dist = None

    def __init__(self, name, loaded):
        self.name, self.value, self._loaded = name, "somewhere:EXPORTER", loaded

    def load(self):
        return self._loaded


def test_plugins_are_taken_or_listed_with_their_reason():
    loaded = load_exporters([Point("forgetful", Forgetful()), Point("other", Forgetful()), Point("odd", 3)])
    assert isinstance(loaded.available["forgetful"], Forgetful)
    assert {plugin.name: plugin.code for plugin in loaded.unavailable} == {"other": "wrong_kind", "odd": "wrong_kind"}


def test_an_exported_plan_read_again_has_identical_objectives(tmp_path):
    for seed in range(5):
        request = plans.random_request(seed)
        export_plan("plan-json", request, tmp_path / str(seed))
        again = stored_plan(read_plan(tmp_path / str(seed) / "plan.json"))
        before, after = request.plan.schedule, again.schedule
        assert (before.makespan_ps, before.energy_pj, before.load_variance, before.overflow_bytes) == (
            after.makespan_ps, after.energy_pj, after.load_variance, after.overflow_bytes,
        )  # fmt: skip
        assert again.content_hash == request.plan.content_hash


def test_a_plan_file_that_states_other_figures_is_found_out(tmp_path):
    export_plan("plan-json", plans.request(), tmp_path / "out")
    path = tmp_path / "out" / "plan.json"
    document = json.loads(path.read_text())
    document["plan"]["energy_j"] *= 2
    path.write_text(json.dumps(document))
    assert code_of(lambda: find_exporter("plan-json").check(tmp_path / "out")) == "plan_decodes_otherwise"


def test_the_command_lists_writes_and_checks(tmp_path, capsys):
    plan = tmp_path / "plan.json"
    plans.result().pareto_front[0].save(plan)
    assert command(["export", "--list", str(plan)]) == 0
    listed = capsys.readouterr().out
    assert all(key in listed for key in exporters().available)
    assert command(["export", str(plan), "--format", "trace", "--out", str(tmp_path / "out")]) == 0
    assert command(["export", "--check", str(tmp_path / "out")]) == 0
    assert command(["export", str(plan), "--format", "csv", "--out", str(tmp_path / "out.zip")]) == 0
    assert zipfile.is_zipfile(tmp_path / "out.zip")
    assert command(["export", str(plan), "--format", "nothing", "--out", str(tmp_path / "x")]) == 1
    assert command(["export", str(plan)]) == 2
