"""An export is there whole or not at all: nothing is left of one that fails, nothing is lost of one that was there."""

import errno
import resource
import shutil
import zipfile
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import onnx
import pytest

from heteroopt.cli import main as command
from heteroopt.deployment import export_drafts, export_target
from heteroopt.deployment.export_archive import write_export
from heteroopt.deployment.export_manifest import read_manifest
from heteroopt.deployment.export_plan import check_export, describe, export_plan
from heteroopt.deployment.export_size import total_bytes
from heteroopt.deployment.exporters.operator_csv import OperatorCsv
from heteroopt.deployment.exporters.ort_segments.exporter import EXPORTER as SEGMENTS
from heteroopt.errors import HeteroOptError
from tests.engine.deployment import plans
from tests.engine.deployment import segment_cases as cases

TARGETS = ["out", "new/deep/out", "out.zip", "out.tar.gz"]


def code_of(work) -> str:
    with pytest.raises(HeteroOptError) as caught:
        work()
    assert caught.value.hint
    return caught.value.code


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def broken_check(self, folder):
    raise HeteroOptError("export_unparsable", "No.", hint="Export again.")


@pytest.fixture
def failing(monkeypatch):
    monkeypatch.setattr(OperatorCsv, "check", broken_check)


@pytest.mark.parametrize("name", TARGETS)
def test_a_check_that_fails_leaves_nothing(tmp_path, failing, name):
    target = tmp_path / name
    assert code_of(lambda: write_export("csv", plans.request(), target)) == "export_unparsable"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_what_was_there_survives_an_export_that_fails(tmp_path, monkeypatch, name):
    target = tmp_path / name
    write_export("csv", plans.request(row=0), target)
    before = contents(tmp_path)
    used = "export_file_used" if name.endswith("zip") else "export_folder_used"
    assert code_of(lambda: write_export("csv", plans.request(), target)) == used
    with monkeypatch.context() as patch:
        patch.setattr(OperatorCsv, "check", broken_check)
        assert (
            code_of(lambda: write_export("csv", plans.request(), target, replace_existing=True)) == "export_unparsable"
        )
    with monkeypatch.context() as patch:
        patch.setattr(export_target.os, "rename", refused(export_target.os.rename, "export"))
        patch.setattr(export_target.os, "replace", refused(export_target.os.replace, "archive"))
        with pytest.raises(PermissionError):
            write_export("csv", plans.request(), target, replace_existing=True)
    assert contents(tmp_path) == before
    write_export("csv", plans.request(row=0), target, replace_existing=True)
    assert contents(tmp_path) == before
    write_export("trace", plans.request(), target, replace_existing=True)
    names = zipfile.ZipFile(target).namelist() if target.is_file() else [path.name for path in target.iterdir()]
    assert sorted(names) == ["manifest.json", "trace.json"] and len(list(tmp_path.iterdir())) == 1


def refused(real, name):
    """A move that fails for the finished export alone."""

    def move(source, target):
        if source.name == name:
            raise PermissionError(errno.EPERM, "not now")
        real(source, target)

    return move


def test_a_folder_that_no_export_wrote_is_never_replaced(tmp_path):
    export_plan("csv", plans.request(), tmp_path / "out")
    (tmp_path / "out" / "mine.txt").write_text("mine")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("mine")
    for name in ("out", "other"):
        before = contents(tmp_path / name)
        again = lambda name=name: export_plan("csv", plans.request(), tmp_path / name, replace_existing=True)  # noqa: E731
        assert code_of(again) == "export_folder_foreign"
        assert contents(tmp_path / name) == before
    (tmp_path / "folder.zip").mkdir()
    assert code_of(lambda: write_export("csv", plans.request(), tmp_path / "folder.zip", replace_existing=True)) == (
        "export_file_used"
    )


