"""Properties of the reader on random graphs: the order of the file does not matter, binding is exporting with sizes,
and every shape is the one that ONNX's own reference evaluator computes."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from heteroopt.graph.graph import Graph
from heteroopt.graph.onnx_reader import read_onnx

WIDTH = 6


class Writer:
    """Writes a random graph over values of shape [rows, columns]; shapes are tracked as it goes."""

    def __init__(self, seed: int, n_operators: int, batch: int | str) -> None:
        self.random = random.Random(seed)
        self.batch = batch
        self.nodes: list[object] = []
        self.weights: dict[str, np.ndarray] = {"axis1": np.array([1]), "zero": np.array(0), "two": np.array([2])}
        self.columns = {"x": WIDTH, "z": 4}
        for i in range(n_operators):
            self.step(f"t{i}")

    def emit(self, op_type: str, inputs: list[str], output: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(op_type, inputs, [output], name=f"step{len(self.nodes)}", **attributes))
        return output

    def step(self, out: str) -> None:
        a = self.random.choice(list(self.columns))
        width = self.columns[a]
        kind = self.random.choice(("unary", "binary", "matmul", "concat", "slice", "reshape", "reduce", "transposed"))
        if kind == "unary":
            self.emit(self.random.choice(("Relu", "Sigmoid", "Identity", "Softmax")), [a], out)
        elif kind == "binary":
            same = [name for name, columns in self.columns.items() if columns == width]
            self.emit(self.random.choice(("Add", "Mul", "Max")), [a, self.random.choice(same)], out)
        elif kind == "matmul":
            width = self.random.choice((3, 4, 6))
            self.weights[f"w_{out}"] = np.ones((self.columns[a], width), np.float32)
            self.emit("MatMul", [a, f"w_{out}"], out)
        elif kind == "concat":
            b = self.random.choice(list(self.columns))
            width += self.columns[b]
            self.emit("Concat", [a, b], out, axis=1)
        elif kind == "slice" and width > 2:
            self.emit("Slice", [a, "axis1", "two", "axis1"], out)
            width = 1
        elif kind == "reshape":  # to what its own shape says, as exporters flatten
            rows = self.emit("Gather", [self.emit("Shape", [a], f"{out}_s"), "zero"], f"{out}_n")
            one = self.emit("Unsqueeze", [rows, "axis0"], f"{out}_n1")
            self.weights.setdefault("axis0", np.array([0]))
            self.weights.setdefault("rest", np.array([-1]))
            self.emit("Reshape", [a, self.emit("Concat", [one, "rest"], f"{out}_t", axis=0)], out)
        elif kind == "reduce":
            self.emit("ReduceMean", [a], out, axes=[1], keepdims=1)
            width = 1
        else:
            self.emit("Transpose", [self.emit("Transpose", [a], f"{out}_u", perm=[1, 0])], out, perm=[1, 0])
        self.columns[out] = width

    def model(self, shuffle: int | None = None, every: bool = False) -> ModelProto:
        nodes = list(self.nodes)
        if shuffle is not None:
            random.Random(shuffle).shuffle(nodes)
        read = {name for node in nodes for name in node.input}
        written = [name for node in nodes for name in node.output]
        ends = written if every else sorted(name for name in written if name not in read)
        kinds = {name: TensorProto.INT64 for name in written if name[-2:] in ("_s", "_n", "n1", "_t")}
        graph = helper.make_graph(
            nodes, "random",
            [helper.make_tensor_value_info(name, 1, [self.batch, self.columns[name]]) for name in ("x", "z")],
            [helper.make_tensor_value_info(name, kinds.get(name, 1), None) for name in ends],
            [numpy_helper.from_array(array, name) for name, array in self.weights.items()],
        )  # fmt: skip
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def operators(graph: Graph) -> dict[str, tuple[object, ...]]:
    """What a plan depends on, by name and without positions."""
    names = [tensor.name for tensor in graph.tensors]
    return {
        op.name: (
            op.op_type, op.flops, op.flops_source, op.bytes_read, op.bytes_written, op.precision,
            tuple(names[t] for t in op.inputs), tuple(names[t] for t in op.outputs),
            tuple(graph.initializers[i].name for i in op.initializers),
        )
        for op in graph.operators
    }  # fmt: skip


def tensors(graph: Graph) -> dict[str, tuple[object, ...]]:
    return {tensor.name: (tensor.shape, tensor.dtype, tensor.size_bytes) for tensor in graph.tensors}


SIZES = {"seed": st.integers(0, 10**6), "n": st.integers(2, 14)}


@settings(max_examples=40, deadline=None)
@given(**SIZES, shuffle=st.integers(0, 10**6))
def test_the_order_of_the_nodes_in_the_file_changes_nothing(seed, n, shuffle):
    writer = Writer(seed, n, 3)
    plain = read_onnx(writer.model().SerializeToString())
    mixed = read_onnx(writer.model(shuffle).SerializeToString())
    assert operators(mixed) == operators(plain)
    assert tensors(mixed) == tensors(plain)
    assert {mixed.tensors[t].name for t in mixed.outputs} == {plain.tensors[t].name for t in plain.outputs}


@settings(max_examples=40, deadline=None)
@given(**SIZES, batch=st.integers(1, 9))
def test_binding_a_dimension_is_exporting_with_its_size(seed, n, batch):
    bound = read_onnx(Writer(seed, n, "batch").model().SerializeToString(), {"batch": batch})
    fixed = read_onnx(Writer(seed, n, batch).model().SerializeToString())
    assert operators(bound) == operators(fixed)
    assert tensors(bound) == tensors(fixed)
    assert bound.notes == fixed.notes == ()


@settings(max_examples=40, deadline=None)
@given(**SIZES, batch=st.integers(1, 5))
def test_shapes_are_those_that_the_reference_evaluator_computes(seed, n, batch):
    writer = Writer(seed, n, "batch")
    graph = read_onnx(writer.model(every=True).SerializeToString(), {"batch": batch})
    model = writer.model(every=True)
    feeds = {name: np.zeros((batch, writer.columns[name]), np.float32) for name in ("x", "z")}
    values = dict(
        zip([item.name for item in model.graph.output], ReferenceEvaluator(model).run(None, feeds), strict=True)
    )
    checked = 0
    for tensor in graph.tensors:
        if tensor.name in values:
            assert tensor.shape == values[tensor.name].shape, tensor.name
            assert tensor.size_bytes == values[tensor.name].nbytes
            assert tensor.size_source == "inferred"
            checked += 1
    assert checked >= 1
