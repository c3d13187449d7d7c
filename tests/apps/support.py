"""Small files to upload, and jobs done in the test's own process."""

from __future__ import annotations

import contextlib
import importlib
import io
from collections.abc import Sequence
from unittest import mock

import numpy as np
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import override_settings
from onnx import TensorProto, helper, numpy_helper

from apps.jobs.models import Job, JobState
from workers import tasks
from workers.registry import load_runners
from workers.runners import parse_model


def run_jobs(*, sandbox: bool = False) -> int:
    """Do every queued job here and now, with the real runners; return how many there were.

    The lease keeper's thread stays idle: the test's transaction would keep its connection waiting. Without
    ``sandbox``, files that the tests made are read in this process, which is ten times as fast.
    """
    load_runners()
    done = 0
    with override_settings(JOB_RENEW_SECONDS=3600), contextlib.ExitStack() as stack:
        if not sandbox:
            stack.enter_context(mock.patch.object(parse_model, "run_in_sandbox", called_directly))
        while (job := Job.objects.filter(state=JobState.QUEUED).order_by("created_at").first()) is not None:
            assert tasks.run(job.pk, "test")
            done += 1
    return done


def called_directly(function, payload, files, limits=None, *, tick=None):
    """What ``run_in_sandbox`` does, without a sandbox."""
    module, _, name = function.partition(":")
    return getattr(importlib.import_module(module), name)(payload, files)


def value(name: str, shape: Sequence[int | str] | None, element: int = TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, element, shape)


def onnx_bytes(nodes, inputs, outputs, initializers=(), *, opset: int = 17, ir: int = 9) -> bytes:
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializer=list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir).SerializeToString()


def two_branches(batch: int | str = 1) -> bytes:
    """x -> MatMul -> {MatMul -> Relu, MatMul -> Sigmoid} -> Add -> MatMul: seven operators, two branches."""
    size = 256
    weights = [numpy_helper.from_array(np.zeros((size, size), np.float32), f"w{i}") for i in range(4)]
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["a"], name="stem/matmul"),
        helper.make_node("MatMul", ["a", "w1"], ["b"], name="left/matmul"),
        helper.make_node("Relu", ["b"], ["c"], name="left/relu"),
        helper.make_node("MatMul", ["a", "w2"], ["d"], name="right/matmul"),
        helper.make_node("Sigmoid", ["d"], ["e"], name="right/sigmoid"),
        helper.make_node("Add", ["c", "e"], ["f"], name="merge/join"),
        helper.make_node("MatMul", ["f", "w3"], ["y"], name="head/matmul"),
    ]
    return onnx_bytes(nodes, [value("x", [batch, size])], [value("y", [batch, size])], weights)


def long_model(blocks: int = 8) -> bytes:
    """Blocks like that of :func:`two_branches` one after another, too many for every plan to be tried."""
    size = 64
    weights, nodes, last = [], [], "x"
    for b in range(blocks):
        weights += [numpy_helper.from_array(np.zeros((size, size), np.float32), f"w{b}_{i}") for i in range(3)]
        nodes += [
            helper.make_node("MatMul", [last, f"w{b}_0"], [f"a{b}"], name=f"block{b}/stem"),
            helper.make_node("MatMul", [f"a{b}", f"w{b}_1"], [f"l{b}"], name=f"block{b}/left"),
            helper.make_node("MatMul", [f"a{b}", f"w{b}_2"], [f"r{b}"], name=f"block{b}/right"),
            helper.make_node("Add", [f"l{b}", f"r{b}"], [f"y{b}"], name=f"block{b}/join"),
        ]
        last = f"y{b}"
    return onnx_bytes(nodes, [value("x", [1, size])], [value(last, [1, size])], weights)


def upload(data: bytes, name: str = "model.onnx") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def stream(data: bytes, name: str) -> io.BytesIO:
    file = io.BytesIO(data)
    file.name = name
    return file


def add_model(
    client, data: bytes | None = None, name: str = "model.onnx", *, state: str = "ready", sandbox: bool = False
) -> dict:
    """Upload a model, have it read, and return it as the API shows it."""
    file = upload(two_branches() if data is None else data, name)
    answer = client.post("/api/models/", {"file": file}, "multipart")
    assert answer.status_code == 201, answer.content
    run_jobs(sandbox=sandbox)
    model = client.get(f"/api/models/{answer.json()['id']}/").json()
    assert model["state"] == state, model["error"]
    return model


POOL = {
    "name": "two",
    "devices": [
        {"name": "gpu0", "template": "NVIDIA_A100_40G"},
        {"name": "cpu0", "template": "Intel_Xeon_8480"},
    ],
}


def add_pool(client, spec=None) -> dict:
    answer = client.post("/api/pools/", {"spec": spec or POOL}, "json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def start_search(client, model: dict, pool: dict | None, settings: dict | None = None) -> dict:
    body = {"model": model["id"], "pool": pool and pool["id"], "settings": settings or {}}
    answer = client.post("/api/searches/", body, "json")
    assert answer.status_code == 201, answer.content
    return answer.json()
