"""A model with its data file: the web process is killed on the way, and the page goes on by itself."""

from __future__ import annotations

import hashlib
import os
import signal
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import Server

pytestmark = pytest.mark.e2e

COLUMNS = 20 << 10
DATA = hashlib.shake_256(b"weights").digest(1 << 20) * 20
"""20 MiB: three pieces."""
RESUME_MS = 60_000


def write_model(path: Path) -> Path:
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[256, COLUMNS], data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="large.onnx.data")
    ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, c]) for n, c in (("x", 256), ("y", COLUMNS))]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], name="only")], "g", [ports[0]], [ports[1]], [weight]
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def web_process(server: Server) -> int:
    """The process that answers requests, among those that work on this server's data folder."""
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            mine = f"HETEROOPT_DATA_DIR={server.data_dir}".encode() in (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if mine and b"web" in words and b"--fd" in words:
            return int(entry.name)
    raise AssertionError("there is no web process")


def test_an_upload_survives_the_death_of_the_web_process(page: Page, server: Server, tmp_path: Path) -> None:
    files = [write_model(tmp_path / "large.onnx"), tmp_path / "large.onnx.data"]
    files[1].write_bytes(DATA)
    offsets: list[int] = []

    def look(route: Route) -> None:
        request = route.request
        if request.method == "PATCH":
            offsets.append(int(request.headers["upload-offset"]))
            if len(offsets) == 3:  # the model, one piece of the data, and now the second
                os.kill(web_process(server), signal.SIGKILL)
        route.continue_()

    page.route("**/api/uploads/*/", look)
    page.goto("/models")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload model").click()
    chooser.value.set_files(files)
    expect(page.get_by_role("progressbar", name="large.onnx")).to_be_visible()
    page.wait_for_url("**/models/*", timeout=RESUME_MS)
    expect(page.get_by_role("heading", name="large", exact=True)).to_be_visible()
    expect(page.get_by_text("large.onnx.data").first).to_be_visible(timeout=RESUME_MS)
    # After the cut it went on at the second piece, and nothing was sent from the start again.
    assert offsets == [0, 0, 8 << 20, *[8 << 20] * (len(offsets) - 4), 16 << 20]
    sha256 = hashlib.sha256(DATA).hexdigest()
    stored = server.data_dir / "files" / sha256[:2] / sha256
    assert hashlib.sha256(stored.read_bytes()).hexdigest() == sha256

    # The same files again are recognised.
    page.unroute("**/api/uploads/*/")
    page.goto("/models")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload model").click()
    chooser.value.set_files(files)
    expect(page.get_by_text("The same content is here already, as large").first).to_be_visible(timeout=RESUME_MS)
    page.get_by_role("button", name="Actions for large").click()
    page.get_by_role("menuitem", name="Delete model").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("No search depends on it.")
    dialog.get_by_role("button", name="Delete model").click()
    page.wait_for_url("**/models")
    assert not stored.exists()
