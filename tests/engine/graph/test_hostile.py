"""Files that nobody exported: each ends in a clear refusal or a graph, within limits."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from heteroopt.errors import ModelError
from heteroopt.graph.limits import ReaderLimits
from heteroopt.graph.onnx_reader import inspect_onnx, read_onnx
from heteroopt.graph.wire import scan_model
from tests.engine.graph.conftest import build_model, info


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, payload: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def raw_model(graph: bytes) -> bytes:
    """A ModelProto around the bytes of a GraphProto: IR 9, opset 17."""
    opset = field(1, b"") + varint(2 << 3) + varint(17)
    return varint(1 << 3) + varint(9) + field(8, opset) + field(7, graph)


def relu() -> ModelProto:
    return build_model([helper.make_node("Relu", ["x"], ["y"], name="r")], {"x": [1, 8]}, ["y"])


def refused(data: bytes, limits: ReaderLimits | None = None) -> ModelError:
    """The refusal of ``data``; its parameters are JSON, and inspection never fails in another way."""
    with pytest.raises(ModelError) as caught:
        read_onnx(data, limits=limits or ReaderLimits())
    error = caught.value
    json.dumps(error.to_dict(), allow_nan=False)
    assert error.code and error.message and error.hint
    try:
        inspect_onnx(data)
    except ModelError as other:
        assert other.code
    return error


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "model_empty"),
        (b"\x89PNG\r\n\x1a\n" + b"not a model " * 50, "model_unreadable"),
        (b"PK\x03\x04" + b"\0" * 100, "model_unreadable"),
        (b"\0" * 1000, "model_unreadable"),
        (b"\0" * 7_000_000, "model_unreadable"),  # more fields than are read: refused at the first zero
        (b"\xff" * 1000, "model_unreadable"),
        (b"{}", "model_unreadable"),
        (varint(1 << 3) + varint(9), "model_unreadable"),
        (raw_model(b""), "model_empty"),
    ],
)
def test_bytes_that_are_no_model(data, code):
    assert refused(data).code == code


def test_every_truncation_of_a_model_is_refused():
    data = relu().SerializeToString()
    for length in range(len(data)):
        assert refused(data[:length]).code


def test_a_file_that_is_none(tmp_path):
    for path in (tmp_path, tmp_path / "missing.onnx"):
        with pytest.raises(ModelError) as caught:
            read_onnx(path)
        assert caught.value.code == "model_not_found"


def test_a_good_file_reads_from_its_path(tmp_path):
    path = tmp_path / "good.onnx"
    path.write_bytes(relu().SerializeToString())
    assert read_onnx(path) == read_onnx(path.read_bytes())
    assert read_onnx(str(path)).name == "model"


def nested(depth: int) -> bytes:
    """If inside If, written from the inside out."""
    leaf = helper.make_graph([helper.make_node("Identity", ["x"], ["o"])], "s", [], [info("o", [1])])
    plain = inner = leaf.SerializeToString()
    for _ in range(depth):
        branches = b"".join(
            field(5, field(1, name) + field(6, graph) + varint(20 << 3) + varint(5))
            for name, graph in ((b"then_branch", inner), (b"else_branch", plain))
        )
        node = field(1, b"c") + field(2, b"o") + field(4, b"If") + branches
        inner = field(1, node) + field(2, b"s") + field(12, info("o", [1]).SerializeToString())
    inputs = field(11, info("x", [1]).SerializeToString()) + field(
        11, info("c", [], TensorProto.BOOL).SerializeToString()
    )
    return raw_model(inner + inputs)


def test_nesting_is_read_to_a_depth_and_refused_beyond():
    (op,) = read_onnx(nested(20)).operators
    assert (op.op_type, op.op_class) == ("If", "control")
    for depth in (33, 3000):
        error = refused(nested(depth))
        assert (error.code, error.params["what"]) == ("model_limit", "levels of nesting")


def test_too_many_operators_are_refused_before_they_are_parsed():
    chain = b"".join(
        field(1, field(1, b"t%d" % i) + field(2, b"t%d" % (i + 1)) + field(4, b"Relu")) for i in range(60_000)
    )
    assert refused(raw_model(chain)).params == {"what": "operators", "limit": 50_000}
    assert refused(raw_model(field(1, b"") * 60_000)).params["what"] == "operators"
    small = ReaderLimits(max_nodes=10)
    assert refused(raw_model(field(1, b"") * 11), small).params["limit"] == 10


@pytest.mark.parametrize(
    ("graph", "limits", "what"),
    [
        (field(11, field(1, b"x")) * 40, ReaderLimits(max_fields=50), "protobuf fields"),
        (field(2, b"n" * 200), ReaderLimits(max_name_bytes=100), "bytes in one name"),
        (field(1, field(5, b"") * 300), ReaderLimits(), "attributes on one operator"),
        (field(5, b"\x08\x01" * 100), ReaderLimits(), "dimensions on one tensor"),
        (field(5, field(1, b"\x01" * 100)), ReaderLimits(), "dimensions on one tensor"),
        (field(11, field(2, field(1, field(2, field(1, b"") * 65)))), ReaderLimits(), "dimensions on one tensor"),
        (field(1, field(1, b"x") * 11), ReaderLimits(max_node_inputs=10), "inputs of operators"),
        (field(13, field(1, b"x")) * 11, ReaderLimits(max_declared_values=10), "declared values"),
        (field(1, field(5, field(4, b"s" * 5000))), ReaderLimits(max_structure_bytes=1000), "bytes of structure"),
    ],
)
def test_limits_of_the_scanner(graph, limits, what):
    error = refused(raw_model(graph), limits)
    assert (error.code, error.params["what"]) == ("model_limit", what)


def test_too_many_functions_and_too_large_a_file():
    functions = b"".join(field(25, b"") for _ in range(5))
    assert refused(raw_model(b"") + functions, ReaderLimits(max_functions=4)).params["what"] == "functions"
    assert refused(relu().SerializeToString(), ReaderLimits(max_file_bytes=10)).params["what"] == "bytes"


def function_chain(levels: int, calls: int) -> ModelProto:
    """Functions that each call the one below ``calls`` times."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("loc", 1)]
    functions = [helper.make_function("loc", "F0", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])], opsets)]
    for i in range(1, levels + 1):
        names = ["a", *(f"t{k}" for k in range(calls - 1)), "b"]
        body = [helper.make_node(f"F{i - 1}", [names[k]], [names[k + 1]], domain="loc") for k in range(calls)]
        functions.append(helper.make_function("loc", f"F{i}", ["a"], ["b"], body, opsets))
    call = helper.make_node(f"F{levels}", ["x"], ["y"], domain="loc")
    return build_model([call], {"x": [1]}, ["y"], functions=functions, domains=("loc",))


