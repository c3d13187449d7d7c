"""Models to cut that are more than a plain graph of tensors in numpy's types: loops, scans, nested bodies, functions,
shared weights, and sequences, optional values and unknown sizes at borders.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.engine.deployment.segment_cases import float_input, save, weight

SHAPE = [4, 8]


def _number(name, value, kind=np.int64):
    return numpy_helper.from_array(np.array(value, kind), name)


def _info(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def with_a_loop(path):
    """A Loop that carries an activation, captures another and a weight, and collects what each turn made."""
    node = helper.make_node
    body = helper.make_graph(
        [
            node("MatMul", ["carried", "w"], ["turned"]),
            node("Add", ["turned", "a"], ["added"]),
            node("Tanh", ["added"], ["next"]),
            node("Identity", ["going"], ["still"]),
            node("ReduceMean", ["next"], ["mean"], keepdims=0),
        ],
        "body",
        [_info("turn", TensorProto.INT64, []), _info("going", TensorProto.BOOL, []), float_input("carried", SHAPE)],
        [_info("still", TensorProto.BOOL, []), float_input("next", SHAPE), _info("mean", TensorProto.FLOAT, [])],
    )
    nodes = [
        node("MatMul", ["x", "w"], ["a"]),
        node("Relu", ["a"], ["b"]),
        node("Loop", ["turns", "yes", "b"], ["c", "means"], body=body),
        node("MatMul", ["c", "w"], ["d"]),
        node("ReduceSum", ["means"], ["s"], keepdims=0),
        node("Mul", ["d", "s"], ["y"]),
    ]
    constants = [weight("w", 8, 8), _number("turns", 3), _number("yes", True, np.bool_)]
    return save(path, nodes, [float_input("x", SHAPE)], [float_input("y", SHAPE), float_input("a", SHAPE)], constants)


def with_a_scan(path):
    """A Scan over the rows of an activation, with a state, that captures another activation."""
    node = helper.make_node
    body = helper.make_graph(
        [
            node("Add", ["state", "row"], ["sum"]),
            node("Mul", ["sum", "gain"], ["scaled"]),
            node("Add", ["scaled", "bias"], ["new_state"]),
            node("Sigmoid", ["new_state"], ["out_row"]),
        ],
        "body",
        [float_input("state", [8]), float_input("row", [8])],
        [float_input("new_state", [8]), float_input("out_row", [8])],
        [weight("bias", 8, seed=3)],
    )
    nodes = [
        node("MatMul", ["x", "w"], ["a"]),
        node("ReduceMean", ["x"], ["gain"], axes=[0], keepdims=0),
        node("Scan", ["start", "a"], ["last", "rows"], body=body, num_scan_inputs=1),
        node("MatMul", ["rows", "w"], ["b"]),
        node("Add", ["b", "last"], ["y"]),
    ]
    constants = [weight("w", 8, 8), weight("start", 8, seed=2)]
    return save(path, nodes, [float_input("x", SHAPE)], [float_input("y", SHAPE)], constants)


def with_nested_bodies(path):
    """An If inside a Loop inside an If: each captures from all outer graphs, an initializer of an outer body too."""
    node = helper.make_node
    inner_then = helper.make_graph([node("Mul", ["carried", "a"], ["t"])], "t", [], [float_input("t", SHAPE)])
    inner_else = helper.make_graph([node("Add", ["carried", "own"], ["e"])], "e", [], [float_input("e", SHAPE)])
    body = helper.make_graph(
        [
            node("Greater", ["turn", "one"], ["late"]),
            node("If", ["late"], ["picked"], then_branch=inner_then, else_branch=inner_else),
            node("MatMul", ["picked", "w"], ["next"]),
            node("Identity", ["going"], ["still"]),
        ],
        "body",
        [_info("turn", TensorProto.INT64, []), _info("going", TensorProto.BOOL, []), float_input("carried", SHAPE)],
        [_info("still", TensorProto.BOOL, []), float_input("next", SHAPE)],
    )
    then = helper.make_graph(
        [node("Loop", ["turns", "yes", "b"], ["l"], body=body)],
        "then", [], [float_input("l", SHAPE)], [weight("own", 8, seed=5), _number("one", 1)],
    )  # fmt: skip
    other = helper.make_graph([node("Neg", ["b"], ["n"])], "else", [], [float_input("n", SHAPE)])
    nodes = [
        node("MatMul", ["x", "w"], ["a"]),
        node("Tanh", ["a"], ["b"]),
        node("ReduceMax", ["b"], ["m"], keepdims=0),
        node("Greater", ["m", "zero"], ["positive"]),
        node("If", ["positive"], ["c"], then_branch=then, else_branch=other),
        node("Sigmoid", ["c"], ["y"]),
    ]
    constants = [
        weight("w", 8, 8), _number("turns", 4), _number("yes", True, np.bool_), _number("zero", -9.0, np.float32),
    ]  # fmt: skip
    return save(path, nodes, [float_input("x", SHAPE)], [float_input("y", SHAPE)], constants)


def with_functions(path):
    """A local function that is called twice, that calls another one, with attributes, and one with a body inside."""
    node, domain = helper.make_node, "local.tests"
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(domain, 1)]
    scaled = node("LeakyRelu", ["p"], ["q"])
    reference = onnx.AttributeProto()
    reference.name, reference.ref_attr_name, reference.type = "alpha", "slope", onnx.AttributeProto.FLOAT
    scaled.attribute.append(reference)
    leaky = helper.make_function(domain, "Leaky", ["p"], ["q"], [scaled], opsets, ["slope"])
    block = helper.make_function(
        domain, "Block", ["u", "v"], ["r"],
        [
            node("MatMul", ["u", "v"], ["m"]),
            node("Leaky", ["m"], ["k"], domain=domain, slope=0.25),
            node("Add", ["k", "u"], ["r"]),
        ],
        opsets,
    )  # fmt: skip
    then = helper.make_graph([node("Exp", ["h"], ["th"])], "then", [], [float_input("th", None)])
    other = helper.make_graph([node("Neg", ["h"], ["ot"])], "else", [], [float_input("ot", None)])
    chosen = helper.make_function(
        domain, "Chosen", ["h", "c"], ["o"], [node("If", ["c"], ["o"], then_branch=then, else_branch=other)], opsets
    )
    nodes = [
        node("Block", ["x", "w"], ["a"], domain=domain),
        node("Block", ["a", "w"], ["b"], domain=domain),
        node("ReduceSum", ["b"], ["s"], keepdims=0),
        node("Greater", ["s", "zero"], ["positive"]),
        node("Chosen", ["b", "positive"], ["d"], domain=domain),
        node("Sigmoid", ["d"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "g", [float_input("x", SHAPE)], [float_input("y", SHAPE), float_input("a", SHAPE)],
        [weight("w", 8, 8), _number("zero", 0.0, np.float32)],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=opsets, functions=[leaky, block, chosen], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return path


def with_shared_weights(path):
    """One weight read as it is, transposed and through a node that is computed from constants, all over the model."""
    node = helper.make_node
    nodes = [
        node("Constant", [], ["k"], value=_number("k", [0.5] * 8, np.float32)),
        node("Transpose", ["w"], ["wt"], perm=[1, 0]),
        node("Mul", ["w", "k"], ["scaled"]),
        node("MatMul", ["x", "w"], ["a"]),
        node("MatMul", ["a", "wt"], ["b"]),
        node("Add", ["b", "k"], ["c"]),
        node("MatMul", ["c", "scaled"], ["d"]),
        node("Tanh", ["d"], ["e"]),
        node("Gemm", ["e", "w", "k"], ["f"], transB=1),
        node("MatMul", ["f", "scaled"], ["g"]),
        node("Sigmoid", ["g"], ["y"]),
    ]
    return save(path, nodes, [float_input("x", SHAPE)], [float_input("y", SHAPE)], [weight("w", 8, 8)])


def with_a_sequence(path):
    """Sequences of two makers and what is taken out of them."""
    node = helper.make_node
    nodes = [
        node("Relu", ["x"], ["a"]),
        node("Neg", ["x"], ["b"]),
        node("SequenceConstruct", ["a", "b"], ["s"]),
        node("SequenceLength", ["s"], ["length"]),
        node("Cast", ["length"], ["number"], to=TensorProto.FLOAT),
        node("SequenceAt", ["s", "one"], ["c"]),
        node("Mul", ["c", "number"], ["d"]),
        node("SplitToSequence", ["d"], ["rows"], axis=0),
        node("ConcatFromSequence", ["rows"], ["y"], axis=1),
    ]
    return save(path, nodes, [float_input("x", SHAPE)], [float_input("y", [1, 32])], [_number("one", 1)])


def with_an_optional(path):
    """A value that may be absent, asked for and taken out."""
    node = helper.make_node
    nodes = [
        node("Relu", ["x"], ["a"]),
        node("Optional", ["a"], ["o"]),
        node("OptionalHasElement", ["o"], ["there"]),
        node("OptionalGetElement", ["o"], ["taken"]),
        node("Cast", ["there"], ["number"], to=TensorProto.FLOAT),
        node("Add", ["taken", "number"], ["y"]),
    ]
    return save(path, nodes, [float_input("x", SHAPE)], [float_input("y", SHAPE)], opset=18)


def with_sizes_of_values(path):
    """How much there is depends on the values of an activation."""
    node = helper.make_node
    nodes = [
        node("Relu", ["x"], ["a"]),
        node("NonZero", ["a"], ["places"]),
        node("Transpose", ["places"], ["turned"]),
        node("GatherND", ["a", "turned"], ["picked"]),
        node("Exp", ["picked"], ["b"]),
        node("ReduceSum", ["b"], ["y"], keepdims=0),
    ]
    return save(path, nodes, [float_input("x", SHAPE)], [float_input("y", [])])


def _through(kind):
    def make(path):
        node = helper.make_node
        nodes = [
            node("Cast", ["x"], ["a"], to=kind),
            node("Reshape", ["a", "shape"], ["b"]),
            node("Cast", ["b"], ["c"], to=TensorProto.FLOAT),
            node("Tanh", ["c"], ["y"]),
        ]
        return save(
            path, nodes, [float_input("x", SHAPE)], [float_input("y", [8, 4])], [_number("shape", [8, 4])],
            opset=21, ir=10,
        )  # fmt: skip

    make.__name__ = f"through_{TensorProto.DataType.Name(kind).lower()}"
    return make


def with_a_sparse_weight(path):
    """A weight that the file holds as places and values, read twice."""
    node = helper.make_node
    values = numpy_helper.from_array(np.array([1, 2, 3], np.float32), "w")
    places = numpy_helper.from_array(np.array([0, 9, 30], np.int64), "w_places")
    nodes = [
        node("MatMul", ["x", "w"], ["a"]),
        node("Tanh", ["a"], ["b"]),
        node("MatMul", ["b", "w"], ["c"]),
        node("Add", ["c", "x"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "g", [float_input("x", SHAPE)], [float_input("y", SHAPE)],
        sparse_initializer=[helper.make_sparse_tensor(values, places, [8, 8])],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path))
    return path


COMPOSITES = (
    with_a_loop, with_a_scan, with_nested_bodies, with_functions, with_shared_weights, with_a_sequence,
    with_an_optional, with_sizes_of_values, _through(TensorProto.FLOAT16), _through(TensorProto.BFLOAT16),
    _through(TensorProto.STRING), with_a_sparse_weight,
)  # fmt: skip
