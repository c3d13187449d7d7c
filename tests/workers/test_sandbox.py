"""The sandbox: what a child may do, and what each way of misbehaving becomes."""

import errno
import os
import platform
import resource
import socket
import sys
import threading

import pytest
from django.conf import settings

from heteroopt.errors import HeteroOptError
from workers import sandbox
from workers.sandbox import Limits, run_in_sandbox

MODULE = "tests.workers.sandbox_functions"
LIMITS = Limits(memory_bytes=1 << 30, cpu_seconds=20, wall_seconds=20, file_bytes=1 << 20, result_bytes=1 << 20)


@pytest.fixture(autouse=True)
def allow(monkeypatch):
    from tests.workers import sandbox_functions

    names = {f"{MODULE}:{name}" for name in vars(sandbox_functions)}
    monkeypatch.setattr(sandbox, "ALLOWED", sandbox.ALLOWED | names)


def run(name, payload=None, files=None, limits=LIMITS, **options):
    return run_in_sandbox(f"{MODULE}:{name}", payload or {}, files, limits, **options)


def refusal(name, payload=None, files=None, limits=LIMITS):
    with pytest.raises(HeteroOptError) as caught:
        run(name, payload, files, limits)
    return caught.value


def test_result_and_files_come_through(tmp_path):
    file = tmp_path / "a.onnx"
    file.write_text("文件")
    assert run("echo", {"n": [1, 2.5, None, "é"]}, {"model": file}) == {
        "payload": {"n": [1, 2.5, None, "é"]},
        "files": {"model": "文件"},
    }


def test_a_request_larger_than_a_pipe_comes_through():
    assert len(run("echo", {"text": "x" * 500_000})["payload"]["text"]) == 500_000


def test_the_child_starts_with_nothing(monkeypatch):
    monkeypatch.setenv("HETEROOPT_SECRET_KEY", "s" * 40)
    about = run("about")
    assert about["folder"] == []
    assert about["modules"] is False
    assert not [name for name in about["environment"] if "HETEROOPT" in name or "DJANGO" in name]


def test_only_listed_functions_run():
    with pytest.raises(ValueError, match="not on the sandbox's list"):
        run_in_sandbox("os:system", {}, limits=LIMITS)


def test_a_refusal_keeps_its_code_and_parameters():
    error = refusal("refuse")
    assert error.to_dict() == {
        "code": "model_empty",
        "message": "The file has no operator.",
        "hint": "Export it again.",
        "params": {"bytes": 0},
    }


@pytest.mark.parametrize("name", ["memory_bomb", "native_memory_bomb"])
def test_memory_is_limited(name):
    error = refusal(name)
    assert (error.code, error.params) == ("sandbox_memory", {"limit_bytes": 1 << 30})


def test_wall_time_is_limited():
    error = refusal("sleep", limits=Limits(1 << 30, 20, 1.0))
    assert (error.code, error.params) == ("sandbox_timeout", {"limit_s": 1.0})


def test_cpu_time_is_limited():
    error = refusal("endless_loop", limits=Limits(1 << 30, 1, 30))
    assert (error.code, error.params) == ("sandbox_timeout", {"limit_s": 1})


def test_a_crash_is_named():
    error = refusal("crash")
    assert (error.code, error.params["reason"]) == ("sandbox_crash", "SIGSEGV")


def test_any_other_end_is_a_crash():
    assert refusal("leave").code == "sandbox_crash"
    assert "unexpected byte 0x07" in refusal("wrong").params["reason"]
    assert "RecursionError" in refusal("deep").params["reason"]
    assert "ValueError" in refusal("not_a_number").params["reason"]


def test_results_are_limited():
    error = refusal("large_result")
    assert (error.code, error.params) == ("sandbox_output", {"limit_bytes": 1 << 20})


@pytest.fixture
def listener():
    server = socket.create_server(("127.0.0.1", 0))
    reached = threading.Event()

    def accept():
        try:
            server.accept()
        except OSError:
            return
        reached.set()

    threading.Thread(target=accept, daemon=True).start()
    yield server.getsockname()[1], reached
    server.close()