def test_functions_are_inlined_within_a_limit():
    graph = read_onnx(function_chain(3, 2).SerializeToString())
    assert graph.op_type_histogram() == {"Relu": 8}
    assert refused(function_chain(24, 2).SerializeToString()).code == "function_expansion"
    small = ReaderLimits(max_inlined_bytes=50)
    assert refused(function_chain(3, 2).SerializeToString(), small).code == "function_expansion"
    assert refused(function_chain(150, 1).SerializeToString()).params["what"] == "functions calling each other in a row"


def test_a_function_defined_twice_is_refused():
    model = function_chain(1, 1)
    model.functions.append(model.functions[0])
    assert refused(model.SerializeToString()).params["detail"] == "function_twice"
    model.functions[-1].overload = "other"
    assert len(read_onnx(model.SerializeToString()).operators) == 1


def test_recursive_functions_are_refused():
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("loc", 1)]
    body = [helper.make_node("F", ["a"], ["b"], domain="loc")]
    function = helper.make_function("loc", "F", ["a"], ["b"], body, opsets)
    call = helper.make_node("F", ["x"], ["y"], domain="loc")
    built = build_model([call], {"x": [1]}, ["y"], functions=[function], domains=("loc",))
    assert refused(built.SerializeToString()).code == "function_recursion"


def tensor(dims: list[int], **fields: object) -> TensorProto:
    made = TensorProto(name="w", data_type=TensorProto.FLOAT, **fields)
    made.dims.extend(dims)
    return made


def with_tensor(made: TensorProto) -> bytes:
    built = build_model([helper.make_node("Add", ["x", "w"], ["y"])], {"x": [4]}, ["y"])
    built.graph.initializer.append(made)
    return built.SerializeToString()


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (tensor([2**17, 2**17], raw_data=b"\0" * 4), "tensor_data_mismatch"),
        (tensor([4], raw_data=b"\0" * 12), "tensor_data_mismatch"),
        (tensor([4], float_data=[1.0]), "tensor_data_mismatch"),
        (tensor([-4], raw_data=b""), "tensor_dims_invalid"),
        (tensor([2**41]), "tensor_dims_invalid"),
        (tensor([2**30, 2**30]), "tensor_too_large"),
    ],
)
def test_tensors_that_lie_about_their_size(made, code):
    error = refused(with_tensor(made))
    assert (error.code, error.params["tensor"]) == (code, "w")


