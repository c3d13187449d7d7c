"""Exports and trial runs whose process is told to end or is killed: what is there then, and at the next export."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from heteroopt.cli import main
from heteroopt.deployment import export_plan as exporting
from heteroopt.deployment.export_archive import write_export
from heteroopt.deployment.export_drafts import DRAFT, FORMER, new_draft
from heteroopt.deployment.export_plan import check_export, export_plan
from heteroopt.deployment.plan_json import plan_document, write_document
from heteroopt.deployment.trial import run as trial
from tests.engine.deployment import segment_cases as cases

TOLD = [(signal.SIGTERM, 128 + signal.SIGTERM, "Ended by SIGTERM."), (signal.SIGINT, 130, "Interrupted.")]
KILLER = """
import os, pathlib, stat, sys, time
held = stat.S_ISFIFO(os.fstat(0).st_mode)
pathlib.Path({note!r}).write_text("%d\\n%s\\n%s" % (os.getpid(), os.getcwd(), held))
os.kill(os.getppid(), {number})
time.sleep(600)
"""


@pytest.fixture
def usual_signals():
    """As in a terminal: whoever runs the tests may have these signals ignored."""
    wanted = {signal.SIGTERM: signal.SIG_DFL, signal.SIGINT: signal.default_int_handler}
    former = {number: signal.signal(number, handler) for number, handler in wanted.items()}
    yield
    assert {number: signal.getsignal(number) for number in wanted} == wanted
    for number, handler in former.items():
        signal.signal(number, handler)


@pytest.fixture
def request_of_two(tmp_path):
    folder = tmp_path / "given"
    folder.mkdir()
    return cases.request_for(cases.with_sizes_inside(folder / "m.onnx"), lambda i, n: int(i >= n // 2))


@pytest.fixture
def plan(request_of_two):
    model = request_of_two.model_path
    write_document(model.with_name("plan.json"), plan_document(request_of_two.plan, with_inputs=True))
    return [str(model.with_name("plan.json")), "--model", str(model)]


def abandoned(target: Path) -> Path:
    """What is left of an export to ``target`` that was killed."""
    with contextlib.ExitStack() as stack:
        draft = stack.enter_context(new_draft(target, target.parent))
        kept = draft.with_name("kept")
        draft.rename(kept)
    kept.rename(draft)
    (draft / "export").mkdir()
    (draft / "export" / "half.onnx").write_bytes(b"half")
    return draft


@pytest.mark.parametrize(("number", "code", "says"), TOLD)
@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_an_export_that_is_told_to_end_leaves_nothing(
    name, number, code, says, plan, tmp_path, capsys, monkeypatch, usual_signals
):
    before = set(tmp_path.rglob("*"))

    def write(files, folder):
        folder.mkdir()
        (folder / "begun").write_bytes(b"x")
        signal.raise_signal(number)
        raise AssertionError("it went on")

    monkeypatch.setattr(exporting, "write_folder", write)
    arguments = ["export", *plan, "--format", "csv", "--out", str(tmp_path / name)]
    assert main(arguments) == code
    assert says in capsys.readouterr().err
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(("number", "code", "says"), TOLD)
def test_a_trial_that_is_told_to_end_takes_its_process_along(
    number, code, says, plan, tmp_path, capsys, monkeypatch, usual_signals
):
    note, script, scratch = tmp_path / "note", tmp_path / "child.py", tmp_path / "scratch"
    script.write_text(KILLER.format(note=str(note), number=int(number)))
    scratch.mkdir()
    monkeypatch.setattr(trial, "CHILD", script)
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    cpu = ["--option", "device.gpu0=onnxruntime:CPUExecutionProvider"]
    assert main(["trial", *plan, *cpu]) == code
    assert says in capsys.readouterr().err
    pid, folder, held = note.read_text().splitlines()
    assert held == "True"
    assert Path(folder).is_relative_to(scratch) and list(scratch.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_the_process_of_a_trial_ends_with_one_that_is_killed():
    code = "import sys, time; sys.path[0] = sys.argv[1]; import child; child.end_with_parent(); time.sleep(600)"
    command = [sys.executable, "-c", code, str(trial.CHILD.parent)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(120) == 1


@pytest.mark.parametrize("name", ["out", "out.zip", f"{'long' * 20}.zip"])
def test_the_next_export_clears_what_a_killed_one_left_and_nothing_else(name, request_of_two, tmp_path):
    target = tmp_path / "new" / name
    target.parent.mkdir()
    left = abandoned(target)
    others = [abandoned(target.with_name(f"{name}.old")), abandoned(target.with_name("other"))]
    for strange in (f".{name}.mine{DRAFT}", f".{name}.12345678"):
        target.with_name(strange).mkdir()
        others.append(target.with_name(strange))
    with new_draft(target, target.parent) as running:
        write_export("csv", request_of_two, target)
        assert running.is_dir() and not left.exists()
    assert all(other.is_dir() for other in others)
    assert {*others, target} == set(target.parent.iterdir())


def test_an_export_that_was_killed_while_it_replaced_another_gives_that_back(request_of_two, tmp_path):
    target = tmp_path / "new" / "out"
    export_plan("csv", request_of_two, target)
    draft = abandoned(target)
    target.rename(draft / FORMER)
    with pytest.raises(Exception, match="is not an empty folder") as caught:
        export_plan("trace", request_of_two, target)
    assert caught.value.code == "export_folder_used"
    check_export(target)
    assert list(target.parent.iterdir()) == [target]
