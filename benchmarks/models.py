"""The models of the quality benchmarks: light ONNX models at any batch, BERT, GPT, and a branchy graph of any size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from heteroopt.graph.graph import Graph
from heteroopt.graph.samples import LIGHT_MODELS, bert_encoder_onnx, onnx_light_model

LANES = 5
CHANNELS = 64
WIDTH = 28


def light_model(name: str, batch: int) -> Graph:
    """Return one of the onnx package's light models with another batch size."""
    model = onnx.load(onnx_light_model(name))
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    data = next(value for value in model.graph.input if value.name not in weights)
    data.type.tensor_type.shape.dim[0].dim_value = batch
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    for node in model.graph.node:
        if node.op_type == "Reshape" and node.input[1] in weights:
            shape = numpy_helper.to_array(weights[node.input[1]]).copy()
            if shape[0] == 1:
                shape[0] = batch
                weights[node.input[1]].CopyFrom(numpy_helper.from_array(shape, node.input[1]))
    return Graph.from_onnx(model.SerializeToString(), name=f"{name}, batch {batch}")


def branchy_graph(n: int, seed: int = 0) -> Graph:
    """Return exactly ``n`` operators in five lanes that often read each other: convolutions, pools, sums, activations.

    Every tensor is [1, 64, 28, 28]; an operator extends a random lane, sums read a second one, every 23rd operator
    joins two lanes and starts a third from the sum.
    """
    rng = np.random.default_rng(seed)
    nodes, weights = [], []
    for kernel in (1, 3, 5):
        shape = [CHANNELS, CHANNELS, kernel, kernel]
        weights.append(numpy_helper.from_array(np.array(shape, np.int64), f"shape{kernel}"))
    lanes = ["x"] * LANES

    def extend(lane: int, op_type: str, inputs: list[str], **attributes: object) -> None:
        name = f"op{len(nodes)}"
        nodes.append(helper.make_node(op_type, inputs, [name], name=name, **attributes))
        lanes[lane] = name

    fills, count = [], 0
    while count < n - 1:
        lane, other = (int(lane) for lane in rng.choice(LANES, 2, replace=False))
        kind = rng.random()
        if count % 23 == 22:
            extend(int(rng.integers(LANES)), "Add", [lanes[lane], lanes[other]])
        elif kind < 0.4:
            kernel = int(rng.choice((1, 3, 5)))
            weight = f"weight{count}"
            value = numpy_helper.from_array(np.array([0.01], np.float32))
            fills.append(helper.make_node("ConstantOfShape", [f"shape{kernel}"], [weight], value=value))
            extend(lane, "Conv", [lanes[lane], weight], pads=[kernel // 2] * 4, kernel_shape=[kernel, kernel])
        elif kind < 0.6:
            extend(lane, "Relu", [lanes[lane]])
        elif kind < 0.7:
            extend(lane, "MaxPool", [lanes[lane]], kernel_shape=[3, 3], pads=[1] * 4)
        elif kind < 0.8:
            extend(lane, "Sigmoid", [lanes[lane]])
        else:
            extend(lane, "Add" if kind < 0.93 else "Mul", [lanes[lane], lanes[other]])
        count += 1
    extend(0, "Concat", lanes.copy(), axis=1)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, CHANNELS, WIDTH, WIDTH])
    y = helper.make_tensor_value_info(lanes[0], TensorProto.FLOAT, None)
    # Lanes that were taken over have ends that nobody reads: outputs too, so that no operator is dropped.
    read = {name for node in nodes for name in node.input}
    ends = [node.output[0] for node in nodes[:-1] if node.output[0] not in read]
    outputs = [y, *(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ends)]
    graph = helper.make_graph(fills + nodes, "branchy", [x], outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return Graph.from_onnx(model.SerializeToString(), name=f"branchy, {n} operators")


def gpt_graph(layers: int = 48, hidden: int = 1600, heads: int = 25, seq: int = 1024, vocabulary: int = 50257) -> Graph:
    """Return a GPT-2 decoder (XL by default) over ``seq`` tokens, as exporters write it: norms and GELU in parts."""
    nodes, weights = [], []

    def constant(name: str, values: object, kind: type) -> str:
        if all(tensor.name != name for tensor in weights):
            weights.append(numpy_helper.from_array(np.array(values, kind), name))
        return name

    def node(op_type: str, *inputs: str, **attributes: object) -> str:
        name = f"{op_type}{len(nodes)}"
        nodes.append(helper.make_node(op_type, list(inputs), [name], name=name, **attributes))
        return name

    def weight(*shape: int) -> str:
        sizes = constant("shape_" + "_".join(map(str, shape)), shape, np.int64)
        return node("ConstantOfShape", sizes, value=numpy_helper.from_array(np.array([0.02], np.float32)))

    def scalar(value: float) -> str:
        return constant(f"scalar_{value}", value, np.float32)

    def linear(x: str, rows: int, columns: int) -> str:
        return node("Add", node("MatMul", x, weight(rows, columns)), weight(columns))

    def norm(x: str) -> str:
        centred = node("Sub", x, node("ReduceMean", x, axes=[-1]))
        variance = node("ReduceMean", node("Pow", centred, scalar(2.0)), axes=[-1])
        normal = node("Div", centred, node("Sqrt", node("Add", variance, scalar(1e-5))))
        return node("Add", node("Mul", normal, weight(hidden)), weight(hidden))

    def attention(x: str) -> str:
        wide = linear(x, hidden, 3 * hidden)
        split = [f"{part}{len(nodes)}" for part in "qkv"]
        nodes.append(helper.make_node("Split", [wide], split, name=f"Split{len(nodes)}", axis=2))
        shape = constant("heads_shape", [1, seq, heads, hidden // heads], np.int64)
        perms = ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
        q, k, v = (
            node("Transpose", node("Reshape", part, shape), perm=p) for part, p in zip(split, perms, strict=True)
        )
        scores = node("Div", node("MatMul", q, k), scalar(float(np.sqrt(hidden / heads))))
        masked = node("Add", scores, weight(1, 1, seq, seq))
        context = node("MatMul", node("Softmax", masked, axis=-1), v)
        merged = node("Transpose", context, perm=[0, 2, 1, 3])
        return linear(node("Reshape", merged, constant("hidden_shape", [1, seq, hidden], np.int64)), hidden, hidden)

    def gelu(x: str) -> str:
        cubic = node("Mul", node("Pow", x, scalar(3.0)), scalar(0.044715))
        inner = node("Mul", node("Add", x, cubic), scalar(0.7978845608))
        return node("Mul", node("Mul", x, scalar(0.5)), node("Add", node("Tanh", inner), scalar(1.0)))

    words = weight(vocabulary, hidden)
    x = node("Add", node("Gather", words, "tokens", axis=0), weight(1, seq, hidden))
    for _ in range(layers):
        x = node("Add", x, attention(norm(x)))
        x = node("Add", x, linear(gelu(linear(norm(x), hidden, 4 * hidden)), 4 * hidden, hidden))
    logits = node("MatMul", norm(x), node("Transpose", words, perm=[1, 0]))
    tokens = helper.make_tensor_value_info("tokens", TensorProto.INT64, [1, seq])
    graph = helper.make_graph(
        nodes, "gpt", [tokens], [helper.make_tensor_value_info(logits, TensorProto.FLOAT, None)], weights
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return Graph.from_onnx(model.SerializeToString(), name=f"GPT, {layers} layers")


def benchmark_models() -> dict[str, Callable[[], Graph]]:
    """Return the models by name: the light ones at batch 1 and 32, BERT-12, GPT-48 and the branchy 5,000."""
    models: dict[str, Callable[[], Graph]] = {
        f"{name}/{batch}": lambda name=name, batch=batch: light_model(name, batch)  # type: ignore[misc]
        for name in LIGHT_MODELS
        for batch in (1, 32)
    }
    models["bert12"] = lambda: Graph.from_onnx(bert_encoder_onnx(), name="BERT-12")
    models["gpt48"] = gpt_graph
    models["branchy5000"] = lambda: branchy_graph(5_000)
    return models