@pytest.mark.parametrize("mounted", [False, True])
def test_an_empty_folder_is_filled_whole(tmp_path, monkeypatch, mounted):
    (tmp_path / "out").mkdir()
    monkeypatch.setattr(export_target.os.path, "ismount", lambda path: mounted)
    with monkeypatch.context() as patch:
        patch.setattr(OperatorCsv, "check", broken_check)
        assert code_of(lambda: export_plan("csv", plans.request(), tmp_path / "out")) == "export_unparsable"
        assert list((tmp_path / "out").iterdir()) == []
    export_plan("csv", plans.request(), tmp_path / "out")
    check_export(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_mount_gets_all_files_or_none(tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    monkeypatch.setattr(export_target.os.path, "ismount", lambda path: True)
    monkeypatch.setattr(export_target.os, "rename", refused(export_target.os.rename, "manifest.json"))
    with pytest.raises(PermissionError):
        export_plan("csv", plans.request(), tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_link_keeps_pointing_to_its_folder(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    export_plan("csv", plans.request(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    check_export(tmp_path / "real")


@contextmanager
def file_limit(size_bytes):
    """No file of this process grows beyond that: writing on gives EFBIG, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("name", TARGETS)
def test_a_disk_that_fills_up_is_named_and_nothing_is_left(tmp_path, name):
    request = plans.request()
    with file_limit(2048):
        assert code_of(lambda: write_export("csv", request, tmp_path / name)) == "export_disk_full"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", TARGETS)
def test_room_is_looked_for_before_anything_is_written(tmp_path, monkeypatch, name):
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(export_target.shutil, "disk_usage", lambda path: usage)
    monkeypatch.setattr(export_drafts.tempfile, "mkdtemp", None)
    assert code_of(lambda: write_export("csv", plans.request(), tmp_path / name)) == "export_disk_full"


def test_an_export_above_the_limit_is_refused_by_its_size(tmp_path):
    model = cases.with_sizes_inside(tmp_path / "model.onnx")
    alone, split = (cases.request_for(model, place) for place in (lambda i, n: 0, lambda i, n: i % 2))
    assert split.partition.copied_weight_bytes > 0
    expected = SEGMENTS.expected_bytes(split)
    assert expected - SEGMENTS.expected_bytes(alone) == split.partition.copied_weight_bytes
    cut = [file for file in SEGMENTS.export(split).files if file.path.endswith(".onnx")]
    stored = {tensor.name for file in cut for tensor in onnx.load_from_string(file.data).graph.initializer}
    assert "w" in stored and total_bytes(cut) < 4 * expected
    small = replace(split, limit_bytes=expected - 1)
    refusal = describe("ort-segments", small)["refusals"][0]
    assert (refusal["code"], refusal["params"]["size_bytes"], refusal["params"]["limit_bytes"]) == (
        "export_too_large", expected, expected - 1,
    )  # fmt: skip
    assert code_of(lambda: export_plan("ort-segments", small, tmp_path / "out")) == "export_too_large"
    table = replace(plans.request(), limit_bytes=100)
    assert describe("csv", table)["refusals"] == []
    assert code_of(lambda: export_plan("csv", table, tmp_path / "out")) == "export_too_large"
    assert not (tmp_path / "out").exists()


def test_data_files_count(tmp_path):
    model = cases.with_sizes_inside(tmp_path / "model.onnx")
    request = cases.request_for(model, lambda i, n: 0)
    (tmp_path / "w.bin").write_bytes(np.zeros(1 << 16).tobytes())
    beside = replace(request, data_files={"w.bin": tmp_path / "w.bin"})
    assert SEGMENTS.expected_bytes(beside) == model.stat().st_size + (1 << 19)


def test_the_command_replaces_only_when_told(tmp_path, capsys):
    plan = tmp_path / "plan.json"
    plans.result().pareto_front[0].save(plan)
    for name in ("out", "out.zip"):
        arguments = ["export", str(plan), "--format", "csv", "--out", str(tmp_path / name)]
        assert command(arguments) == 0
        assert command(arguments) == 1
        assert "--force" in capsys.readouterr().err
        assert command([*arguments, "--force"]) == 0
    assert command([*arguments, "--force", "--max-bytes", "100"]) == 1
    assert "100" in capsys.readouterr().err
    assert command([*arguments, "--max-bytes", "0"]) == 2
    assert read_manifest(tmp_path / "out")["exporter"] == "csv"
