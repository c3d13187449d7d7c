"""A small training step as an ONNX graph with its gradients written out: what any runtime without autograd can run.

Two layers: a convolution (or a dense layer), ReLU, a dense layer, softmax cross-entropy, plain SGD. The outputs of a
step are the loss and the new weights, which go into the next step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8
LOSS = "loss"

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """``model``: inputs ``x`` [batch, 1, side, side], ``onehot`` [batch, classes] and the weights by name; outputs
    ``loss`` [] and ``new_NAME`` for each weight. ``weights``: their start. ``batches``: ``(x, onehot)`` per step.
    """

    model: bytes
    weights: dict[str, Array]
    batches: list[tuple[Array, Array]]

    @property
    def outputs(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Type and shape of every output."""
        return {LOSS: ("float32", ()), **{f"new_{name}": ("float32", w.shape) for name, w in self.weights.items()}}


def training_step(
    kind: str = "conv", *, steps: int = 100, seed: int = 0, batch: int = 32, side: int = 10, classes: int = 4,
    width: int = 8, rate: float = 0.05,
) -> TrainingStep:  # fmt: skip
    """Return a step of the ``"conv"`` or ``"mlp"`` network, with seeded weights and data that can be learned.

    Data: every class has a random pattern, items are patterns in noise.
    """
    rng = np.random.default_rng(seed)
    kernel, inner = 3, side - 2
    features = width * inner * inner if kind == "conv" else 4 * width
    first = (width, 1, kernel, kernel) if kind == "conv" else (side * side, features)
    fan_in = kernel * kernel if kind == "conv" else side * side
    weights = {
        "w1": rng.normal(0, np.sqrt(2 / fan_in), first).astype(np.float32),
        "b1": np.zeros(width if kind == "conv" else features, np.float32),
        "w2": rng.normal(0, np.sqrt(1 / features), (features, classes)).astype(np.float32),
        "b2": np.zeros(classes, np.float32),
    }
    patterns = rng.normal(size=(classes, 1, side, side))
    batches = []
    for _ in range(steps):
        labels = rng.integers(0, classes, batch)
        x = patterns[labels] + rng.normal(0, 1.0, (batch, 1, side, side))
        batches.append((x.astype(np.float32), np.eye(classes, dtype=np.float32)[labels]))
    writer = _Writer(batch, rate)
    writer.forward_and_backward(kind, (batch, width, inner, inner) if kind == "conv" else (batch, features))
    shapes = {"x": (batch, 1, side, side), "onehot": (batch, classes)} | {k: w.shape for k, w in weights.items()}
    return TrainingStep(writer.model(shapes, weights), weights, batches)


class _Writer:
    def __init__(self, batch: int, rate: float) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.batch, self.rate = batch, rate

    def op(self, op_type: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(op_type, inputs, [output], name=output, **attributes))
        return output

    def constant(self, name: str, value: Any, dtype: Any = np.float32) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def forward_and_backward(self, kind: str, hidden_shape: tuple[int, ...]) -> None:
        op = self.op
        flat = self.constant("flat", [self.batch, -1], np.int64)
        inverse = self.constant("inverse_batch", 1 / self.batch)
        if kind == "conv":
            op("Conv", ["x", "w1", "b1"], "z1")
            op("Relu", ["z1"], "a1")
            hidden = op("Reshape", ["a1", flat], "h")
        else:
            op("Reshape", ["x", flat], "x_flat")
            op("Gemm", ["x_flat", "w1", "b1"], "z1")
            hidden = op("Relu", ["z1"], "a1")
        op("Gemm", [hidden, "w2", "b2"], "z2")
        op("LogSoftmax", ["z2"], "log_p", axis=-1)
        op("Mul", ["onehot", "log_p"], "picked")
        op("ReduceSum", ["picked"], "sum_picked", keepdims=0)
        op("Mul", ["sum_picked", self.constant("minus_inverse", -1 / self.batch)], LOSS)
        # d loss / d z2 = (softmax(z2) - onehot) / batch
        op("Exp", ["log_p"], "p")
        op("Sub", ["p", "onehot"], "p_minus")
        op("Mul", ["p_minus", inverse], "dz2")
        op("Gemm", [hidden, "dz2"], "d_w2", transA=1)
        rows = self.constant("rows", [0], np.int64)
        op("ReduceSum", ["dz2", rows], "d_b2", keepdims=0)
        op("Gemm", ["dz2", "w2"], "dh", transB=1)
        shape = self.constant("hidden_shape", hidden_shape, np.int64)
        op("Reshape", ["dh", shape], "da1")
        op("Greater", ["z1", self.constant("zero", 0.0)], "active")
        op("Where", ["active", "da1", "zero"], "dz1")
        if kind == "conv":
            # the weights' gradient is a convolution of the inputs by the gradients, over batches instead of channels
            op("Transpose", ["x"], "x_by_channel", perm=[1, 0, 2, 3])
            op("Transpose", ["dz1"], "dz1_by_channel", perm=[1, 0, 2, 3])
            op("Conv", ["x_by_channel", "dz1_by_channel"], "d_w1_turned")
            op("Transpose", ["d_w1_turned"], "d_w1", perm=[1, 0, 2, 3])
            op("ReduceSum", ["dz1", self.constant("but_channels", [0, 2, 3], np.int64)], "d_b1", keepdims=0)
        else:
            op("Gemm", ["x_flat", "dz1"], "d_w1", transA=1)
            op("ReduceSum", ["dz1", rows], "d_b1", keepdims=0)
        rate = self.constant("rate", self.rate)
        for name in ("w1", "b1", "w2", "b2"):
            op("Mul", [f"d_{name}", rate], f"step_{name}")
            op("Sub", [name, f"step_{name}"], f"new_{name}")

    def model(self, shapes: dict[str, tuple[int, ...]], weights: dict[str, Array]) -> bytes:
        def value(name: str, shape: tuple[int, ...]) -> Any:
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

        inputs = [value(name, shape) for name, shape in shapes.items()]
        outputs = [value(LOSS, ()), *(value(f"new_{name}", array.shape) for name, array in weights.items())]
        graph = helper.make_graph(self.nodes, "training_step", inputs, outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        return bytes(model.SerializeToString())