def test_unknown_element_type():
    made = tensor([4])
    made.data_type = 99
    assert refused(with_tensor(made)).code == "tensor_type_unknown"


def test_a_tensor_without_data_stands_in_for_its_weights():
    graph = read_onnx(with_tensor(tensor([1000, 4])))
    assert graph.weight_bytes == 16_000
    assert graph.notes == ({"code": "weights_missing", "params": {"count": 1, "tensors": ["w"]}},)


def external(location: str, **entries: str) -> TensorProto:
    made = tensor([4])
    made.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **entries}.items():
        entry = made.external_data.add()
        entry.key, entry.value = key, value
    return made


@pytest.mark.parametrize(
    "made",
    [
        external("../../etc/passwd"),
        external("/etc/passwd"),
        external("sub/../../weights.bin"),
        external("..\\weights.bin"),
        external("C:weights.bin"),
        external(".."),
        external(""),
        external("a\0b"),
        external("a\u202eb"),
        external("w" * 300),
        external("weights.bin", offset="-8"),
        external("weights.bin", offset="\u0663"),
        external("weights.bin", length=str(2**62)),
        external("weights.bin", length="8"),
    ],
)
def test_external_data_of_a_suspicious_kind_is_refused(made):
    error = refused(with_tensor(made))
    assert (error.code, error.params["tensor"]) == ("external_data_refused", "w")
    hidden = build_model(
        [helper.make_node("Constant", [], ["w"], value=made), helper.make_node("Add", ["x", "w"], ["y"])],
        {"x": [4]},
        ["y"],
    )
    assert refused(hidden.SerializeToString()).code == "external_data_refused"


def test_plain_external_data_counts_for_its_size_and_is_not_read():
    graph = read_onnx(with_tensor(external("weights.bin", offset="4096", length="16")))
    assert graph.weight_bytes == 16
    assert graph.notes == ({"code": "weights_external", "params": {"count": 1, "tensors": ["w"]}},)


def changed(**changes: object) -> bytes:
    built = relu()
    if "opset" in changes:
        built.opset_import[0].version = changes["opset"]
    if "ir" in changes:
        built.ir_version = changes["ir"]
    if changes.get("drop_opset"):
        del built.opset_import[:]
    if changes.get("drop_output"):
        del built.graph.output[:]
    return built.SerializeToString()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"opset": 9999}, "opset_unsupported"),
        ({"opset": 0}, "opset_unsupported"),
        ({"opset": -1}, "opset_unsupported"),
        ({"drop_opset": True}, "opset_missing"),
        ({"ir": 2**40}, "ir_version_unsupported"),
        ({"ir": 0}, "ir_version_unsupported"),
        ({"drop_output": True}, "model_empty"),
    ],
)
def test_versions_and_outputs(changes, code):
    assert refused(changed(**changes)).code == code


def node(op_type: str, inputs: list[str], outputs: list[str], **attributes: object):
    return helper.make_node(op_type, inputs, outputs, name="n-" + outputs[0], **attributes)


@pytest.mark.parametrize(
    ("nodes", "code"),
    [
        ([node("Add", ["x", "c"], ["a"]), node("Relu", ["a"], ["c"]), node("Relu", ["c"], ["y"])], "graph_cycle"),
        ([node("Relu", ["y"], ["y"])], "graph_cycle"),
        ([node("Relu", ["x"], ["y"]), node("Exp", ["x"], ["y"])], "duplicate_name"),
        ([node("Relu", ["x"], ["x"])], "duplicate_name"),
        ([node("Add", ["x", "ghost"], ["y"])], "input_missing"),
        ([node("Relu", ["x"], ["z"])], "output_missing"),
        ([node("Conv", ["x", "x"], ["y"], strides=[0, 0])], "attribute_invalid"),
        ([node("Conv", ["x", "x"], ["y"], kernel_shape=[-3, 0])], "attribute_invalid"),
        ([node("Split", ["x"], ["y"], num_outputs=0)], "attribute_invalid"),
        ([node("LayerNormalization", ["x", "x"], ["y"], axis=2**63 - 1)], "attribute_invalid"),
        ([node("Transpose", ["x"], ["y"], perm=[2**62, 0])], "attribute_invalid"),
        ([node("ReduceMean", ["x"], ["y"], axes=[0.5])], "attribute_invalid"),
        ([node("Relu", ["x", "x"], ["y"]), node("Add", ["y"], ["q"])], "operator_invalid"),
    ],
)
def test_graphs_that_cannot_run(nodes, code):
    built = build_model(nodes, {"x": [4, 4]}, ["y"] if code != "operator_invalid" else ["q"], opset=18)
    assert refused(built.SerializeToString()).code == code


