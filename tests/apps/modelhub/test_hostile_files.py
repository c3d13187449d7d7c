"""Files made to do harm: each ends in a refusal with a code or in a model within 10 s; the next good one is read."""

import json
import time

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.apps.support import add_model, onnx_bytes, run_jobs, two_branches, upload, value

LIMIT_SECONDS = 10


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def field(number: int, payload: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def raw_model(graph: bytes) -> bytes:
    return varint(8) + varint(9) + field(8, field(1, b"") + varint(16) + varint(17)) + field(7, graph)


def lying_tensor(dims, raw: bytes | None, location: str = "") -> TensorProto:
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=dims)
    if raw is not None:
        tensor.raw_data = raw
    if location:
        tensor.data_location = TensorProto.EXTERNAL
        for key, entry in (("location", location), ("offset", "0"), ("length", "16")):
            tensor.external_data.add(key=key, value=entry)
    return tensor


def added(tensor) -> bytes:
    node = helper.make_node("Add", ["x", "w"], ["y"], name="n")
    return onnx_bytes([node], [value("x", [1])], [value("y", None)], [tensor])


def deep(depth: int) -> bytes:
    leaf = field(1, field(1, b"x") + field(2, b"o") + field(4, b"Identity")) + field(2, b"s")
    inner = leaf
    for _ in range(depth):
        branches = b"".join(
            field(5, field(1, name) + field(6, body) + varint(20 << 3) + varint(5))
            for name, body in ((b"then_branch", inner), (b"else_branch", leaf))
        )
        inner = field(1, field(1, b"c") + field(2, b"o") + field(4, b"If") + branches) + field(2, b"s")
    return raw_model(inner + field(11, value("c", [], TensorProto.BOOL).SerializeToString()))


def doubling(levels: int) -> bytes:
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("loc", 1)]
    functions = [helper.make_function("loc", "F0", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])], opsets)]
    for level in range(1, levels + 1):
        calls = [
            helper.make_node(f"F{level - 1}", ["a"], ["t"], domain="loc"),
            helper.make_node(f"F{level - 1}", ["t"], ["b"], domain="loc"),
        ]
        functions.append(helper.make_function("loc", f"F{level}", ["a"], ["b"], calls, opsets))
    graph = helper.make_graph(
        [helper.make_node(f"F{levels}", ["x"], ["y"], domain="loc")], "g", [value("x", [1])], [value("y", [1])]
    )
    return helper.make_model(graph, functions=functions, opset_imports=opsets, ir_version=9).SerializeToString()


def named(name: str) -> bytes:
    return onnx_bytes([helper.make_node("Relu", ["x"], [name], name=name)], [value("x", [2])], [value(name, [2])])


def many_nodes(count: int) -> bytes:
    nodes = b"".join(
        field(1, field(1, b"t%d" % i) + field(2, b"t%d" % (i + 1)) + field(4, b"Relu")) for i in range(count)
    )
    ends = field(11, value("t0", [1]).SerializeToString()) + field(12, value(f"t{count}", [1]).SerializeToString())
    return raw_model(nodes + ends)


def constant_bomb() -> bytes:
    shape = numpy_helper.from_array(np.array([2**20, 2**20], np.int64), "shape")
    nodes = [helper.make_node("ConstantOfShape", ["shape"], ["c"]), helper.make_node("Add", ["x", "c"], ["y"])]
    return onnx_bytes(nodes, [value("x", [1])], [value("y", None)], [shape])


def cycle() -> bytes:
    nodes = [helper.make_node("Add", ["x", "b"], ["a"]), helper.make_node("Relu", ["a"], ["b"])]
    return onnx_bytes(nodes, [value("x", [2])], [value("b", [2])])


def relu(**versions) -> bytes:
    return onnx_bytes([helper.make_node("Relu", ["x"], ["y"])], [value("x", [1])], [value("y", [1])], **versions)


REFUSED = {
    "no_protobuf": lambda: b"\x89PNG\r\n\x1a\n" + b"not a model " * 50,
    "truncated": lambda: two_branches()[:-1000],
    "cycle": cycle,
    "lying_initializer": lambda: added(lying_tensor([2**17, 2**17], b"\0\0\0\0")),
    "external_dotdot": lambda: added(lying_tensor([4], None, "../../../../etc/passwd")),
    "external_absolute": lambda: added(lying_tensor([4], None, "/etc/passwd")),
    "external_device": lambda: added(lying_tensor([4], None, "../../../dev/zero")),
    "constant_bomb": constant_bomb,
    "function_doubling": lambda: doubling(40),
    "deep_nesting": lambda: deep(5000),
    "many_nodes": lambda: many_nodes(200_000),
    "empty_nodes": lambda: raw_model(field(1, b"") * 1_000_000),
    "opset": lambda: onnx_bytes(
        [helper.make_node("Relu", ["x"], ["y"])], [value("x", [1])], [value("y", [1])], opset=9999
    ),
    "zeros": lambda: b"\0" * 100_000,
}
READ = {
    "markup": lambda: named("<img src=x onerror=alert(1)>"),
    "bidi": lambda: named("safe\u202egnp.exe\u202c\u200b"),
    "nul": lambda: named("y\x00\r\nSet-Cookie: a=b"),
    "formula": lambda: named("=cmd|' /C calc'!A0"),
    "long": lambda: named("\U0001f4a3" * 50_000),
    "unknown_operator": lambda: onnx_bytes(
        [helper.make_node("Gemmm", ["x"], ["y"], domain="com.evil")], [value("x", [1])], [value("y", [1])]
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_file_is_refused_with_a_code_in_time(alice_client, name):
    began = time.monotonic()
    model = add_model(alice_client, REFUSED[name](), f"{name}.onnx", state="refused", sandbox=True)
    assert time.monotonic() - began < LIMIT_SECONDS
    error = model["error"]
    assert error["code"] and error["message"]
    assert error["code"] not in ("job_internal_error", "job_attempts_exhausted"), error
    assert "Traceback" not in json.dumps(error)
    assert "root:" not in json.dumps(error)


def test_the_next_good_upload_is_read(alice_client):
    for name in ("no_protobuf", "deep_nesting"):
        add_model(alice_client, REFUSED[name](), state="refused", sandbox=True)
    assert add_model(alice_client, sandbox=True)["state"] == "ready"


@pytest.mark.parametrize("name", READ)
def test_odd_names_and_operators_are_read_and_shown_as_data(alice_client, name):
    model = add_model(alice_client, READ[name](), f"{name}.onnx", sandbox=True)
    answer = alice_client.get(f"/api/models/{model['id']}/operators/")
    assert answer["Content-Type"] == "application/json"
    [operator] = answer.json()["results"]
    assert 0 < len(operator["name"]) <= 200
    assert "\x00" not in operator["name"] and "\u202e" not in operator["name"]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, '{"format": NaN}', "null", '{"format": "heteroopt-tables-1"}', '"\\ud800"', "\x00"],
)
def test_hostile_tables_are_refused_with_a_code(alice_client, text):
    answer = alice_client.post("/api/tables/", {"file": upload(text.encode(), "t.json")}, "multipart")
    if answer.status_code == 201:
        run_jobs(sandbox=True)
        model = alice_client.get(f"/api/models/{answer.json()['id']}/").json()
        assert model["state"] == "refused"
        assert model["error"]["code"].startswith("tables_")
    else:
        assert answer.json()["error"]["code"] == "file_empty"