def test_python_code_reaches_no_network(listener):
    port, reached = listener
    assert "socket" in refusal("connect", {"port": port}).params["reason"]
    assert not reached.is_set()


@pytest.fixture(scope="module")
def kept():
    return sandbox.protections()


def test_native_code_reaches_no_network(listener, kept):
    port, reached = listener
    connected = run("native_connect", {"port": port}) == 0
    assert connected == reached.wait(0.2)
    if kept["seccomp"] or kept["namespace"]:
        assert not connected


def test_linux_keeps_the_child_with_its_own_means(kept):
    """seccomp is in every kernel that we support; Landlock and namespaces depend on how it was built and is set."""
    if sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64"):
        assert kept["seccomp"]


def test_nothing_outside_of_the_upload_is_read(tmp_path, kept):
    if not kept["landlock"]:
        pytest.skip("this kernel has no Landlock")
    file, other = tmp_path / "model", tmp_path / "other"
    file.write_text("m")
    other.write_text("another upload")
    assert run("every_file", files={"model": file, "data": file}) == {"model": "m", "data": "m"}
    for path in (
        str(other),
        "/etc/passwd",
        str(tmp_path),
        "/proc/1/environ",
        str(settings.BASE_DIR / "pyproject.toml"),
    ):
        assert run("native_read", {"path": path}, {"model": file}) == errno.EACCES
    assert "Permission denied" in refusal("read", {"path": str(other)}).params["reason"]
    assert run("native_read", {"path": sys.executable}, {"model": file}) == 0


def test_native_code_starts_no_process_but_threads(kept):
    if not kept["seccomp"]:
        pytest.skip("seccomp is not to be had here")
    assert run("native_fork") == errno.EPERM
    assert run("thread") == ["ran"]


def test_native_code_touches_no_other_process(kept):
    if not kept["seccomp"]:
        pytest.skip("seccomp is not to be had here")
    before = resource.getrlimit(resource.RLIMIT_CORE)
    found = run("native_touches", {"process": os.getpid()})
    assert found.pop("own") == 0
    assert found.pop("raised") is None
    assert set(found.values()) == {errno.EPERM}, found
    assert resource.getrlimit(resource.RLIMIT_CORE) == before


def test_many_files_come_through(tmp_path):
    files = {}
    for number in range(300):
        files[f"data{number}"] = tmp_path / str(number)
        files[f"data{number}"].write_text("w")
    assert run("every_file", files=files) == dict.fromkeys(files, "w")


def test_what_the_child_made_is_collected_before_it_goes():
    def collect(folder, result):
        return {name: (folder / name).read_text() for name in result}

    assert run("produce", collect=collect) == {"0": "made"}


def test_files_are_written_in_the_working_folder_only(tmp_path):
    outside = tmp_path / "kept"
    outside.write_text("kept")
    assert run("write", {"path": "inside", "bytes": 5}) == 5
    assert "outside" in refusal("write", {"path": str(outside)}).params["reason"]
    assert "outside" in refusal("write", {"path": f"../../{os.path.relpath(outside, '/')}"}).params["reason"]
    assert "outside" in refusal("delete", {"path": str(outside)}).params["reason"]
    assert outside.read_text() == "kept"


def test_an_upload_cannot_be_changed(tmp_path):
    file = tmp_path / "model"
    file.write_text("bytes")
    assert refusal("write_upload", files={"model": file}).code == "sandbox_crash"
    assert file.read_text() == "bytes"


def test_file_size_is_limited():
    assert "File too large" in refusal("write", {"path": "inside", "bytes": 2 << 20}).params["reason"]


def test_no_process_is_started():
    assert "subprocess" in refusal("start_process").params["reason"]


def test_whoever_waits_may_give_up():
    class GiveUp(Exception):
        pass

    def tick():
        raise GiveUp

    with pytest.raises(GiveUp):
        run("sleep", tick=tick)


def test_nothing_is_left_behind(settings):
    before = set(os.listdir(settings.TEMPORARY_DIR))
    run("write", {"path": "inside"})
    refusal("crash")
    assert set(os.listdir(settings.TEMPORARY_DIR)) == before
