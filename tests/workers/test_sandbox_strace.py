"""The system calls of a reading process, as strace sees them: it opens its code and the upload, and nothing else."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from django.conf import settings
from onnx import TensorProto, helper

from tests.apps.support import onnx_bytes, value
from workers.confinement import code_paths

READER = """
import sys
from pathlib import Path
import django
django.setup()
from heteroopt.errors import HeteroOptError
from workers.sandbox import run_in_sandbox
import workers.runners.parse_model
keys = {"w.bin": "data0"}
files = {"model": Path(sys.argv[1]), "data0": Path(sys.argv[2])}
try:
    print("read", len(run_in_sandbox("apps.modelhub.reading:read_model", {"dims": {}, "data_files": keys}, files)))
except HeteroOptError as error:
    print(error.code)
"""
OPENED = re.compile(r"^(\d+) +open(?:at|at2)?\((?:AT_FDCWD, )?\"([^\"]*)\".* = (-?\d+)")


def model(location: str) -> bytes:
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value=location)
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    return onnx_bytes(nodes, [value("x", [4])], [value("y", [4])], [weight])


def traced(tmp_path, location: str) -> tuple[str, list[tuple[str, int]]]:
    """What reading a model that names this file said, and (path, result) of every open after the child was confined."""
    upload, data, log = tmp_path / "upload", tmp_path / "data", tmp_path / "log"
    upload.write_bytes(model(location))
    data.write_bytes(bytes(16))
    calls = "trace=open,openat,openat2,?landlock_restrict_self,seccomp,prctl"
    command = ["strace", "-f", "-qq", "-s", "4096", "-e", calls, "-o", str(log), sys.executable, "-c", READER]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "PYTHONPATH": str(settings.BASE_DIR)}
    done = subprocess.run(
        [*command, str(upload), str(data)],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if not log.exists() or not log.stat().st_size:
        pytest.skip(f"strace does not work here: {done.stderr[-200:]}")
    lines = log.read_text(errors="replace").splitlines()
    confined = next(i for i, line in enumerate(lines) if "PR_SET_SECCOMP" in line)
    child = lines[confined].split()[0]
    opened = [match for line in lines[confined:] if (match := OPENED.match(line)) and match[1] == child]
    return done.stdout.strip(), [(match[2], int(match[3])) for match in opened]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize(
    ("location", "said"), [("w.bin", "read 3"), ("../../../../etc/passwd", "external_data_refused")]
)
def test_a_reading_process_opens_its_code_and_the_upload(tmp_path, location, said):
    answer, opened = traced(tmp_path, location)
    assert answer == said
    got = [path for path, result in opened if result >= 0]
    assert any(path.startswith("/dev/fd/") for path in got)
    assert not [path for path, _ in opened if "passwd" in path or "w.bin" in path]
    allowed = [os.path.realpath(path) for path in code_paths(str(settings.BASE_DIR))]
    for path in got:
        real = os.path.realpath(path)
        inside = any(real == place or real.startswith(place.rstrip("/") + "/") for place in allowed)
        assert inside or path.startswith(("/dev/fd/", "/proc/self/")), path