def test_operators_out_of_order_are_sorted():
    nodes = [node("Exp", ["b"], ["y"]), node("Abs", ["a"], ["b"]), node("Relu", ["x"], ["a"])]
    graph = read_onnx(build_model(nodes, {"x": [4]}, ["y"]).SerializeToString())
    assert [op.op_type for op in graph.operators] == ["Relu", "Abs", "Exp"]


def test_sizes_beyond_any_memory_are_refused():
    huge = build_model([node("Relu", ["x"], ["y"])], {"x": [2**31, 2**31]}, ["y"])
    assert refused(huge.SerializeToString()).code == "tensor_too_large"
    bomb = build_model(
        [node("ConstantOfShape", ["s"], ["c"]), node("Add", ["x", "c"], ["y"])],
        {"x": [1]},
        ["y"],
        {"s": np.array([2**20, 2**20])},
    )
    assert refused(bomb.SerializeToString()).code == "tensor_too_large"


@pytest.mark.parametrize("op_type", ["Reshape", "Expand", "Tile"])
def test_a_shape_of_two_billion_dimensions_allocates_nothing(op_type):
    built = build_model(
        [node(op_type, ["x", "s"], ["y"])], {"x": [3], "s": [2**31 - 1]}, ["y"], elements={"s": TensorProto.INT64}
    )
    graph = read_onnx(built.SerializeToString())
    assert graph.tensors[2].size_source == "estimated"
    assert graph.notes[0]["params"]["reason"] == "rank_too_high"


def test_names_are_made_safe_to_show():
    bidi, long, null = "safe\u202egnp.exe\u202c\u200b\u2066x\u2069", "\U0001f4a3" * 250_000, "y\0\r\nSet-Cookie: a=b"
    markup = "<img src=x onerror=alert(1)>"
    names = ["x", bidi, long, markup, markup + "2", null]
    nodes = [
        helper.make_node("Relu", [names[i]], [names[i + 1]], name=names[min(i + 1, 3)]) for i in range(len(names) - 1)
    ]
    graph = read_onnx(build_model(nodes, {"x": ["NaN", "-inf"]}, [null]).SerializeToString())
    shown = [op.name for op in graph.operators] + [t.name for t in graph.tensors]
    assert all(len(name) <= 200 and name.isprintable() for name in shown)
    assert len({op.name for op in graph.operators}) == len(graph.operators)
    assert graph.dims == {"NaN": 1, "-inf": 1}
    assert graph.operators[2].name == markup


def test_names_in_another_encoding_are_read_and_stay_apart():
    chain = b"".join(
        field(1, field(1, read) + field(2, written) + field(4, b"Relu"))
        for read, written in ((b"x", b"h\xff"), (b"h\xff", b"h\xfe"), (b"h\xfe", b"y"))
    )
    ends = field(11, info("x", [4]).SerializeToString()) + field(12, info("y", [4]).SerializeToString())
    graph = read_onnx(raw_model(chain + ends))
    assert [tensor.name for tensor in graph.tensors] == ["x", "h\\xff", "h\\xfe", "y"]
    assert {"code": "names_not_text", "params": {"count": 4}} in graph.notes


def test_a_name_that_becomes_as_long_as_what_is_dropped_beside_it_is_repaired():
    unknown = varint(99 << 3) + varint(1)  # a field of three bytes, as many as the escape is longer
    node = field(1, b"x") + field(2, b"h\xff") + field(4, b"Relu") + unknown
    after = field(1, field(1, b"h\xff") + field(2, b"y") + field(4, b"Relu"))
    ends = field(11, info("x", [4]).SerializeToString()) + field(12, info("y", [4]).SerializeToString())
    assert len(unknown) == 3
    assert read_onnx(raw_model(field(1, node) + after + ends)).tensors[1].name == "h\\xff"


def test_a_weight_named_in_another_encoding_is_found_by_its_readers():
    tensor = field(8, b"w\xb0") + varint(1 << 3) + varint(4) + varint(2 << 3) + varint(1) + field(9, bytes(16))
    body = field(1, field(1, b"x") + field(1, b"w\xb0") + field(2, b"y") + field(4, b"Add")) + field(5, tensor)
    ends = field(11, info("x", [4]).SerializeToString()) + field(12, info("y", [4]).SerializeToString())
    (weight,) = read_onnx(raw_model(body + ends)).initializers
    assert (weight.name, weight.size_bytes) == ("w\\xb0", 16)


def test_nan_never_reaches_json():
    nodes = [
        helper.make_node("LeakyRelu", ["x"], ["h"], alpha=float("nan")),
        helper.make_node("Add", ["h", "w"], ["y"]),
    ]
    weights = {"w": np.array([np.nan, np.inf], np.float32)}
    graph = read_onnx(build_model(nodes, {"x": [2]}, ["y"], weights).SerializeToString())
    json.dumps(graph.to_dict(), allow_nan=False)
    assert graph.operators[0].attributes == {}


def test_weights_and_documentation_are_cut_before_parsing():
    weight = np.ones((512, 1024), np.float32)
    built = build_model([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": [1, 512]}, ["y"], {"w": weight})
    built.graph.doc_string = "d" * 100_000
    built.graph.node[0].doc_string = "d" * 100_000
    entry = built.metadata_props.add()
    entry.key, entry.value = "k", "v" * 100_000
    data = built.SerializeToString()
    scan = scan_model(data, ReaderLimits())
    assert len(data) > 2_300_000 > 1000 > len(scan.structure)
    assert 2_097_152 < scan.weight_bytes_cut < 2_097_200
    graph = read_onnx(data)
    assert graph.weight_bytes == weight.nbytes
    assert graph.initializers[0].shape == (512, 1024)


def test_values_beyond_the_budget_are_cut_and_shapes_kept():
    weights = {f"w{i}": np.zeros((100, 10), np.float32) for i in range(5)}
    nodes = [helper.make_node("Add", [f"t{i}" if i else "x", f"w{i}"], [f"t{i + 1}"]) for i in range(5)]
    data = build_model(nodes, {"x": [10]}, ["t5"], weights).SerializeToString()
    tight = ReaderLimits(max_kept_bytes=10_000)
    assert scan_model(data, tight).weight_bytes_cut > 3 * 4000
    assert read_onnx(data, limits=tight) == read_onnx(data)
    assert read_onnx(data, limits=ReaderLimits(max_fold_total=0)) == read_onnx(data)


def test_long_lists_in_attributes_are_left_out():
    listed = helper.make_node("Relu", ["x"], ["y"], table=list(range(1000)))
    data = build_model([listed], {"x": [4]}, ["y"]).SerializeToString()
    scan = scan_model(data, ReaderLimits(max_list_bytes=100))
    (node,) = ModelProto.FromString(scan.structure).graph.node
    assert (node.op_type, len(node.attribute)) == ("Relu", 0)
    assert scan_model(data, ReaderLimits()).structure == data


def test_what_the_scanner_keeps_parses_to_the_same_model():
    built = build_model(
        [helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1], auto_pad="NOTSET")],
        {"x": ["N", 3, 8, 8]},
        ["y"],
        {"w": np.ones((4, 3, 3, 3), np.float32)},
    )
    built.graph.initializer.append(helper.make_tensor("v", TensorProto.INT64, [3], [1, 2**40, -1]))
    built.graph.initializer.append(helper.make_tensor("h", TensorProto.FLOAT16, [2], [1.0, 2.0]))
    scan = scan_model(built.SerializeToString(), ReaderLimits())
    again = ModelProto.FromString(scan.structure)
    assert again == built
    assert numpy_helper.to_array(again.graph.initializer[1]).tolist() == [1, 2**40, -1]


def test_numbers_of_any_length_are_scanned():
    tail = struct.pack("<q", 5)
    unknown = varint(99 << 3 | 1) + tail + varint(98 << 3 | 5) + tail[:4] + varint(97 << 3) + varint(2**64 - 1)
    assert read_onnx(relu().SerializeToString() + unknown) == read_onnx(relu().SerializeToString())
    assert refused(varint(1 << 3) + b"\xff" * 11).code == "model_unreadable"


def test_too_many_bodies_are_refused_before_any_is_walked():
    body = helper.make_graph([helper.make_node("Relu", ["x"], ["o"])], "b", [], [info("o", [1, 8])])
    nodes = [helper.make_node("If", ["c"], [f"y{i}"], then_branch=body, else_branch=body) for i in range(3)]
    data = build_model(nodes, {"x": [1, 8], "c": []}, ["y0"]).SerializeToString()
    assert refused(data, ReaderLimits(max_graphs=6)).params["what"] == "graphs inside operators"
    assert read_onnx(data, limits=ReaderLimits(max_graphs=7)).operators


def test_a_call_with_too_many_inputs_is_refused():
    model = function_chain(1, 1)
    model.graph.node[0].input.extend(["x"] * 3)
    assert (
        refused(model.SerializeToString()).params["reason"]
        == "a call of one of its functions does not fit the function"
    )
